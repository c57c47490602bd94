/** Signatures of the kernels that grow trees, predict by them and explain them: `kernels/assembly/growing`, `forests` and `trees`. */

import type { Pointer } from "./arena.ts";

export interface TreeKernels {
  growTree(block: Pointer): number;
  growObliviousTree(block: Pointer): number;
  /** -1: the values have no finite range. */
  columnEdges(
    values: Pointer,
    count: number,
    maxBins: number,
    minData: number,
    scratch: Pointer,
    edges: Pointer,
  ): number;
  gridEdges(grid: Pointer, count: number): void;
  assignNumbers(values: Pointer, count: number, grid: Pointer, out: Pointer): void;
  transposeBins(
    columns: Pointer,
    columnStride: number,
    rows: number,
    list: Pointer,
    count: number,
    out: Pointer,
    rowStride: number,
  ): void;
  /** 1: the rows were free, and are taken. */
  takeRows(cells: Pointer, rows: number, usual: number, taken: Pointer): number;
  placeBins(
    cells: Pointer,
    rows: number,
    usual: number,
    place: number,
    out: Pointer,
    rowStride: number,
  ): void;
  /** 1: the bins of each listed feature of a whole histogram add up to the same. */
  addsUp(block: Pointer, histogram: Pointer): number;
  buildHistogram(block: Pointer, rows: Pointer, count: number, histogram: Pointer): void;
  subtractHistogram(block: Pointer, parent: Pointer, smaller: Pointer): void;
  finishTree(
    block: Pointer,
    nodes: number,
    gradients: Pointer,
    fineGradient: number,
    fineHessian: number,
    shrinkage: number,
    weights: Pointer,
    scores: Pointer,
  ): void;
  finishAway(
    block: Pointer,
    nodes: number,
    fineGradient: number,
    fineHessian: number,
    shrinkage: number,
    weights: Pointer,
    isOwn: number,
  ): number;
  followTree(block: Pointer, nodes: number, source: Pointer, count: number, scores: Pointer): void;
  takeTree(block: Pointer): number;
  growHeldTree(block: Pointer): number;
  fillMassLogs(table: Pointer): void;
  packNodes(
    count: number,
    features: Pointer,
    splits: Pointer,
    categorical: Pointer,
    missingLeft: Pointer,
    lefts: Pointer,
    rights: Pointer,
    valueBins: Pointer,
    records: Pointer,
  ): void;
  compileTrees(
    count: number,
    order: Pointer,
    treeStarts: Pointer,
    nodes: number,
    features: Pointer,
    splits: Pointer,
    categorical: Pointer,
    missingLeft: Pointer,
    lefts: Pointer,
    rights: Pointer,
    values: Pointer,
    width: number,
    byLeaf: number,
    sets: Pointer,
    setBytes: number,
    valueBins: Pointer,
    planeSlots: Pointer,
    planes: Pointer,
    trees: Pointer,
    records: Pointer,
    programs: Pointer,
    exitValues: Pointer,
    tables: Pointer,
    scratch: Pointer,
  ): number;
  openStored(
    trees: number,
    treeStarts: Pointer,
    nodes: number,
    inner: number,
    leafBits: Pointer,
    splitFeatures: Pointer,
    splitBins: Pointer,
    categoricalBits: Pointer,
    missingBits: Pointer,
    featureCount: number,
    features: Pointer,
    splits: Pointer,
    categorical: Pointer,
    missingLeft: Pointer,
    lefts: Pointer,
    rights: Pointer,
    open: Pointer,
  ): number;
  sweepTrees(
    compiled: Pointer,
    columnMajor: Pointer,
    columnStride: number,
    rows: Pointer,
    count: number,
    scores: Pointer,
    outputs: number,
    scratch: Pointer,
  ): void;
  planPaths(
    root: number,
    source: Pointer,
    cover: Pointer,
    leafValues: Pointer,
    values: number,
    latest: Pointer,
    features: number,
    path: Pointer,
    reach: Pointer,
    stack: Pointer,
    records: Pointer,
    ratios: Pointer,
    expected: Pointer,
  ): number;
  treeShapTables(
    nodes: number,
    records: Pointer,
    ratios: Pointer,
    points: Pointer,
    weights: Pointer,
    count: number,
    tables: Pointer,
  ): void;
  treeShapRows(
    nodes: number,
    records: Pointer,
    sets: Pointer,
    ratios: Pointer,
    points: Pointer,
    weights: Pointer,
    count: number,
    tables: Pointer,
    direct: number,
    leafValues: Pointer,
    values: number,
    output: number,
    data: Pointer,
    rowStride: number,
    rows: Pointer,
    rowCount: number,
    scratch: Pointer,
    out: Pointer,
    features: number,
    outputs: number,
  ): void;
}
