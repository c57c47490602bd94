/**
 * A column of an Arrow record batch into a vector of DuckDB, columns of columns into its children. A
 * NULL's children are NULL, as DuckDB takes for granted.
 */

import {
  type ArrowColumn,
  ArrowFileError,
  type DictionaryColumn,
  type FixedListColumn,
  type ListColumn,
  type StructColumn,
  type UnionColumn,
} from "@distillery/engine/arrow";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { MAX_ARRAY_SIZE } from "../duckdb-type.ts";
import { writeBytes } from "./bytes-columns.ts";
import { writeBools, writeFixed } from "./fixed-columns.ts";
import {
  copyToVector,
  rangeOf,
  rowAt,
  rowsOf,
  type Selection,
  withoutNulls,
  writeNulls,
  writeOnlyNulls,
} from "./selection.ts";

const MAX_ITEMS = 2 ** 31 - 1;

/** @throws ArrowFileError for values that DuckDB cannot hold, or that are damaged */
export function writeColumn(column: ArrowColumn, vector: Vector, selection: Selection): void {
  switch (column.layout) {
    case "null":
      writeOnlyNulls(vector, selection.count);
      return;
    case "fixed":
      writeFixed(column, vector, selection);
      return;
    case "bool":
      writeBools(column, vector, selection);
      return;
    case "bytes":
      writeBytes(column, vector, selection);
      return;
    case "struct":
      writeStruct(column, vector, selection);
      return;
    case "list":
      writeLists(
        column,
        (row) => column.offsets[row]!,
        (row) => column.offsets[row + 1]!,
        vector,
        selection,
      );
      return;
    case "fixed-list":
      writeFixedLists(column, vector, selection);
      return;
    case "union":
      writeUnion(column, vector, selection);
      return;
    case "dictionary":
      writeDictionary(column, vector, selection);
  }
}

function writeStruct(column: StructColumn, vector: Vector, selection: Selection): void {
  const inner = withoutNulls(column.validity, selection);
  column.children.forEach((child, i) => {
    writeColumn(child, duckdb.struct_vector_get_child(vector, i), inner);
  });
  writeNulls(vector, column.validity, selection);
}

/** @param startOf, endOf where the items of a row begin and end, ascending and within the items */
function writeLists(
  { validity, items }: ListColumn | FixedListColumn,
  startOf: (row: number) => number,
  endOf: (row: number) => number,
  vector: Vector,
  selection: Selection,
): void {
  const entries = new BigUint64Array(2 * selection.count);
  let total = 0;
  let next = -1;
  let first = 0;
  let isContiguous = true;
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    if (validity.isNull(row)) continue;
    const start = startOf(row);
    const count = endOf(row) - start;
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
  const gathered = (): Selection => {
    const rows = new Int32Array(total);
    let at = 0;
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (validity.isNull(row)) continue;
      const end = endOf(row);
      for (let item = startOf(row); item < end; item++) rows[at++] = item;
    }
    return rowsOf(rows);
  };
  if (total > 0)
    writeColumn(
      items,
      duckdb.list_vector_get_child(vector),
      isContiguous ? rangeOf(first, total) : gathered(),
    );
  copyToVector(vector, new Uint8Array(entries.buffer));
  writeNulls(vector, validity, selection);
}

/** Lists of one size are DuckDB's ARRAY, within the sizes that it has. */
function writeFixedLists(column: FixedListColumn, vector: Vector, selection: Selection): void {
  const { size } = column;
  if (size < 1 || size > MAX_ARRAY_SIZE) {
    writeLists(
      column,
      (row) => row * size,
      (row) => (row + 1) * size,
      vector,
      selection,
    );
    return;
  }
  const inner = withoutNulls(column.validity, selection);
  writeColumn(
    column.items,
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
  writeNulls(vector, column.validity, selection);
}

/** In DuckDB a struct of the member's number and all members. */
function writeUnion(column: UnionColumn, vector: Vector, selection: Selection): void {
  const tags = new Uint8Array(selection.count);
  const rows = column.members.map(() => new Int32Array(selection.count).fill(-1));
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    if (row < 0) continue;
    const member = column.memberAt(row);
    tags[i] = member;
    rows[member]![i] = column.placeAt(row, member);
  }
  copyToVector(duckdb.struct_vector_get_child(vector, 0), tags);
  column.members.forEach((member, i) => {
    writeColumn(member, duckdb.struct_vector_get_child(vector, i + 1), rowsOf(rows[i]!));
  });
}

function writeDictionary(column: DictionaryColumn, vector: Vector, selection: Selection): void {
  const rows = new Int32Array(selection.count);
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    rows[i] = row < 0 ? -1 : column.indexAt(row);
  }
  writeColumn(column.values, vector, rowsOf(rows));
}
