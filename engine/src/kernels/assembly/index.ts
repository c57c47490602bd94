/** The kernels' exports; typed for the engine in `compute/kernels.ts`. */

export { dtwBound, dtwDistance, dtwEnvelope } from "./dtw";
export { exp, log } from "./elementary";
export { growForestTree } from "./forest";
export { drawWithoutReplacement, drawWithReplacement, fillBag } from "./forest-bag";
export { growTree } from "./grower";
export { buildHistogram, subtractHistogram } from "./histogram";
export { hydraCounts } from "./hydra";
export { finishTree, followTree } from "./leaves";
export {
  logisticGradients,
  logisticLoss,
  logSumExp,
  pinballGradients,
  pinballLoss,
  quantise,
  softmaxGradients,
  softmaxLoss,
  softmaxSoftGradients,
  softmaxSoftLoss,
  squaredGradients,
  squaredLoss,
  toProbabilities,
} from "./losses";
export { sampleRows } from "./philox";
export { rocketFeatures, rocketOutputs } from "./rocket";
export { addGram, choleskyPanel, rowSquares, solveRows, solveRowsBack } from "./symmetric";
export { addTrees, packNodes } from "./traverse";
export { planPaths, treeShapRows, treeShapTables } from "./tree-shap";
