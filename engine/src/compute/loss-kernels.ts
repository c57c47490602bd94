/** Signatures of the kernels of losses and their gradients: `kernels/assembly/losses`. */

import type { Pointer } from "./arena.ts";

export interface LossKernels {
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
  countLevels(
    rows: Pointer,
    count: number,
    step: number,
    gradients: Pointer,
    curvature: number,
    levels: Pointer,
  ): void;
  rowTask(crew: Pointer, task: number): void;
  drawRows(crew: Pointer, task: number): number;
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
}

type GradientArguments = [
  rows: Pointer,
  count: number,
  scores: Pointer,
  targets: Pointer,
  weights: Pointer,
  gradients: Pointer,
  sums: Pointer,
];

type SoftmaxArguments = [
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
