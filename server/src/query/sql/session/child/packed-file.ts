/**
 * Files in the session's folder that gzip or Zstandard packed. DuckDB reads what there is of one that
 * was cut short and says nothing of the rest, so that each is looked at before it is read.
 */

import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { READ_LIMITS } from "@distillery/engine/csv";

const READ_BYTES = 256 << 10;

/**
 * @param hasLines whether it is asked for the last line
 * @returns bytes of the last line that is not empty, where it is asked for
 * @throws Error where the file is damaged or ends early; of one that is not packed nothing is looked at
 */
export async function checkPacked(path: string, hasLines: boolean): Promise<number> {
  // The length of what gzip packed is known to whoever unpacks it; Zstandard's frames tell theirs.
  if (path.endsWith(".zst") && !hasLines) for await (const _ of zstdFrames(path));
  else if (/\.(?:gz|zst)$/.test(path)) return lastLineOf(unpacked(path));
  return 0;
}

async function lastLineOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  let isEnded = false;
  for await (const piece of pieces) {
    let end = piece.length;
    while (end > 0 && (piece[end - 1] === 0x0a || piece[end - 1] === 0x0d)) end--;
    if (end > 0) {
      const before = Math.max(piece.lastIndexOf(0x0a, end - 1), piece.lastIndexOf(0x0d, end - 1));
      if (before >= 0) length = end - before - 1;
      else length = isEnded ? end : length + end;
    }
    isEnded = end < piece.length;
  }
  return length;
}

/** What a packed file may unpack to, in bytes to one of its own; up to `freeBytes` in any case. */
export interface UnpackLimits {
  readonly ratio: number;
  readonly freeBytes: number;
}

/** As of uploads. */
const UNPACK_LIMITS: UnpackLimits = {
  ratio: READ_LIMITS.unpackedRatio,
  freeBytes: READ_LIMITS.unpackedFreeBytes,
};

/**
 * The bytes of a file, unpacked where its name says that it is packed.
 *
 * @throws Error where it unpacks to more than it may, as what was made to fill memory does
 */
export async function* unpacked(
  path: string,
  limits = UNPACK_LIMITS,
): AsyncGenerator<Uint8Array, void> {
  if (!/\.(?:gz|zst)$/.test(path)) {
    yield* createReadStream(path, { highWaterMark: READ_BYTES });
    return;
  }
  const { size } = await stat(path);
  const most = Math.max(limits.freeBytes, limits.ratio * size);
  let bytes = 0;
  for await (const piece of unpackedPieces(path)) {
    bytes += piece.length;
    if (bytes > most) {
      throw new Error(
        `it unpacks to more than ${most} bytes, over ${limits.ratio} times its own ${size}`,
      );
    }
    yield piece;
  }
}

async function* unpackedPieces(path: string): AsyncGenerator<Uint8Array, void> {
  if (path.endsWith(".gz")) yield* through(path, createGunzip());
  else {
    // Node's stream ends with its first frame.
    for await (const { start, end } of zstdFrames(path)) {
      yield* through(path, createZstdDecompress(), start, end);
    }
  }
}

function through(path: string, unpack: Transform, start = 0, end?: number): Transform {
  const range = end === undefined ? {} : { end: end - 1 };
  const file = createReadStream(path, { highWaterMark: READ_BYTES, start, ...range });
  file.on("error", (error) => unpack.destroy(error));
  unpack.on("close", () => file.destroy());
  return file.pipe(unpack);
}

interface Frame {
  readonly start: number;
  /** Behind its last byte. */
  readonly end: number;
}

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const RLE = 1;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const LENGTH_BYTES = [0, 2, 4, 8];

/** The frames that hold data, by their headers and those of their blocks alone (RFC 8878, 3.1). */
async function* zstdFrames(path: string): AsyncGenerator<Frame, void> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size === 0) throw endsEarly();
    for (let start = 0; start < size; ) {
      const magic = (await read(file, start, 4)).readUInt32LE();
      if ((magic & 0xfffffff0) === SKIPPABLE) {
        start += 8 + (await read(file, start + 4, 4)).readUInt32LE();
        if (start > size) throw endsEarly();
        continue;
      }
      if (magic !== FRAME) throw new Error("it is not what Zstandard packs");
      const end = await endOfFrame(file, start);
      if (end > size) throw endsEarly();
      yield { start, end };
      start = end;
    }
  } finally {
    await file.close();
  }
}

async function endOfFrame(file: FileHandle, start: number): Promise<number> {
  const descriptor = (await read(file, start + 4, 1)).readUInt8();
  const isSingle = (descriptor & 0x20) !== 0;
  const lengthFlag = descriptor >> 6;
  const lengthBytes = lengthFlag === 0 && isSingle ? 1 : LENGTH_BYTES[lengthFlag]!;
  let at = start + 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]! + lengthBytes;
  for (let isLast = false; !isLast; ) {
    const header = (await read(file, at, 3)).readUIntLE(0, 3);
    isLast = (header & 1) === 1;
    at += 3 + (((header >> 1) & 3) === RLE ? 1 : header >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : 4);
}

async function read(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  if (bytesRead < bytes) throw endsEarly();
  return buffer;
}

const endsEarly = (): Error => new Error("unexpected end of file");
