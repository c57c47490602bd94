/** Known columns' effects, and a local model of what they leave of each series. */

import { z } from "zod";
import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { levelledBefore, scaleOf } from "../../data/series-history.ts";
import { arimaLoader } from "../arima/loader.ts";
import { etsLoader } from "../ets/loader.ts";
import type {
  Explanation,
  FamilyLoader,
  FittedModel,
  LoadContext,
  SavedModel,
  TensorArray,
} from "../family.ts";
import { lagGbdtLoader } from "../lag_gbdt/loader.ts";
import { seriesFrame } from "../local_forecast/local-model.ts";
import { isF64, savedTensor } from "../saved-tensor.ts";
import { seasonalNaiveLoader } from "../seasonal_naive/loader.ts";
import { thetaLoader } from "../theta/loader.ts";
import { readLacking, readTerms } from "./design.ts";
import { addEffects, type Effects } from "./effects.ts";

/** What forecasts the rest, by family. */
export const RESTS = ["theta", "ets", "arima", "seasonal_naive", "lag_gbdt"] as const;
export type Rest = (typeof RESTS)[number];

const LOADERS: Readonly<Record<Rest, FamilyLoader>> = {
  theta: thetaLoader,
  ets: etsLoader,
  arima: arimaLoader,
  seasonal_naive: seasonalNaiveLoader,
  lag_gbdt: lagGbdtLoader,
};

/** Of a series of training its scale there; of a new one that of what is known of it. */
function unitOf(effects: Effects, frame: SeriesFrame, series: number): number {
  const id = frame.ids[series];
  const trained = id < 0 ? Number.NaN : effects.units[id];
  if (!Number.isNaN(trained)) return trained;
  const { target, offsets, seasons } = frame;
  let end = offsets[series + 1];
  while (end > offsets[series] && Number.isNaN(target[end - 1])) end--;
  return scaleOf(levelledBefore(frame, series, end), seasons[0] ?? 1).absolute;
}

/** Calls back with what the features add to each of these rows. @param rows ascending */
function overEffects(
  data: EncodedData,
  effects: Effects,
  rows: Uint32Array,
  add: (place: number, feature: number, effect: number) => void,
): void {
  const frame = seriesFrame(data);
  const read = readTerms(data, effects.terms);
  let [series, unit] = [-1, 0];
  for (const [place, row] of rows.entries()) {
    while (series < 0 || row >= frame.offsets[series + 1]) {
      unit = unitOf(effects, frame, ++series);
    }
    addEffects(effects, read, row, (feature, effect) => add(place, feature, unit * effect));
  }
}

/** The same series as they would have been with known columns at their means. */
export function withoutEffects(data: EncodedData, effects: Effects): EncodedData {
  const frame = seriesFrame(data);
  const known = Uint32Array.from(frame.target.keys()).filter(
    (row) => !Number.isNaN(frame.target[row]),
  );
  // Added up before they are taken off, as those of training were: a local model knows its history by its bits.
  const added = new Float64Array(frame.target.length);
  overEffects(data, effects, known, (place, _, effect) => {
    added[known[place]] += effect;
  });
  const isLacking = readLacking(data, effects.terms);
  for (const [s, id] of frame.ids.entries()) {
    if (id < 0) continue;
    const from = effects.offsets[id] + (frame.since?.[s] ?? 0);
    for (let row = frame.offsets[s]; row < frame.offsets[s + 1]; row++) {
      const place = from + row - frame.offsets[s];
      if (place < effects.offsets[id] || place >= effects.offsets[id + 1]) continue;
      // Training knew what a request leaves out.
      if (isLacking(row)) added[row] = effects.history[place];
    }
  }
  const target = frame.target.map((value, row) => value - added[row]);
  return { ...data, frame: { ...frame, target } };
}

export class RegressionModel implements FittedModel {
  readonly #rest: FittedModel;
  readonly #family: Rest;
  readonly #effects: Effects;

  constructor(rest: FittedModel, family: Rest, effects: Effects) {
    this.#rest = rest;
    this.#family = family;
    this.#effects = effects;
  }

  readonly readsKnownPast = true;

  get facts(): FittedModel["facts"] {
    const { terms, estimated } = this.#effects;
    return {
      ...this.#rest.facts,
      terms: terms.length,
      ...(estimated ? {} : { unestimated_terms: terms.length }),
    };
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const values = this.#rest.predict(withoutEffects(data, this.#effects), rows).slice();
    overEffects(data, this.#effects, asked(data, rows), (place, _, effect) => {
      values[place] += effect;
    });
    return values;
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const width = data.features.length + 1;
    const rest = this.#rest.explain(withoutEffects(data, this.#effects), rows);
    const contributions = rest.contributions.slice();
    const margins = rest.margins.slice();
    overEffects(data, this.#effects, asked(data, rows), (place, feature, effect) => {
      contributions[place * width + feature] += effect;
      margins[place] += effect;
    });
    return { ...rest, contributions, margins };
  }

  /** What the rest relies on is a part of what the past explains, as the effects tell it. */
  importance(): Float64Array {
    const { importance } = this.#effects;
    const ofRest = importance[importance.length - 1];
    const own = this.#rest.importance();
    return importance.map((share, f) =>
      f === importance.length - 1 ? ofRest * own[f] : share + ofRest * own[f],
    );
  }

  save(): SavedModel {
    const { header, tensors } = this.#rest.save();
    const { terms, penalty, estimated, ...arrays } = this.#effects;
    return {
      header: { rest: this.#family, model: header, terms, penalty, estimated },
      tensors: {
        ...tensors,
        ...Object.fromEntries(ARRAYS.map((name) => [`effects_${name}`, arrays[name]])),
      },
    };
  }
}

const asked = (data: EncodedData, rows: Uint32Array | null): Uint32Array =>
  rows ?? Uint32Array.from(seriesFrame(data).target.keys());

const ARRAYS = ["weights", "means", "units", "history", "offsets", "importance"] as const;

const headerSchema = z.object({
  rest: z.enum(RESTS),
  model: z.unknown(),
  terms: z.array(
    z.object({
      feature: z.int().min(0),
      code: z.int().min(0).optional(),
      blankIsLevel: z.boolean().optional(),
    }),
  ),
  penalty: z.number(),
  estimated: z.boolean().default(true),
});

/** @throws where it is not what `save` gave */
export function loadRegression(saved: SavedModel, context: LoadContext): FittedModel {
  const { rest, model, terms, penalty, estimated } = headerSchema.parse(saved.header);
  const f64 = (name: (typeof ARRAYS)[number], length: number | null): Float64Array =>
    savedTensor("regression on known columns", saved, `effects_${name}`, length, isF64);
  const isU32 = (array: TensorArray): array is Uint32Array => array instanceof Uint32Array;
  const units = f64("units", null);
  const effects: Effects = {
    terms,
    penalty,
    estimated,
    weights: f64("weights", terms.length),
    means: f64("means", terms.length),
    units,
    history: f64("history", null),
    offsets: savedTensor(
      "regression on known columns",
      saved,
      "effects_offsets",
      units.length + 1,
      isU32,
    ),
    importance: f64("importance", context.features.length + 1),
  };
  const inner = LOADERS[rest].load({ header: model, tensors: saved.tensors }, context);
  return new RegressionModel(inner, rest, effects);
}
