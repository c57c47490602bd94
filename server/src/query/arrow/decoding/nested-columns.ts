/** Columns of columns. A NULL's children are NULL, as DuckDB takes for granted. */

import duckdb, { type Vector } from "@duckdb/node-bindings";
import {
  type ArrowColumn,
  copyToVector,
  type Nulls,
  rangeOf,
  rowAt,
  rowsOf,
  type Selection,
} from "./column.ts";
import { ArrowFileError } from "./file-error.ts";

const MAX_ITEMS = 2 ** 31 - 1;

export class StructColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #children: readonly ArrowColumn[];

  constructor(length: number, nulls: Nulls, children: readonly ArrowColumn[]) {
    this.length = length;
    this.#nulls = nulls;
    this.#children = children;
  }

  write(vector: Vector, selection: Selection): void {
    const inner = this.#nulls.applied(selection);
    this.#children.forEach((child, i) => {
      child.write(duckdb.struct_vector_get_child(vector, i), inner);
    });
    this.#nulls.write(vector, selection);
  }
}

/** Where the items of each row begin and end in the child. */
export interface ItemRanges {
  start(row: number): number;
  end(row: number): number;
}

/** Lists and maps. */
export class ListColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #ranges: ItemRanges;
  readonly #items: ArrowColumn;

  /** @param ranges ascending and within the items */
  constructor(length: number, nulls: Nulls, ranges: ItemRanges, items: ArrowColumn) {
    this.length = length;
    this.#nulls = nulls;
    this.#ranges = ranges;
    this.#items = items;
  }

  write(vector: Vector, selection: Selection): void {
    const entries = new BigUint64Array(2 * selection.count);
    let total = 0;
    let next = -1;
    let first = 0;
    let isContiguous = true;
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (this.#nulls.isNull(row)) continue;
      const start = this.#ranges.start(row);
      const count = this.#ranges.end(row) - start;
      entries[2 * i] = BigInt(total);
      entries[2 * i + 1] = BigInt(count);
      if (count === 0) continue;
      if (next === -1) first = start;
      else if (start !== next) isContiguous = false;
      next = start + count;
      total += count;
    }
    if (total > MAX_ITEMS) throw new ArrowFileError("2,048 rows of a list have too many items");
    duckdb.list_vector_reserve(vector, total);
    duckdb.list_vector_set_size(vector, total);
    if (total > 0)
      this.#items.write(
        duckdb.list_vector_get_child(vector),
        isContiguous ? rangeOf(first, total) : this.#gathered(selection, total),
      );
    copyToVector(vector, new Uint8Array(entries.buffer));
    this.#nulls.write(vector, selection);
  }

  #gathered(selection: Selection, total: number): Selection {
    const rows = new Int32Array(total);
    let at = 0;
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (this.#nulls.isNull(row)) continue;
      const end = this.#ranges.end(row);
      for (let item = this.#ranges.start(row); item < end; item++) rows[at++] = item;
    }
    return rowsOf(rows);
  }
}

/** Lists of one size, in DuckDB's ARRAY. */
export class ArrayColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #size: number;
  readonly #items: ArrowColumn;

  constructor(length: number, nulls: Nulls, size: number, items: ArrowColumn) {
    this.length = length;
    this.#nulls = nulls;
    this.#size = size;
    this.#items = items;
  }

  write(vector: Vector, selection: Selection): void {
    const inner = this.#nulls.applied(selection);
    const size = this.#size;
    this.#items.write(
      duckdb.array_vector_get_child(vector),
      inner.rows === null
        ? rangeOf(inner.from * size, inner.count * size)
        : rowsOf(
            Int32Array.from({ length: inner.count * size }, (_, i) => {
              const row = inner.rows![Math.floor(i / size)]!;
              return row < 0 ? -1 : row * size + (i % size);
            }),
          ),
    );
    this.#nulls.write(vector, selection);
  }
}

/** Sparse and dense unions, in DuckDB a struct of the member's number and all members. */
export class UnionColumn implements ArrowColumn {
  readonly length: number;
  readonly #codes: Int8Array;
  /** Null for sparse unions, whose members have all rows. */
  readonly #offsets: Int32Array | null;
  readonly #memberOf: ReadonlyMap<number, number>;
  readonly #members: readonly ArrowColumn[];

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
    this.#members = members;
  }

  write(vector: Vector, selection: Selection): void {
    const tags = new Uint8Array(selection.count);
    const rows = this.#members.map(() => new Int32Array(selection.count).fill(-1));
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (row < 0) continue;
      const member = this.#memberOf.get(this.#codes[row]!);
      if (member === undefined)
        throw new ArrowFileError(
          `a union has a value of type ${this.#codes[row]}, which it has not`,
        );
      const place = this.#offsets === null ? row : this.#offsets[row]!;
      if (place < 0 || place >= this.#members[member]!.length)
        throw new ArrowFileError("a union's value lies outside of its member");
      tags[i] = member;
      rows[member]![i] = place;
    }
    copyToVector(duckdb.struct_vector_get_child(vector, 0), tags);
    this.#members.forEach((member, i) => {
      member.write(duckdb.struct_vector_get_child(vector, i + 1), rowsOf(rows[i]!));
    });
  }
}

/** Indices into a column of values. */
export class DictionaryColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;
  readonly #indexAt: (row: number) => number;
  readonly #values: ArrowColumn;

  constructor(length: number, nulls: Nulls, indexAt: (row: number) => number, values: ArrowColumn) {
    this.length = length;
    this.#nulls = nulls;
    this.#indexAt = indexAt;
    this.#values = values;
  }

  write(vector: Vector, selection: Selection): void {
    const rows = new Int32Array(selection.count);
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      const index = this.#nulls.isNull(row) ? -1 : this.#indexAt(row);
      if (index >= this.#values.length || (index < 0 && !this.#nulls.isNull(row)))
        throw new ArrowFileError(`an index (${index}) lies outside of its dictionary`);
      rows[i] = index;
    }
    this.#values.write(vector, rowsOf(rows));
  }
}

/** A column of nothing but NULLs. */
export class NullColumn implements ArrowColumn {
  readonly length: number;
  readonly #nulls: Nulls;

  /** @param nulls that say of each row that it is NULL */
  constructor(length: number, nulls: Nulls) {
    this.length = length;
    this.#nulls = nulls;
  }

  write(vector: Vector, selection: Selection): void {
    this.#nulls.write(vector, rowsOf(new Int32Array(selection.count).fill(-1)));
  }
}
