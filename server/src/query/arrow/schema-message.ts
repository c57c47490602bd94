/**
 * `ArrowIpcSchema.ipcMessage`: one Arrow IPC schema message (the columnar format's "Encapsulated
 * message format"), the bare flatbuffer `Message` whose header is a `Schema` and whose body is empty.
 * Any other payload is refused by what it is; one that differs by what stands before the message, a
 * length or a continuation marker with a length, is told how to cut that off.
 */

import {
  ArrowSchemaError,
  type ArrowSchemaFault,
  decodeSchema,
  FlatbufferReader,
  type FlatbufferTable,
  foreignFormatOf,
  metadataOf,
  SCHEMA_SLOTS,
} from "@distillery/engine/arrow";
import { Message, Schema } from "apache-arrow";

/** Of the message, not of its base64 text. */
const MAX_MESSAGE_BYTES = 8 << 20;

const MESSAGE = { version: 0, headerType: 1, header: 2, bodyLength: 3, metadata: 4 } as const;
const MESSAGE_SLOTS = 5;

const METADATA_V4 = 3;
const METADATA_V5 = 4;

/** The members of the union `MessageHeader`, by their numbers. */
const HEADER_SCHEMA = 1;
const OTHER_HEADERS = new Map<number, readonly [ArrowSchemaFault, string]>([
  [2, ["dictionary-batch", "a dictionary batch"]],
  [3, ["record-batch", "a record batch"]],
  [4, ["tensor", "a tensor"]],
  [5, ["tensor", "a sparse tensor"]],
]);

const CONTINUATION = 0xffff_ffff;

/** Writers pad the length-prefixed form so that what follows is aligned: by 8, or as they are told. */
const PREFIXED_ALIGNMENTS = [8, 64];
/** The length alone (before Arrow 0.15), and with the continuation marker before it. */
const PREFIX_LENGTHS = [4, 8];

/**
 * @param message the bytes, or their base64 in the standard alphabet with its padding
 * @returns nested types, nullability, metadata and dictionary encodings as they were
 * @throws ArrowSchemaError that says what was found instead of a schema message
 */
export function parseSchemaMessage(message: Uint8Array | string): Schema {
  const bytes = typeof message === "string" ? bytesOfBase64(message) : message;
  if (bytes.length === 0) throw new ArrowSchemaError("empty", "the message is empty");
  if (bytes.length > MAX_MESSAGE_BYTES)
    throw new ArrowSchemaError(
      "limit",
      `the message has ${bytes.length} bytes; a schema may have ${MAX_MESSAGE_BYTES}`,
    );
  const foreign = foreignFormatOf(bytes);
  if (foreign !== null)
    throw new ArrowSchemaError("file", `this is ${foreign}, not a schema message`);
  const { flatbuffer, prefix, rest } = unwrapped(bytes);
  let schema: Schema;
  try {
    schema = schemaOf(flatbuffer, prefix, rest);
  } catch (error) {
    throw prefix === 0 ? (legacyStreamOf(bytes) ?? error) : error;
  }
  if (prefix > 0) throw prefixedMessage(prefix, flatbuffer.length);
  return schema;
}

function prefixedMessage(prefix: number, length: number): ArrowSchemaError {
  const what = prefix === 8 ? "a continuation marker and its length" : "its length";
  return new ArrowSchemaError(
    "prefix",
    `the schema message is preceded by ${what}: cut the first ${prefix} bytes off and send the base64 of the ${length} bytes behind them (with pyarrow, schema.serialize().to_pybytes()[${prefix}:])`,
  );
}

/** The bare message in base64, as `parseSchemaMessage` takes it. */
export function encodeSchemaMessage(schema: Schema): string {
  return Buffer.from(Message.encode(Message.from(schema))).toString("base64");
}

interface Unwrapped {
  readonly flatbuffer: Uint8Array;
  /** Bytes before the flatbuffer; 0 = it came bare. */
  readonly prefix: number;
  /** Bytes behind it, which a schema message has none of. */
  readonly rest: Uint8Array;
}

function unwrapped(bytes: Uint8Array): Unwrapped {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = bytes.length < 4 ? 0 : view.getUint32(0, true);
  if (first === CONTINUATION) {
    if (bytes.length < 8)
      throw new ArrowSchemaError("truncated", "the message ends within its length prefix");
    return prefixed(bytes, 8, view.getUint32(4, true));
  }
  // Before Arrow 0.15 the length stood alone. A flatbuffer begins with the offset of its root table,
  // which never is all of what follows.
  if (bytes.length > 8 && first >= bytes.length - 4 && first < bytes.length + 64)
    return prefixed(bytes, 4, first);
  return { flatbuffer: bytes, prefix: 0, rest: bytes.subarray(bytes.length) };
}

function prefixed(bytes: Uint8Array, prefix: number, length: number): Unwrapped {
  if (length === 0)
    throw new ArrowSchemaError(
      "stream",
      "this is the end of an Arrow stream, not a schema message",
    );
  const end = prefix + length;
  if (end > bytes.length)
    throw new ArrowSchemaError(
      "truncated",
      `the message announces ${length} bytes and has ${bytes.length - prefix}`,
    );
  return { flatbuffer: bytes.subarray(prefix, end), prefix, rest: bytes.subarray(end) };
}

