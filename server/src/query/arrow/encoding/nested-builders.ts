/** Columns of columns: lists, arrays, maps, structs and unions. */

import duckdb, { type Vector } from "@duckdb/node-bindings";
import {
  type BatchParts,
  type ColumnBuilder,
  isValid,
  ValidityBuilder,
  validityOf,
} from "./column-builder.ts";
import { GrowingBuffer } from "./growing-buffer.ts";

const MAX_OFFSET = 2 ** 31 - 1;

/** LIST and MAP, whose rows are ranges of a child vector in any order. */
export class ListBuilder implements ColumnBuilder {
  readonly #child: ColumnBuilder;
  readonly #validity = new ValidityBuilder();
  readonly #ends = new GrowingBuffer();

  constructor(child: ColumnBuilder) {
    this.#child = child;
  }

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    const validity = validityOf(vector, from + count);
    const bytes = duckdb.vector_get_data(vector, (from + count) * 16);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, (from + count) * 4);
    const child = duckdb.list_vector_get_child(vector);
    // Rows that follow one another in the child are copied at once.
    let start = 0;
    let end = 0;
    let total = this.#child.rows;
    for (let row = from; row < from + count; row++) {
      const length = isValid(validity, row) ? words[4 * row + 2]! : 0;
      if (length > 0) {
        const offset = words[4 * row]!;
        if (offset !== end) {
          this.#child.append(child, start, end - start);
          start = offset;
        }
        end = offset + length;
      }
      total += length;
      if (total > MAX_OFFSET)
        throw new Error("a batch of a column would have more than 2^31 list items");
      this.#ends.appendInt32(total);
    }
    this.#child.append(child, start, end - start);
    this.#validity.append(validity, from, count);
  }

  truncate(rows: number): void {
    this.#child.truncate(this.#endOf(rows));
    this.#ends.length = 4 * rows;
    this.#validity.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#validity.bytesOf(rows) + 4 * (rows + 1) + this.#child.bytesOf(this.#endOf(rows));
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    const ends = this.#ends.take();
    const offsets = new Uint8Array(ends.length + 4);
    offsets.set(ends, 4);
    parts.buffers.push(offsets);
    this.#child.take(parts);
  }

  #endOf(rows: number): number {
    return rows === 0 ? 0 : this.#ends.int32At(4 * (rows - 1));
  }
}

/** ARRAY: each row has as many items of the child. */
export class ArrayBuilder implements ColumnBuilder {
  readonly #child: ColumnBuilder;
  readonly #size: number;
  readonly #validity = new ValidityBuilder();

  constructor(child: ColumnBuilder, size: number) {
    this.#child = child;
    this.#size = size;
  }

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    this.#child.append(
      duckdb.array_vector_get_child(vector),
      from * this.#size,
      count * this.#size,
    );
    this.#validity.append(validityOf(vector, from + count), from, count);
  }

  truncate(rows: number): void {
    this.#child.truncate(rows * this.#size);
    this.#validity.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#validity.bytesOf(rows) + this.#child.bytesOf(rows * this.#size);
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    this.#child.take(parts);
  }
}

/** STRUCT: the children have the same rows. */
export class StructBuilder implements ColumnBuilder {
  readonly #children: readonly ColumnBuilder[];
  readonly #validity = new ValidityBuilder();

  constructor(children: readonly ColumnBuilder[]) {
    this.#children = children;
  }

  get rows(): number {
    return this.#validity.rows;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    this.#children.forEach((child, i) => {
      child.append(duckdb.struct_vector_get_child(vector, i), from, count);
    });
    this.#validity.append(validityOf(vector, from + count), from, count);
  }

  truncate(rows: number): void {
    for (const child of this.#children) child.truncate(rows);
    this.#validity.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#children.reduce(
      (bytes, child) => bytes + child.bytesOf(rows),
      this.#validity.bytesOf(rows),
    );
  }

  take(parts: BatchParts): void {
    this.#validity.take(parts);
    for (const child of this.#children) child.take(parts);
  }
}

/**
 * UNION: in DuckDB a struct of the member's number and all members, in Arrow a sparse union, which has
 * no validity: a NULL union is a NULL of its first member.
 */
export class UnionBuilder implements ColumnBuilder {
  readonly #members: readonly ColumnBuilder[];
  readonly #tags = new GrowingBuffer();

  constructor(members: readonly ColumnBuilder[]) {
    this.#members = members;
  }

  get rows(): number {
    return this.#tags.length;
  }

  append(vector: Vector, from: number, count: number): void {
    if (count === 0) return;
    const tags = duckdb.struct_vector_get_child(vector, 0);
    const validity = validityOf(tags, from + count);
    const source = duckdb.vector_get_data(tags, from + count);
    const start = this.#tags.length;
    const target = this.#tags.extend(count);
    for (let i = 0; i < count; i++)
      target[start + i] = isValid(validity, from + i) ? source[from + i]! : 0;
    this.#members.forEach((member, i) => {
      member.append(duckdb.struct_vector_get_child(vector, i + 1), from, count);
    });
  }

  truncate(rows: number): void {
    this.#tags.length = rows;
    for (const member of this.#members) member.truncate(rows);
  }

  bytesOf(rows: number): number {
    return this.#members.reduce((bytes, member) => bytes + member.bytesOf(rows), rows);
  }

  take(parts: BatchParts): void {
    parts.nodes.push({ length: this.#tags.length, nullCount: 0 });
    parts.buffers.push(this.#tags.take());
    for (const member of this.#members) member.take(parts);
  }
}
