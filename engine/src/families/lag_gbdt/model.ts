/** Boosted trees over lags: fitting them to examples of all series, and forecasting by them. */

import { z } from "zod";
import type { EncodedData, Feature } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { forecastBlocks, knownHistory, levelledBefore } from "../../data/series-history.ts";
import { type Column, DataError } from "../../data/table.ts";
import type { Parameters } from "../../search/space.ts";
import type { Explanation, FitContext, FittedModel, SavedModel } from "../family.ts";
import { gbdt } from "../gbdt/family.ts";
import { gbdtLoader } from "../gbdt/loader.ts";
import { seriesFrame, trainingEnds } from "../local_forecast/local-model.ts";
import { fitTreesOfTable, TreesOfTable, taskOfRows } from "../tabled_trees/trees-of-table.ts";
import {
  type Example,
  knownFeature,
  type LagShape,
  type LagTable,
  lagTable,
  SCALES,
} from "./lag-table.ts";

/** Examples beyond are of long pasts, and of many steps of each origin. */
const MOST_EXAMPLES = 300_000;
/** Steps of the horizon that one row is an example of, at most. */
const MOST_STEPS = 6;

/** Steps with a past, below which there is no fit. */
export const LEAST_EXAMPLES = 20;

export const OBJECTIVES = ["absolute", "squared"] as const;

/**
 * What is read of the times: what comes again (months, days, hours), or how far they have got as well (years, days elapsed),
 * which is a place beyond all of training for every step that is forecast.
 */
export const TIMES = ["cycles", "all"] as const;

export interface LagParameters {
  readonly lags: number;
  readonly times: (typeof TIMES)[number];
  readonly objective: (typeof OBJECTIVES)[number];
  /** Whether columns that are known of the past alone are read. */
  readonly readsPast: boolean;
  /** Of the trees. */
  readonly trees: Parameters;
}

export function fitLagModel(context: FitContext, given: LagParameters): FittedModel {
  const { lags, objective, times } = given;
  const { data, trainRows, weights, limits } = context;
  const frame = seriesFrame(data);
  const past = given.readsPast ? (frame.past ?? []).map(({ name }) => name) : [];
  const shape: LagShape = { lags, seasons: frame.seasons, past, scaleOf: "known" };
  const ends = trainingEnds(frame, trainRows);
  const histories = new Map<number, Float64Array>();
  for (const [s, end] of ends) {
    histories.set(s, padded(levelledBefore(frame, s, end), end - frame.offsets[s]));
  }
  limits?.throwIfOver();
  const examples = examplesOf(frame, ends, lags);
  if (examples.length < LEAST_EXAMPLES) {
    throw new DataError(
      `The series are too short to learn lags from: fewer than ${LEAST_EXAMPLES} steps have a past.`,
    );
  }
  const laid = lagTable(data, frame, examples, histories, shape);
  const target = Float64Array.from(
    examples,
    ({ series, row }, i) =>
      ((histories.get(series)?.[row - frame.offsets[series]] ?? Number.NaN) - laid.base[i]) /
      laid.scale[i],
  );
  const isRead = ({ name }: Column): boolean => {
    const feature = knownFeature(name);
    return times === "all" || feature === null || !tellsPlace(data.features[feature], frame);
  };
  const trees = fitTreesOfTable(context, {
    table: { ...laid.table, columns: laid.table.columns.filter(isRead) },
    trainRows: examples.length,
    target,
    weights: weights && Float64Array.from(examples, ({ row }) => weights[row]),
    task: taskOfRows(objective === "absolute" ? "pinball" : "squared_error", []),
    learner: gbdt,
    parameters: given.trees,
  });
  return new LagModel(trees, { shape, outer: data.features.length });
}

/** Whether a feature only ever grows with time: a number of steps, the year, the days elapsed. */
function tellsPlace({ name, column }: Feature, { time }: SeriesFrame): boolean {
  return (
    column === time?.column && ["", ".year", ".elapsed_days"].includes(name.slice(column.length))
  );
}

/** From the series' first row on, so that places are rows; before its first value NaN. */
function padded(known: Float64Array, steps: number): Float64Array {
  const values = new Float64Array(steps).fill(Number.NaN);
  values.set(known, values.length - known.length);
  return values;
}

