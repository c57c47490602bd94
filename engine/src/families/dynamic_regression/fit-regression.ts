/** Fits the effects of known columns, and what forecasts the rest of each series. */

import type { SeriesFrame } from "../../data/frame.ts";
import type { Parameters } from "../../search/space.ts";
import { arimaDefaults, arimaMembers } from "../arima/loader.ts";
import { etsDefaults, etsMembers } from "../ets/loader.ts";
import type { DataShape, Family, FitContext, FittedModel } from "../family.ts";
import { lagGbdt } from "../lag_gbdt/family.ts";
import { seriesFrame } from "../local_forecast/local-model.ts";
import { naiveMembers, SEASONAL_NAIVE } from "../seasonal_naive/loader.ts";
import { thetaDefaults, thetaMembers } from "../theta/loader.ts";
import { type CHANGES, fitEffects } from "./effects.ts";
import { RegressionModel, type Rest, withoutEffects } from "./model.ts";

export interface RegressionParameters {
  readonly rest: Rest;
  readonly changes: (typeof CHANGES)[number];
}

interface RestFamily {
  readonly fit: Family["fit"];
  readonly defaults: (context: FitContext, frame: SeriesFrame) => Parameters;
}

const local = (
  { fit }: Pick<Family, "fit">,
  defaults: (seasons: readonly number[]) => Parameters,
): RestFamily => ({ fit, defaults: (_, { seasons }) => defaults(seasons) });

const REST_FAMILIES: Readonly<Record<Rest, RestFamily>> = {
  theta: local(thetaMembers, thetaDefaults),
  ets: local(etsMembers, etsDefaults),
  arima: local(arimaMembers, arimaDefaults),
  seasonal_naive: local(naiveMembers, () => SEASONAL_NAIVE),
  lag_gbdt: { fit: lagGbdt.fit, defaults: ofTrees },
};

/** Columns of the past are those of trees over lags by themselves: this family is told of as one that does not read them. */
function ofTrees({ task, data, trainRows }: FitContext, frame: SeriesFrame): Parameters {
  const lengths = frame.names.map((_, s) => frame.offsets[s + 1] - frame.offsets[s]);
  const shape: DataShape = {
    rows: trainRows.length,
    task,
    features: data.features,
    series: {
      count: lengths.length,
      steps: lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)],
      horizon: frame.horizon,
      seasons: frame.seasons,
      isLong: frame.time?.isLong ?? false,
      zeros: 0,
    },
  };
  return lagGbdt.defaults(shape);
}

export function fitRegression(
  context: FitContext,
  { rest, changes }: RegressionParameters,
): FittedModel {
  const frame = seriesFrame(context.data);
  const effects = fitEffects(context, frame, changes);
  const data = withoutEffects(context.data, effects);
  const { fit, defaults } = REST_FAMILIES[rest];
  const model = fit({ ...context, data }, defaults(context, frame));
  return new RegressionModel(model, rest, effects);
}
