/** Gradient boosted trees over lags of all series: one model that knows what they have in common. */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { DataShape, Family } from "../family.ts";
import { gbdt } from "../gbdt/family.ts";
import { lagGbdtLoader } from "./loader.ts";
import { fitLagModel, LEAST_EXAMPLES, OBJECTIVES, TIMES } from "./model.ts";

/** Whether columns that are known of the past alone are read, by lags and means. */
const PAST_COLUMNS = ["lags", "none"] as const;

const parametersSchema = z.object({
  lags: z.int().min(1).max(400),
  objective: z.enum(OBJECTIVES),
  rounds: z.int().min(1).max(5000),
  learning_rate: z.number(),
  num_leaves: z.int(),
  min_data_in_leaf: z.int(),
  feature_fraction: z.number(),
  past_columns: z.enum(PAST_COLUMNS).default("none"),
  times: z.enum(TIMES).default("all"),
});

const SPACE: SearchSpace = {
  lags: { type: "int", low: 1, high: 400, log: true },
  objective: { type: "categorical", choices: [...OBJECTIVES] },
  rounds: { type: "int", low: 1, high: 5000, log: true },
  learning_rate: { type: "float", low: 1e-3, high: 0.5, log: true },
  num_leaves: { type: "int", low: 2, high: 1024, log: true },
  min_data_in_leaf: { type: "int", low: 1, high: 100_000, log: true },
  feature_fraction: { type: "float", low: 0.05, high: 1 },
  past_columns: { type: "categorical", choices: [...PAST_COLUMNS] },
  times: { type: "categorical", choices: [...TIMES] },
};

function defaultsOf({ series, rows }: DataShape): Parameters & z.infer<typeof parametersSchema> {
  const season = series?.seasons[0] ?? 1;
  return {
    lags: Math.max(4, Math.min(24, season, series?.steps ?? 24)),
    objective: "absolute",
    rounds: 150,
    learning_rate: 0.08,
    num_leaves: 31,
    min_data_in_leaf: rows < 5000 ? 20 : 100,
    feature_fraction: 0.7,
    past_columns: series?.past ? "lags" : "none",
    // Years go on where months do (docs/decisions/forecasting.md).
    times: series?.isLong ? "all" : "cycles",
  };
}

/** Fewer steps in all say little of what series have in common. */
const LEAST_STEPS = 200;

export const lagGbdt: Family = {
  ...lagGbdtLoader,
  title: "Boosted trees over lags",
  losses: ["squared_error"],
  keepsMonotone: false,
  predictsFast: true,
  readsOfSteps: ["known", "past", "static"],

  suits: ({ series }) =>
    series &&
    series.count * series.steps >= LEAST_STEPS &&
    (series.earliest?.withPast ?? LEAST_EXAMPLES) >= LEAST_EXAMPLES
      ? {
          use: true,
          reason:
            "One model learns what all series have in common, and uses columns known in advance.",
        }
      : {
          use: false,
          reason:
            series && series.count * series.steps >= LEAST_STEPS
              ? `In the earliest fold fewer than ${LEAST_EXAMPLES} steps have a past to learn lags from.`
              : `Fewer than ${LEAST_STEPS} steps in all are too few to learn lags from.`,
        },

  searchSpace: ({ series }) => ({
    ...(series?.past
      ? { past_columns: { type: "categorical", choices: [...PAST_COLUMNS] } as const }
      : {}),
    lags: { type: "int", low: 2, high: 60, log: true },
    objective: { type: "categorical", choices: [...OBJECTIVES] },
    rounds: { type: "int", low: 50, high: 500, log: true },
    learning_rate: { type: "float", low: 0.02, high: 0.2, log: true },
    num_leaves: { type: "int", low: 4, high: 128, log: true },
    min_data_in_leaf: { type: "int", low: 5, high: 500, log: true },
    feature_fraction: { type: "float", low: 0.3, high: 1 },
    times: { type: "categorical", choices: [...TIMES] },
  }),
  defaults: defaultsOf,
  portfolio(shape) {
    const defaults = defaultsOf(shape);
    return [
      defaults,
      { ...defaults, objective: "squared", rounds: 200, learning_rate: 0.05 },
      { ...defaults, times: defaults.times === "all" ? "cycles" : "all" },
      ...(shape.series?.past ? [{ ...defaults, past_columns: "none" }] : []),
      { ...defaults, num_leaves: 8, rounds: 300 },
      { ...defaults, num_leaves: 63, min_data_in_leaf: 2 * defaults.min_data_in_leaf },
    ];
  },
  parameters: () => SPACE,

  fit(context, given) {
    const {
      lags,
      objective,
      rounds,
      times,
      past_columns: past,
      ...own
    } = parametersSchema.parse(given);
    const { data, task, trainRows } = context;
    const shape: DataShape = { rows: trainRows.length, task, features: data.features };
    return fitLagModel(context, {
      lags,
      objective,
      times,
      readsPast: past === "lags",
      trees: { ...gbdt.defaults(shape), ...own, n_estimators: rounds, early_stopping_rounds: 0 },
    });
  },

  refitParameters: (parameters) => parameters,
};
