/** The kernels' exports; typed for the engine in `compute/kernels.ts`. */

export { assignNumbers, gridEdges } from "./binning/assign-numbers";
export { columnEdges } from "./binning/column-edges";
export { helpCrew } from "./crew-tasks";
export { growHeldTree, leaveCrew, takeTree } from "./forests/crew";
export { fillMassLogs } from "./forests/split";
export { placeBins, takeRows } from "./growing/bundles";
export { followTree } from "./growing/follow-tree";
export { growTree } from "./growing/grower";
export { addsUp, buildHistogram, subtractHistogram } from "./growing/histogram";
export { finishAway, finishTree } from "./growing/leaves";
export { growObliviousTree } from "./growing/oblivious";
export {
  columnMoments,
  columnSquares,
  designMargins,
  designSums,
  logisticSlopes,
  packDesign,
  writeStandardised,
  writeTransformed,
} from "./linear/design";
export { multinomialLoss, multinomialMargins, multinomialSums } from "./linear/multinomial";
export {
  addGram,
  choleskyPanel,
  rowSquares,
  solveRows,
  solveRowsBack,
  subtractGram,
} from "./linear/symmetric";
export { countLevels, drawGradients } from "./losses/drawn-gradients";
export {
  logisticGradients,
  pinballGradients,
  softmaxGradients,
  softmaxSoftGradients,
} from "./losses/gradients";
export { logisticLoss, pinballLoss, softmaxSoftLoss } from "./losses/losses";
export { drawRows, rowTask } from "./losses/row-tasks";
export { adamStep } from "./networks/adam";
export { sampleRows } from "./numbers/philox";
export * from "./predicting";
export { rocketOutputs } from "./sequences/rocket";
export { shapePass } from "./shapes/pass";
export { shapeSteps } from "./shapes/steps";
