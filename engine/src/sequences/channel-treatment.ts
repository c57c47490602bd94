/**
 * From raw channels to whole, finite series, by one stated rule:
 * - a missing value (NaN or infinite) between two observed ones lies on the straight line between
 *   them; before the first and after the last it is that one;
 * - a channel of a sequence without any observed value is the channel's mean over all steps of the
 *   training sequences (0 where those have none either);
 * - a value beyond ±10³⁰ is that, so that sums of thousands of them are numbers of f32;
 * - then values are scaled: not at all, by the channel's mean and standard deviation over those
 *   steps, or by the mean and standard deviation of the sequence's own channel. What does not vary
 *   is only centred.
 */

import { z } from "zod";
import {
  checkSaved,
  type SavedTransform,
  type TransformTensor,
  tensorOf,
} from "./saved-transform.ts";
import { lengthOf, type SequenceSet } from "./sequence-set.ts";

export const CHANNEL_SCALINGS = ["none", "channel", "sequence"] as const;
export type ChannelScaling = (typeof CHANNEL_SCALINGS)[number];

export const treatmentHeader = z.strictObject({ scaling: z.enum(CHANNEL_SCALINGS) });

export class ChannelTreatment {
  readonly scaling: ChannelScaling;
  readonly #means: Float64Array;
  readonly #deviations: Float64Array;

  private constructor(scaling: ChannelScaling, means: Float64Array, deviations: Float64Array) {
    this.scaling = scaling;
    this.#means = means;
    this.#deviations = deviations;
  }

  /** @param rows the training sequences */
  static fit(set: SequenceSet, rows: Uint32Array, scaling: ChannelScaling): ChannelTreatment {
    const means = new Float64Array(set.channels);
    const deviations = new Float64Array(set.channels).fill(1);
    for (const [channel, values] of set.values.entries()) {
      const { mean, deviation } = moments(observed(set, rows, values));
      means[channel] = mean;
      if (deviation > 0) deviations[channel] = deviation;
    }
    return new ChannelTreatment(scaling, means, deviations);
  }

  get channels(): number {
    return this.#means.length;
  }

  /** Writes one channel of one sequence, `lengthOf` steps, from `out[at]` on. */
  write(
    set: SequenceSet,
    sequence: number,
    channel: number,
    out: Float32Array | Float64Array,
    at = 0,
  ): void {
    const steps = lengthOf(set, sequence);
    const [values, start] = [set.values[channel], set.offsets[sequence]];
    if (this.scaling !== "sequence") {
      const { centre, scale } = this.#scaleOf(channel, NONE);
      if (writeWhole(values, start, steps, centre, scale, out, at)) return;
    }
    const filled = new Float64Array(steps);
    fill(values, start, steps, this.#means[channel], filled);
    const { centre, scale } = this.#scaleOf(channel, filled);
    for (let t = 0; t < steps; t++) out[at + t] = (filled[t] - centre) / scale;
  }

  #scaleOf(channel: number, filled: Float64Array): { centre: number; scale: number } {
    if (this.scaling === "none") return { centre: 0, scale: 1 };
    if (this.scaling === "channel") {
      return { centre: this.#means[channel], scale: this.#deviations[channel] };
    }
    const { mean, deviation } = moments([filled]);
    return { centre: mean, scale: deviation > 0 ? deviation : 1 };
  }

  save(): SavedTransform & { readonly header: z.infer<typeof treatmentHeader> } {
    const tensors: Record<string, TransformTensor> = {
      channel_means: this.#means,
      channel_deviations: this.#deviations,
    };
    return { header: { scaling: this.scaling }, tensors };
  }

  static load(header: z.infer<typeof treatmentHeader>, saved: SavedTransform): ChannelTreatment {
    const means = tensorOf(saved, "channel_means", Float64Array);
    const deviations = tensorOf(saved, "channel_deviations", Float64Array);
    checkSaved(
      means.length > 0 && means.length === deviations.length,
      `it has means of ${means.length} channels and deviations of ${deviations.length}`,
    );
    return new ChannelTreatment(header.scaling, means, deviations);
  }
}

const LARGEST = 1e30;
const NONE = new Float64Array(0);

/** Where no value is missing, which is most often so, there is nothing to fill; false: one is. */
function writeWhole(
  values: Float64Array,
  start: number,
  steps: number,
  centre: number,
  scale: number,
  out: Float32Array | Float64Array,
  at: number,
): boolean {
  for (let t = 0; t < steps; t++) {
    const value = values[start + t];
    if (!(value >= -LARGEST && value <= LARGEST)) return false;
    out[at + t] = (value - centre) / scale;
  }
  return true;
}

function bounded(value: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, value));
}

function fill(
  values: Float64Array,
  start: number,
  steps: number,
  mean: number,
  out: Float64Array,
): void {
  // The observed step before, and the next one: -1 and `steps` where there is none.
  let last = -1;
  for (let t = 0; t <= steps; t++) {
    if (t < steps && !Number.isFinite(values[start + t])) continue;
    for (let gap = last + 1; gap < t; gap++) {
      out[gap] = between(values, start, last, t, steps, gap, mean);
    }
    if (t < steps) out[t] = bounded(values[start + t]);
    last = t;
  }
}

function between(
  values: Float64Array,
  start: number,
  before: number,
  after: number,
  steps: number,
  t: number,
  mean: number,
): number {
  if (before < 0) return after < steps ? bounded(values[start + after]) : mean;
  const low = bounded(values[start + before]);
  if (after >= steps) return low;
  return low + ((bounded(values[start + after]) - low) * (t - before)) / (after - before);
}

function observed(set: SequenceSet, rows: Uint32Array, values: Float64Array): Float64Array[] {
  return Array.from(rows, (row) => values.subarray(set.offsets[row], set.offsets[row + 1]));
}

/** Of the finite values of all parts, bounded, in two passes. */
function moments(parts: readonly Float64Array[]): { mean: number; deviation: number } {
  let count = 0;
  let sum = 0;
  for (const part of parts) {
    for (const value of part) {
      if (!Number.isFinite(value)) continue;
      count++;
      sum += bounded(value);
    }
  }
  if (count === 0) return { mean: 0, deviation: 0 };
  const mean = sum / count;
  let squares = 0;
  for (const part of parts) {
    for (const value of part) if (Number.isFinite(value)) squares += (bounded(value) - mean) ** 2;
  }
  const deviation = Math.sqrt(squares / count);
  // What rounding leaves of a constant is no variation.
  return { mean, deviation: deviation > 1e-12 * Math.abs(mean) ? deviation : 0 };
}
