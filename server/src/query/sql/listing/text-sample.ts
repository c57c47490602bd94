/**
 * The first lines of a large text file, for inferring its columns: as many whole records as there are
 * in the first bytes, cut at a line end outside quotes.
 */

import { writeFile } from "node:fs/promises";
import type { ObjectSource, SourceObject } from "../../sources/object-source.ts";

/** White space, and the bytes of a byte order mark. */
const JSON_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

export async function readHead(
  source: ObjectSource,
  object: SourceObject,
  bytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of source.read(object, signal)) {
    chunks.push(chunk);
    read += chunk.byteLength;
    if (read >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

/** @param quote the quoting character, or empty */
export async function writeFirstLines(
  head: Uint8Array,
  path: string,
  quote: string,
): Promise<void> {
  await writeFile(path, wholeLines(head, quote), { flag: "wx", mode: 0o600 });
}

/** Whether the first character of a JSON text is an array's. */
export function beginsArray(head: Uint8Array): boolean {
  const first = head.findIndex((byte) => !JSON_SPACE.has(byte));
  return first >= 0 && head[first] === "[".charCodeAt(0);
}

/** All of it where it has no line end outside quotes. */
function wholeLines(head: Uint8Array, quote: string): Uint8Array {
  const quoteByte = quote === "" ? -1 : quote.charCodeAt(0);
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at];
    if (byte === quoteByte) isQuoted = !isQuoted;
    else if (byte === 0x0a && !isQuoted) end = at + 1;
  }
  return end === 0 ? head : head.subarray(0, end);
}
