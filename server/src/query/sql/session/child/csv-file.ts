/**
 * A file of delimited text in the session's folder, looked at before SQL reads it: its dialect and what
 * its columns hold are told, and where it is no UTF-8 it is written anew as such.
 */

import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, createZstdCompress } from "node:zlib";
import {
  asUtf8,
  BLANKS,
  type BlankDialect,
  BlankRuns,
  HEAD_BYTES,
  sampledColumns,
  sniffDialect,
  type TextEncoding,
} from "@distillery/engine/csv";
import type { CsvFile, CsvLook } from "../../csv-look.ts";
import { unpacked } from "./packed-file.ts";

/** Of a sample for the columns' forms. */
const SAMPLE_BYTES = 4 << 20;

/** @throws Error of the decompression, where the file is damaged */
export async function lookAtCsv(path: string, look: CsvLook): Promise<CsvFile> {
  let encoding: TextEncoding = "utf-8";
  let isKnown = false;
  const pieces: Uint8Array[] = [];
  let size = 0;
  const wanted = look.sampleRows === 0 ? HEAD_BYTES : SAMPLE_BYTES;
  const declared = look.encoding === null ? {} : { encoding: look.encoding };
  const text = asUtf8(unpacked(path), {
    ...declared,
    onEncoding(found) {
      encoding = found.encoding;
      isKnown = true;
    },
  });
  let isWhole = true;
  for await (const piece of text) {
    if (size < wanted) pieces.push(piece);
    size += piece.length;
    // Up to its first other byte an ASCII text may be of any encoding.
    if (isKnown && size >= wanted) {
      isWhole = false;
      break;
    }
  }
  const sample = Buffer.concat(pieces);
  const isAll = isWhole && sample.length === size;
  const head = sample.subarray(0, HEAD_BYTES);
  const { hasRowNames, headerAt, ...found } = sniffDialect(
    head,
    isAll && head.length === sample.length,
    {
      ...(look.delimiter === null ? {} : { delimiter: look.delimiter }),
      ...(look.comment === null ? {} : { comment: look.comment }),
    },
  );
  // One that a table's options name is read by DuckDB as it is.
  const hadBlanks = found.delimiter === BLANKS && look.delimiter === null;
  const blanks = hadBlanks ? { comment: found.comment, hasRowNames } : null;
  const lacksName = hasRowNames && found.delimiter !== BLANKS && look.hasHeader;
  // DuckDB takes an empty line for the header.
  const before = look.hasHeader && blanks === null ? emptyBefore(head) : 0;
  const change: Change | null =
    blanks !== null
      ? changeOfBlanks(blanks)
      : lacksName
        ? () => changedAt(headerAt, before, Buffer.from(found.delimiter))
        : before > 0
          ? () => changedAt(before, before, Buffer.alloc(0))
          : null;
  const dialect = hadBlanks ? { ...found, delimiter: "\t" } : found;
  const sampled =
    look.sampleRows === 0
      ? { columns: [], fault: null }
      : sampledColumns(
          changed(isAll ? sample : wholeLines(sample), change),
          dialect,
          look.hasHeader,
          look.sampleRows,
        );
  if ((isKnown && encoding !== "utf-8") || change !== null) await rewrite(path, declared, change);
  return { kind: "csv", encoding, ...dialect, isChanged: change !== null, ...sampled };
}

/** Begins to change a text, whose pieces it is then given in order. */
type Change = () => (piece: Uint8Array) => Uint8Array;

const changed = (text: Uint8Array, change: Change | null): Uint8Array => change?.()(text) ?? text;

const changeOfBlanks =
  (blanks: BlankDialect): Change =>
  () => {
    const runs = new BlankRuns(blanks);
    return (piece) => runs.withTabs(piece);
  };

/** Bytes of the ends of lines that a text begins with. */
function emptyBefore(text: Uint8Array): number {
  const first = text.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return Math.max(0, first);
}

/** @param at where bytes are inserted @param dropped so many first bytes are, which lie before */
function changedAt(
  at: number,
  dropped: number,
  inserted: Uint8Array,
): (piece: Uint8Array) => Uint8Array {
  let begins = 0;
  return (piece) => {
    const [place, from] = [at - begins, Math.min(piece.length, Math.max(0, dropped - begins))];
    begins += piece.length;
    if (place < 0 || place >= piece.length) return piece.subarray(from);
    return Buffer.concat([piece.subarray(from, place), inserted, piece.subarray(place)]);
  };
}

function wholeLines(sample: Buffer): Buffer {
  return sample.subarray(0, sample.lastIndexOf(0x0a) + 1);
}

async function rewrite(
  path: string,
  declared: { encoding?: string },
  change: Change | null,
): Promise<void> {
  const written = `${path}.utf-8`;
  const compress = packing(path);
  const text = asUtf8(unpacked(path), declared);
  const source = Readable.from(change === null ? text : changedPieces(text, change()), {
    objectMode: false,
  });
  const target = createWriteStream(written, { flags: "wx", mode: 0o600 });
  await (compress === null ? pipeline(source, target) : pipeline(source, compress, target));
  // The file may be linked with one of the cache, which stays what it is.
  await rename(written, path);
}

async function* changedPieces(
  text: AsyncIterable<Uint8Array>,
  change: (piece: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const piece of text) yield change(piece);
}

function packing(path: string): Transform | null {
  if (path.endsWith(".gz")) return createGzip({ level: 1 });
  return path.endsWith(".zst") ? createZstdCompress() : null;
}
