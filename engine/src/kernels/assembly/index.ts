/** The kernels' exports; typed for the engine in `compute/kernels.ts`. */

export { exp, log } from "./elementary";
export { growTree } from "./grower";
export { buildHistogram, subtractHistogram } from "./histogram";
export { finishTree } from "./leaves";
export {
  logisticGradients,
  logisticLoss,
  logSumExp,
  quantise,
  softmaxGradients,
  softmaxLoss,
  squaredGradients,
  squaredLoss,
  toProbabilities,
} from "./losses";
export { sampleRows } from "./philox";
export { addTrees } from "./traverse";
export { treeShapRows, treeShapTables } from "./tree-shap";
