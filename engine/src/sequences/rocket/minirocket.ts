/**
 * MiniRocket: the share of steps at which each of 84 kernels, at dilations up to the length of a
 * sequence, lies above each of its biases (Dempster, Schmidt & Webb 2021, "MINIROCKET: a very fast
 * (almost) deterministic transform for time series classification", KDD, §3).
 */

import { extendKey, type RandomKey } from "../../compute/random.ts";
import type { SavedTransform } from "../saved-transform.ts";
import type { SequenceSet } from "../sequence-set.ts";
import { fitRocketTransform, type RocketOptions } from "./fit-rocket.ts";
import { type RocketKind, RocketTransform } from "./rocket-transform.ts";

export interface MiniRocketOptions extends RocketOptions {
  /** In all; 84 × ⌊features / 84⌋ come out. Default 10,000: 9,996. */
  readonly features?: number;
}

/** What it is apart from its parameters. */
export const MINIROCKET: RocketKind = {
  transform: "minirocket",
  representations: ["values"],
  operators: 1,
  keyOf: (key) => extendKey(key, "minirocket"),
  prefixOf: () => "",
};

export const MiniRocket = {
  /** @param rows the training sequences; null = all */
  fit(
    set: SequenceSet,
    rows: Uint32Array | null,
    key: RandomKey,
    { features = 10_000, ...options }: MiniRocketOptions = {},
  ): RocketTransform {
    return fitRocketTransform(MINIROCKET, set, rows, key, { ...options, biases: features });
  },

  /** @throws Error where the header or an array is damaged or missing */
  load(saved: SavedTransform): RocketTransform {
    return RocketTransform.load(MINIROCKET, saved);
  },
};
