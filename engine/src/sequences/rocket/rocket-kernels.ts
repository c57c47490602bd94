/** Fitted kernels of MiniRocket or MultiRocket as they are held, and their features of any sequences. */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { ChannelTreatment } from "../channel-treatment.ts";
import { readChannels } from "../read-channels.ts";
import { areWithin, checkSaved, type SavedTransform, tensorOf } from "../saved-transform.ts";
import type { SequenceSet } from "../sequence-set.ts";
import { KERNELS } from "./kernel-set.ts";
import { PaddedSeries, type Representation, roundUp } from "./padded-series.ts";

/** No sequence is so long. */
const END_OF_DILATIONS = 2 ** 26;

export interface RocketParameters {
  readonly dilations: Int32Array;
  /** Biases of a kernel at each dilation. */
  readonly perDilation: Int32Array;
  /** Channels that each (dilation, kernel) reads; empty for one channel. */
  readonly combinationSizes: Int32Array;
  readonly combinationChannels: Int32Array;
  /** By dilation, kernel and bias: the order of the features. */
  readonly biases: Float32Array;
}

/** Fitted kernels that lie in an arena for the time of one call. */
export class RocketRun {
  readonly #kernels: Kernels;
  readonly #parameters: RocketParameters;
  readonly #series: PaddedSeries;
  readonly #pointers: Readonly<Record<"dilations" | "perDilation" | "sizes" | "members", Pointer>>;
  readonly #biases: Pointer;
  readonly #memory: Pointer;
  readonly #out: Pointer;
  readonly #operators: number;
  readonly #alternate: boolean;
  readonly #scratch: Scratch;
  readonly #channels: Int32Array;

  constructor(
    scratch: Scratch,
    parameters: RocketParameters,
    treatment: ChannelTreatment,
    settings: {
      readonly representation: Representation;
      readonly longest: number;
      /** 1 = shares above the bias; 4 = all operators. */
      readonly operators: 1 | 4;
      readonly alternate: boolean;
    },
  ) {
    const { dilations, perDilation, combinationSizes, combinationChannels, biases } = parameters;
    const { longest } = settings;
    this.#kernels = kernelsOf(scratch.arena.handle());
    this.#parameters = parameters;
    this.#operators = settings.operators;
    this.#alternate = settings.alternate;
    this.#scratch = scratch;
    const { channels, members } = readChannels(combinationChannels, treatment.channels);
    this.#channels = channels;
    const reach = 4 * dilations[dilations.length - 1];
    const most = channels.length;
    this.#series = new PaddedSeries(
      ...([scratch, treatment, settings.representation, reach, longest, most] as const),
    );
    this.#pointers = {
      dilations: scratch.i32(dilations),
      perDilation: scratch.i32(perDilation),
      sizes: scratch.i32(combinationSizes),
      members: scratch.i32(members),
    };
    this.#biases = scratch.allocate(4 * biases.length);
    scratch.arena.f32(this.#biases, biases.length).set(biases);
    this.#memory = scratch.allocate(112 + 4 * (most + 3) * roundUp(longest));
    this.#out = scratch.allocate(4 * this.features);
  }

  get features(): number {
    return this.#operators * this.#parameters.biases.length;
  }

  /** Writes the features of one sequence from `out[at]` on, operator by operator. */
  write(set: SequenceSet, sequence: number, out: Float32Array, at: number): void {
    const series = this.#series;
    series.write(set, sequence, this.#channels);
    const { dilations, perDilation, sizes, members } = this.#pointers;
    this.#kernels.rocketFeatures(
      series.series,
      series.tripled,
      this.#channels.length,
      series.stride,
      series.pad,
      series.steps,
      dilations,
      perDilation,
      this.#parameters.dilations.length,
      sizes,
      members,
      this.#biases,
      Number(this.#alternate),
      this.#operators,
      this.#parameters.biases.length,
      this.#memory,
      this.#out,
    );
    out.set(this.#scratch.arena.f32(this.#out, this.features), at);
  }
}

export function saveRocket(
  parameters: RocketParameters,
  prefix: string,
): SavedTransform["tensors"] {
  return {
    [`${prefix}dilations`]: parameters.dilations,
    [`${prefix}per_dilation`]: parameters.perDilation,
    [`${prefix}combination_sizes`]: parameters.combinationSizes,
    [`${prefix}combination_channels`]: parameters.combinationChannels,
    [`${prefix}biases`]: parameters.biases,
  };
}

/**
 * @param channels that the transform reads
 * @throws Error where an array is missing or contradicts the others
 */
export function loadRocket(
  saved: SavedTransform,
  prefix: string,
  channels: number,
): RocketParameters {
  const dilations = tensorOf(saved, `${prefix}dilations`, Int32Array);
  const perDilation = tensorOf(saved, `${prefix}per_dilation`, Int32Array);
  const combinationSizes = tensorOf(saved, `${prefix}combination_sizes`, Int32Array);
  const combinationChannels = tensorOf(saved, `${prefix}combination_channels`, Int32Array);
  const biases = tensorOf(saved, `${prefix}biases`, Float32Array);
  checkSaved(
    dilations.length > 0 &&
      areWithin(dilations, 1, END_OF_DILATIONS) &&
      dilations.every((dilation, i) => i === 0 || dilation > dilations[i - 1]),
    "its dilations do not rise from 1 or more",
  );
  checkSaved(
    perDilation.length === dilations.length && areWithin(perDilation, 0, biases.length + 1),
    `it counts the biases of ${perDilation.length} dilations, and has ${dilations.length}`,
  );
  const counted = KERNELS * perDilation.reduce((sum, count) => sum + count, 0);
  checkSaved(
    counted === biases.length,
    `its dilations have ${counted} biases, and there are ${biases.length}`,
  );
  const combinations = channels > 1 ? KERNELS * dilations.length : 0;
  checkSaved(
    combinationSizes.length === combinations && areWithin(combinationSizes, 1, channels + 1),
    `its kernels do not each read some of ${channels} channels`,
  );
  const read = combinationSizes.reduce((sum, size) => sum + size, 0);
  checkSaved(
    combinationChannels.length === read && areWithin(combinationChannels, 0, channels),
    `its kernels read ${read} times one of ${channels} channels, which ${combinationChannels.length} numbers do not say`,
  );
  return { dilations, perDilation, combinationSizes, combinationChannels, biases };
}
