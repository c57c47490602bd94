/**
 * A Parquet file's footer without its data, as a sparse local file of the same length: all that
 * reading its columns' types needs. The footer is last: its bytes, their number (four bytes, little
 * endian) and the magic bytes (Apache Parquet format, "File format").
 */

import { open } from "node:fs/promises";
import type { ObjectSource, SourceObject } from "../../sources/object-source.ts";
import { ScanError } from "../scan.ts";

const TAIL_BYTES = 256 * 1024;
/** Of thousands of columns and row groups; what says that it is longer is no file to trust. */
const MAX_FOOTER_BYTES = 64 << 20;
const LENGTH_AND_MAGIC_BYTES = 8;

/**
 * @returns bytes that were fetched; those of a file that is no Parquet are judged by who reads it
 * @throws ScanError where the footer is too long to be one
 */
export async function placeFooter(
  source: Required<Pick<ObjectSource, "readRange">>,
  object: SourceObject,
  path: string,
  signal: AbortSignal,
): Promise<number> {
  let length = Math.min(object.bytes, TAIL_BYTES);
  let tail = await source.readRange(object, { offset: object.bytes - length, length }, signal);
  let fetched = length;
  const footer = footerBytes(tail);
  if (footer > length && footer <= object.bytes) {
    if (footer > MAX_FOOTER_BYTES) {
      throw new ScanError(`${object.key} has a footer of ${footer} bytes, which is no Parquet's`);
    }
    length = footer;
    tail = await source.readRange(object, { offset: object.bytes - length, length }, signal);
    fetched += length;
  }
  const file = await open(path, "wx", 0o600);
  try {
    await file.truncate(object.bytes);
    await file.write(tail, 0, tail.byteLength, object.bytes - length);
  } finally {
    await file.close();
  }
  return fetched;
}

function footerBytes(tail: Uint8Array): number {
  if (tail.byteLength < LENGTH_AND_MAGIC_BYTES) return tail.byteLength;
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const length = view.getUint32(tail.byteLength - LENGTH_AND_MAGIC_BYTES, true);
  return length + LENGTH_AND_MAGIC_BYTES;
}
