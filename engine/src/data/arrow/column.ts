/**
 * A column of an Arrow record batch as its buffers hold it (the columnar format's "Physical Memory
 * Layout"): one class a layout, told apart by `layout`. What the buffers promise is checked when a column
 * is made, what single values point at (indices, members of unions, views) when they are taken.
 */

import type { DataType } from "apache-arrow";
import type { ByteRows } from "./byte-rows.ts";
import { ArrowFileError } from "./file-error.ts";

export type ArrowColumn =
  | NullColumn
  | FixedColumn
  | BoolColumn
  | BytesColumn
  | StructColumn
  | ListColumn
  | FixedListColumn
  | UnionColumn
  | DictionaryColumn;

/** Which rows are valid. */
export class Validity {
  /** A bit a row, least significant first; null where all rows are valid. */
  readonly bitmap: Uint8Array | null;

  constructor(bitmap: Uint8Array | null) {
    this.bitmap = bitmap;
  }

  /** That of the rows from `row` on, a multiple of 64. */
  from(row: number): Validity {
    return this.bitmap === null ? this : new Validity(this.bitmap.subarray(row >> 3));
  }

  /** @param row -1 stands for a NULL of a parent */
  isNull(row: number): boolean {
    if (row < 0) return true;
    return this.bitmap !== null && ((this.bitmap[row >> 3]! >> (row & 7)) & 1) === 0;
  }
}

export const ALL_VALID = new Validity(null);

/** A column of nothing but NULLs. */
export class NullColumn {
  readonly layout = "null";
  readonly length: number;

  constructor(length: number) {
    this.length = length;
  }
}

/** Values of a fixed width: numbers, decimals, dates, times, intervals. */
export class FixedColumn {
  readonly layout = "fixed";
  readonly length: number;
  readonly validity: Validity;
  readonly type: DataType;
  /** Bytes of a value. */
  readonly width: number;
  /** `width` bytes a row, little-endian, at a multiple of 8 in their buffer. */
  readonly values: Uint8Array;

  constructor(
    type: DataType,
    length: number,
    validity: Validity,
    width: number,
    values: Uint8Array,
  ) {
    this.type = type;
    this.length = length;
    this.validity = validity;
    this.width = width;
    this.values = values;
  }
}

export class BoolColumn {
  readonly layout = "bool";
  readonly length: number;
  readonly validity: Validity;
  /** A bit a row. */
  readonly bits: Uint8Array;

  constructor(length: number, validity: Validity, bits: Uint8Array) {
    this.length = length;
    this.validity = validity;
    this.bits = bits;
  }
}

/** Texts and bytes. */
export class BytesColumn {
  readonly layout = "bytes";
  readonly length: number;
  readonly validity: Validity;
  readonly rows: ByteRows;
  /** Texts are UTF-8; only where `rows.isChecked` is that known. */
  readonly isText: boolean;

  constructor(rows: ByteRows, validity: Validity, isText: boolean) {
    this.length = rows.length;
    this.rows = rows;
    this.validity = validity;
    this.isText = isText;
  }
}

export class StructColumn {
  readonly layout = "struct";
  readonly length: number;
  readonly validity: Validity;
  /** As many rows each as the struct, or more. */
  readonly children: readonly ArrowColumn[];

  constructor(length: number, validity: Validity, children: readonly ArrowColumn[]) {
    this.length = length;
    this.validity = validity;
    this.children = children;
  }
}

/** Lists, large lists and maps; the items of a map are structs of a key and a value. */
export class ListColumn {
  readonly layout = "list";
  readonly length: number;
  readonly validity: Validity;
  readonly items: ArrowColumn;
  /** Ascending and within the items, one more than there are rows. */
  readonly offsets: Int32Array | Float64Array;

  constructor(
    length: number,
    validity: Validity,
    offsets: Int32Array | Float64Array,
    items: ArrowColumn,
  ) {
    this.length = length;
    this.validity = validity;
    this.offsets = offsets;
    this.items = items;
  }
}

