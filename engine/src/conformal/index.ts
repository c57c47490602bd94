/**
 * Uncertainty by default: conformal intervals and prediction sets from out-of-fold predictions, at
 * the cost of arithmetic and no fit.
 */

export {
  type ConformalPart,
  conformalPartSchema,
  coverageSchema,
  type IntervalPart,
  type SetPart,
  type UncertaintyCard,
  uncertaintyCardSchema,
} from "./document.ts";
export { type ConformalRequest, fitConformal, tooFewRows } from "./fit-conformal.ts";
export { type Intervals, intervalsOf } from "./intervals.ts";
export { HIGHEST_LEVEL, LOWEST_LEVEL } from "./levels.ts";
export { type OutOfFold, partsOf } from "./out-of-fold.ts";
export { type Labelling, type Sets, setsOf } from "./sets.ts";
