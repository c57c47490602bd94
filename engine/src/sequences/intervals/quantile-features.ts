/**
 * Quantiles of dyadic intervals of four representations of a sequence: its values, smoothed first
 * differences, second differences and amplitudes of its Fourier transform (Dempster, Schmidt & Webb
 * 2024, "QUANT: a minimalist interval method for time series classification", Data Mining and Knowledge
 * Discovery 38, §3). Half of the intervals at each depth are shifted by half their length; of an interval
 * of m steps 1 + ⌊(m - 1) / divisor⌋ quantiles are taken, of every second one the interval's mean is
 * subtracted.
 *
 * Intervals and numbers of quantiles are those of the longest training sequence; in one of another length
 * they are the same shares of it.
 */

import { z } from "zod";
import type { ArenaHandle } from "../../compute/arena.ts";
import { quantile } from "../../data/quantile.ts";
import { CHANNEL_SCALINGS, type ChannelScaling, ChannelTreatment } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import type { SavedTransform } from "../saved-transform.ts";
import {
  checkSequenceSet,
  lengthOf,
  longestOf,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { differencesOf, withinF32 } from "./series-values.ts";
import { amplitudes } from "./spectrum.ts";

export interface QuantileOptions {
  /** Depths of intervals: 6 gives the whole down to its 32nds. Default 6, 1 to 10. */
  readonly depth?: number;
  /** Steps of an interval to a quantile. Default 4, at least 1. */
  readonly divisor?: number;
  /** Default `none`. */
  readonly scaling?: ChannelScaling;
}

/** Of one column of the table. */
export interface QuantileFeature {
  /** Number of the channel; -1 for the length of the sequence. */
  readonly channel: number;
  readonly representation: (typeof REPRESENTATIONS)[number] | "length";
}

const REPRESENTATIONS = ["values", "differences", "second_differences", "amplitudes"] as const;
/** Beyond, quantiles of more steps each are taken, and then of fewer intervals: of many channels each has few. */
export const MOST_COLUMNS = 20_000;

const headerSchema = z.strictObject({
  transform: z.literal("interval_quantiles"),
  version: z.literal(1),
  treatment: z.strictObject({ scaling: z.enum(CHANNEL_SCALINGS) }),
  depth: z.int().min(1).max(10),
  divisor: z.int().min(1),
  longest: z.int().min(1),
});

/** Of a representation of the reference length. */
interface Interval {
  readonly start: number;
  readonly end: number;
  readonly quantiles: number;
}

interface Shape {
  readonly depth: number;
  readonly divisor: number;
  /** Steps of the longest training sequence. */
  readonly longest: number;
}

export class QuantileFeatures implements SequenceTransform {
  readonly #treatment: ChannelTreatment;
  readonly #shape: Shape;
  /** Of each representation. */
  readonly #intervals: readonly (readonly Interval[])[];
  /** Columns of the table, in order: the length, then by channel and representation. */
  readonly columns: readonly QuantileFeature[];

  /** As fitted, or loaded. */
  constructor(treatment: ChannelTreatment, shape: Shape) {
    this.#treatment = treatment;
    this.#shape = shape;
    this.#intervals = intervalsOf(shape);
    const columns: QuantileFeature[] = [{ channel: -1, representation: "length" }];
    for (let channel = 0; channel < treatment.channels; channel++) {
      for (const [r, representation] of REPRESENTATIONS.entries()) {
        const count = quantilesIn(this.#intervals[r]);
        for (let i = 0; i < count; i++) columns.push({ channel, representation });
      }
    }
    this.columns = columns;
  }

  get features(): number {
    return this.columns.length;
  }

  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    _arena?: ArenaHandle,
    given?: Float32Array,
  ): FeatureMatrix {
    checkSequenceSet(set, this.#treatment.channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = cellsOf(chosen.length * columns, given);
    const line = new Float64Array(longestOf(set, chosen));
    for (const [i, row] of chosen.entries()) {
      const steps = lengthOf(set, row);
      let at = i * columns;
      values[at++] = steps;
      for (let channel = 0; channel < set.channels; channel++) {
        this.#treatment.write(set, row, channel, line);
        for (const [r, series] of representationsOf(line.subarray(0, steps)).entries()) {
          at = writeQuantiles(series, this.#intervals[r], values, at);
        }
      }
    }
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const { header, tensors } = this.#treatment.save();
    const own: z.infer<typeof headerSchema> = {
      transform: "interval_quantiles",
      version: 1,
      treatment: header,
      ...this.#shape,
    };
    return { header: own, tensors };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): QuantileFeatures {
    const { treatment, depth, divisor, longest } = headerSchema.parse(saved.header);
    const fitted = ChannelTreatment.load(treatment, saved);
    return new QuantileFeatures(fitted, { depth, divisor, longest });
  }
}

/**
 * @param rows the training sequences; null = all
 * @throws RangeError for a depth or divisor that is out of range
 */
export function fitQuantileFeatures(
  set: SequenceSet,
  rows: Uint32Array | null,
  options: QuantileOptions = {},
): QuantileFeatures {
  checkSequenceSet(set);
  const { depth = 6, divisor = 4, scaling = "none" } = options;
  if (!Number.isInteger(depth) || depth < 1 || depth > 10) {
    throw new RangeError(`Intervals have 1 to 10 depths, not ${depth}.`);
  }
  if (!Number.isInteger(divisor) || divisor < 1) {
    throw new RangeError(`A quantile is of at least one step, not of ${divisor}.`);
  }
  const train = sequencesOf(set, rows);
  const treatment = ChannelTreatment.fit(set, train, scaling);
  let shape = { depth, divisor, longest: longestOf(set, train) };
  const columnsOf = () =>
    set.channels * intervalsOf(shape).reduce((sum, each) => sum + quantilesIn(each), 0);
  while (shape.divisor < shape.longest && columnsOf() > MOST_COLUMNS) {
    shape = { ...shape, divisor: 2 * shape.divisor };
  }
  while (shape.depth > 1 && columnsOf() > MOST_COLUMNS) {
    shape = { ...shape, depth: shape.depth - 1 };
  }
  return new QuantileFeatures(treatment, shape);
}

/** In the order of `REPRESENTATIONS`. */
function representationsOf(values: Float64Array): Float64Array[] {
  const first = differencesOf(values);
  return [values, smoothed(first), differencesOf(first), amplitudes(values)];
}

/** Means of five steps, of which those beyond the ends are as the ends are. */
function smoothed(values: Float64Array): Float64Array {
  const last = values.length - 1;
  return values.map((_, t) => {
    let sum = 0;
    for (let s = t - 2; s <= t + 2; s++) sum += values[Math.min(last, Math.max(0, s))];
    return sum / 5;
  });
}

/** Of each representation of a sequence of the longest training sequence's steps. */
function intervalsOf({ depth, divisor, longest }: Shape): Interval[][] {
  const lengths = [
    longest,
    Math.max(1, longest - 1),
    Math.max(1, longest - 2),
    Math.floor(longest / 2) + 1,
  ];
  return lengths.map((length) => {
    const intervals: Interval[] = [];
    const depths = Math.min(depth, Math.floor(Math.log2(length)) + 1);
    const add = (start: number, end: number): void => {
      intervals.push({ start, end, quantiles: 1 + Math.floor((end - start - 1) / divisor) });
    };
    for (let d = 0; d < depths; d++) {
      const parts = 2 ** d;
      const cuts = Array.from({ length: parts + 1 }, (_, i) => Math.floor((i * length) / parts));
      for (let i = 0; i < parts; i++) add(cuts[i], cuts[i + 1]);
      const middle = cuts
        .slice(1)
        .map((cut, i) => cut - cuts[i])
        .sort((a, b) => a - b)[(parts - 1) >> 1];
      if (parts === 1 || middle <= 1) continue;
      const shift = Math.ceil(length / parts / 2);
      for (let i = 0; i + 1 < parts; i++)
        add(cuts[i] + shift, Math.min(length, cuts[i + 1] + shift));
    }
    return intervals;
  });
}

function quantilesIn(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { quantiles }) => sum + quantiles, 0);
}

/** From `out[at]` on; gives where the next ones go. */
function writeQuantiles(
  series: Float64Array,
  intervals: readonly Interval[],
  out: Float32Array,
  at: number,
): number {
  // The first interval is the whole.
  const scale = series.length / intervals[0].end;
  let next = at;
  for (const { start, end, quantiles } of intervals) {
    const from = Math.min(series.length - 1, Math.floor(start * scale));
    const to = Math.max(from + 1, Math.min(series.length, Math.floor(end * scale)));
    const sorted = series.slice(from, to).sort();
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    for (let q = 0; q < quantiles; q++) {
      const value = quantile(sorted, quantiles === 1 ? 0.5 : q / (quantiles - 1));
      out[next++] = withinF32(q % 2 === 1 ? value - mean : value);
    }
  }
  return next;
}
