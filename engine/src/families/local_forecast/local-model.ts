/**
 * Local forecasting: a model of each series by itself, none of which knows the others. What the families
 * of such models share: fitting all series of a run, forecasting those that are asked for, saving.
 */

import { z } from "zod";
import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { forecastBlocks, knownHistory, levelledBefore } from "../../data/series-history.ts";
import type { Parameters } from "../../search/space.ts";
import type { SeriesModel } from "../../series/series-model.ts";
import { fitMstl, loadMstl } from "../../series/stl/mstl-model.ts";
import type { Explanation, Family, FitContext, FittedModel, SavedModel } from "../family.ts";
import { fitStandIn } from "./stand-in.ts";

/** Of a frame. */
export type Cycles = Pick<SeriesFrame, "seasons" | "year">;

/** How one series is fitted, and its model made again of what was saved. */
export interface LocalMethod<Saved> {
  fit(history: Float64Array, cycles: Cycles): SeriesModel<Saved>;
  /** @throws where it is not what `fit` saved */
  load(saved: unknown): SeriesModel<Saved>;
}

/**
 * Which of several seasons a model of one season has; `all` are taken out of the series by MSTL first, and
 * the model is of what is left.
 */
export const LOCAL_SEASONS = ["shortest", "longest", "none", "all"] as const;
export type LocalSeason = (typeof LOCAL_SEASONS)[number];

/** How a model of one season is fitted. */
export interface SeasonalMethod<Saved> {
  /** @param seasonLength steps; 1 = none */
  fit(history: Float64Array, seasonLength: number): SeriesModel<Saved>;
  /** @throws where it is not what `fit` saved */
  load(saved: unknown): SeriesModel<Saved>;
}

const decomposedSchema = z.object({
  seasonLengths: z.array(z.int()),
  scale: z.number(),
  patterns: z.array(z.array(z.number())).optional(),
  inner: z.unknown(),
});

export function seasonalMethod<Saved>(
  which: LocalSeason,
  method: SeasonalMethod<Saved>,
): LocalMethod<unknown> {
  return {
    fit(history, { seasons }) {
      if (which === "all" && seasons.length > 0) {
        return fitMstl(history, {
          seasonLengths: seasons,
          fitInner: (rest) => method.fit(rest, 1),
        });
      }
      const season = which === "none" ? 1 : (seasons.at(which === "longest" ? -1 : 0) ?? 1);
      return method.fit(history, season);
    },
    load(saved) {
      const decomposed = decomposedSchema.safeParse(saved);
      if (!decomposed.success) return method.load(saved);
      return loadMstl<unknown>(decomposed.data, (inner) => method.load(inner));
    },
  };
}

/** One of several seasons would leave the others to the errors. */
export function allOfSeveral(defaults: Parameters, seasons: readonly number[]): Parameters {
  return seasons.length > 1 ? { ...defaults, season: "all" } : defaults;
}

/** What all families of local models have in common, by how a trial's parameters fit one series. */
export function localMembers(
  methodOf: (parameters: Parameters) => LocalMethod<unknown>,
  defaults: Parameters,
): Pick<
  Family,
  "losses" | "keepsMonotone" | "predictsFast" | "reads" | "fit" | "refitParameters" | "load"
> {
  return {
    losses: ["squared_error"],
    keepsMonotone: false,
    predictsFast: true,
    reads: "series",
    fit: (context, parameters) => fitSeries(context, { parameters, method: methodOf(parameters) }),
    refitParameters: (parameters) => parameters,
    load({ header }, { features }) {
      const { models, leads, parameters = defaults } = headerSchema.parse(header);
      const method = methodOf(parameters);
      return new LocalForecasts({
        leads,
        models: models.map((saved) => (saved === null ? null : method.load(saved))),
        features: features.length,
        fitting: { parameters, method },
      });
    },
  };
}

const headerSchema = z.object({
  models: z.array(z.unknown()),
  leads: z.array(z.int().min(0)).optional(),
  /** Those that series which the model does not know are fitted with. Models of former versions have none. */
  parameters: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).optional(),
});

/** How series are fitted, and the parameters that say so. */
interface Fitting {
  readonly parameters: Parameters;
  readonly method: LocalMethod<unknown>;
}

function fitSeries({ data, trainRows, limits }: FitContext, fitting: Fitting): FittedModel {
  const frame = seriesFrame(data);
  const models: (SeriesModel | null)[] = frame.names.map(() => null);
  const leads = models.map(() => 0);
  for (const [s, end] of trainingEnds(frame, trainRows)) {
    const history = levelledBefore(frame, s, end);
    if (history.length === 0) continue;
    if (limits?.begin() === false) break;
    models[s] = fitting.method.fit(history, frame);
    leads[s] = end - frame.offsets[s] - history.length;
  }
  return new LocalForecasts({ models, leads, features: data.features.length, fitting });
}

