/** What the fit's side and the device's side of training networks say to each other: requests, with their values. */

import { NETWORK_WORDS } from "../../shaders/network.ts";

/** [values of `PLAN`] */
export const BEGIN_NETWORK = 40;
/** [rows in the order of an epoch, how many, its steps (`STEP_WORDS` each), how many] */
export const BEGIN_EPOCH = 41;
/** [steps that are done next] */
export const TRAIN_STEPS = 42;
/** [] → PARAMETERS_HEAD, the parameters. */
export const READ_PARAMETERS = 43;
/** [first batch of validation rows, batches] → their outputs, row-major with what fills up rows. */
export const READ_OUTPUTS = 44;
/** [step of the epoch] → the gradients that it would go by with the parameters as they are. */
export const READ_GRADIENTS = 45;

/** Bytes before the parameters: the next step of the epoch, and steps done since the begin. */
export const PARAMETERS_HEAD = 16;

/** Words of a layer in `layers`: its tensors' starts, columns read and given, and its factor (f32). */
export const LAYER_WORDS = 6;

/** Validation rows that run through a network together, at least. */
const VALID_BATCH = 2048;

/** What a network is made of, in order. Pointers are into the arena. */
export const PLAN = [
  "trainRows",
  /** 0: none. */
  "validRows",
  "batchRows",
  ...NETWORK_WORDS,
  /** The last among them. */
  "layerCount",
  /** Numbers of all parameters. */
  "size",
  /** Where the scales of inputs begin among them. */
  "scale",
  /** A number of `LOSSES`; 0 = SELU, 1 = mish. */
  "loss",
  "activation",
  /** Pointers: encoded rows of both kinds (`shaders/network-inputs.ts`). */
  "train",
  "valid",
  /** f32: training rows × the target's width, weights, levels of quantiles. */
  "target",
  "weights",
  "levels",
  "levelCount",
  /** Four words each: units behind the numbers, rows of tables. */
  "unitTable",
  "tables",
  /** f32 × 2 for each four parameters. */
  "shares",
  "layers",
  "parameters",
] as const;

export type NetworkPlan = Readonly<Record<(typeof PLAN)[number], number>>;

export const planValues = (plan: NetworkPlan): number[] => PLAN.map((name) => plan[name]);

/** Rows of a batch of validation rows. */
export const validBatch = ({ batchRows }: Pick<NetworkPlan, "batchRows">): number =>
  Math.max(batchRows, VALID_BATCH);
