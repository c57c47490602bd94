/**
 * The messages of an Arrow IPC file or stream that lies where any byte of it can be read (the columnar
 * format's "IPC Streaming Format" and "IPC File Format"). A file's batches are where its footer says.
 */

import type { Field } from "apache-arrow";
import { ArrowFileError } from "./file-error.ts";
import { FlatbufferReader } from "./flatbuffer-reader.ts";
import { foreignFormatOf } from "./foreign-format.ts";
import {
  type ArrowMessage,
  type BatchMessage,
  MESSAGE_SLOTS,
  parseMessage,
  type ReadBody,
} from "./record-batch.ts";
import { decodeSchema, SCHEMA_SLOTS, type SchemaParts } from "./schema-fields.ts";

const MAGIC = "ARROW1";
const MAGIC_BYTES = 6;
const FIRST_MESSAGE = 8;
export const CONTINUATION = 0xffff_ffff;
export const MAX_METADATA_BYTES = 64 << 20;
const FOOTER_SLOTS = 5;
/** A block of the footer: its offset, the bytes of its metadata, those of its body. */
const BLOCK_WORDS = 3;

/** Bytes that can be read anywhere. */
export interface ArrowBytes {
  readonly size: number;
  /** @throws where they are not all there */
  read(offset: number, length: number): Uint8Array;
}

/** Something to read, open only while something is read of it. */
export interface ArrowSource {
  open<Result>(use: (bytes: ArrowBytes) => Result): Result;
}

/** What a file says of its columns. */
export interface ArrowSchema {
  readonly fields: readonly Field[];
  /** Types of the values of dictionaries by id. */
  readonly dictionaries: SchemaParts["dictionaries"];
  /** Its custom metadata. */
  readonly metadata: ReadonlyMap<string, string>;
}

export interface ArrowFile extends ArrowSchema {
  readonly source: ArrowSource;
  /** Where the messages of a file begin, dictionaries first; null for a stream. */
  readonly blocks: readonly number[] | null;
}

export interface PlacedMessage {
  readonly message: BatchMessage;
  /** Reads of the message's body. */
  readonly read: ReadBody;
}

/** A message of a file that can be read anywhere. */
export interface FileMessage extends PlacedMessage {
  /** Where it begins. */
  readonly at: number;
}

/** Bytes in memory; what is read of them are views. */
export function bytesSource(bytes: Uint8Array): ArrowSource {
  const read = (offset: number, length: number): Uint8Array => {
    if (offset + length > bytes.length) throw new ArrowFileError("the file ends early");
    return bytes.subarray(offset, offset + length);
  };
  return { open: (use) => use({ size: bytes.length, read }) };
}

/**
 * @param maxFields that the schema may have, nested ones counted
 * @throws ArrowFileError, ArrowSchemaError
 */
export function openArrow(source: ArrowSource, maxFields?: number): ArrowFile {
  return source.open((bytes) => {
    if (bytes.size === 0) throw new ArrowFileError("the file is empty");
    const start = bytes.read(0, Math.min(8, bytes.size));
    if (latin1(start).startsWith(MAGIC)) return openFile(source, bytes, maxFields);
    const foreign = foreignFormatOf(start);
    if (foreign !== null) throw new ArrowFileError(`this is ${foreign}, not an Arrow file`);
    const first = messageAt(bytes, 0);
    if (first === null || first.message.kind !== "schema")
      throw new ArrowFileError("this is not an Arrow stream: it does not begin with a schema");
    return { source, ...schemaOf(first.metadata, maxFields), blocks: null };
  });
}

/**
 * The dictionaries and batches in order.
 *
 * @returns whether the end was marked, as that of a file always is; a stream may also just end
 * @throws ArrowFileError, ArrowSchemaError
 */
