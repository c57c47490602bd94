/**
 * The WebAssembly kernels over an arena's memory.
 *
 * The module is compiled once a thread, and instantiated once for each memory: instances of
 * several threads over one shared memory see the same data. Kernels keep nothing in the memory
 * between calls but what their callers allocated.
 */

import type { ArenaHandle, Pointer } from "./arena.ts";
import { awaitCrew } from "./crew-desk.ts";
import { deviceImports } from "./gpu/device-calls.ts";
import { kernelModule } from "./kernel-module.ts";
import type { LinearKernels } from "./linear-kernels.ts";
import type { NetworkKernels } from "./network-kernels.ts";
import type { ShapeKernels } from "./shape-kernels.ts";

/** Signatures of the module's exports; what they do is said beside each in `kernels/assembly`. */
export interface Kernels extends LinearKernels, NetworkKernels, ShapeKernels {
  exp(x: number): number;
  log(x: number): number;
  growTree(block: Pointer): number;
  growObliviousTree(block: Pointer): number;
  drawGradients(
    rows: Pointer,
    count: number,
    gradients: Pointer,
    weights: Pointer,
    threshold: number,
    keyLow: number,
    keyHigh: number,
    drawn: Pointer,
    sums: Pointer,
  ): void;
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
  rowTask(crew: Pointer, task: number): void;
  drawRows(crew: Pointer, task: number): number;
  countLevels(
    rows: Pointer,
    count: number,
    step: number,
    gradients: Pointer,
    curvature: number,
    levels: Pointer,
  ): void;
  helpCrew(crew: Pointer, place: number, most: number): number;
  leaveCrew(crew: Pointer, place: number): void;
  pinballGradients(
    rows: Pointer,
    count: number,
    scores: Pointer,
    targets: Pointer,
    weights: Pointer,
    level: number,
    gradients: Pointer,
    sums: Pointer,
  ): void;
  logisticGradients(...pointers: GradientArguments): void;
  logSumExp(
    rows: Pointer,
    count: number,
    scores: Pointer,
    classes: number,
    classStep: number,
    out: Pointer,
  ): void;
  softmaxGradients(...pointers: SoftmaxArguments): void;
  softmaxSoftGradients(...pointers: SoftmaxArguments): void;
  logisticLoss(
    rows: Pointer,
    count: number,
    scores: Pointer,
    targets: Pointer,
    weights: Pointer,
  ): number;
  pinballLoss(
    rows: Pointer,
    count: number,
    scores: Pointer,
    targets: Pointer,
    weights: Pointer,
    level: number,
  ): number;
  softmaxSoftLoss(
    rows: Pointer,
    count: number,
    scores: Pointer,
    classes: number,
    classStep: number,
    logSums: Pointer,
    targets: Pointer,
    weights: Pointer,
  ): number;
  toProbabilities(scores: Pointer, count: number, outputs: number): void;
  sampleRows(
    rows: Pointer,
    count: number,
    threshold: number,
    keyLow: number,
    keyHigh: number,
    drawn: Pointer,
    rest: Pointer,
  ): number;
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
  fillMassLogs(table: Pointer): void;
  takeTree(block: Pointer): number;
  growHeldTree(block: Pointer): number;
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
  rocketOutputs(
    series: Pointer,
    tripled: Pointer,
    stride: number,
    pad: number,
    steps: number,
    dilation: number,
    a: number,
    b: number,
    c: number,
    members: Pointer,
    count: number,
    scratch: Pointer,
    out: Pointer,
  ): void;
  rocketFeatures(
    series: Pointer,
    tripled: Pointer,
    channels: number,
    stride: number,
    pad: number,
    steps: number,
    dilations: Pointer,
    perDilation: Pointer,
    dilationCount: number,
    combinationSizes: Pointer,
    combinationChannels: Pointer,
    biases: Pointer,
    alternate: number,
    operators: number,
    step: number,
    scratch: Pointer,
    out: Pointer,
  ): void;
  dtwDistance(
    a: Pointer,
    aSteps: number,
    b: Pointer,
    bSteps: number,
    channels: number,
    window: number,
    cutoff: number,
    scratch: Pointer,
  ): number;
  dtwEnvelope(
    a: Pointer,
    steps: number,
    channels: number,
    window: number,
    lower: Pointer,
    upper: Pointer,
  ): void;
  dtwBound(
    a: Pointer,
    aSteps: number,
    b: Pointer,
    bSteps: number,
    channels: number,
    enveloped: number,
    lower: Pointer,
    upper: Pointer,
  ): number;
  hydraCounts(
    lines: Pointer,
    stride: number,
    pad: number,
    steps: number,
    dilation: number,
    groups: number,
    members: Pointer,
    memberCount: number,
    weights: Pointer,
    scratch: Pointer,
    out: Pointer,
  ): void;
  shapeletFeatures(
    lines: Pointer,
    stride: number,
    channels: number,
    windows: number,
    length: number,
    dilation: number,
    flat: number,
    count: number,
    starts: Pointer,
    members: Pointer,
    weights: Pointer,
    normalised: Pointer,
    thresholds: Pointer,
    scratch: Pointer,
    out: Pointer,
  ): void;
  choleskyPanel(matrix: Pointer, size: number, start: number, width: number): number;
  solveRows(x: Pointer, groups: number, factor: Pointer, size: number, unit: number): void;
  solveRowsBack(x: Pointer, groups: number, factor: Pointer, size: number): void;
  rowSquares(x: Pointer, groups: number, columns: number, out: Pointer): void;
  subtractGram(panel: Pointer, groups: number, depth: number, matrix: Pointer): void;
  addGram(panel: Pointer, eights: number, depth: number, matrix: Pointer): void;
}

export type GradientArguments = [
  rows: Pointer,
  count: number,
  scores: Pointer,
  targets: Pointer,
  weights: Pointer,
  gradients: Pointer,
  sums: Pointer,
];

export type SoftmaxArguments = [
  rows: Pointer,
  count: number,
  scores: Pointer,
  logSums: Pointer,
  classes: number,
  chosen: number,
  targets: Pointer,
  weights: Pointer,
  gradients: Pointer,
  sums: Pointer,
];

const instances = new WeakMap<WebAssembly.Memory, Kernels>();

/** The kernels over this arena's memory, made on first use. */
export function kernelsOf(arena: ArenaHandle): Kernels {
  let kernels = instances.get(arena.memory);
  if (kernels === undefined) {
    const instance = new WebAssembly.Instance(kernelModule(), {
      env: {
        memory: arena.memory,
        abort: () => {
          throw new Error("A kernel aborted.");
        },
      },
      device: deviceImports,
      crew: {
        awaitCrew: (crew: Pointer, least: number, word: number) =>
          awaitCrew(arena, crew, least, word),
      },
    });
    // The module is built from the sources beside this file: its exports have these signatures.
    kernels = instance.exports as unknown as Kernels;
    instances.set(arena.memory, kernels);
  }
  return kernels;
}
