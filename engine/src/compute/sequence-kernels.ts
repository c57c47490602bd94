/** Signatures of the kernels of transforms of sequences, and of distances between them: `kernels/assembly/sequences`. */

import type { Pointer } from "./arena.ts";

export interface SequenceKernels {
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
}
