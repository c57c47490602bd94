/**
 * Reads flatbuffers that nobody vouches for. The generated accessors take any offset for good; here
 * each table, vtable, vector and string is checked before a byte of it is read, as the Verifier of
 * the flatbuffers library does: within the buffer, aligned, strings ended by a zero. Beyond that the
 * parts must tile the buffer: each byte belongs to one part or is zero padding, so that nothing can
 * hide in a message or lie behind it. Offsets only lead forward and depth and number of the parts
 * are bounded, so neither cycles nor parts shared a billion times keep a reader busy.
 */

import { ArrowSchemaError, type ArrowSchemaFault } from "./schema-error.ts";

/** Parts that a message may have, shared ones counted each time that they are met. */
const MAX_PARTS = 400_000;

/** The largest gap that alignment explains. */
const MAX_PADDING = 7;

const OFFSET_BYTES = 4;

type PartKind = "table" | "vtable" | "vector" | "string";

interface Part {
  readonly end: number;
  readonly kind: PartKind;
}

export class FlatbufferReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #parts = new Map<number, Part>();
  readonly #text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #met = 0;
  #textBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The table that the buffer begins with. */
  root(slots: number, what = "the message"): FlatbufferTable {
    const offset = this.#bytes.length < 8 ? 0 : this.#view.getUint32(0, true);
    if (offset < OFFSET_BYTES || offset % OFFSET_BYTES !== 0 || offset + 4 > this.#bytes.length)
      throw new ArrowSchemaError("not-arrow", "the bytes are not a complete Arrow message");
    return this.#table(0, slots, what);
  }

  /**
   * Call it once everything has been read: whether the parts tile the buffer.
   *
   * @returns where the last part ends; whether what follows is padding is the caller's to judge
   */
  tiled(): number {
    let end = OFFSET_BYTES;
    for (const [start, part] of [...this.#parts].sort(([a], [b]) => a - b)) {
      if (start < end) this.fail("malformed", `two parts of the message overlap at byte ${start}`);
      const isPadding = start - end <= MAX_PADDING && this.isZero(end, start);
      if (!isPadding)
        this.fail(
          "trailing-bytes",
          `no part of the message refers to bytes ${end} to ${start - 1}`,
        );
      end = part.end;
    }
    return end;
  }

  isZero(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.#bytes[i] !== 0) return false;
    return true;
  }

  fail(fault: ArrowSchemaFault, message: string): never {
    throw new ArrowSchemaError(fault, message);
  }

  // The rest is for FlatbufferTable, which has checked where it reads.

  int(position: number, bytes: 1 | 2 | 4): number {
    if (bytes === 1) return this.#view.getUint8(position);
    return bytes === 2 ? this.#view.getInt16(position, true) : this.#view.getInt32(position, true);
  }

  int64(position: number): bigint {
    return this.#view.getBigInt64(position, true);
  }

  uint16(position: number): number {
    return this.#view.getUint16(position, true);
  }

  tableAt(position: number, slots: number, what: string): FlatbufferTable {
    return this.#table(position, slots, what);
  }

  string(position: number, what: string): string {
    const start = this.#target(position, what);
    const length = this.#length(start, 1, what);
    const end = start + OFFSET_BYTES + length;
    if (this.#bytes[end] !== 0)
      this.fail(
        end < this.#bytes.length ? "malformed" : "truncated",
        `the text of ${what} does not end with a zero byte`,
      );
    this.#claim(start, end + 1, "string", what);
    // A text may be shared, so that few bytes can stand for many.
    this.#textBytes += length;
    if (this.#textBytes > this.#bytes.length + MAX_PARTS)
      this.fail("limit", "the message refers to the same texts too often");
    try {
      return this.#text.decode(this.#bytes.subarray(start + OFFSET_BYTES, end));
    } catch (cause) {
      throw new ArrowSchemaError("malformed", `the text of ${what} is not UTF-8`, { cause });
    }
  }

  /** Where the items begin, and how many there are. */
  vector(
    position: number,
    itemBytes: number,
    alignment: number,
    what: string,
  ): { start: number; length: number } {
    const start = this.#target(position, what);
    const length = this.#length(start, itemBytes, what);
    const items = start + OFFSET_BYTES;
    if (length > 0 && items % alignment !== 0) this.fail("malformed", `${what} is not aligned`);
    this.#claim(start, items + length * itemBytes, "vector", what);
    return { start: items, length };
  }

  #table(position: number, slots: number, what: string): FlatbufferTable {
    const start = this.#target(position, what);
    const vtable = start - this.#view.getInt32(start, true);
    this.#within(vtable, OFFSET_BYTES, 2, what);
    const vtableBytes = this.uint16(vtable);
    if (vtableBytes < 4 || vtableBytes % 2 !== 0)
      this.fail("malformed", `the layout of ${what} has an impossible size`);
    this.#within(vtable, vtableBytes, 2, what);
    const tableBytes = this.uint16(vtable + 2);
    if (tableBytes < OFFSET_BYTES)
      this.fail("malformed", `the table of ${what} has an impossible size`);
    this.#within(start, tableBytes, OFFSET_BYTES, what);
    this.#claim(vtable, vtable + vtableBytes, "vtable", what);
    this.#claim(start, start + tableBytes, "table", what);
    for (let slot = slots; slot < (vtableBytes - 4) / 2; slot++)
      if (this.uint16(vtable + 4 + 2 * slot) !== 0)
        this.fail("malformed", `${what} has a member that Arrow does not define`);
    return new FlatbufferTable(this, start, tableBytes, vtable, vtableBytes, what);
  }

  /** Follows the offset at a checked position. */
  #target(position: number, what: string): number {
    const offset = this.#view.getUint32(position, true);
    const target = position + offset;
    if (offset === 0) this.fail("malformed", `the offset of ${what} leads to itself`);
    this.#within(target, OFFSET_BYTES, OFFSET_BYTES, what);
    return target;
  }

  #length(start: number, itemBytes: number, what: string): number {
    const length = this.#view.getUint32(start, true);
    if (start + OFFSET_BYTES + length * itemBytes > this.#bytes.length)
      this.fail("truncated", `${what} reaches past the end of the message`);
    return length;
  }

  #within(start: number, bytes: number, alignment: number, what: string): void {
    if (start < OFFSET_BYTES) this.fail("malformed", `${what} lies before the message`);
    if (start + bytes > this.#bytes.length)
      this.fail("truncated", `${what} reaches past the end of the message`);
    if (start % alignment !== 0) this.fail("malformed", `${what} is not aligned`);
  }

  #claim(start: number, end: number, kind: PartKind, what: string): void {
    if (++this.#met > MAX_PARTS) this.fail("limit", "the message has too many parts");
    const known = this.#parts.get(start);
    if (known === undefined) this.#parts.set(start, { end, kind });
    else if (known.end !== end || known.kind !== kind)
      this.fail("malformed", `${what} overlaps another part of the message`);
  }
}

/** One checked table; members by their number in the Arrow format's schema files. */
export class FlatbufferTable {
  readonly #reader: FlatbufferReader;
  readonly #start: number;
  readonly #bytes: number;
  readonly #vtable: number;
  readonly #slots: number;
  /** What it is, for error texts. */
  readonly what: string;

  constructor(
    reader: FlatbufferReader,
    start: number,
    bytes: number,
    vtable: number,
    vtableBytes: number,
    what: string,
  ) {
    this.#reader = reader;
    this.#start = start;
    this.#bytes = bytes;
    this.#vtable = vtable;
    this.#slots = (vtableBytes - 4) / 2;
    this.what = what;
  }

  int8(slot: number, absent: number): number {
    const position = this.#member(slot, 1);
    return position === null ? absent : this.#reader.int(position, 1);
  }

  int16(slot: number, absent: number): number {
    const position = this.#member(slot, 2);
    return position === null ? absent : this.#reader.int(position, 2);
  }

  int32(slot: number, absent: number): number {
    const position = this.#member(slot, 4);
    return position === null ? absent : this.#reader.int(position, 4);
  }

  int64(slot: number): bigint {
    const position = this.#member(slot, 8);
    return position === null ? 0n : this.#reader.int64(position);
  }

  bool(slot: number): boolean {
    const value = this.int8(slot, 0);
    if (value > 1) this.fail("malformed", `${this.what} has a boolean that is neither 0 nor 1`);
    return value === 1;
  }

  string(slot: number, what: string): string | null {
    const position = this.#member(slot, OFFSET_BYTES);
    return position === null ? null : this.#reader.string(position, what);
  }

  table(slot: number, slots: number, what: string): FlatbufferTable | null {
    const position = this.#member(slot, OFFSET_BYTES);
    return position === null ? null : this.#reader.tableAt(position, slots, what);
  }

  /** Checked one by one as they are taken. */
  *tables(
    slot: number,
    slots: number,
    what: (index: number) => string,
  ): Generator<FlatbufferTable, void> {
    const vector = this.#vector(slot, OFFSET_BYTES);
    for (let i = 0; i < vector.length; i++)
      yield this.#reader.tableAt(vector.start + OFFSET_BYTES * i, slots, what(i));
  }

  int32s(slot: number): number[] {
    const { start, length } = this.#vector(slot, 4);
    return Array.from({ length }, (_, i) => this.#reader.int(start + 4 * i, 4));
  }

  int64s(slot: number): bigint[] {
    const { start, length } = this.#vector(slot, 8);
    return Array.from({ length }, (_, i) => this.#reader.int64(start + 8 * i));
  }

  /** Structs of so many 64-bit words, one after another. */
  words(slot: number, perStruct: number): bigint[] {
    const { start, length } = this.#vector(slot, 8 * perStruct, 8);
    return Array.from({ length: length * perStruct }, (_, i) => this.#reader.int64(start + 8 * i));
  }

  has(slot: number): boolean {
    return this.#member(slot, 1) !== null;
  }

  fail(fault: ArrowSchemaFault, message: string): never {
    return this.#reader.fail(fault, message);
  }

  #vector(
    slot: number,
    itemBytes: number,
    alignment = itemBytes,
  ): { start: number; length: number } {
    const position = this.#member(slot, OFFSET_BYTES);
    if (position === null) return { start: 0, length: 0 };
    return this.#reader.vector(position, itemBytes, alignment, `a list of ${this.what}`);
  }

  /** Where a member lies; null where it is absent and has its default. */
  #member(slot: number, bytes: number): number | null {
    if (slot >= this.#slots) return null;
    const offset = this.#reader.uint16(this.#vtable + 4 + 2 * slot);
    if (offset === 0) return null;
    if (offset < OFFSET_BYTES || offset + bytes > this.#bytes)
      this.fail("malformed", `a member of ${this.what} lies outside it`);
    if ((this.#start + offset) % bytes !== 0)
      this.fail("malformed", `a member of ${this.what} is not aligned`);
    return this.#start + offset;
  }
}
