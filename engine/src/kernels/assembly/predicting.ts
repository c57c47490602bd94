/** The exports that fitted models are read, predicted and explained with: all that a predictor carries. */

export { addColumns, addLinearTerm } from "./linear/linear";
export { logSumExp, toProbabilities } from "./losses/losses";
export { activate, activateBack, raise } from "./networks/activations";
export { multiplyMatrices } from "./networks/gemm";
export { forwardLayer, packPanels, scaleQuads } from "./networks/network-forward";
export { embedPeriodic, embedPeriodicBack } from "./networks/periodic";
export { embedPieces, embedPiecesBack } from "./networks/pieces";
export {
  scaleAndShift,
  scaleColumns,
  scaleColumnsBack,
  sumAndScale,
} from "./networks/scaled-columns";
export { exp, log } from "./numbers/elementary";
export { dtwBound, dtwDistance, dtwEnvelope } from "./sequences/dtw";
export { hydraCounts } from "./sequences/hydra";
export { rocketFeatures } from "./sequences/rocket";
export { shapeletFeatures } from "./sequences/shapelets";
export { compileTrees } from "./trees/compile-trees";
export { openStored } from "./trees/open-stored";
export { sweepTrees } from "./trees/sweep-trees";
export { transposeBins } from "./trees/transpose-bins";
export { packNodes } from "./trees/traverse";
export { planPaths, treeShapRows, treeShapTables } from "./trees/tree-shap";
