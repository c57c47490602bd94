/**
 * Nearest neighbours by dynamic time warping, of which the window is chosen by leaving one out
 * (Ratanamahatana & Keogh 2005, "Three myths about dynamic time warping data mining", SDM). Windows
 * are tried from the widest to the narrowest: a distance in a wider one bounds that in a narrower one
 * from below (Tan, Herrmann, Forestier, Webb & Petitjean 2018, "Efficient search of the best warping
 * window for dynamic time warping", SDM, §4).
 */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type ChannelScaling, ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { type SavedTransform, tensorOf } from "../saved-transform.ts";
import {
  checkSequenceSet,
  lengthOf,
  longestOf,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { DtwSearch, type Neighbour, type SteppedSeries } from "./dtw-search.ts";

/** Shares of the longer series. */
export const WINDOWS: readonly number[] = [0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 1];

export interface DtwOptions {
  /** Ascending; one = no choice. Default: `WINDOWS`. */
  readonly windows?: readonly number[];
  /** Numbers of neighbours to choose from, ascending. Default 1. */
  readonly neighbours?: readonly number[];
  /** `sequence` = each is z-normalised. Default `channel`. */
  readonly scaling?: ChannelScaling;
  /** Training sequences, evenly spaced, that are left out to choose. Default 250. */
  readonly most?: number;
  readonly arena?: ArenaHandle;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

export interface DtwTarget {
  /** One a training sequence: the value, or the number of the class. */
  readonly values: Float64Array;
  /** 0 for values. */
  readonly classes: number;
}

const headerSchema = z.strictObject({
  model: z.literal("dtw_neighbours"),
  version: z.literal(1),
  treatment: treatmentHeader,
  window: z.number().min(0).max(1),
  neighbours: z.int().min(1),
  classes: z.int().min(0),
});

export class DtwNeighbours {
  /** Share of the longer of two series. */
  readonly window: number;
  readonly neighbours: number;
  readonly #classes: number;
  readonly #treatment: ChannelTreatment;
  readonly #stored: SteppedSeries;
  readonly #target: Float64Array;

  /** As fitted, or loaded. */
  constructor(
    header: { readonly window: number; readonly neighbours: number; readonly classes: number },
    treatment: ChannelTreatment,
    stored: SteppedSeries,
    target: Float64Array,
  ) {
    this.window = header.window;
    this.neighbours = header.neighbours;
    this.#classes = header.classes;
    this.#treatment = treatment;
    this.#stored = stored;
    this.#target = target;
  }

  /** Values, or shares of the neighbours' classes: row-major, sequences × outputs (1, or classes). */
  predict(set: SequenceSet, rows: Uint32Array | null, arena?: ArenaHandle): Float64Array {
    checkSequenceSet(set, this.#stored.channels);
    const chosen = sequencesOf(set, rows);
    return withScratch(arenaOf(arena), (scratch) => {
      const search = new DtwSearch(scratch, this.#stored, longestOf(set, chosen));
      const asked = steppedSeries(set, chosen, this.#treatment);
      return this.#said(chosen.length, (i) => {
        return search.nearest(seriesOf(asked, i), this.neighbours, this.window, -1);
      });
    });
  }

  /** What each training sequence is predicted by the others. @param between as in the options */
  leftOut(arena?: ArenaHandle, between?: () => void): Float64Array {
    return withScratch(arenaOf(arena), (scratch) => {
      const search = new DtwSearch(scratch, this.#stored, 1);
      return this.#said(this.#target.length, (i) => {
        between?.();
        return search.nearest(seriesOf(this.#stored, i), this.neighbours, this.window, i);
      });
    });
  }

  #said(count: number, nearest: (i: number) => Neighbour[]): Float64Array {
    const outputs = Math.max(1, this.#classes);
    const out = new Float64Array(count * outputs);
    const target = { values: this.#target, classes: this.#classes };
    for (let i = 0; i < count; i++) out.set(saidBy(nearest(i), target), i * outputs);
    return out;
  }

  save(): SavedTransform {
    const treatment = this.#treatment.save();
    const header: z.infer<typeof headerSchema> = {
      model: "dtw_neighbours",
      version: 1,
      treatment: treatment.header,
      window: this.window,
      neighbours: this.neighbours,
      classes: this.#classes,
    };
    const { offsets, values } = this.#stored;
    return { header, tensors: { ...treatment.tensors, offsets, values, target: this.#target } };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): DtwNeighbours {
    const header = headerSchema.parse(saved.header);
    const treatment = ChannelTreatment.load(header.treatment, saved);
    const stored = {
      channels: treatment.channels,
      offsets: tensorOf(saved, "offsets", Uint32Array),
      values: tensorOf(saved, "values", Float64Array),
    };
    return new DtwNeighbours(header, treatment, stored, tensorOf(saved, "target", Float64Array));
  }
}

/**
 * @param rows the training sequences; null = all
 * @throws RangeError where targets are not one a training sequence
 */
export function fitDtwNeighbours(
  set: SequenceSet,
  rows: Uint32Array | null,
  target: DtwTarget,
  options: DtwOptions = {},
): DtwNeighbours {
  checkSequenceSet(set);
  const train = sequencesOf(set, rows);
  if (target.values.length !== train.length) {
    throw new RangeError(`${train.length} sequences need as many targets.`);
  }
  const { windows = WINDOWS, neighbours = [1], scaling = "channel", most = 250 } = options;
  const treatment = ChannelTreatment.fit(set, train, scaling);
  const stored = steppedSeries(set, train, treatment);
  const fitted = (window: number, k: number): DtwNeighbours =>
    new DtwNeighbours(
      { window, neighbours: k, classes: target.classes },
      treatment,
      stored,
      target.values,
    );
  const [window] = windows;
  const [k] = neighbours;
  if ((windows.length === 1 && neighbours.length === 1) || train.length < 2) {
    return fitted(window, k);
  }
  const count = Math.min(most, train.length);
  const asked = Array.from({ length: count }, (_, i) => Math.floor((i * train.length) / count));
  const known = asked.map(() => new Float64Array(train.length));
  let best = { loss: Infinity, window, k };
  withScratch(arenaOf(options.arena), (scratch) => {
    const search = new DtwSearch(scratch, stored, 1);
    for (const share of windows.toReversed()) {
      const losses = new Float64Array(neighbours.length);
      for (const [q, row] of asked.entries()) {
        options.between?.();
        const widest = neighbours[neighbours.length - 1];
        const found = search.nearest(seriesOf(stored, row), widest, share, row, known[q]);
        for (const [n, some] of neighbours.entries()) {
          const said = saidBy(found.slice(0, some), target);
          losses[n] += lossOf(said, target, row);
        }
      }
      // Of equal losses the narrower window, then the fewer neighbours.
      for (const [n, loss] of losses.entries()) {
        const narrower = loss === best.loss && share < best.window;
        if (loss < best.loss || narrower) best = { loss, window: share, k: neighbours[n] };
      }
    }
  });
  return fitted(best.window, best.k);
}

/** The mean value; or the shares of classes. Without neighbours, 0 or equal shares. */
function saidBy(neighbours: readonly Neighbour[], { values, classes }: DtwTarget): Float64Array {
  const said = new Float64Array(Math.max(1, classes));
  for (const { index } of neighbours) {
    if (classes === 0) said[0] += values[index] / neighbours.length;
    else said[values[index]] += 1 / neighbours.length;
  }
  return classes > 0 && neighbours.length === 0 ? said.fill(1 / classes) : said;
}

/** Squared error; or 1 where the class with the most neighbours is another, ties counted in part. */
function lossOf(said: Float64Array, { values, classes }: DtwTarget, row: number): number {
  if (classes === 0) return (said[0] - values[row]) ** 2;
  const most = Math.max(...said);
  const tied = said.filter((share) => share === most).length;
  return said[values[row]] === most ? 1 - 1 / tied : 1;
}

function arenaOf(arena: ArenaHandle | undefined): Arena {
  return arena ? Arena.attach(arena) : Arena.create();
}

function seriesOf({ channels, offsets, values }: SteppedSeries, i: number): Float64Array {
  return values.subarray(channels * offsets[i], channels * offsets[i + 1]);
}

function steppedSeries(
  set: SequenceSet,
  rows: Uint32Array,
  treatment: ChannelTreatment,
): SteppedSeries {
  const { channels } = set;
  const offsets = new Uint32Array(rows.length + 1);
  for (const [i, row] of rows.entries()) offsets[i + 1] = offsets[i] + lengthOf(set, row);
  const values = new Float64Array(channels * offsets[rows.length]);
  const line = new Float64Array(longestOf(set, rows));
  for (const [i, row] of rows.entries()) {
    const steps = lengthOf(set, row);
    for (let c = 0; c < channels; c++) {
      treatment.write(set, row, c, line);
      for (let t = 0; t < steps; t++) values[(offsets[i] + t) * channels + c] = line[t];
    }
  }
  return { channels, offsets, values };
}