export function* messagesOf({ source, blocks }: ArrowFile): Generator<FileMessage, boolean> {
  if (blocks !== null) {
    let covered = 0;
    for (const offset of blocks) {
      const { placed, size } = source.open((bytes) => ({
        placed: messageAt(bytes, offset),
        size: bytes.size,
      }));
      if (placed === null) throw new ArrowFileError("the footer points to the end of the messages");
      // Else a few bytes could be read as batches without end.
      covered += placed.body - offset + placed.message.bodyLength;
      if (covered > size) throw new ArrowFileError("the footer points to a message twice");
      yield { ...placedMessage(source, placed), at: offset };
    }
    return true;
  }
  for (let offset = 0; ; ) {
    const at = offset;
    const placed = source.open((bytes) => messageAt(bytes, at));
    if (placed === null) return source.open(({ size }) => at < size);
    offset = placed.body + placed.message.bodyLength;
    if (at > 0) yield { ...placedMessage(source, placed), at };
  }
}

/** @throws ArrowFileError for a schema */
export function batchMessage(message: ArrowMessage): BatchMessage {
  if (message.kind === "schema")
    throw new ArrowFileError(
      "there is a schema where a record batch is expected: does the file contain two streams?",
    );
  return message;
}

function placedMessage(source: ArrowSource, { message, body }: Placed): PlacedMessage {
  return {
    message: batchMessage(message),
    read: (offset, length) => source.open((bytes) => bytes.read(body + offset, length)),
  };
}

function openFile(
  source: ArrowSource,
  bytes: ArrowBytes,
  maxFields: number | undefined,
): ArrowFile {
  const least = FIRST_MESSAGE + 4 + MAGIC_BYTES;
  const tail = bytes.size < least ? null : bytes.read(bytes.size - 10, 10);
  if (tail === null || latin1(tail.subarray(4)) !== MAGIC)
    throw new ArrowFileError("the Arrow file ends early: it has no footer");
  const length = new DataView(tail.buffer, tail.byteOffset).getInt32(0, true);
  if (length <= 0 || length > bytes.size - least || length > MAX_METADATA_BYTES)
    throw new ArrowFileError("the Arrow file's footer has an impossible size");
  const footer = new FlatbufferReader(bytes.read(bytes.size - 10 - length, length)).root(
    FOOTER_SLOTS,
    "the footer",
  );
  const schema = footer.table(1, SCHEMA_SLOTS, "the schema");
  if (schema === null) throw new ArrowFileError("the Arrow file's footer has no schema");
  const blocks = [...footer.words(2, BLOCK_WORDS), ...footer.words(3, BLOCK_WORDS)]
    .filter((_, i) => i % BLOCK_WORDS === 0)
    .map((offset) => {
      if (offset < FIRST_MESSAGE || offset > bytes.size)
        throw new ArrowFileError("the Arrow file's footer points outside the file");
      return Number(offset);
    });
  return { source, ...decodeSchema(schema, maxFields), blocks };
}

/** @param metadata of a message that is known to be a schema */
export function schemaOf(metadata: Uint8Array, maxFields?: number): SchemaParts {
  const schema = new FlatbufferReader(metadata)
    .root(MESSAGE_SLOTS)
    .table(2, SCHEMA_SLOTS, "the schema");
  if (schema === null) throw new ArrowFileError("the Arrow stream has no schema");
  return decodeSchema(schema, maxFields);
}

interface Placed {
  readonly message: ArrowMessage;
  readonly metadata: Uint8Array;
  /** Where the body begins. */
  readonly body: number;
}

/** Null where the messages end: at the mark of the end, or with the file. */
function messageAt(bytes: ArrowBytes, offset: number): Placed | null {
  if (offset === bytes.size) return null;
  const first = uint32(bytes, offset);
  const hasMark = first === CONTINUATION;
  const length = hasMark ? uint32(bytes, offset + 4) : first;
  if (length === 0) return null;
  const start = offset + (hasMark ? 8 : 4);
  if (length > MAX_METADATA_BYTES || start + length > bytes.size)
    throw new ArrowFileError(
      `the file ends within the message at byte ${offset}, or is not an Arrow file`,
    );
  const metadata = bytes.read(start, length);
  const message = parseMessage(metadata);
  const body = start + length;
  if (body + message.bodyLength > bytes.size)
    throw new ArrowFileError(`the file ends within the message at byte ${offset}`);
  return { message, metadata, body };
}

function uint32(bytes: ArrowBytes, offset: number): number {
  const word = bytes.read(offset, 4);
  return new DataView(word.buffer, word.byteOffset).getUint32(0, true);
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
