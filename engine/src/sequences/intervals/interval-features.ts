/**
 * Sequences as a table of named features for learners of tables: statistics of whole sequences and of
 * their halves, quarters and so on (intervals as in the time series forest: Deng, Runger, Tuv &
 * Vladimir 2013, "A time series forest for classification and feature extraction", Information
 * Sciences 239, §3; here dyadic and fixed), of values and of first differences, with spectra and
 * catch22 of the wholes. Of very many channels each has less: fewer intervals, then summaries alone.
 */

import { z } from "zod";
import type { ArenaHandle } from "../../compute/arena.ts";
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
import { CHARACTERISTICS } from "./catch22.ts";
import { SPECTRAL, SUMMARIES, spectralSummary, summarise } from "./interval-statistics.ts";
import { differencesOf, withinF32 } from "./series-values.ts";
import { autocorrelation } from "./spectrum.ts";

export interface IntervalOptions {
  /** Times that a sequence is halved: 3 gives intervals down to eighths. Default 3, at most 6. */
  readonly depth?: number;
  /** Default `none`: trees do not mind. */
  readonly scaling?: ChannelScaling;
  /** At most; of very many channels there is less. Default `all`. */
  readonly detail?: Detail;
}

/** Of one column of the table. */
export interface IntervalFeature {
  /** Number of the channel; -1 for the length of the sequence. */
  readonly channel: number;
  readonly representation: "values" | "differences";
  /** `1/1` is the whole, `3/4` the third quarter. */
  readonly interval: string;
  readonly statistic: string;
}

const REPRESENTATIONS = ["values", "differences"] as const;
/** Of a series: everything; of values and differences, or of values alone, what `summarise` says. */
export const DETAILS = ["all", "summaries", "summaries_of_values"] as const;
type Detail = (typeof DETAILS)[number];
/** Beyond, there are fewer intervals, and then less detail: making and binning the table would take all the time. */
const MOST_COLUMNS = 30_000;

const headerSchema = z.strictObject({
  transform: z.literal("intervals"),
  version: z.literal(2),
  treatment: z.strictObject({ scaling: z.enum(CHANNEL_SCALINGS) }),
  depth: z.int().min(0).max(6),
  detail: z.enum(DETAILS).default("all"),
});

export class IntervalFeatures implements SequenceTransform {
  readonly #treatment: ChannelTreatment;
  readonly #depth: number;
  readonly #detail: Detail;
  /** Columns of the table, in order: the length, then by channel, representation and interval. */
  readonly columns: readonly IntervalFeature[];

