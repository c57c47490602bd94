/**
 * Random dilated shapelets (Guillaume, Vrain & Elloumi, "Random dilated shapelet transform: a new approach
 * for time series shapelets", ICPRAI 2022): of each, how near the nearest window of a sequence comes to it,
 * where that is, and in how many windows it is found. Where there are several channels, a shapelet is of a few.
 *
 * A sequence that is shorter than a shapelet's reach has one window, whose missing end is the last value.
 */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { withScratch } from "../../compute/scratch.ts";
import { ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import { roundUp } from "../rocket/padded-series.ts";
import { areWithin, checkSaved, type SavedTransform, tensorOf } from "../saved-transform.ts";
import {
  checkSequenceSet,
  lengthOf,
  longestOf,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { FLAT, type Shapelets } from "./shapelets.ts";

/** Of a shapelet: distance, step, number of windows. */
const FEATURES = 3;

const headerSchema = z.strictObject({
  transform: z.literal("shapelets"),
  version: z.literal(1),
  treatment: treatmentHeader,
  length: z.int().min(2).max(64),
});

export class ShapeletTransform implements SequenceTransform {
  readonly #treatment: ChannelTreatment;
  readonly #shapelets: Shapelets;

  /** As drawn, or loaded. */
  constructor(treatment: ChannelTreatment, shapelets: Shapelets) {
    this.#treatment = treatment;
    this.#shapelets = shapelets;
  }

  get features(): number {
    return FEATURES * this.#shapelets.dilations.length;
  }

  get reads(): ReadonlySet<number> {
    return new Set(this.#shapelets.members);
  }

  /** By shapelet. */
  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    arena?: ArenaHandle,
    out?: Float32Array,
  ): FeatureMatrix {
    const { channels } = this.#treatment;
    checkSequenceSet(set, channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = cellsOf(chosen.length * columns, out);
    const { length, dilations, normalised, thresholds, starts, members, weights } = this.#shapelets;
    const groups = groupsOf(dilations);
    withScratch(arena ? Arena.attach(arena) : Arena.create(), (scratch) => {
      const kernels = kernelsOf(scratch.arena.handle());
      const longest = longestOf(set, chosen);
      const reach = (length - 1) * (dilations.at(-1) ?? 1);
      const stride = roundUp(longest) + roundUp(reach) + 4;
      const lines = scratch.allocate(4 * channels * stride);
      const memory = scratch.allocate(8 * channels * (roundUp(longest) + 4));
      const result = scratch.allocate(4 * columns);
      const floats = (array: Float32Array): number => {
        const pointer = scratch.allocate(4 * array.length);
        scratch.arena.f32(pointer, array.length).set(array);
        return pointer;
      };
      const at = {
        starts: scratch.i32(starts),
        members: scratch.i32(members),
        weights: floats(weights),
        normalised: scratch.u8(normalised),
        thresholds: floats(thresholds),
      };
      const words = scratch.arena.f32(lines, channels * stride);
      for (const [i, row] of chosen.entries()) {
        const steps = lengthOf(set, row);
        for (let channel = 0; channel < channels; channel++) {
          const line = words.subarray(channel * stride, (channel + 1) * stride);
          this.#treatment.write(set, row, channel, line);
          line.fill(line[steps - 1], steps);
        }
        for (const { dilation, from, count } of groups) {
          kernels.shapeletFeatures(
            lines,
            stride,
            channels,
            Math.max(1, steps - (length - 1) * dilation),
            length,
            dilation,
            FLAT,
            count,
            at.starts + 4 * from,
            at.members,
            at.weights,
            at.normalised + from,
            at.thresholds + 4 * from,
            memory,
            result + 4 * FEATURES * from,
          );
        }
        values.set(scratch.arena.f32(result, columns), i * columns);
      }
    });
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const { tensors } = this.#treatment.save();
    const { length, ...arrays } = this.#shapelets;
    const header: z.infer<typeof headerSchema> = {
      transform: "shapelets",
      version: 1,
      treatment: { scaling: this.#treatment.scaling },
      length,
    };
    return { header, tensors: { ...tensors, ...arrays } };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): ShapeletTransform {
    const { treatment, length } = headerSchema.parse(saved.header);
    const fitted = ChannelTreatment.load(treatment, saved);
    const shapelets = {
      length,
      dilations: tensorOf(saved, "dilations", Int32Array),
      normalised: tensorOf(saved, "normalised", Int32Array),
      thresholds: tensorOf(saved, "thresholds", Float32Array),
      starts: tensorOf(saved, "starts", Int32Array),
      members: tensorOf(saved, "members", Int32Array),
      weights: tensorOf(saved, "weights", Float32Array),
    };
    checkShapelets(shapelets, fitted.channels);
    return new ShapeletTransform(fitted, shapelets);
  }
}

function checkShapelets(shapelets: Shapelets, channels: number): void {
  const { length, dilations, normalised, thresholds, starts, members, weights } = shapelets;
  const count = dilations.length;
  checkSaved(
    count > 0 &&
      normalised.length === count &&
      thresholds.length === count &&
      starts.length === count + 1,
    `it has ${count} dilations, and other numbers of what belongs to them`,
  );
  checkSaved(
    dilations.every((dilation, s) => dilation >= 1 && (s === 0 || dilation >= dilations[s - 1])) &&
      dilations[count - 1] <= MOST_DILATION,
    "its dilations are not in order",
  );
  checkSaved(
    starts[0] === 0 &&
      starts[count] === members.length &&
      starts.every((start, s) => s === 0 || start > starts[s - 1]),
    "a shapelet has no channel",
  );
  checkSaved(
    weights.length === members.length * length,
    `${members.length} windows of ${length} values have ${weights.length}`,
  );
  checkSaved(areWithin(members, 0, channels), `a shapelet reads a channel beyond the ${channels}`);
}

const MOST_DILATION = 2 ** 25;

/** Shapelets of one dilation lie together. */
function groupsOf(
  dilations: Int32Array,
): { readonly dilation: number; readonly from: number; readonly count: number }[] {
  const firsts = [...dilations.keys()].filter((s) => s === 0 || dilations[s] !== dilations[s - 1]);
  return firsts.map((from, i) => ({
    dilation: dilations[from],
    from,
    count: (firsts[i + 1] ?? dilations.length) - from,
  }));
}
