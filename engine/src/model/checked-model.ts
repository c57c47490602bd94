/** A model for programs that may have no types, and for tables that were read without it. */

import { checkOptions } from "../data/known-options.ts";
import { inLearnedOrder } from "../data/learned-order.ts";
import type { ReadOptions } from "../tasks/framing.ts";
import { typeOf } from "../tasks/index.ts";
import { isTable, type ModelRows, tableOf } from "./given-rows.ts";
import { Model, type PredictOptions } from "./model.ts";

const READ_OPTIONS: Readonly<Record<keyof ReadOptions, true>> = {
  horizon: true,
  historyRows: true,
  series: true,
  readsPast: true,
  readsKnownPast: true,
  dropped: true,
  most: true,
};
const PREDICT_OPTIONS: Readonly<Record<keyof PredictOptions, true>> = {
  coverage: true,
  onPredicted: true,
  ...READ_OPTIONS,
};

/**
 * Refuses options that there are none of, which would do nothing without a word, and reads dates of tables that could be of
 * either order in that of the training data.
 */
export class CheckedModel extends Model {
  /** @throws {TypeError} for an option that there is none of, too */
  override predict(rows: ModelRows, options: PredictOptions = {}): ReturnType<Model["predict"]> {
    checkOptions("predict", options, Object.keys(PREDICT_OPTIONS));
    const { rows: read, warnings } = inOrderOf(this, orNextSteps(this, rows), "predict");
    const predictions = super.predict(read, options);
    return { ...predictions, warnings: [...warnings, ...predictions.warnings] };
  }

  /** @throws {TypeError} for an option that there is none of, too */
  override explain(rows: ModelRows, options: ReadOptions = {}): ReturnType<Model["explain"]> {
    checkOptions("explain", options, Object.keys(READ_OPTIONS));
    const { rows: read, warnings } = inOrderOf(this, orNextSteps(this, rows), "explain");
    const explained = super.explain(read, options);
    return { ...explained, warnings: [...warnings, ...explained.warnings] };
  }

  override explainOverTime(
    rows: ModelRows,
    segments: number,
  ): ReturnType<Model["explainOverTime"]> {
    return super.explainOverTime(inOrderOf(this, rows, "explain").rows, segments);
  }
}

/** No rows, `{}` or `[]`, ask a model of series for the steps behind the training data, as they do in requests. */
function orNextSteps({ document }: Model, rows: ModelRows): ModelRows {
  if (typeOf(document.task).framing?.kind !== "series" || isTable(rows)) return rows;
  const given: unknown = rows;
  const isNothing = typeof given === "object" && given !== null && Object.keys(given).length === 0;
  const isPlain =
    isNothing && (Array.isArray(given) || Object.getPrototypeOf(given) === Object.prototype);
  return isPlain ? { rows: 0, columns: [] } : rows;
}

/** Of rows that are no table, each cell is read in the model's order. */
function inOrderOf(
  { rowSchema }: Model,
  rows: ModelRows,
  method: "predict" | "explain",
): { readonly rows: ModelRows; readonly warnings: readonly string[] } {
  if (!isTable(rows)) return { rows, warnings: [] };
  const { table, warnings } = inLearnedOrder(tableOf(rows, rowSchema, method).table, rowSchema);
  return { rows: table, warnings: warnings.map(({ message }) => message) };
}
