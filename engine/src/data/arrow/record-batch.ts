/**
 * The header of a record batch (`Message.fbs`: `RecordBatch`, `DictionaryBatch`), checked as far as it
 * can be without its body: which buffers lie where in it.
 */

import * as zlib from "node:zlib";
import { ArrowFileError } from "./file-error.ts";
import { FlatbufferReader, type FlatbufferTable } from "./flatbuffer-reader.ts";
import { decompressLz4Frame } from "./lz4-frame.ts";

export const MESSAGE_SLOTS = 5;
const RECORD_BATCH = {
  length: 0,
  nodes: 1,
  buffers: 2,
  compression: 3,
  variadicCounts: 4,
} as const;
const RECORD_BATCH_SLOTS = 5;
const DICTIONARY_BATCH_SLOTS = 3;
const METADATA_V4 = 3;

/** What the columns of a batch that is read may take together, where nothing else is said. */
const MAX_BATCH_BYTES = 2 ** 30;
const MAX_ROWS = 2 ** 31 - 1;

const CODECS = ["lz4", "zstd"] as const;
type Codec = (typeof CODECS)[number] | null;

export interface BatchHeader {
  readonly rows: number;
  readonly nodes: readonly { readonly length: number; readonly nullCount: number }[];
  readonly buffers: readonly { readonly offset: number; readonly length: number }[];
  readonly variadicCounts: readonly number[];
  readonly codec: Codec;
  /** Unions of that version have a validity buffer. */
  readonly isV4: boolean;
  readonly bodyLength: number;
}

/** A message with columns. */
export type BatchMessage =
  | { readonly kind: "batch"; readonly batch: BatchHeader; readonly bodyLength: number }
  | {
      readonly kind: "dictionary";
      readonly id: number;
      readonly isDelta: boolean;
      readonly batch: BatchHeader;
      readonly bodyLength: number;
    };

export type ArrowMessage = { readonly kind: "schema"; readonly bodyLength: number } | BatchMessage;

/** @throws ArrowSchemaError, ArrowFileError */
export function parseMessage(metadata: Uint8Array): ArrowMessage {
  const message = new FlatbufferReader(metadata).root(MESSAGE_SLOTS);
  const version = message.int16(0, 0);
  if (version !== METADATA_V4 && version !== METADATA_V4 + 1)
    throw new ArrowFileError(
      `a message has format version V${version + 1}; V4 and V5 are supported`,
      {
        fault: "unsupported",
      },
    );
  const bodyLength = sizeOf(message.int64(3), "the body of a message");
  const isV4 = version === METADATA_V4;
  switch (message.int8(1, 0)) {
    case 1:
      return { kind: "schema", bodyLength };
    case 2: {
      const dictionary = message.table(2, DICTIONARY_BATCH_SLOTS, "a dictionary batch");
      const data = dictionary?.table(1, RECORD_BATCH_SLOTS, "a dictionary") ?? null;
      if (dictionary === null || data === null)
        throw new ArrowFileError("a dictionary batch has no values");
      return {
        kind: "dictionary",
        id: Number(dictionary.int64(0)),
        isDelta: dictionary.bool(2),
        batch: batchHeader(data, bodyLength, isV4),
        bodyLength,
      };
    }
    case 3: {
      const data = message.table(2, RECORD_BATCH_SLOTS, "a record batch");
      if (data === null) throw new ArrowFileError("a record batch has no header");
      return { kind: "batch", batch: batchHeader(data, bodyLength, isV4), bodyLength };
    }
    default:
      throw new ArrowFileError("a message is neither a schema, a dictionary nor a record batch");
  }
}

function batchHeader(table: FlatbufferTable, bodyLength: number, isV4: boolean): BatchHeader {
  const rows = sizeOf(table.int64(RECORD_BATCH.length), "a record batch");
  if (rows > MAX_ROWS) throw new ArrowFileError(`a record batch has ${rows} rows, too many`);
  const nodes = pairs(table.words(RECORD_BATCH.nodes, 2)).map(([length, nullCount]) => ({
    length: sizeOf(length, "a column"),
    nullCount: Number(nullCount),
  }));
  const buffers = pairs(table.words(RECORD_BATCH.buffers, 2)).map(([offset, length]) => {
    const region = { offset: sizeOf(offset, "a buffer"), length: sizeOf(length, "a buffer") };
    if (region.offset + region.length > bodyLength)
      throw new ArrowFileError("a buffer lies outside its record batch");
    return region;
  });
  const variadicCounts = table
    .int64s(RECORD_BATCH.variadicCounts)
    .map((count) => sizeOf(count, "a column"));
  return { rows, nodes, buffers, variadicCounts, codec: codecOf(table), isV4, bodyLength };
}