/** Of every series the last rows, each at some steps of the horizon, which turn from row to row. */
function examplesOf(
  { offsets, target, horizon, gap }: SeriesFrame,
  ends: ReadonlyMap<number, number>,
  lags: number,
): Example[] {
  let rows = 0;
  for (const [s, end] of ends) rows += end - offsets[s];
  const each = Math.max(1, Math.min(MOST_STEPS, horizon, Math.floor(MOST_EXAMPLES / rows)));
  const longest = Math.ceil(MOST_EXAMPLES / Math.max(1, ends.size * each));
  const least = Math.min(lags, 2);
  const examples: Example[] = [];
  for (const [series, end] of ends) {
    for (let row = Math.max(offsets[series] + 1, end - longest); row < end; row++) {
      if (Number.isNaN(target[row])) continue;
      for (let j = 0; j < each; j++) {
        const step = (row * each + Math.floor((j * horizon) / each)) % horizon;
        const origin = row - step - gap;
        if (origin - offsets[series] >= least) {
          examples.push({ series, history: series, row, origin });
        }
      }
    }
  }
  return examples;
}

interface LagParts {
  readonly shape: LagShape;
  /** Features of the data, beside the past. */
  readonly outer: number;
}

class LagModel implements FittedModel {
  readonly #trees: TreesOfTable;
  readonly #parts: LagParts;

  constructor(trees: TreesOfTable, parts: LagParts) {
    this.#trees = trees;
    this.#parts = parts;
  }

  get facts(): FittedModel["facts"] {
    return this.#trees.model.facts;
  }

  get readsPast(): boolean {
    return this.#parts.shape.past.length > 0;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return this.#over(data, rows, (encoded, { base, scale }) =>
      this.#trees.model.predict(encoded, null).map((value, i) => base[i] + scale[i] * value),
    );
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const owners = this.#owners();
    const { outer } = this.#parts;
    return this.#over(data, rows, (encoded, { base, scale }) => {
      const inner = this.#trees.model.explain(encoded, null);
      const [constant] = inner.baseValues;
      const count = base.length;
      const margins = inner.margins.map((margin, i) => base[i] + scale[i] * margin);
      const starts = base.map((value, i) => value + scale[i] * constant);
      const mean = starts.reduce((sum, value) => sum + value, 0) / count;
      const contributions = new Float64Array(count * (outer + 1));
      for (let i = 0; i < count; i++) {
        contributions[i * (outer + 1) + outer] += starts[i] - mean;
        for (const [f, owner] of owners.entries()) {
          contributions[i * (outer + 1) + owner] +=
            scale[i] * inner.contributions[i * owners.length + f];
        }
      }
      return { space: "identity", baseValues: Float64Array.of(mean), contributions, margins };
    });
  }

  importance(): Float64Array {
    const { outer } = this.#parts;
    const shares = new Float64Array(outer + 1);
    const inner = this.#trees.model.importance();
    for (const [f, owner] of this.#owners().entries()) shares[owner] += inner[f];
    return shares;
  }

  /** Of each feature of the trees, the data's feature that it is made of, or the past behind them. */
  #owners(): number[] {
    return this.#trees.columns.map((name) => knownFeature(name) ?? this.#parts.outer);
  }

  #over<T>(
    data: EncodedData,
    rows: Uint32Array | null,
    action: (encoded: EncodedData, laid: LagTable) => T,
  ): T {
    const frame = seriesFrame(data);
    const { shape } = this.#parts;
    const asked = rows ?? Uint32Array.from(frame.target.keys());
    const histories = new Map<number, Float64Array>();
    const examples: Example[] = [];
    for (const [history, block] of forecastBlocks(frame, asked).entries()) {
      const { series, from, to, origin } = block;
      const known = knownHistory(frame, series, origin);
      histories.set(history, padded(known, origin - frame.offsets[series]));
      for (let i = from; i < to; i++) {
        examples.push({ series, history, row: asked[i], origin });
      }
    }
    const laid = lagTable(data, frame, examples, histories, shape);
    return this.#trees.over(laid.table, data.arena, (encoded) => action(encoded, laid));
  }

  save(): SavedModel {
    const { header, tensors } = this.#trees.save();
    return { header: { trees: header, ...this.#parts }, tensors };
  }
}

const headerSchema = z.object({
  trees: z.unknown(),
  shape: z.object({
    lags: z.int(),
    seasons: z.array(z.int()),
    past: z.array(z.string()).default([]),
    scaleOf: z.enum(SCALES).default("whole"),
  }),
  outer: z.int(),
});

export function loadLagModel({ header, tensors }: SavedModel): FittedModel {
  const { trees, shape, outer } = headerSchema.parse(header);
  return new LagModel(TreesOfTable.load({ header: trees, tensors }, gbdtLoader), { shape, outer });
}