  /** As fitted, or loaded. */
  constructor(treatment: ChannelTreatment, depth: number, detail: Detail) {
    this.#treatment = treatment;
    this.#depth = depth;
    this.#detail = detail;
    const columns: IntervalFeature[] = [
      { channel: -1, representation: "values", interval: "1/1", statistic: "length" },
    ];
    for (let channel = 0; channel < treatment.channels; channel++) {
      for (const representation of representationsOf(detail)) {
        for (let parts = 1; parts <= 2 ** depth; parts *= 2) {
          for (let part = 1; part <= parts; part++) {
            const interval = `${part}/${parts}`;
            for (const statistic of statisticsOf(parts, detail)) {
              columns.push({ channel, representation, interval, statistic });
            }
          }
        }
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
    const out = new Float64Array(columns);
    for (const [i, row] of chosen.entries()) {
      const steps = lengthOf(set, row);
      out[0] = steps;
      let at = 1;
      for (let channel = 0; channel < set.channels; channel++) {
        this.#treatment.write(set, row, channel, line);
        const series = line.subarray(0, steps);
        at = this.#write(series, out, at);
        if (this.#detail === "summaries_of_values") continue;
        at = this.#write(differencesOf(series), out, at);
      }
      for (let c = 0; c < columns; c++) {
        values[i * columns + c] = withinF32(out[c]);
      }
    }
    return { rows: chosen.length, columns, values };
  }

  /** The features of one series, from `out[at]` on; gives where the next ones go. */
  #write(series: Float64Array, out: Float64Array, at: number): number {
    let next = at;
    for (let parts = 1; parts <= 2 ** this.#depth; parts *= 2) {
      for (let part = 0; part < parts; part++) {
        // Of series with fewer steps than parts, neighbours share a step.
        const start = Math.min(Math.floor((part * series.length) / parts), series.length - 1);
        const end = Math.max(start + 1, Math.floor(((part + 1) * series.length) / parts));
        const stretch = series.subarray(start, end);
        summarise(stretch, out.subarray(next, next + SUMMARIES.length));
        next += SUMMARIES.length;
        if (parts > 2 || this.#detail !== "all") continue;
        const normal = normalised(stretch);
        spectralSummary(normal, out.subarray(next, next + SPECTRAL.length));
        next += SPECTRAL.length;
        if (parts > 1) continue;
        const input = { values: normal, correlation: autocorrelation(normal) };
        for (const characteristic of Object.values(CHARACTERISTICS)) {
          const value = characteristic(input);
          out[next++] = Number.isFinite(value) ? value : 0;
        }
      }
    }
    return next;
  }

  save(): SavedTransform {
    const { header, tensors } = this.#treatment.save();
    const own: z.input<typeof headerSchema> = {
      transform: "intervals",
      version: 2,
      treatment: header,
      depth: this.#depth,
      ...(this.#detail === "all" ? {} : { detail: this.#detail }),
    };
    return { header: own, tensors };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): IntervalFeatures {
    const { treatment, depth, detail } = headerSchema.parse(saved.header);
    return new IntervalFeatures(ChannelTreatment.load(treatment, saved), depth, detail);
  }
}

/**
 * @param rows the training sequences; null = all
 * @throws RangeError for a depth that is not one of 0 to 6
 */
export function fitIntervalFeatures(
  set: SequenceSet,
  rows: Uint32Array | null,
  options: IntervalOptions = {},
): IntervalFeatures {
  checkSequenceSet(set);
  const { depth = 3, scaling = "none", detail: most = "all" } = options;
  if (!Number.isInteger(depth) || depth < 0 || depth > 6) {
    throw new RangeError(`Intervals are halved 0 to 6 times, not ${depth}.`);
  }
  const treatment = ChannelTreatment.fit(set, sequencesOf(set, rows), scaling);
  const fits = (halved: number, detail: Detail): boolean =>
    columnCount(set.channels, halved, detail) <= MOST_COLUMNS;
  let kept = depth;
  while (kept > 0 && !fits(kept, most)) kept--;
  const allowed = DETAILS.slice(DETAILS.indexOf(most));
  const detail = allowed.find((each) => fits(kept, each)) ?? "summaries_of_values";
  return new IntervalFeatures(treatment, kept, detail);
}

/** Of an interval that is one of so many parts: spectra down to halves, catch22 of wholes. */
function statisticsOf(parts: number, detail: Detail): string[] {
  if (detail !== "all") return [...SUMMARIES];
  return [
    ...SUMMARIES,
    ...(parts <= 2 ? SPECTRAL : []),
    ...(parts === 1 ? Object.keys(CHARACTERISTICS) : []),
  ];
}

function representationsOf(detail: Detail): readonly IntervalFeature["representation"][] {
  return detail === "summaries_of_values" ? ["values"] : REPRESENTATIONS;
}

function columnCount(channels: number, depth: number, detail: Detail): number {
  let each = 0;
  for (let parts = 1; parts <= 2 ** depth; parts *= 2) {
    each += parts * statisticsOf(parts, detail).length;
  }
  return 1 + channels * representationsOf(detail).length * each;
}

/** Mean 0 and standard deviation 1; all 0 where the stretch does not vary. */
function normalised(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance);
  const varies = deviation > 1e-12 * Math.abs(mean);
  return values.map((value) => (varies ? (value - mean) / deviation : 0));
}
