/** Small encoded data for this folder's tests. */

import { Arena } from "../../../compute/arena.ts";
import { deriveKey } from "../../../compute/random.ts";
import type { EncodedData, Feature } from "../../../data/encoded.ts";
import type { Task } from "../../../tasks/index.ts";
import type { FitContext } from "../../family.ts";

export interface TestColumn {
  readonly name: string;
  /** Cells; a categorical's are codes. NaN is missing. */
  readonly cells: ArrayLike<number>;
  readonly categories?: readonly string[];
}

export function encodeColumns(columns: readonly TestColumn[]): EncodedData {
  const rows = columns[0].cells.length;
  const arena = Arena.create(2 ** 30);
  const values = arena.allocate(Math.max(1, rows * columns.length * 8));
  columns.forEach(({ cells }, j) => {
    arena.f64(values + j * rows * 8, rows).set(cells);
  });
  const features = columns.map(
    ({ name, categories }): Feature =>
      categories
        ? { kind: "categorical", name, column: name, categories }
        : { kind: "numeric", name, column: name },
  );
  return { arena: arena.handle(), rows, features, binned: null, values };
}

export const allRows = (rows: number): Uint32Array =>
  Uint32Array.from({ length: rows }, (_, i) => i);

export function contextOf(
  task: Task,
  data: EncodedData,
  target: ArrayLike<number>,
  changes: Partial<FitContext> = {},
): FitContext {
  return {
    task,
    data,
    target: Float64Array.from(target),
    softTarget: null,
    weights: null,
    trainRows: allRows(data.rows),
    validRows: null,
    key: deriveKey(1, "test"),
    monotone: {},
    ...changes,
  };
}
