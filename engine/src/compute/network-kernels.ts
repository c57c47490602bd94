/** Signatures of the kernels of networks; what they do is said beside each in `kernels/assembly`. */

import type { Pointer } from "./arena.ts";

export interface NetworkKernels {
  multiplyMatrices(
    rows: number,
    columns: number,
    depth: number,
    a: Pointer,
    aRowStep: number,
    aColumnStep: number,
    b: Pointer,
    bRowStep: number,
    bColumnStep: number,
    c: Pointer,
    cRowStep: number,
    accumulate: number,
    scratch: Pointer,
  ): void;
  scaleAndShift(y: Pointer, rows: number, width: number, scale: number, bias: Pointer): void;
  sumAndScale(g: Pointer, rows: number, width: number, scale: number, out: Pointer): void;
  scaleColumns(x: Pointer, scale: Pointer, rows: number, width: number, out: Pointer): void;
  scaleColumnsBack(
    x: Pointer,
    scale: Pointer,
    rows: number,
    width: number,
    g: Pointer,
    scaleGradient: Pointer,
  ): void;
  packPanels(from: Pointer, depth: number, columns: number, to: Pointer): void;
  scaleQuads(x: Pointer, rows: number, width: number, scale: Pointer): void;
  forwardLayer(
    kind: number,
    x: Pointer,
    rows: number,
    depth: number,
    weights: Pointer,
    width: number,
    factor: number,
    biases: Pointer,
    alpha: Pointer,
    out: Pointer,
  ): void;
  raise(kind: number, x: Pointer, count: number, out: Pointer): void;
  activate(...activation: [...ActivationArguments, out: Pointer]): void;
  activateBack(...activation: [...ActivationArguments, g: Pointer, sums: Pointer]): void;
  adamStep(
    parameters: Pointer,
    gradients: Pointer,
    first: Pointer,
    second: Pointer,
    count: number,
    rate: number,
    beta1: number,
    beta2: number,
    correction1: number,
    correction2: number,
    shrinkage: number,
  ): void;
  embedPeriodic(
    x: Pointer,
    features: number,
    rows: number,
    frequencies: number,
    weights: Pointer,
    out: Pointer,
    step: number,
    inQuads: number,
  ): void;
  embedPieces(
    x: Pointer,
    places: Pointer,
    features: number,
    rows: number,
    pieces: number,
    weights: Pointer,
    out: Pointer,
    step: number,
    inQuads: number,
    scratch: Pointer,
  ): void;
  embedPiecesBack(
    places: Pointer,
    features: number,
    rows: number,
    pieces: number,
    g: Pointer,
    step: number,
    gradients: Pointer,
    scratch: Pointer,
  ): void;
  embedPeriodicBack(
    x: Pointer,
    features: number,
    rows: number,
    frequencies: number,
    weights: Pointer,
    g: Pointer,
    step: number,
    gradients: Pointer,
    scratch: Pointer,
  ): void;
}

type ActivationArguments = [
  kind: number,
  x: Pointer,
  powers: Pointer,
  alpha: Pointer,
  rows: number,
  width: number,
  key: number,
  keepBelow: number,
  inverseShare: number,
];
