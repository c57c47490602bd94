/** Drift: how a model's rows and predictions were distributed in training, and how they are now. */

export { type CountedPredictions, DriftCounter } from "./counting.ts";
export { columnReference, predictionsReference } from "./fit-reference.ts";
export {
  type Distribution,
  type DriftReference,
  lengthOfCounts,
  parseDriftReference,
  placesOf,
} from "./reference.ts";
export { rowsNeeded, SHIFT_LIMITS, stabilityIndex } from "./stability.ts";
