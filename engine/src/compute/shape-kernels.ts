/** Signatures of the kernels of shape functions; what they do is said beside each in `kernels/assembly`. */

import type { Pointer } from "./arena.ts";

export interface ShapeKernels {
  shapePass(
    rows: Pointer,
    count: number,
    applied: Pointer,
    appliedWide: number,
    steps: Pointer,
    asked: Pointer,
    askedWide: number,
    cells: number,
    partial: Pointer,
    totals: Pointer,
    scores: Pointer,
    targets: Pointer,
    weights: Pointer,
    masks: Pointer,
    nibbles: Pointer,
    groups: number,
    outputs: number,
    loss: number,
    scratch: Pointer,
  ): void;
  shapeSteps(
    kind: number,
    height: number,
    width: number,
    totals: Pointer,
    covers: Pointer,
    weighed: number,
    table: Pointer,
    steps: Pointer,
    groups: number,
    outputs: number,
    rate: number,
    l2: number,
    leastRows: number,
    smooth: number,
    dispersion: number,
    leaves: number,
    monotone: number,
    scratch: Pointer,
  ): number;
}
