/**
 * A Parquet file's footer without some of its row groups. What is kept stays as it was written, byte for
 * byte: only the list of row groups and the number of rows are written anew, so that nothing that a
 * writer says of its columns can be lost.
 *
 * Apache Parquet format, "File format" and `FileMetaData` in parquet.thrift; Apache Thrift's compact
 * protocol. The bytes are a stranger's: every step is checked against their end.
 */

/** `FileMetaData`'s fields that change. */
const NUM_ROWS = 3;
const ROW_GROUPS = 4;
/** Types of the compact protocol. */
const STOP = 0;
const LIST = 9;
const STRUCT = 12;
/** Deeper than any footer: columns nest in a flat list. */
const MAX_DEPTH = 32;

/**
 * @param footer of `FileMetaData` alone, without the length and the magic bytes behind it
 * @param kept numbers of row groups, ascending
 * @param rows that they hold
 * @throws RangeError where the bytes are no such footer
 */
export function keepRowGroups(footer: Uint8Array, kept: readonly number[], rows: number): Buffer {
  const reader = new CompactReader(footer);
  const pieces: Uint8Array[] = [];
  let copied = 0;
  const replace = (from: number, to: number, by: Uint8Array): void => {
    pieces.push(footer.subarray(copied, from), by);
    copied = to;
  };
  reader.eachField((id, type) => {
    const from = reader.at;
    if (id === NUM_ROWS) {
      reader.skip(type, 0);
      replace(from, reader.at, varint(BigInt(rows) << 1n));
    } else if (id === ROW_GROUPS && type === LIST) {
      const { groups, elementType } = rowGroupsOf(reader, footer, new Set(kept));
      if (groups.length < kept.length) throw new RangeError("the footer has fewer row groups");
      replace(from, reader.at, Buffer.concat([listHeader(groups.length, elementType), ...groups]));
    } else reader.skip(type, 0);
  });
  pieces.push(footer.subarray(copied));
  return Buffer.concat(pieces);
}

function rowGroupsOf(
  reader: CompactReader,
  footer: Uint8Array,
  kept: ReadonlySet<number>,
): { readonly groups: readonly Uint8Array[]; readonly elementType: number } {
  const { size, elementType } = reader.listHeader();
  if (elementType !== STRUCT) throw new RangeError("row groups are structs");
  const groups: Uint8Array[] = [];
  for (let index = 0; index < size; index++) {
    const from = reader.at;
    reader.skip(STRUCT, 0);
    if (kept.has(index)) groups.push(footer.subarray(from, reader.at));
  }
  return { groups, elementType };
}

/** Sizes below 15 stand in the header's upper half. */
function listHeader(size: number, elementType: number): Uint8Array {
  return size < 15
    ? Uint8Array.of((size << 4) | elementType)
    : Buffer.concat([Uint8Array.of(0xf0 | elementType), varint(BigInt(size))]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80n) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Uint8Array.from(bytes);
}

/** Steps over values without making them. */
class CompactReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** A struct's fields to its end; the callback steps over each one's value. */
  eachField(read: (id: number, type: number) => void): void {
    let id = 0;
    for (;;) {
      const header = this.#byte();
      const type = header & 0x0f;
      if (type === STOP) return;
      const delta = header >> 4;
      id = delta === 0 ? this.#zigzag() : id + delta;
      read(id, type);
    }
  }

  listHeader(): { readonly size: number; readonly elementType: number } {
    const header = this.#byte();
    const short = header >> 4;
    return { size: short === 15 ? this.#varint() : short, elementType: header & 0x0f };
  }

  /** @param type as a struct's field has it, where booleans have no value behind their header */
  skip(type: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new RangeError("values nest too deep");
    switch (type) {
      case 1:
      case 2:
        return;
      case 3:
        this.#step(1);
        return;
      case 4:
      case 5:
      case 6:
        this.#varint();
        return;
      case 7:
        this.#step(8);
        return;
      case 8:
        this.#step(this.#varint());
        return;
      case LIST:
      case 10: {
        const { size, elementType } = this.listHeader();
        for (let index = 0; index < size; index++) this.#skipElement(elementType, depth);
        return;
      }
      case 11: {
        const size = this.#varint();
        if (size === 0) return;
        const types = this.#byte();
        for (let index = 0; index < size; index++) {
          this.#skipElement(types >> 4, depth);
          this.#skipElement(types & 0x0f, depth);
        }
        return;
      }
      case STRUCT:
        this.eachField((_, field) => this.skip(field, depth + 1));
        return;
      case 13:
        this.#step(16);
        return;
      default:
        throw new RangeError(`no type of a field: ${type}`);
    }
  }

  /** Booleans in lists and maps have a byte each. */
  #skipElement(type: number, depth: number): void {
    if (type === 1 || type === 2) this.#step(1);
    else this.skip(type, depth + 1);
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new RangeError("the footer ends within a value");
    this.at++;
    return byte;
  }

  #step(bytes: number): void {
    if (bytes > this.#bytes.length - this.at) {
      throw new RangeError("the footer ends within a value");
    }
    this.at += bytes;
  }

  /** Exact up to 2^53, more than any length here can be; larger values are stepped over alike. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number of more than ten bytes");
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