function codecOf(table: FlatbufferTable): Codec {
  const compression = table.table(RECORD_BATCH.compression, 2, "the compression of a batch");
  if (compression === null) return null;
  const codec = CODECS[compression.int8(0, 0)];
  if (codec === undefined || compression.int8(1, 0) !== 0)
    throw new ArrowFileError("a record batch uses an unknown compression codec", {
      fault: "unsupported",
    });
  return codec;
}

/** Reads bytes of a message's body. */
export type ReadBody = (offset: number, length: number) => Uint8Array;

export interface BodyLimits {
  /** That the buffers of a batch may take together, as they lie and unpacked. */
  readonly maxBytes?: number | undefined;
  /** Hears how many bytes a buffer takes, before they are unpacked; it may throw. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Takes a batch's nodes and buffers in their order, and reads those that are wanted. */
export class BatchBody {
  readonly header: BatchHeader;
  readonly #read: ReadBody;
  readonly #maxBytes: number;
  readonly #onBytes: (bytes: number) => void;
  #node = 0;
  #buffer = 0;
  #variadic = 0;
  #bytes = 0;

  constructor(header: BatchHeader, read: ReadBody, { maxBytes, onBytes }: BodyLimits = {}) {
    this.header = header;
    this.#read = read;
    this.#maxBytes = maxBytes ?? MAX_BATCH_BYTES;
    this.#onBytes = onBytes ?? (() => {});
  }

  node(): { readonly length: number; readonly nullCount: number } {
    const node = this.header.nodes[this.#node++];
    if (node === undefined) throw new ArrowFileError("a record batch has too few columns");
    return node;
  }

  /** The next buffer, unpacked, at a multiple of 8 in its memory. */
  buffer(): Uint8Array {
    const region = this.header.buffers[this.#buffer++];
    if (region === undefined) throw new ArrowFileError("a record batch has too few buffers");
    if (region.length === 0) return new Uint8Array(0);
    this.#take(region.length);
    const bytes = this.#read(region.offset, region.length);
    const { codec } = this.header;
    return aligned(codec === null ? bytes : this.#decompressed(bytes, codec));
  }

  /** Passes over so many nodes and buffers. */
  skip(nodes: number, buffers: number): void {
    this.#node += nodes;
    this.#buffer += buffers;
  }

  /** The next view column's number of data buffers. */
  variadicCount(): number {
    const count = this.header.variadicCounts[this.#variadic++];
    if (count === undefined) throw new ArrowFileError("a record batch has too few view columns");
    if (count > this.header.buffers.length)
      throw new ArrowFileError("a view column has more buffers than its record batch");
    return count;
  }

  #decompressed(bytes: Uint8Array, codec: "lz4" | "zstd"): Uint8Array {
    if (bytes.length < 8) throw new ArrowFileError("a compressed buffer has no length");
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
    const rest = bytes.subarray(8);
    // A buffer that would not shrink stays as it is.
    if (length === -1) return rest;
    if (length < 0) throw new ArrowFileError("a compressed buffer has a negative length");
    this.#take(length);
    if (length === 0) return new Uint8Array(0);
    if (codec === "lz4") return decompressLz4Frame(rest, length);
    // Node 20 has none.
    if (!("zstdDecompressSync" in zlib))
      throw new ArrowFileError(
        "a buffer is compressed with ZSTD, which Node reads from version 22.15 on; write the file with LZ4",
      );
    let whole: Uint8Array;
    try {
      whole = zlib.zstdDecompressSync(rest, { maxOutputLength: length });
    } catch (cause) {
      throw new ArrowFileError("a compressed buffer is damaged (ZSTD)", { cause });
    }
    if (whole.length !== length)
      throw new ArrowFileError(
        "a compressed buffer unpacks to fewer bytes than it declares (ZSTD)",
      );
    return whole;
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new ArrowFileError(
        `a record batch needs more than ${Math.floor(this.#maxBytes / 2 ** 20)} MiB; write the file with smaller batches`,
        { fault: "limit" },
      );
    this.#onBytes(bytes);
  }
}

/** Arrays of wider numbers begin at a multiple of their width. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}

function pairs(words: readonly bigint[]): (readonly [bigint, bigint])[] {
  return Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i]!, words[2 * i + 1]!]);
}

function sizeOf(value: bigint, what: string): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ArrowFileError(`${what} has an impossible size (${value})`);
  return Number(value);
}
