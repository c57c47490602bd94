/** The archive of a model as a stream: its bytes depend on what it holds alone. */

import { join } from "node:path";
import { PassThrough, pipeline, Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { ArchiveParts } from "../../platform/compute/exports/export-model.ts";

/** Its times are all the same, and do not depend on the clock's zone. */
const ENTRY = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true } as const;

/** A buffer's checksum is made in one go, which at a hundred megabytes holds up everybody. */
const PIECE_BYTES = 1 << 18;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

export function archiveZip(
  folder: string,
  { readme, card, page, onnx, predictor, files }: ArchiveParts,
): Readable {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(readme), "README.md", ENTRY);
  zip.addBuffer(Buffer.from(card), "card.json", ENTRY);
  zip.addBuffer(Buffer.from(page), "card.html", ENTRY);
  for (const file of files) zip.addFile(join(folder, file), `model/${file}`, ENTRY);
  for (const { path, text } of predictor) zip.addBuffer(Buffer.from(text), path, ENTRY);
  if (onnx !== null) {
    zip.addReadStreamLazy("model.onnx", { ...ENTRY, size: onnx.length }, (use) =>
      use(null, Readable.from(piecesOf(onnx))),
    );
  }
  // Not `Readable.wrap`: it drops what its reader has not taken yet when the stream within it closes.
  const body = pipeline(zip.outputStream, new PassThrough(), () => {});
  zip.on("error", (fault: Error) => body.destroy(fault));
  zip.end();
  return body;
}
