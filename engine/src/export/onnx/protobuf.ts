/**
 * Writes messages in the wire format of Protocol Buffers: what ONNX's own writer would, in bytes that
 * depend on the content alone. https://protobuf.dev/programming-guides/encoding/
 */

const encoder = new TextEncoder();

/** One message, field by field. Numbers of fields are those of the message's definition. */
export class Message {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Of `int32`, `int64` and enumerations; an integer that a double can hold, or a bigint. */
  integer(field: number, value: number): this {
    this.#tag(field, 0);
    this.#add(varint(value));
    return this;
  }

  /** Repeated integers, packed: readers take them so whether or not the definition packs them. */
  integers(field: number, values: ArrayLike<number>): this {
    const bytes = new Uint8Array(values.length * 10);
    let at = 0;
    for (let i = 0; i < values.length; i++) at = putVarint(bytes, at, values[i]);
    return this.bytes(field, bytes.slice(0, at));
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2);
    this.#add(varint(value.length));
    this.#add(value);
    return this;
  }

  message(field: number, value: Message): this {
    this.#tag(field, 2);
    this.#add(varint(value.#length));
    for (const chunk of value.#chunks) this.#add(chunk);
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  #tag(field: number, type: number): void {
    this.#add(varint(field * 8 + type));
  }

  #add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(10);
  return bytes.slice(0, putVarint(bytes, 0, value));
}

/** Negative numbers take ten bytes, as 64 bits of two's complement. */
function putVarint(bytes: Uint8Array, from: number, value: number): number {
  let at = from;
  if (value < 0) {
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      bytes[at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    bytes[at++] = Number(rest);
    return at;
  }
  let rest = value;
  while (rest > 0x7f) {
    bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}
