import type { CrossFit, LabelledRows } from "./labelled-rows.ts";

/** Candidates of a blend with their weights: what is fitted on top of the blend. */
export interface WeightedCandidates {
  /** Probabilities or values of each candidate, by what was fitted without the row; row-major. */
  readonly predictions: readonly Float64Array[];
  readonly rows: LabelledRows;
  readonly folds: readonly CrossFit[];
  /** One a candidate, chosen on all rows. */
  readonly weights: readonly number[];
  /** The same, one list a fold: chosen without it. */
  readonly byFold: readonly (readonly number[])[];
}
