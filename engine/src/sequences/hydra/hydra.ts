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
import { withScratch } from "../../compute/scratch.ts";
import { ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import { readChannels } from "../read-channels.ts";
import { PaddedSeries, type Representation } from "../rocket/padded-series.ts";
import { areWithin, checkSaved, type SavedTransform, tensorOf } from "../saved-transform.ts";
import { checkSequenceSet, longestOf, type SequenceSet, sequencesOf } from "../sequence-set.ts";

/** Kernels of a group, and weights of a kernel. */
export const KERNELS = 8;
export const WEIGHTS = 9;
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

export type HydraHeader = z.infer<typeof headerSchema>;

export class Hydra implements SequenceTransform {
  readonly #header: HydraHeader;
  readonly #treatment: ChannelTreatment;
  /** By dilation, representation, group, kernel and weight. */
  readonly #weights: Float32Array;
  /** By dilation, representation and group; empty for one channel. */
  readonly #members: Int32Array;

  /** As drawn, or loaded. */
  constructor(
    header: HydraHeader,
    treatment: ChannelTreatment,
    weights: Float32Array,
    members: Int32Array,
  ) {
    this.#header = header;
    this.#treatment = treatment;
    this.#weights = weights;
    this.#members = members;
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
