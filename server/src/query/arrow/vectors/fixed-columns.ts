/** Columns of values of a fixed width into DuckDB's vectors. */

import type { BoolColumn, FixedColumn } from "@distillery/engine/arrow";
import type { Vector } from "@duckdb/node-bindings";
import { copyToVector, rowAt, type Selection, writeNulls } from "./selection.ts";
import { conversionOf } from "./value-converters.ts";

export function writeFixed(column: FixedColumn, vector: Vector, selection: Selection): void {
  const conversion = conversionOf(column.type);
  if (conversion === null) writeSameBytes(column, vector, selection);
  else {
    const { values } = column;
    const convert = conversion.over(
      new DataView(values.buffer, values.byteOffset, values.byteLength),
    );
    const width = conversion.targetBytes;
    const target = new DataView(new ArrayBuffer(selection.count * width));
    for (let i = 0; i < selection.count; i++) {
      const row = rowAt(selection, i);
      if (!column.validity.isNull(row)) convert(row, target, i * width);
    }
    copyToVector(vector, new Uint8Array(target.buffer));
  }
  writeNulls(vector, column.validity, selection);
}

/** Of types that have the same bytes in DuckDB. */
function writeSameBytes(
  { values, width }: FixedColumn,
  vector: Vector,
  { from, count, rows }: Selection,
): void {
  if (rows === null) {
    copyToVector(vector, values.subarray(from * width, (from + count) * width));
    return;
  }
  const bytes = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    if (row < 0) continue;
    for (let byte = 0; byte < width; byte++) bytes[i * width + byte] = values[row * width + byte]!;
  }
  copyToVector(vector, bytes);
}

/** Bits in Arrow, bytes in DuckDB. */
export function writeBools(column: BoolColumn, vector: Vector, selection: Selection): void {
  const bytes = new Uint8Array(selection.count);
  for (let i = 0; i < selection.count; i++) {
    const row = rowAt(selection, i);
    if (row >= 0) bytes[i] = (column.bits[row >> 3]! >> (row & 7)) & 1;
  }
  copyToVector(vector, bytes);
  writeNulls(vector, column.validity, selection);
}
