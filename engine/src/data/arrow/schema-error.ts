/** How a schema message can be wrong; one fault a kind, so that callers need not read the text. */
export type ArrowSchemaFault =
  /** Not base64 in the standard alphabet with its padding. */
  | "base64"
  | "empty"
  /** It ends before what it announces. */
  | "truncated"
  /** Bytes that no part of the message refers to: after it, or between its parts. */
  | "trailing-bytes"
  /** A whole stream: a schema message and what follows it. */
  | "stream"
  /** A sound schema message behind a continuation marker or a length. */
  | "prefix"
  /** A file: Arrow, Feather or another format. */
  | "file"
  | "dictionary-batch"
  | "record-batch"
  | "tensor"
  /** A message with a body; a schema has none. */
  | "body"
  /** A metadata version other than V4 and V5. */
  | "version"
  | "endianness"
  /** Not an Arrow message at all. */
  | "not-arrow"
  /** A flatbuffer whose offsets, strings or members do not hold together. */
  | "malformed"
  /** A field whose parts contradict each other, such as a 17-bit integer or a list of two children. */
  | "invalid-field"
  /** A type of Arrow that is not taken here. */
  | "unsupported-type"
  /** More bytes, fields or levels than a schema may have. */
  | "limit";

/** Bytes that are no schema message; the text says what was found instead, for who sent them. */
export class ArrowSchemaError extends Error {
  override readonly name = "ArrowSchemaError";
  readonly fault: ArrowSchemaFault;

  constructor(
    fault: ArrowSchemaFault,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.fault = fault;
  }
}
