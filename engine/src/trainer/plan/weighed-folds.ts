/** Whether the rows that weigh something suffice for the folds: those of no weight teach nothing, and are scored by nothing. */

import { rowsCalled } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import { DataError, type Table } from "../../data/table.ts";
import type { Fold } from "../../validation/index.ts";

/** From a single row nothing is learned but its label. */
const LEAST_LEARNED = 2;

export interface WeighedFolds {
  readonly table: Table;
  /** Names the weights. */
  readonly weightColumn: string;
  /** Non-negative, one a row that folds number. */
  readonly weights: Float64Array;
  readonly folds: readonly Fold[];
}

/** @throws DataError where a fold would learn from fewer than two rows that weigh something */
export function checkWeighedFolds({ table, weightColumn, weights, folds }: WeighedFolds): void {
  const weighed = (rows: Uint32Array): number =>
    rows.reduce((count, row) => count + Number(weights[row] > 0), 0);
  const learned = folds.map(({ train }) => weighed(train));
  const short = learned.findIndex((count) => count < LEAST_LEARNED);
  if (short < 0) return;
  const called = rowsCalled(table);
  const all = weights.reduce((count, weight) => count + Number(weight > 0), 0);
  const where = folds.length === 1 ? "the fit" : `fold ${short + 1} of ${folds.length}`;
  throw new DataError(
    `The weight ${shown(weightColumn)} is above 0 in ${all} of ${weights.length} ${called}, and ${where} would learn from ${learned[short]} of them; at least ${LEAST_LEARNED} are needed. Weigh more ${called}, or use other folds.`,
    { column: weightColumn },
  );
}
