/** The kernels' exports; typed for the engine in `compute/kernels.ts`. */

export { compileTrees } from "./compile-trees";
export { helpCrew } from "./crew-tasks";
export { dtwBound, dtwDistance, dtwEnvelope } from "./dtw";
export { exp, log } from "./elementary";
export { growForestTree } from "./forest";
export { drawWithoutReplacement, drawWithReplacement, fillBag } from "./forest-bag";
export { multiplyMatrices } from "./gemm";
export { growTree } from "./grower";
export { buildHistogram, subtractHistogram } from "./histogram";
export { hydraCounts } from "./hydra";
export { finishTree, followTree } from "./leaves";
export { addColumns, addLinearTerm } from "./linear";
export {
  logisticGradients,
  logSumExp,
  pinballGradients,
  pinballLoss,
  softmaxSoftGradients,
  softmaxSoftLoss,
  toProbabilities,
} from "./losses";
export { multinomialLoss, multinomialMargins, multinomialSums } from "./multinomial";
export {
  activate,
  activateBack,
  adamStep,
  scaleAndShift,
  scaleColumns,
  scaleColumnsBack,
  sumColumns,
} from "./network";
export { forwardLayer, packPanels, scaleQuads } from "./network-forward";
export { openStored } from "./open-stored";
export { embedPeriodic, embedPeriodicBack } from "./periodic";
export { sampleRows } from "./philox";
export { rocketFeatures, rocketOutputs } from "./rocket";
export { drawBag, rowTask } from "./row-tasks";
export { sweepTrees } from "./sweep-trees";
export { addGram, choleskyPanel, rowSquares, solveRows, solveRowsBack } from "./symmetric";
export { packNodes } from "./traverse";
export { planPaths, treeShapRows, treeShapTables } from "./tree-shap";
