/** A linear map of the past, shared by all series: fitting it to windows of them, and forecasting by it. */

import { z } from "zod";
import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import {
  forecastBlocks,
  knownHistory,
  levelledBefore,
  scaleOf,
} from "../../data/series-history.ts";
import { DataError } from "../../data/table.ts";
import type { Explanation, FitContext, FittedModel, SavedModel } from "../family.ts";
import {
  explainedByPast,
  importanceOfPast,
  seriesFrame,
  trainingEnds,
} from "../local_forecast/local-model.ts";
import { fitRidgeMap, Moments } from "./ridge-map.ts";
import { ANCHORS, anchorOf, type WindowShape, windowWidth, writeWindow } from "./windows.ts";

/** Multiplications of the moments; of more windows an even share is taken, the latest of each series always. */
const MOST_MULTIPLICATIONS = 1.5e9;
/** Of the windows of a series, the latest, which choose the penalty. */
const LATER_SHARE = 0.25;
/** The windows between two looks at the clock. */
const LOOK_EVERY = 256;

interface Origin {
  readonly history: Float64Array;
  readonly unit: number;
  /** Place of the first value that is not known, in the history. */
  readonly end: number;
  readonly weight: number;
  readonly later: boolean;
}

export function fitLinearMap(context: FitContext, shape: WindowShape): FittedModel {
  const frame = seriesFrame(context.data);
  const { horizon, gap } = frame;
  const width = windowWidth(shape);
  const most = Math.ceil(MOST_MULTIPLICATIONS / (width * (width / 2 + horizon)));
  const origins = originsOf(context, frame, shape, most);
  if (origins.length === 0) {
    throw new DataError(
      `No series is long enough for a linear map: ${horizon + gap} steps must follow a past of at least ${leastPast(shape)}.`,
    );
  }
  const moments = [new Moments(width, horizon), new Moments(width, horizon)] as const;
  const window = new Float64Array(width);
  const following = new Float64Array(horizon);
  for (const [i, { history, unit, end, weight, later }] of origins.entries()) {
    if (i % LOOK_EVERY === 0) context.limits?.throwIfOver();
    writeWindow(shape, history, end, unit, window);
    for (let h = 0; h < horizon; h++) {
      const ahead = gap + h;
      following[h] = (history[end + ahead] - anchorOf(shape, history, end, ahead)) / unit;
    }
    moments[later ? 1 : 0].add(window, following, weight);
  }
  context.limits?.throwIfOver();
  const { map, penalty } = fitRidgeMap(...moments);
  return new LinearMap(map, {
    ...{ shape, horizon, features: context.data.features.length },
    facts: { windows: origins.length, penalty },
  });
}

/** A window may begin before its series does, but not with most of its steps. */
function leastPast({ lookback, season }: WindowShape): number {
  return Math.max(2, Math.min(lookback, Math.max(season + 1, lookback >> 1)));
}

function originsOf(
  { trainRows, weights }: FitContext,
  frame: SeriesFrame,
  shape: WindowShape,
  most: number,
): Origin[] {
  const { horizon, gap, offsets } = frame;
  const least = leastPast(shape);
  const parts: { history: Float64Array; series: number; first: number; count: number }[] = [];
  let all = 0;
  for (const [series, rowEnd] of trainingEnds(frame, trainRows)) {
    const history = levelledBefore(frame, series, rowEnd);
    const count = history.length - least - gap - horizon + 1;
    if (count <= 0) continue;
    parts.push({ history, series, first: rowEnd - history.length - offsets[series], count });
    all += count;
  }
  const stride = Math.max(1, all / most);
  const origins: Origin[] = [];
  for (const { history, series, first, count } of parts) {
    const unit = scaleOf(history, frame.seasons[0] ?? 1).absolute;
    const later = Math.max(count > 1 ? 1 : 0, Math.floor(LATER_SHARE * count));
    for (let back = 0; Math.floor(back) < count; back += stride) {
      const end = least + count - 1 - Math.floor(back);
      const row = offsets[series] + first + end;
      const weight = weights ? weights[row] : 1;
      if (weight > 0) {
        origins.push({ history, unit, end, weight, later: Math.floor(back) < later });
      }
    }
  }
  return origins;
}

interface LinearMapParts {
  readonly shape: WindowShape;
  readonly horizon: number;
  /** Features of the data, beside the past. */
  readonly features: number;
  readonly facts: Readonly<Record<string, number>>;
}

class LinearMap implements FittedModel {
  /** Row-major, steps × width. */
  readonly #map: Float64Array;
  readonly #parts: LinearMapParts;

  constructor(map: Float64Array, parts: LinearMapParts) {
    this.#map = map;
    this.#parts = parts;
  }

  get facts(): FittedModel["facts"] {
    return this.#parts.facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return this.#forecast(seriesFrame(data), rows).values;
  }

  /** It knows the past and nothing else: what it adds to where it starts from. */
  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { values, starts } = this.#forecast(seriesFrame(data), rows);
    return explainedByPast(values, starts, this.#parts.features);
  }

  #forecast(
    frame: SeriesFrame,
    rows: Uint32Array | null,
  ): { readonly values: Float64Array; readonly starts: Float64Array } {
    const { shape } = this.#parts;
    const width = windowWidth(shape);
    const asked = rows ?? Uint32Array.from(frame.target.keys());
    const values = new Float64Array(asked.length);
    const starts = new Float64Array(asked.length);
    const window = new Float64Array(width);
    for (const { series, from, to, origin } of forecastBlocks(frame, asked)) {
      const history = knownHistory(frame, series, origin);
      const unit = scaleOf(history, frame.seasons[0] ?? 1).absolute;
      writeWindow(shape, history, history.length, unit, window);
      for (let i = from; i < to; i++) {
        const ahead = asked[i] - origin;
        const step = Math.min(this.#parts.horizon - 1, Math.max(0, ahead - frame.gap));
        let change = 0;
        for (let k = 0; k < width; k++) change += this.#map[step * width + k] * window[k];
        starts[i] = anchorOf(shape, history, history.length, ahead);
        values[i] = starts[i] + unit * change;
      }
    }
    return { values, starts };
  }

  importance(): Float64Array {
    return importanceOfPast(this.#parts.features);
  }

  save(): SavedModel {
    return { header: this.#parts, tensors: { map: this.#map } };
  }
}

const headerSchema = z.object({
  shape: z.object({
    lookback: z.int().min(1),
    trend: z.int().min(1),
    anchor: z.enum(ANCHORS),
    season: z.int().min(1),
  }),
  horizon: z.int().min(1),
  features: z.int().min(0),
  facts: z.record(z.string(), z.number()),
});

/** @throws DataError where the map is not of the size that the header says */
export function loadLinearMap({ header, tensors }: SavedModel): FittedModel {
  const parts = headerSchema.parse(header);
  const { map } = tensors;
  const size = windowWidth(parts.shape) * parts.horizon;
  if (!(map instanceof Float64Array) || map.length !== size) {
    throw new DataError(`The tensor 'map' must be ${size} numbers.`);
  }
  return new LinearMap(map, parts);
}
