/** aeon's figures (fixtures/rocket_figures.py) as the tests of the rockets read them. */

import { readFileSync } from "node:fs";
import type { SavedTransform, TransformTensor } from "../saved-transform.ts";
import type { SequenceSet } from "../sequence-set.ts";
import { setOf } from "./made-sequences.ts";

type Lists = Readonly<Record<string, readonly number[]>>;

interface RocketFigures {
  readonly sets: readonly {
    readonly channels: number;
    readonly length: number;
    readonly train: readonly number[];
    readonly test: readonly number[];
    readonly mini: { readonly parameters: Lists; readonly features: readonly number[][] };
    readonly multi: {
      readonly values: Lists;
      readonly differences: Lists;
      readonly features: readonly number[][];
    };
  }[];
  /** Dilations and biases at each, by length. */
  readonly dilations: Readonly<Record<string, readonly (readonly number[])[]>>;
}

export function rocketFigures(): RocketFigures {
  const file = new URL("../fixtures/rocket_figures.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** As they are saved, for channels that are left as they are. */
export function parametersIn(
  byPrefix: Readonly<Record<string, Lists>>,
  channels: number,
): SavedTransform["tensors"] {
  const tensors: Record<string, TransformTensor> = {
    channel_means: new Float64Array(channels),
    channel_deviations: new Float64Array(channels).fill(1),
  };
  for (const [prefix, lists] of Object.entries(byPrefix)) {
    for (const name of ["dilations", "per_dilation"]) {
      tensors[prefix + name] = Int32Array.from(lists[name]);
    }
    for (const name of ["combination_sizes", "combination_channels"]) {
      tensors[prefix + name] = Int32Array.from(channels > 1 ? lists[name] : []);
    }
    tensors[`${prefix}biases`] = Float32Array.from(lists["biases"]);
  }
  return tensors;
}

/** From sequences × channels × steps in one list. */
export function sequencesIn(
  flat: readonly number[],
  channels: number,
  length: number,
): SequenceSet {
  const count = flat.length / channels / length;
  return setOf(
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: channels }, (_, c) =>
        flat.slice((i * channels + c) * length, (i * channels + c + 1) * length),
      ),
    ),
  );
}
