/** Random fits of boosting, for tests of what must not change them. */

import fc from "fast-check";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import type { Task } from "../../../tasks/index.ts";
import {
  type BinColumn,
  encodeBins,
  randomColumns,
  wideColumn,
} from "../../../trees/testing/random-bins.ts";
import { allRows, BINCLASS, contextOf, MULTICLASS, REGRESSION } from "./fit.ts";
import type { SharedFit } from "./shared-fit.ts";

const QUANTILES: Task = { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.5] };

/** What a fit is of, by fast-check: all kinds of boosting and of its options. */
export const randomFit = fc.record({
  seed: fc.nat(),
  // Sums of gradients are over several blocks in the longest.
  rows: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 2, max: 3000 }) },
    { weight: 1, arbitrary: fc.constant(20_000) },
  ),
  features: fc.integer({ min: 1, max: 20 }),
  task: fc.constantFrom(REGRESSION, BINCLASS, MULTICLASS, QUANTILES),
  weighted: fc.boolean(),
  soft: fc.boolean(),
  monotone: fc.boolean(),
  validated: fc.boolean(),
  unitCells: fc.constantFrom(1, 200, 5000),
  parameters: fc.record({
    num_leaves: fc.constantFrom(2, 7, 40, 300),
    max_depth: fc.constantFrom(0, 4),
    growth: fc.constantFrom("leafwise", "depthwise", "symmetric"),
    min_data_in_leaf: fc.constantFrom(1, 20),
    bagging_fraction: fc.constantFrom(1, 0.6),
    data_sample_strategy: fc.constantFrom("bagging", "bagging", "goss", "mvs"),
    top_rate: fc.constantFrom(0, 0.2),
    other_rate: fc.constantFrom(0.1, 0.8),
    learning_rate: fc.constantFrom(0.1, 0.5, 1),
    feature_fraction: fc.constantFrom(1, 0.5),
    extra_trees: fc.boolean(),
    lambda_l1: fc.constantFrom(0, 0.5),
    categorical_encoding: fc.constantFrom("native", "ordered_target"),
    max_cat_to_onehot: fc.constantFrom(2, 8),
  }),
});
export type RandomFit = typeof randomFit extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * For what is not about categories: the shader that searches them takes several seconds to be compiled by a CPU, once a
 * device.
 */
export const numericOnly = (columns: readonly BinColumn[]): BinColumn[] =>
  columns.map((column) => ({ ...column, kind: "numeric" }));

/** @param changed what becomes of the columns, whose number stays */
export function fitOf(
  { seed, rows, features, task, parameters, ...options }: RandomFit,
  changed: (columns: readonly BinColumn[]) => readonly BinColumn[] = (columns) => columns,
): SharedFit {
  const random = new CounterRandom(deriveKey(seed, "sharing"));
  const columns = changed(
    randomColumns(seed, rows, features, { categorical: true, missing: true }),
  );
  // Some have a column of more categories than bins, which the label follows.
  const wide = seed % 3 === 0 ? [wideColumn(random, rows, 300)] : [];
  const data = encodeBins([...columns, ...wide]);
  const codes = wide[0]?.wide?.codes;
  const target = Float64Array.from({ length: rows }, (_, row) => {
    const ofCode = codes ? (codes[row] % 7) / 7 : 0;
    const signal = columns[0].bins[row] / columns[0].valueBins + random.nextFloat() + ofCode;
    return task.classes.length > 0 ? Math.min(task.classes.length - 1, Math.floor(signal)) : signal;
  });
  const outputs = task.kind === "multiclass" ? task.classes.length : 1;
  const classes = task.classes.length > 0;
  const strategy =
    task.kind === "quantile_regression" ? "bagging" : parameters.data_sample_strategy;
  return {
    context: contextOf(task, data, target, {
      weights: options.weighted ? Float64Array.from(target, () => random.nextFloat()) : null,
      softTarget:
        options.soft && classes
          ? Float64Array.from(
              { length: rows * outputs },
              () => 1 / outputs - random.nextFloat() / 9,
            )
          : null,
      monotone: options.monotone ? { f0: 1, f1: -1 } : {},
      trainRows: options.validated ? allRows(rows).filter((row) => row % 3 !== 1) : allRows(rows),
      validRows: options.validated ? allRows(rows).filter((row) => row % 3 === 1) : null,
    }),
    parameters: {
      ...parameters,
      data_sample_strategy: strategy,
      n_estimators: 4,
      early_stopping_rounds: 2,
    },
    sharing: { cells: 0, unitCells: options.unitCells },
  };
}