/** Lists of one size. */
export class FixedListColumn {
  readonly layout = "fixed-list";
  readonly length: number;
  readonly validity: Validity;
  readonly size: number;
  readonly items: ArrowColumn;

  constructor(length: number, validity: Validity, size: number, items: ArrowColumn) {
    this.length = length;
    this.validity = validity;
    this.size = size;
    this.items = items;
  }
}

/** Sparse and dense unions. */
export class UnionColumn {
  readonly layout = "union";
  readonly length: number;
  readonly members: readonly ArrowColumn[];
  readonly #codes: Int8Array;
  /** Null for sparse unions, whose members have all rows. */
  readonly #offsets: Int32Array | null;
  readonly #memberOf: ReadonlyMap<number, number>;

  constructor(
    codes: Int8Array,
    offsets: Int32Array | null,
    typeIds: readonly number[],
    members: readonly ArrowColumn[],
  ) {
    this.length = codes.length;
    this.#codes = codes;
    this.#offsets = offsets;
    this.#memberOf = new Map(typeIds.map((id, member) => [id, member]));
    this.members = members;
  }

  /** Which of the members a row's value is of. @throws ArrowFileError */
  memberAt(row: number): number {
    const code = this.#codes[row]!;
    const member = this.#memberOf.get(code);
    if (member === undefined)
      throw new ArrowFileError(
        `a union has a value of type ${code}, which none of its members has`,
      );
    return member;
  }

  /** The row of a row's value in its member. @throws ArrowFileError */
  placeAt(row: number, member: number): number {
    const place = this.#offsets === null ? row : this.#offsets[row]!;
    if (place < 0 || place >= this.members[member]!.length)
      throw new ArrowFileError("a union's value lies outside its member");
    return place;
  }
}

/** Indices into a column of values. */
export class DictionaryColumn {
  readonly layout = "dictionary";
  readonly length: number;
  readonly validity: Validity;
  readonly values: ArrowColumn;
  readonly #indexAt: (row: number) => number;

  constructor(
    length: number,
    validity: Validity,
    indexAt: (row: number) => number,
    values: ArrowColumn,
  ) {
    this.length = length;
    this.validity = validity;
    this.#indexAt = indexAt;
    this.values = values;
  }

  /** Rows from `from`, a multiple of 64, to before `to`. */
  rows(from: number, to: number): DictionaryColumn {
    const indexAt = (row: number): number => this.#indexAt(from + row);
    return new DictionaryColumn(to - from, this.validity.from(from), indexAt, this.values);
  }

  /** The row's value among the values; -1 = NULL. @throws ArrowFileError */
  indexAt(row: number): number {
    if (this.validity.isNull(row)) return -1;
    const index = this.#indexAt(row);
    if (!(index >= 0 && index < this.values.length))
      throw new ArrowFileError(`an index (${index}) lies outside its dictionary`);
    return index;
  }
}

/**
 * The rows of a flat column from `from`, a multiple of 64, to before `to`, where they lie.
 *
 * @throws TypeError for a nested one
 */
export function rowsOfColumn(column: ArrowColumn, from: number, to: number): ArrowColumn {
  if (from === 0 && to === column.length) return column;
  const count = to - from;
  switch (column.layout) {
    case "null":
      return new NullColumn(count);
    case "fixed": {
      const { type, width, validity, values } = column;
      const own = values.subarray(from * width, to * width);
      return new FixedColumn(type, count, validity.from(from), width, own);
    }
    case "bool":
      return new BoolColumn(count, column.validity.from(from), column.bits.subarray(from >> 3));
    case "bytes":
      return new BytesColumn(column.rows.rows(from, to), column.validity.from(from), column.isText);
    case "dictionary":
      return column.rows(from, to);
    default:
      throw new TypeError(`rows of a column of ${column.layout} are not taken alone`);
  }
}