export function seriesFrame({ frame }: EncodedData): SeriesFrame {
  if (frame?.kind !== "series") throw new TypeError("Forecasts are made of series.");
  return frame;
}

/** Of each series with training rows, the row after the last of them. */
export function trainingEnds(frame: SeriesFrame, rows: Uint32Array): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  let series = 0;
  for (const row of rows) {
    while (row >= frame.offsets[series + 1]) series++;
    ends.set(series, row + 1);
  }
  return ends;
}

/**
 * Of forecasts that read nothing but the past, which stands behind the features.
 *
 * @param starts what each forecast starts from
 * @param features of the data
 */
export function explainedByPast(
  values: Float64Array,
  starts: Float64Array,
  features: number,
): Explanation {
  const width = features + 1;
  const contributions = new Float64Array(values.length * width);
  let base = 0;
  for (const start of starts) base += start / Math.max(1, starts.length);
  for (const [i, value] of values.entries()) contributions[i * width + width - 1] = value - base;
  return { space: "identity", baseValues: Float64Array.of(base), contributions, margins: values };
}

/** The same forecasts rely on the past alone. */
export function importanceOfPast(features: number): Float64Array {
  const shares = new Float64Array(features + 1);
  shares[features] = 1;
  return shares;
}

interface LocalParts {
  /** Null for series that the fit had no time for, or knew nothing of. */
  readonly models: readonly (SeriesModel | null)[];
  /** Of each series its rows before the first known value in training; absent: none. */
  readonly leads?: readonly number[] | undefined;
  readonly features: number;
  readonly fitting: Fitting;
}

class LocalForecasts implements FittedModel {
  readonly #models: LocalParts["models"];
  readonly #leads: readonly number[];
  readonly #features: number;
  readonly #fitting: Fitting;
  readonly facts: Readonly<Record<string, number>>;

  constructor({ models, leads = [], features, fitting }: LocalParts) {
    this.#models = models;
    this.#leads = leads;
    this.#features = features;
    this.#fitting = fitting;
    this.facts = { series: models.filter((model) => model !== null).length };
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return this.#forecast(seriesFrame(data), rows).values;
  }

  /** A local model knows the past of its series and nothing else: what it adds to that past's mean. */
  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { values, means } = this.#forecast(seriesFrame(data), rows);
    return explainedByPast(values, means, this.#features);
  }

  #forecast(
    frame: SeriesFrame,
    rows: Uint32Array | null,
  ): { readonly values: Float64Array; readonly means: Float64Array } {
    const asked = rows ?? Uint32Array.from(frame.target.keys());
    const values = new Float64Array(asked.length);
    const means = new Float64Array(asked.length);
    for (const { series, from, to, origin } of forecastBlocks(frame, asked)) {
      const history = knownHistory(frame, series, origin);
      const model = this.#modelOf(frame, series, history);
      const since = this.#sinceOf(frame, series, origin - history.length);
      const forecast = model.forecast(history, asked[to - 1] - origin + 1, since);
      for (let i = from; i < to; i++) values[i] = forecast[asked[i] - origin];
      means.fill(history.reduce((sum, value) => sum + value, 0) / history.length, from, to);
    }
    return { values, means };
  }

  /** @param first the row of the series' first known value */
  #sinceOf({ ids, offsets, since }: SeriesFrame, series: number, first: number): number {
    const id = ids[series];
    // What is fitted to the history itself begins there.
    if (id < 0 || !this.#models[id]) return 0;
    return (since?.[series] ?? 0) + first - offsets[series] - (this.#leads[id] ?? 0);
  }

  /** A series that was not there in training is fitted to the history that is sent of it. */
  #modelOf(frame: SeriesFrame, series: number, history: Float64Array): SeriesModel {
    const id = frame.ids[series];
    if (id < 0) return this.#fitting.method.fit(history, frame);
    return this.#models[id] ?? fitStandIn(history, frame.seasons);
  }

  importance(): Float64Array {
    return importanceOfPast(this.#features);
  }

  save(): SavedModel {
    const models = this.#models.map((model) => model?.saved ?? null);
    const leads = this.#leads.some((lead) => lead > 0) ? { leads: this.#leads } : {};
    return { header: { models, ...leads, parameters: this.#fitting.parameters }, tensors: {} };
  }
}
