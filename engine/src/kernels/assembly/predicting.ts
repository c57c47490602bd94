/** The exports that fitted models are read, predicted and explained with: all that a predictor carries. */

export { compileTrees } from "./compile-trees";
export { dtwBound, dtwDistance, dtwEnvelope } from "./dtw";
export { exp, log } from "./elementary";
export { multiplyMatrices } from "./gemm";
export { hydraCounts } from "./hydra";
export { addColumns, addLinearTerm } from "./linear";
export { logSumExp, toProbabilities } from "./losses";
export {
  activate,
  activateBack,
  raise,
  scaleAndShift,
  scaleColumns,
  scaleColumnsBack,
  sumAndScale,
} from "./network";
export { forwardLayer, packPanels, scaleQuads } from "./network-forward";
export { openStored } from "./open-stored";
export { embedPeriodic, embedPeriodicBack } from "./periodic";
export { embedPieces, embedPiecesBack } from "./pieces";
export { rocketFeatures, rocketOutputs } from "./rocket";
export { sweepTrees } from "./sweep-trees";
export { packNodes } from "./traverse";
export { planPaths, treeShapRows, treeShapTables } from "./tree-shap";
