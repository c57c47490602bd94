/** A model for programs that may have no types. */

import { checkOptions } from "../data/known-options.ts";
import type { ReadOptions } from "../tasks/framing.ts";
import type { ModelRows } from "./given-rows.ts";
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

/** Refuses options that there are none of, which would do nothing without a word. */
export class CheckedModel extends Model {
  /** @throws {TypeError} for an option that there is none of, too */
  override predict(rows: ModelRows, options: PredictOptions = {}): ReturnType<Model["predict"]> {
    checkOptions("predict", options, Object.keys(PREDICT_OPTIONS));
    return super.predict(rows, options);
  }

  /** @throws {TypeError} for an option that there is none of, too */
  override explain(rows: ModelRows, options: ReadOptions = {}): ReturnType<Model["explain"]> {
    checkOptions("explain", options, Object.keys(READ_OPTIONS));
    return super.explain(rows, options);
  }
}
