/**
 * MultiRocket: the kernels of MiniRocket on sequences and on their first differences, each output
 * pooled by four operators: the share of steps above the bias, the longest stretch of them, the mean
 * over them and the mean of their indices (Tan, Dempster, Bergmeir & Webb 2022, "MultiRocket: multiple
 * pooling operators and transformations for fast and effective time series classification", Data
 * Mining and Knowledge Discovery 36, §3; operators as its authors' code computes them, differences
 * by the definition: the code takes them to be as long as the sequence, which moves four of the nine
 * weights by a step).
 */

import { extendKey, type RandomKey } from "../../compute/random.ts";
import type { SavedTransform } from "../saved-transform.ts";
import type { SequenceSet } from "../sequence-set.ts";
import { fitRocketTransform, type RocketOptions } from "./fit-rocket.ts";
import { type RocketKind, RocketTransform } from "./rocket-transform.ts";

export interface MultiRocketOptions extends RocketOptions {
  /** Biases of a representation; eight features each. Default 6,250: 49,728 features. */
  readonly kernels?: number;
}

/** What it is apart from its parameters. */
export const MULTIROCKET: RocketKind = {
  transform: "multirocket",
  representations: ["values", "differences"],
  operators: 4,
  keyOf: (key, representation) => extendKey(key, "multirocket", representation),
  prefixOf: (representation) => `${representation}_`,
};

export const MultiRocket = {
  /** @param rows the training sequences; null = all */
  fit(
    set: SequenceSet,
    rows: Uint32Array | null,
    key: RandomKey,
    { kernels = 6250, ...options }: MultiRocketOptions = {},
  ): RocketTransform {
    return fitRocketTransform(MULTIROCKET, set, rows, key, { ...options, biases: kernels });
  },

  /** @throws Error where the header or an array is damaged or missing */
  load(saved: SavedTransform): RocketTransform {
    return RocketTransform.load(MULTIROCKET, saved);
  },
};
