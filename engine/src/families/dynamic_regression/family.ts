/**
 * Dynamic regression: what columns known in advance add, and a local model of what they leave (Hyndman & Athanasopoulos,
 * "Forecasting: principles and practice", 2021, §10). The effects are estimated of changes and not together with the
 * local model, so that any model of a series can stand for the rest.
 */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { DataShape, Family } from "../family.ts";
import { lagGbdt } from "../lag_gbdt/family.ts";
import { CHANGES } from "./effects.ts";
import { fitRegression } from "./fit-regression.ts";
import { dynamicRegressionLoader } from "./loader.ts";
import { RESTS } from "./model.ts";

const parametersSchema = z.object({ rest: z.enum(RESTS), changes: z.enum(CHANGES) });

const SPACE: SearchSpace = {
  rest: { type: "categorical", choices: [...RESTS] },
  changes: { type: "categorical", choices: [...CHANGES] },
};

const defaultsOf = ({ series }: DataShape): Parameters & z.infer<typeof parametersSchema> => ({
  rest: "theta",
  changes: (series?.seasons.length ?? 0) > 0 ? "season" : "step",
});

/** Trees come second: they alone bend what columns add, and add it differently by the hour. */
const restsOf = (shape: DataShape): (typeof RESTS)[number][] => {
  const others = RESTS.filter((rest) => rest !== "theta" && rest !== "lag_gbdt");
  return ["theta", ...(lagGbdt.suits(shape).use ? (["lag_gbdt"] as const) : []), ...others];
};

/** Steps of all series together that the first window learns from at least: a few for each effect. */
const LEAST_STEPS = 20;

export const dynamicRegression: Family = {
  ...dynamicRegressionLoader,
  title: "Regression on known columns (dynamic regression)",
  losses: ["squared_error"],
  keepsMonotone: false,
  predictsFast: true,
  readsOfSteps: ["known"],

  suits({ series }) {
    if (!series?.known) return { use: false, reason: "No column is known in advance." };
    return series.count * (series.steps - series.horizon) >= LEAST_STEPS
      ? {
          use: true,
          reason: "It weighs columns known in advance, from few steps on, and forecasts the rest.",
        }
      : {
          use: false,
          reason: `Fewer than ${LEAST_STEPS} steps before the horizon are too few to weigh columns.`,
        };
  },

  searchSpace(shape) {
    const rest = { type: "categorical", choices: restsOf(shape) } as const;
    return (shape.series?.seasons.length ?? 0) > 0 ? { ...SPACE, rest } : { rest };
  },
  defaults: defaultsOf,
  portfolio(shape) {
    const defaults = defaultsOf(shape);
    return [
      defaults,
      ...restsOf(shape)
        .filter((rest) => rest !== defaults.rest)
        .map((rest) => ({ ...defaults, rest })),
      ...(defaults.changes === "season" ? [{ ...defaults, changes: "step" }] : []),
    ];
  },
  parameters: () => SPACE,
  fit: (context, parameters) => fitRegression(context, parametersSchema.parse(parameters)),
  refitParameters: (parameters) => parameters,
};
