/**
 * Hydra: random kernels in groups, of which at every step the one that matches best is counted
 * (Dempster, Schmidt & Webb 2023, "Hydra: competing convolutional kernels for fast and accurate time
 * series classification", Data Mining and Knowledge Discovery 37, §3). Half of the groups read the
 * sequence, half its first differences, at every power of two of a dilation at which a kernel still
 * fits into the longest training sequence. Where there are several channels, a group reads the sum of
 * a few, as in the authors' code.
 *
 * Counts are sums over the steps of a sequence. Where the training sequences differ in length, they
 * are divided by the steps of their own and multiplied by those of the longest, so that they speak of
 * shares and not of length.
 */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type ChannelScaling, ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import { readChannels } from "../read-channels.ts";
import { PaddedSeries, type Representation } from "../rocket/padded-series.ts";
import { areWithin, checkSaved, type SavedTransform, tensorOf } from "../saved-transform.ts";
import {
  checkSequenceSet,
  longestOf,
  ofOneLength,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";

export interface HydraOptions {
  /** Groups at each dilation, an even number: half of them for the differences. Default 64. */
  readonly groups?: number;
  /** Channels that a group adds up at most. Default 8. */
  readonly mostChannels?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
}

/** Kernels of a group, and weights of a kernel. */
const KERNELS = 8;
const WEIGHTS = 9;
/** The largest is 2²⁵ steps. */
const MOST_DILATIONS = 26;
const REPRESENTATIONS: readonly Representation[] = ["values", "differences"];

const headerSchema = z.strictObject({
  transform: z.literal("hydra"),
  version: z.literal(1),
  treatment: treatmentHeader,
  /** At each dilation, of one representation. */
  groups: z.int().min(1),
  dilations: z.int().min(1).max(MOST_DILATIONS),
  channelsOfGroup: z.int().min(1),
  /** Steps that counts are brought to; null = they stay as they are. */
  steps: z.int().min(1).nullable(),
});

export class Hydra implements SequenceTransform {
  readonly #header: z.infer<typeof headerSchema>;
  readonly #treatment: ChannelTreatment;
  /** By dilation, representation, group, kernel and weight. */
  readonly #weights: Float32Array;
  /** By dilation, representation and group; empty for one channel. */
  readonly #members: Int32Array;

  private constructor(
    header: z.infer<typeof headerSchema>,
    treatment: ChannelTreatment,
    weights: Float32Array,
    members: Int32Array,
  ) {
    this.#header = header;
    this.#treatment = treatment;
    this.#weights = weights;
    this.#members = members;
  }

  /**
   * @param rows the training sequences; null = all
   * @throws RangeError where groups are not an even number
   */
  static fit(
    set: SequenceSet,
    rows: Uint32Array | null,
    key: RandomKey,
    options: HydraOptions = {},
  ): Hydra {
    checkSequenceSet(set);
    const { groups = 64, mostChannels = 8, scaling = "channel" } = options;
    if (groups < 2 || groups % 2 !== 0) {
      throw new RangeError(`Hydra needs an even number of groups, not ${groups}.`);
    }
    const train = sequencesOf(set, rows);
    const treatment = ChannelTreatment.fit(set, train, scaling);
    const longest = longestOf(set, train);
    const dilations = dilationsOf(longest);
    const random = new CounterRandom(extendKey(key, "hydra"));
    const weights = new Float32Array(dilations * groups * KERNELS * WEIGHTS);
    for (let at = 0; at < weights.length; at += WEIGHTS) {
      weights.set(drawKernel(random), at);
    }
    const several = set.channels > 1;
    const channelsOfGroup = several
      ? Math.min(Math.max(Math.floor(set.channels / 2), 2), mostChannels)
      : 1;
    const members = Int32Array.from(
      { length: several ? dilations * groups * channelsOfGroup : 0 },
      () => random.nextInteger(set.channels),
    );
    const header = {
      transform: "hydra" as const,
      version: 1 as const,
      treatment: { scaling },
      groups: groups / 2,
      dilations,
      channelsOfGroup,
      steps: ofOneLength(set, train) ? null : longest,
    };
    return new Hydra(header, treatment, weights, members);
  }

  get features(): number {
    const { dilations, groups } = this.#header;
    return dilations * REPRESENTATIONS.length * groups * KERNELS * 2;
  }

  get reads(): ReadonlySet<number> {
    return new Set(readChannels(this.#members, this.#treatment.channels).channels);
  }

  /** By representation, dilation, soft or hard count, group and kernel. */
  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    arena?: ArenaHandle,
    out?: Float32Array,
  ): FeatureMatrix {
    checkSequenceSet(set, this.#treatment.channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = cellsOf(chosen.length * columns, out);
    const { groups, dilations, channelsOfGroup, steps } = this.#header;
    const counts = groups * KERNELS * 2;
    withScratch(arena ? Arena.attach(arena) : Arena.create(), (scratch) => {
      const kernels = kernelsOf(scratch.arena.handle());
      const longest = longestOf(set, chosen);
      const reach = 4 * 2 ** (dilations - 1);
      const weights = scratch.allocate(4 * this.#weights.length);
      scratch.arena.f32(weights, this.#weights.length).set(this.#weights);
      const { channels, members: places } = readChannels(this.#members, this.#treatment.channels);
      const members = scratch.i32(places);
      const out = scratch.allocate(4 * counts);
      for (const [which, representation] of REPRESENTATIONS.entries()) {
        const series = new PaddedSeries(
          ...([scratch, this.#treatment, representation, reach, longest, channels.length] as const),
        );
        const memory = scratch.allocate(1312 + 4 * (longest + 2 * reach + 8));
        for (const [i, row] of chosen.entries()) {
          series.write(set, row, channels);
          const share = steps === null ? 1 : steps / series.steps;
          for (let d = 0; d < dilations; d++) {
            const group = (d * REPRESENTATIONS.length + which) * groups;
            kernels.hydraCounts(
              series.series,
              series.stride,
              series.pad,
              series.steps,
              2 ** d,
              groups,
              members + 4 * group * channelsOfGroup,
              channelsOfGroup,
              weights + 4 * group * KERNELS * WEIGHTS,
              memory,
              out,
            );
            const at = i * columns + (which * dilations + d) * counts;
            values.set(scratch.arena.f32(out, counts), at);
            if (share !== 1) for (let c = at; c < at + counts; c++) values[c] *= share;
          }
        }
      }
    });
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const { tensors } = this.#treatment.save();
    return {
      header: this.#header,
      tensors: { ...tensors, weights: this.#weights, members: this.#members },
    };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): Hydra {
    const header = headerSchema.parse(saved.header);
    const treatment = ChannelTreatment.load(header.treatment, saved);
    const weights = tensorOf(saved, "weights", Float32Array);
    const members = tensorOf(saved, "members", Int32Array);
    const { dilations, groups, channelsOfGroup } = header;
    const { channels } = treatment;
    const all = dilations * REPRESENTATIONS.length * groups;
    checkSaved(
      weights.length === all * KERNELS * WEIGHTS,
      `${all} groups have ${all * KERNELS * WEIGHTS} weights, not ${weights.length}`,
    );
    const read = channels > 1 ? all * channelsOfGroup : 0;
    checkSaved(
      members.length === read && (channels > 1 || channelsOfGroup === 1),
      `${all} groups of ${channels} channels read ${read} of them, not ${members.length}`,
    );
    checkSaved(areWithin(members, 0, channels), `a group reads a channel beyond the ${channels}`);
    return new Hydra(header, treatment, weights, members);
  }
}

/** Doubled for as long as a kernel fits into the longest sequence. */
function dilationsOf(longest: number): number {
  return 1 + Math.max(0, Math.trunc(Math.log2((longest - 1) / (WEIGHTS - 1))));
}

/** How many features `groups` give where the longest sequence has so many steps. */
export function hydraFeatures(groups: number, longest: number): number {
  return dilationsOf(longest) * groups * KERNELS * 2;
}

/** Normal weights, centred, and divided by the sum of their sizes. */
function drawKernel(random: CounterRandom): Float64Array {
  const weights = Float64Array.from({ length: WEIGHTS }, () => random.nextGaussian());
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / WEIGHTS;
  const size = weights.reduce((sum, weight) => sum + Math.abs(weight - mean), 0);
  return weights.map((weight) => (weight - mean) / size);
}
