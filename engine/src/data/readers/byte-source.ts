/** Bytes on their way into a reader: gzip and Zstandard are undone where the first bytes announce them. */

import { createGunzip } from "node:zlib";
import { DataError } from "../table.ts";
import { piped } from "./piped.ts";
import type { ReadBudget } from "./read-limits.ts";
import { isZstd, unzstd } from "./zstd.ts";

/** All bytes, or chunks of them. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** As many of the first bytes as tell whether all are compressed. */
export const COMPRESSION_MAGIC_BYTES = 4;

/** By what the bytes are compressed; null where they are not. @param head of them, or all */
export function compressionOf(head: Uint8Array): "gzip" | "zstd" | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return isZstd(head) ? "zstd" : null;
}

/**
 * The chunks of `source`, decompressed if they are gzip or Zstandard. `onBytes` hears of compressed bytes.
 *
 * @throws DataError where what is compressed is damaged or unpacks to more than the budget has
 * @throws TypeError where the source gives something other than bytes
 */
export async function* decompressed(
  source: ByteSource,
  budget: ReadBudget,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const iterator = counted(source, (bytes) => {
    budget.addFile(bytes);
    onBytes(bytes);
  });
  let head: Uint8Array = new Uint8Array(0);
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    if (head.length >= COMPRESSION_MAGIC_BYTES) break;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      yield* iterator;
    } finally {
      await iterator.return(undefined);
    }
  }
  const compression = compressionOf(head);
  if (compression === null) {
    yield* all();
    return;
  }
  let unpacked = 0;
  for await (const chunk of compression === "gzip" ? gunzip(all()) : unzstd(all())) {
    unpacked += chunk.length;
    budget.checkUnpacked(unpacked);
    yield chunk;
  }
}

async function* counted(
  source: ByteSource,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    if (!(chunk instanceof Uint8Array)) {
      const given =
        typeof source === "string"
          ? "A text becomes one by `new TextEncoder().encode(text)`."
          : `They gave a value of type ${typeof chunk}.`;
      throw new TypeError(
        `A table is read from a Uint8Array, or from chunks that are such. ${given}`,
      );
    }
    if (chunk.length === 0) continue;
    onBytes(chunk.length);
    yield chunk;
  }
}

async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* piped(source, createGunzip({ chunkSize: 256 * 1024 }));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (!code.startsWith("Z_")) throw cause;
    throw new DataError("The gzip data is damaged or cut short.", { cause });
  }
}

/**
 * All chunks as one array.
 *
 * @param check hears how many bytes are held
 */
export async function collect(
  source: AsyncIterable<Uint8Array>,
  check: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    check(size);
  }
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
