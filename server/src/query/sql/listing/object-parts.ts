/**
 * The local file of an object: whole, or a sparse one of the same length with some of its parts at
 * their own places. Of a Parquet file the parts are its footer, which is its end: `FileMetaData`, its
 * length in four bytes, little endian, and the magic bytes (Apache Parquet format, "File format"); and
 * the column chunks that a query needs.
 */

import { type FileHandle, open } from "node:fs/promises";
import type { ObjectSource, SourceObject, SourceRange } from "../../sources/object-source.ts";
import { SourceChangedError, SourceError } from "../../sources/source-error.ts";
import { ScanError } from "../scan.ts";

/** A source of which whole objects are read. */
export type WholeSource = Pick<ObjectSource, "cacheScope" | "read" | "linkTo">;

/** A source that gives ranges. */
export type RangedSource = ObjectSource & Required<Pick<ObjectSource, "readRange">>;

export function givesRanges(source: ObjectSource): source is RangedSource {
  return source.readRange !== undefined;
}

export interface ObjectParts {
  /** Row groups that the footer has; null = all. */
  readonly groups: readonly number[] | null;
  readonly ranges: readonly SourceRange[];
  /** A local file of which the bytes from `from` on are the footer, which begins at `offset`. */
  readonly footer: { readonly path: string; readonly from: number; readonly offset: number };
}

/** A local file that has some bytes of the object. */
interface KnownParts {
  readonly path: string;
  readonly ranges: readonly SourceRange[];
}

/** What a local file has. */
export interface Written {
  /** Of the object, at their own places. */
  readonly ranges: readonly SourceRange[];
  /** On the disk. */
  readonly bytes: number;
  /** From the source. */
  readonly fetchedBytes: number;
}

/** Of thousands of columns and row groups; what says that it is longer is no file to trust. */
const MAX_FOOTER_BYTES = 64 << 20;
const LENGTH_AND_MAGIC_BYTES = 8;
/** A range is fetched in pieces of this, several at a time. */
const PIECE_BYTES = 32 << 20;

/** @throws SourceChangedError, or SourceError where the source gave other bytes than it listed */
export async function writeWhole(
  source: WholeSource,
  object: SourceObject,
  path: string,
  signal: AbortSignal,
): Promise<Written> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of source.read(object, signal)) {
      signal.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > object.bytes) break;
      await file.writeFile(chunk);
    }
    signal.throwIfAborted();
  } finally {
    await file.close();
  }
  if (bytes !== object.bytes) {
    const message = `${object.key} was listed with ${object.bytes} bytes and read with ${bytes > object.bytes ? "more" : bytes}`;
    if (bytes > object.bytes) throw new SourceChangedError(message);
    throw new SourceError("broken", message);
  }
  return { ranges: [{ offset: 0, length: bytes }], bytes, fetchedBytes: bytes };
}

/**
 * A Parquet file's footer without its data. Bytes of a file that is no Parquet are judged by who reads it.
 *
 * @throws ScanError where the footer is too long to be one
 */
export async function writeFooter(
  source: RangedSource,
  object: SourceObject,
  path: string,
  signal: AbortSignal,
): Promise<Written> {
  const end = (length: number): Promise<Buffer> =>
    bytesOf(source, object, { offset: object.bytes - length, length }, signal);
  let tail = await end(Math.min(object.bytes, guessedFooterBytes(object.bytes)));
  let fetchedBytes = tail.byteLength;
  const length = footerBytes(tail);
  if (length > tail.byteLength && length <= object.bytes) {
    if (length > MAX_FOOTER_BYTES) {
      throw new ScanError(
        `${object.key} has a footer of ${length} bytes, which cannot be that of a Parquet file`,
      );
    }
    tail = await end(length);
    fetchedBytes += length;
  }
  const offset = object.bytes - tail.byteLength;
  const file = await open(path, "wx", 0o600);
  try {
    await file.truncate(object.bytes);
    await file.write(tail, 0, tail.byteLength, offset);
  } finally {
    await file.close();
  }
  const { byteLength } = tail;
  return { ranges: [{ offset, length: byteLength }], bytes: byteLength, fetchedBytes };
}

