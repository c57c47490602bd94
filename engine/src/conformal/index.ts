/**
 * Uncertainty by default: conformal intervals and prediction sets from out-of-fold predictions, at
 * the cost of arithmetic and no fit.
 */

export {
  type ConformalPart,
  conformalPartSchema,
  coverageSchema,
  type UncertaintyCard,
  uncertaintyCardSchema,
} from "./document.ts";
export { fitConformal, MOST_CONFORMAL_ROWS, tooFewRows } from "./fit-conformal.ts";
export { forecastIntervals, forecastQuantiles, stretchedFrom } from "./forecasts.ts";
export { type Intervals, intervalsOf } from "./intervals.ts";
export { HIGHEST_LEVEL, LOWEST_LEVEL } from "./levels.ts";
export { partsOf } from "./out-of-fold.ts";
export { type Sets, setsOf } from "./sets.ts";
export { isShort, percentOf } from "./short-coverage.ts";
