/** Made tables of the shapes in which boosting spends its time differently: long, wide, one-hot, of many classes, of many levels. */

import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import { fitFeatureSchema } from "../../../engine/src/data/fit-feature-schema.ts";
import type { Column, Table } from "../../../engine/src/data/table.ts";
import type { Task } from "../../../engine/src/tasks/index.ts";
import { type BenchData, syntheticColumns, syntheticTarget } from "../bench-data.ts";

/** Rows that are held out, of one to learn from. */
const HELD_OUT = 0.1;

/** Each class has sums and products of its own columns for its log-odds. */
export function manyClasses(rows: number, features: number, classes: number): BenchData {
  const all = rows + Math.floor(HELD_OUT * rows);
  const columns = syntheticColumns(all, features);
  const random = new CounterRandom(deriveKey(0, "bench", "classes"));
  const target = Float64Array.from({ length: all }, (_, i) => {
    const at = (f: number): number => columns[f % features][i];
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < classes; k++) {
      const logOdds = 1.5 * at(3 * k) + at(3 * k + 1) * at(3 * k + 2) + Math.sin(2 * at(k));
      // The class with the largest margin after Gumbel's noise is one drawn by the softmax of the margins.
      const margin = logOdds - Math.log(-Math.log(Math.max(random.nextFloat(), 1e-12)));
      if (margin <= most) continue;
      most = margin;
      best = k;
    }
    return best;
  });
  const names = Array.from({ length: classes }, (_, k) => String(k));
  return {
    ...split(rows, all, columns.map(numeric)),
    name: `${classes} classes`,
    task: { kind: "multiclass", classes: names },
    target,
  };
}

/** A fifth of the columns are categories of many levels, each of which moves the log-odds. */
export function manyLevels(rows: number, features: number, levels: number): BenchData {
  const all = rows + Math.floor(HELD_OUT * rows);
  const count = Math.round(features / 5);
  const numbers = syntheticColumns(all, features - count);
  const margins = syntheticTarget(numbers, all);
  const random = new CounterRandom(deriveKey(0, "bench", "many levels"));
  const categories = Array.from({ length: levels }, (_, level) => `level ${level}`);
  const coded = Array.from({ length: count }, (_, c) => {
    const effects = Float64Array.from({ length: levels }, () => random.nextGaussian());
    // Frequencies fall as one over the rank, as those of places and products do.
    const codes = Int32Array.from({ length: all }, () =>
      Math.min(levels - 1, Math.floor(levels ** random.nextFloat()) - 1),
    );
    return { effects, column: { kind: "categorical", name: `c${c}`, codes, categories } as const };
  });
  const target = Float64Array.from({ length: all }, (_, i) => {
    let margin = 2 * margins[i] - 1;
    for (const { effects, column } of coded) margin += 0.6 * effects[column.codes[i]];
    return random.nextFloat() < 1 / (1 + Math.exp(-margin)) ? 1 : 0;
  });
  return {
    ...split(rows, all, [...numbers.map(numeric), ...coded.map(({ column }) => column)]),
    name: `${count} of ${features} columns with ${levels} levels`,
    task: { kind: "binclass", classes: ["0", "1"] } satisfies Task,
    target,
  };
}

/** Groups of columns of which a row has one at 1 and the others at 0, and numbers beside them; levels move the log-odds. */
export function oneHot(rows: number, groups: number, levels: number, numbers: number): BenchData {
  const all = rows + Math.floor(HELD_OUT * rows);
  const dense = syntheticColumns(all, numbers);
  const margins = syntheticTarget(dense, all);
  const random = new CounterRandom(deriveKey(0, "bench", "one-hot"));
  const coded = Array.from({ length: groups }, () => ({
    effects: Float64Array.from({ length: levels }, () => random.nextGaussian()),
    codes: Uint8Array.from({ length: all }, () => random.nextInteger(levels)),
  }));
  const target = Float64Array.from({ length: all }, (_, i) => {
    let margin = 2 * margins[i] - 1;
    for (const { effects, codes } of coded) margin += 0.4 * effects[codes[i]];
    return random.nextFloat() < 1 / (1 + Math.exp(-margin)) ? 1 : 0;
  });
  const sparse = coded.flatMap(({ codes }) =>
    Array.from({ length: levels }, (_, level) =>
      Float64Array.from(codes, (code) => (code === level ? 1 : 0)),
    ),
  );
  return {
    ...split(rows, all, [...sparse, ...dense].map(numeric)),
    name: `${sparse.length} of ${sparse.length + numbers} columns 0 or 1`,
    task: { kind: "binclass", classes: ["0", "1"] } satisfies Task,
    target,
  };
}

function numeric(values: Float64Array, f: number): Column {
  return { kind: "numeric", name: `x${f}`, values };
}

function split(
  rows: number,
  all: number,
  columns: readonly Column[],
): Pick<BenchData, "label" | "table" | "schema" | "train" | "test"> {
  const table: Table = { rows: all, columns };
  return {
    label: "",
    table,
    schema: fitFeatureSchema(table),
    train: Uint32Array.from({ length: rows }, (_, i) => i),
    test: Uint32Array.from({ length: all - rows }, (_, i) => rows + i),
  };
}