/** Most footers are this long or shorter: they grow with columns and row groups, as files do. */
function guessedFooterBytes(bytes: number): number {
  return Math.min(256 << 10, Math.max(8 << 10, Math.ceil(bytes / 256)));
}

function footerBytes(tail: Buffer): number {
  if (tail.byteLength < LENGTH_AND_MAGIC_BYTES) return tail.byteLength;
  return tail.readUInt32LE(tail.byteLength - LENGTH_AND_MAGIC_BYTES) + LENGTH_AND_MAGIC_BYTES;
}

/** @param cache files that have parts already, and when something may be fetched */
export async function writeParts(
  source: RangedSource,
  object: SourceObject,
  { footer, ranges }: ObjectParts,
  path: string,
  signal: AbortSignal,
  cache: {
    readonly known: readonly KnownParts[];
    readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  },
): Promise<Written> {
  const file = await open(path, "wx", 0o600);
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const write = async ({ offset, length, from }: Segment): Promise<number> => {
    if (from !== null) {
      await copyRange(from, { offset, length }, file, offset, both);
      return 0;
    }
    return cache.inTurn(async () => {
      let at = offset;
      for await (const chunk of source.readRange(object, { offset, length }, both)) {
        await writeAll(file, chunk, at);
        at += chunk.byteLength;
      }
      both.throwIfAborted();
      return length;
    });
  };
  try {
    const footerRange = { offset: footer.from, length: await bytesFrom(footer.path, footer.from) };
    await copyRange(footer.path, footerRange, file, footer.offset, signal);
    const pieces = ranges.flatMap((range) => segmentsOf(range, cache.known)).map(write);
    try {
      const fetchedBytes = sumOf(await Promise.all(pieces));
      const bytes = footerRange.length + sumOf(ranges.map(({ length }) => length));
      return { ranges, bytes, fetchedBytes };
    } catch (error) {
      failed.abort();
      // Nothing is written to the file after it is closed.
      await Promise.allSettled(pieces);
      throw error;
    }
  } finally {
    await file.close();
  }
}

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0);

interface Segment extends SourceRange {
  /** A local file that has it; null = it is to be fetched. */
  readonly from: string | null;
}

/** The range, in order, by where its bytes come from. */
function segmentsOf(range: SourceRange, known: readonly KnownParts[]): Segment[] {
  const segments: Segment[] = [];
  const end = range.offset + range.length;
  const parts = known
    .flatMap(({ path, ranges }) => ranges.map((part) => ({ ...part, path })))
    .toSorted((a, b) => a.offset - b.offset);
  let at = range.offset;
  for (const { offset, length, path } of parts) {
    const until = Math.min(offset + length, end);
    if (until <= at || offset >= end) continue;
    if (offset > at) segments.push(...fetched(at, offset));
    at = Math.max(at, offset);
    segments.push({ offset: at, length: until - at, from: path });
    at = until;
  }
  return [...segments, ...fetched(at, end)];
}

/** In pieces. */
function fetched(from: number, to: number): Segment[] {
  return Array.from({ length: Math.ceil((to - from) / PIECE_BYTES) }, (_, index) => {
    const offset = from + index * PIECE_BYTES;
    return { offset, length: Math.min(PIECE_BYTES, to - offset), from: null };
  });
}

async function bytesOf(
  source: RangedSource,
  object: SourceObject,
  range: SourceRange,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.readRange(object, range, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function bytesFrom(path: string, from: number): Promise<number> {
  const file = await open(path, "r");
  try {
    return (await file.stat()).size - from;
  } finally {
    await file.close();
  }
}

async function copyRange(
  path: string,
  { offset, length }: SourceRange,
  to: FileHandle,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  if (length === 0) return;
  const from = await open(path, "r");
  try {
    let written = at;
    const stream = from.createReadStream({
      start: offset,
      end: offset + length - 1,
      highWaterMark: 1 << 20,
      autoClose: false,
      signal,
    });
    for await (const chunk of stream) {
      const piece: Buffer = chunk;
      await writeAll(to, piece, written);
      written += piece.byteLength;
    }
  } finally {
    await from.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(
      bytes,
      written,
      bytes.byteLength - written,
      at + written,
    );
    written += bytesWritten;
  }
}