function schemaOf(flatbuffer: Uint8Array, prefix: number, rest: Uint8Array): Schema {
  const reader = new FlatbufferReader(flatbuffer);
  const message = reader.root(MESSAGE_SLOTS);
  const header = schemaHeader(message);
  if (rest.length > 0) throw surplus(rest);
  const bodyLength = message.int64(MESSAGE.bodyLength);
  if (bodyLength !== 0n)
    throw new ArrowSchemaError(
      "body",
      `the message has a body of ${bodyLength} bytes; it must have none`,
    );
  const { fields, metadata, dictionaries } = decodeSchema(header);
  metadataOf(message, MESSAGE.metadata);
  const end = reader.tiled();
  if (!isPadding(end, flatbuffer.length, prefix) || !reader.isZero(end, flatbuffer.length))
    throw new ArrowSchemaError(
      "trailing-bytes",
      `the schema message ends at byte ${prefix + end} and ${flatbuffer.length - end} bytes follow it`,
    );
  return new Schema(fields, metadata, dictionaries);
}

function schemaHeader(message: FlatbufferTable): FlatbufferTable {
  const version = message.int16(MESSAGE.version, 0);
  const headerType = message.int8(MESSAGE.headerType, 0);
  const other = OTHER_HEADERS.get(headerType);
  if (other !== undefined)
    throw new ArrowSchemaError(other[0], `the message is ${other[1]}, not a schema`);
  if (headerType !== HEADER_SCHEMA)
    throw new ArrowSchemaError(
      "not-arrow",
      headerType === 0
        ? "the message has no header"
        : `the message has a header of type ${headerType}, which Arrow does not define`,
    );
  if (version !== METADATA_V4 && version !== METADATA_V5)
    throw new ArrowSchemaError(
      "version",
      version >= 0 && version < METADATA_V4
        ? `the message has metadata version V${version + 1}, older than V4`
        : `the message has an unknown metadata version (${version})`,
    );
  const header = message.table(MESSAGE.header, SCHEMA_SLOTS, "the schema");
  if (header === null) throw new ArrowSchemaError("malformed", "the message has no schema");
  return header;
}

/** Bytes that make no sense as a bare message may begin with one that only its length precedes. */
function legacyStreamOf(bytes: Uint8Array): ArrowSchemaError | null {
  if (bytes.length < 12) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length % 8 !== 4 && length % 8 !== 0) return null;
  try {
    schemaHeader(new FlatbufferReader(bytes.subarray(4, 4 + length)).root(MESSAGE_SLOTS));
  } catch (error) {
    if (!(error instanceof ArrowSchemaError)) throw error;
    return error.fault === "record-batch" || error.fault === "dictionary-batch" ? error : null;
  }
  return new ArrowSchemaError(
    "stream",
    "this is an Arrow stream; only its schema message is wanted",
  );
}

function surplus(rest: Uint8Array): ArrowSchemaError {
  const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
  const isMessage = rest.length >= 8 && view.getUint32(0, true) === CONTINUATION;
  return isMessage
    ? new ArrowSchemaError("stream", "this is an Arrow stream; only its schema message is wanted")
    : new ArrowSchemaError("trailing-bytes", `${rest.length} bytes follow the schema message`);
}

/**
 * Whether a flatbuffer may be so long for alignment alone. Cutting a prefix off leaves the padding
 * that was counted with it.
 */
function isPadding(end: number, length: number, prefix: number): boolean {
  if (length === end || length === aligned(end, 4) || length === aligned(end, 8)) return true;
  const prefixes = prefix > 0 ? [prefix] : PREFIX_LENGTHS;
  return prefixes.some((before) =>
    PREFIXED_ALIGNMENTS.some((to) => before + length === aligned(before + end, to)),
  );
}

function aligned(length: number, to: number): number {
  return Math.ceil(length / to) * to;
}

function bytesOfBase64(text: string): Uint8Array {
  if (text.length > Math.ceil(MAX_MESSAGE_BYTES / 3) * 4)
    throw new ArrowSchemaError(
      "limit",
      `the text has ${text.length} characters, too many for a schema`,
    );
  const wrong = /[^A-Za-z0-9+/=]/.exec(text);
  if (wrong !== null)
    throw new ArrowSchemaError(
      "base64",
      `character ${wrong.index} is ${JSON.stringify(wrong[0])}, which base64 does not have` +
        (wrong[0] === "-" || wrong[0] === "_" ? " (its URL-safe variant is not accepted)" : ""),
    );
  const bytes = Buffer.from(text, "base64");
  // The decoder passes over wrong padding and stray bits; what it read must be written the same.
  if (bytes.toString("base64") !== text)
    throw new ArrowSchemaError(
      "base64",
      text.length % 4 !== 0
        ? `base64 has a multiple of 4 characters, with "=" as padding; this has ${text.length}`
        : "the base64 text is not in its canonical form: padding within it, or stray bits at its end",
    );
  return bytes;
}
