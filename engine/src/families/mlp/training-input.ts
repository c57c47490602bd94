/** What the training of a network is given, and what it gives. */

import type { Lane } from "../../compute/gpu/lane.ts";
import type { RandomKey } from "../../compute/random.ts";
import type { Loss } from "../../tasks/task-type.ts";
import type { FitLimits } from "../fit-limits.ts";
import type { LearningCurve } from "../learning-curve.ts";
import type { NetworkInputs } from "./inputs.ts";
import type { NetworkShape } from "./layout.ts";
import type { RowLoss } from "./loss.ts";
import type { MlpParameters } from "./parameters.ts";

/** Rows of a fit, in the order of `inputs`. */
export interface LabelledRows {
  readonly inputs: NetworkInputs;
  /** Row-major, rows × the target's width. */
  readonly target: Float64Array;
  /** Mean 1; null = all 1. */
  readonly weights: Float64Array | null;
}

export interface TrainedNetwork {
  /** f32, one behind the other as in the network's layout. */
  readonly parameters: Float32Array;
  readonly epochs: number;
  /** Counted from 1. */
  readonly bestEpoch: number;
  /** Mean at that epoch; null without validation rows. */
  readonly validationLoss: number | null;
  readonly curve: LearningCurve | null;
  /**
   * Row-major, validation rows × outputs: each of the epoch that is best for the other parts of the
   * validation rows; null without those.
   */
  readonly heldOut: Float64Array | null;
  /** The device that trained it, by its name; null: the CPU did. */
  readonly device: string | null;
  /** Why the CPU trained where a library was to; absent: there was nothing to say. */
  readonly refusal?: string;
}

export interface TrainingInput {
  readonly shape: NetworkShape;
  readonly parameters: MlpParameters;
  readonly train: LabelledRows;
  readonly valid: LabelledRows | null;
  readonly targetWidth: number;
  readonly loss: RowLoss;
  readonly lossKind: Loss;
  /** Of quantiles, where those are predicted. */
  readonly levels: readonly number[];
  readonly lossName: string;
  readonly key: RandomKey;
  readonly limits: FitLimits;
  /** What the last biases begin with, one an output. */
  readonly base: Float64Array;
  /** The way to a device that trains; null: the CPU does. */
  readonly device: Lane | null;
  /** The package of TensorFlow.js that trains; null: none does. */
  readonly tensorflow: string | null;
}

/** What trains a network, epoch by epoch: this thread, or a device. */
export interface Trainer {
  /**
   * Takes the steps of an epoch.
   *
   * @param epoch counted from 0
   * @param order of the training rows
   * @returns false where the fit's limits ended it amid the epoch
   * @throws FitStoppedError where they ended it amid the first
   */
  train(epoch: number, order: Uint32Array): boolean;
  /** f32, one behind the other as in the layout. */
  parameters(): Float32Array;
  /** Row-major, validation rows × outputs; empty without validation rows. */
  outputs(): Float64Array;
}

/** The loss, or a parameter, is no number any more. */
export class DivergedError extends Error {
  override readonly name = "DivergedError";

  constructor() {
    super("The network's loss stopped being a number; a smaller learning_rate may help.");
  }
}
