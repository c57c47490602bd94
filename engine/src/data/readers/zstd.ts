/**
 * Zstandard undone as its bytes come (RFC 8878). Node's decompressor ends with its first frame and passes over what comes
 * behind it in the same chunk, so that frames are told apart here, by their headers and those of their blocks.
 */

import zlib from "node:zlib";
import { DataError } from "../table.ts";
import { piped } from "./piped.ts";

/** The first four bytes of a frame, as an integer. */
const FRAME = 0xfd2fb528;
/** Frames of other programs' notes have one of sixteen. */
const SKIPPABLE = 0x184d2a50;
const RLE = 1;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const LENGTH_BYTES = [0, 2, 4, 8];
const CHUNK_BYTES = 256 * 1024;

/** Whether bytes begin as Zstandard's do. @param head four bytes or more */
export function isZstd(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  return magic === FRAME || isSkippable(magic);
}

const isSkippable = (magic: number): boolean => magic >>> 4 === SKIPPABLE >>> 4;

/**
 * What was packed, of all frames one after the other.
 *
 * @throws DataError where the data is damaged or ends early, or where this Node cannot undo it
 */
export async function* unzstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteQueue(source);
  try {
    while (await bytes.has(1)) {
      const magic = (await bytes.read(4)).readUInt32LE();
      if (isSkippable(magic)) {
        const length = (await bytes.read(4)).readUInt32LE();
        for await (const _ of bytes.pieces(length));
      } else if (magic === FRAME) yield* unpacked(frame(bytes));
      else throw new DataError("The zstd data is damaged: behind its end is something else.");
    }
  } finally {
    await bytes.close();
  }
}

async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!("createZstdDecompress" in zlib)) {
    throw new DataError(
      "The file is zstd-compressed, which needs Node 22.15 or newer to be read; unpack it, or compress it by gzip.",
    );
  }
  try {
    yield* piped(source, zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES }));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (!code.startsWith("Z")) throw cause;
    if (code.includes("windowTooLarge")) {
      throw new DataError(
        "The zstd data refers back by more than 128 MiB, which is the limit; compress it without --long or --ultra.",
        { cause },
      );
    }
    throw new DataError("The zstd data is damaged.", { cause });
  }
}

/** One frame, whose magic bytes were read. */
async function* frame(bytes: ByteQueue): AsyncGenerator<Uint8Array> {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(FRAME);
  yield magic;
  const descriptor = await bytes.read(1);
  yield descriptor;
  const flags = descriptor.readUInt8();
  const isSingle = (flags & 0x20) !== 0;
  const lengthFlag = flags >> 6;
  const lengthBytes = lengthFlag === 0 && isSingle ? 1 : LENGTH_BYTES[lengthFlag];
  const rest = (isSingle ? 0 : 1) + DICTIONARY_BYTES[flags & 3] + lengthBytes;
  yield* bytes.pieces(rest);
  for (let isLast = false; !isLast; ) {
    const header = await bytes.read(3);
    yield header;
    const value = header.readUIntLE(0, 3);
    isLast = (value & 1) === 1;
    yield* bytes.pieces(((value >> 1) & 3) === RLE ? 1 : value >> 3);
  }
  if ((flags & 4) !== 0) yield* bytes.pieces(4);
}

/** Bytes that are taken by counts, whatever chunks they come in. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Whether there are that many more. */
  async has(count: number): Promise<boolean> {
    while (this.#held.length < count) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    }
    return true;
  }

  /** @throws DataError where there are fewer */
  async read(count: number): Promise<Buffer> {
    if (!(await this.has(count))) throw endsEarly();
    return Buffer.from(this.#take(count));
  }

  /** That many, in pieces, as they come. @throws DataError where there are fewer */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (!(await this.has(1))) throw endsEarly();
      const piece = this.#take(Math.min(left, this.#held.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Lets go of what is left of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }
}

const endsEarly = (): DataError => new DataError("The zstd data is damaged or cut short.");
