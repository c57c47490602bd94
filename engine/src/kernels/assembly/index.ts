/** The kernels' exports; typed for the engine in `compute/kernels.ts`. */

export { helpCrew } from "./crew-tasks";
export {
  columnMoments,
  columnSquares,
  designMargins,
  designSums,
  logisticSlopes,
  packDesign,
  writeStandardised,
  writeTransformed,
} from "./design";
export { countLevels, drawGradients } from "./drawn-gradients";
export { growHeldTree, leaveCrew, takeTree } from "./forest-crew";
export {
  logisticGradients,
  pinballGradients,
  softmaxGradients,
  softmaxSoftGradients,
} from "./gradients";
export { growTree } from "./grower";
export { addsUp, buildHistogram, subtractHistogram } from "./histogram";
export { finishAway, finishTree, followTree } from "./leaves";
export { logisticLoss, pinballLoss, softmaxSoftLoss } from "./losses";
export { multinomialLoss, multinomialMargins, multinomialSums } from "./multinomial";
export { adamStep } from "./network";
export { growObliviousTree } from "./oblivious";
export { sampleRows } from "./philox";
export * from "./predicting";
export { drawRows, rowTask } from "./row-tasks";
export { shapePass } from "./shape-pass";
export { shapeSteps } from "./shape-steps";
export {
  addGram,
  choleskyPanel,
  rowSquares,
  solveRows,
  solveRowsBack,
  subtractGram,
} from "./symmetric";
