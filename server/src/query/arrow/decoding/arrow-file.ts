/**
 * An Arrow IPC file or stream on disk (the columnar format's "IPC Streaming Format" and "IPC File
 * Format"), read message by message. A file's batches are where its footer says; it is open only while
 * something is read of it, so that a scan which is given up holds nothing.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Field } from "apache-arrow";
import { FlatbufferReader } from "../flatbuffer-reader.ts";
import { foreignFormatOf } from "../foreign-format.ts";
import { decodeSchema, SCHEMA_SLOTS, type SchemaParts } from "../schema-fields.ts";
import { ArrowFileError } from "./file-error.ts";
import { type ArrowMessage, parseMessage } from "./record-batch.ts";

const MAGIC = "ARROW1";
const MAGIC_BYTES = 6;
const FIRST_MESSAGE = 8;
const CONTINUATION = 0xffff_ffff;
const MAX_METADATA_BYTES = 64 << 20;
const FOOTER_SLOTS = 5;
/** A block of the footer: its offset, the bytes of its metadata, those of its body. */
const BLOCK_WORDS = 3;

export interface ArrowFile {
  readonly path: string;
  readonly fields: readonly Field[];
  readonly dictionaries: SchemaParts["dictionaries"];
  /** Where the messages of a file begin, dictionaries first; null for a stream. */
  readonly blocks: readonly number[] | null;
}

/** @throws ArrowFileError, ArrowSchemaError */
export function openArrowFile(path: string): ArrowFile {
  return reading(path, (file) => {
    if (file.size === 0) throw new ArrowFileError("the file is empty");
    const start = file.read(0, Math.min(8, file.size));
    if (Buffer.from(start).toString("latin1").startsWith(MAGIC)) return openFile(path, file);
    const foreign = foreignFormatOf(start);
    if (foreign !== null) throw new ArrowFileError(`this is ${foreign}, not an Arrow file`);
    const first = messageAt(file, 0);
    if (first === null || first.message.kind !== "schema")
      throw new ArrowFileError("this is no Arrow stream: it does not begin with a schema");
    return { path, ...schemaOf(first.metadata), blocks: null };
  });
}

export interface PlacedMessage {
  readonly message: Exclude<ArrowMessage, { kind: "schema" }>;
  /** Reads of the message's body; to be used before the next message is asked for. */
  readonly read: (offset: number, length: number) => Uint8Array;
}

/** The dictionaries and batches in order. */
export function* messagesOf(file: ArrowFile): Generator<PlacedMessage, void> {
  if (file.blocks !== null) {
    for (const offset of file.blocks) {
      const placed = reading(file.path, (bytes) => messageAt(bytes, offset));
      if (placed === null) throw new ArrowFileError("the footer points at the end of the messages");
      yield placedMessage(file.path, placed);
    }
    return;
  }
  for (let offset = 0; ; ) {
    const at = offset;
    const placed = reading(file.path, (bytes) => messageAt(bytes, at));
    if (placed === null) return;
    offset = placed.body + placed.message.bodyLength;
    if (at > 0) yield placedMessage(file.path, placed);
  }
}

function placedMessage(path: string, { message, body }: Placed): PlacedMessage {
  if (message.kind === "schema")
    throw new ArrowFileError("a schema stands where a batch should: two streams in one file?");
  return {
    message,
    read: (offset, length) => reading(path, (file) => file.read(body + offset, length)),
  };
}

function openFile(path: string, file: OpenFile): ArrowFile {
  const least = FIRST_MESSAGE + 4 + MAGIC_BYTES;
  const tail = file.size < least ? null : file.read(file.size - 10, 10);
  if (tail === null || Buffer.from(tail.subarray(4)).toString("latin1") !== MAGIC)
    throw new ArrowFileError("the Arrow file ends early: it has no footer");
  const length = new DataView(tail.buffer, tail.byteOffset).getInt32(0, true);
  if (length <= 0 || length > file.size - least || length > MAX_METADATA_BYTES)
    throw new ArrowFileError("the Arrow file's footer has an impossible size");
  const footer = new FlatbufferReader(file.read(file.size - 10 - length, length)).root(
    FOOTER_SLOTS,
    "the footer",
  );
  const schema = footer.table(1, SCHEMA_SLOTS, "the schema");
  if (schema === null) throw new ArrowFileError("the Arrow file's footer has no schema");
  const blocks = [...footer.words(2, BLOCK_WORDS), ...footer.words(3, BLOCK_WORDS)]
    .filter((_, i) => i % BLOCK_WORDS === 0)
    .map((offset) => {
      if (offset < FIRST_MESSAGE || offset > file.size)
        throw new ArrowFileError("the Arrow file's footer points outside of it");
      return Number(offset);
    });
  return { path, ...decodeSchema(schema), blocks };
}

function schemaOf(metadata: Uint8Array): SchemaParts {
  const schema = new FlatbufferReader(metadata).root(5).table(2, SCHEMA_SLOTS, "the schema");
  if (schema === null) throw new ArrowFileError("the Arrow stream has no schema");
  return decodeSchema(schema);
}

interface Placed {
  readonly message: ArrowMessage;
  readonly metadata: Uint8Array;
  /** Where the body begins. */
  readonly body: number;
}

/** Null where the messages end: at the mark of the end, or with the file. */
function messageAt(file: OpenFile, offset: number): Placed | null {
  if (offset === file.size) return null;
  const first = file.uint32(offset);
  const hasMark = first === CONTINUATION;
  const length = hasMark ? file.uint32(offset + 4) : first;
  if (length === 0) return null;
  const start = offset + (hasMark ? 8 : 4);
  if (length > MAX_METADATA_BYTES || start + length > file.size)
    throw new ArrowFileError(
      `the file ends within the message at byte ${offset}, or is no Arrow file`,
    );
  const metadata = file.read(start, length);
  const message = parseMessage(metadata);
  const body = start + length;
  if (body + message.bodyLength > file.size)
    throw new ArrowFileError(`the file ends within the message at byte ${offset}`);
  return { message, metadata, body };
}

interface OpenFile {
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  uint32(offset: number): number;
}

function reading<Result>(path: string, use: (file: OpenFile) => Result): Result {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const read = (offset: number, length: number): Uint8Array => {
      if (offset + length > size) throw new ArrowFileError("the file ends early");
      const bytes = new Uint8Array(length);
      for (let filled = 0; filled < length; ) {
        const got = readSync(descriptor, bytes, filled, length - filled, offset + filled);
        if (got === 0) throw new ArrowFileError("the file ends early");
        filled += got;
      }
      return bytes;
    };
    const uint32 = (offset: number) => {
      const bytes = read(offset, 4);
      return new DataView(bytes.buffer).getUint32(0, true);
    };
    return use({ size, read, uint32 });
  } finally {
    closeSync(descriptor);
  }
}
