/** From many models' predictions to one. */

export type { Calibration } from "./calibration/calibration.ts";
export {
  CALIBRATION_READS,
  type FittedCalibration,
  fitCalibration,
} from "./calibration/fit-calibration.ts";
export { sharpened } from "./calibration/sharpen.ts";
export { type CombinationLayer, Combiner } from "./combiner.ts";
export { type FittedCombination, fitCombination } from "./fit-combination.ts";
export { greedySelection } from "./greedy-selection.ts";
export { type Weighing, weighGreedily, weighingMetric } from "./greedy-weights.ts";
export { type CrossFit, crossFits, type LabelledRows, pickPredictions } from "./labelled-rows.ts";
export { weightsOfRows } from "./row-weights.ts";
export { DEFAULT_THRESHOLD, labelsAt } from "./threshold.ts";
