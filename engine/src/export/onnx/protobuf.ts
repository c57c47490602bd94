/**
 * Writes messages in the wire format of Protocol Buffers: what ONNX's own writer would, in bytes that
 * depend on the content alone. https://protobuf.dev/programming-guides/encoding/
 */

const encoder = new TextEncoder();

/** A varint of 64 bits. */
const LONGEST_VARINT = 10;
const FIRST_BYTES = 64;
/** What is written in small pieces is held in buffers up to this. */
const MOST_BYTES = 1 << 20;
/** Longer bytes are not copied until the whole is finished. */
const COPIED_BYTES = 1 << 12;

/** One message, field by field. Numbers of fields are those of the message's definition. */
export class Message {
  /** Written to their ends. */
  readonly #chunks: Uint8Array[] = [];
  /** Behind them: graphs have millions of fields of a few bytes, which would each be an array. */
  #open = new Uint8Array(FIRST_BYTES);
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Of `int32`, `int64` and enumerations; an integer that a double can hold, or a bigint. */
  integer(field: number, value: number): this {
    this.#tag(field, 0);
    this.#varint(value);
    return this;
  }

  /** Repeated integers, packed: readers take them so whether or not the definition packs them. */
  integers(field: number, values: ArrayLike<number>): this {
    let length = 0;
    for (let i = 0; i < values.length; i++) length += varintLength(values[i]);
    const bytes = new Uint8Array(length);
    let at = 0;
    for (let i = 0; i < values.length; i++) at = putVarint(bytes, at, values[i]);
    return this.bytes(field, bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  /** Repeated texts, of which there may be millions, and few that differ. */
  texts(field: number, values: readonly string[]): this {
    const encoded = new Map<string, Uint8Array>();
    for (const value of values) {
      let bytes = encoded.get(value);
      if (bytes === undefined) {
        bytes = encoder.encode(value);
        encoded.set(value, bytes);
      }
      this.bytes(field, bytes);
    }
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#add(value);
    return this;
  }

  message(field: number, value: Message): this {
    this.#tag(field, 2);
    this.#varint(value.#length);
    for (const chunk of value.#chunks) this.#add(chunk);
    this.#add(value.#open.subarray(0, value.#used));
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of [...this.#chunks, this.#open.subarray(0, this.#used)]) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    this.#makeRoom(LONGEST_VARINT);
    const end = putVarint(this.#open, this.#used, value);
    this.#length += end - this.#used;
    this.#used = end;
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length > COPIED_BYTES) {
      this.#close();
      this.#chunks.push(bytes);
    } else {
      this.#makeRoom(bytes.length);
      this.#open.set(bytes, this.#used);
      this.#used += bytes.length;
    }
    this.#length += bytes.length;
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#open.length) return;
    if (this.#used >= MOST_BYTES) this.#close();
    const grown = new Uint8Array(Math.max(2 * this.#open.length, this.#used + bytes, FIRST_BYTES));
    grown.set(this.#open.subarray(0, this.#used));
    this.#open = grown;
  }

  #close(): void {
    if (this.#used > 0) this.#chunks.push(this.#open.subarray(0, this.#used));
    this.#open = new Uint8Array(0);
    this.#used = 0;
  }
}

function varintLength(value: number): number {
  if (value < 0) return LONGEST_VARINT;
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
  return length;
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
