/** A linear map of a window of the past to all steps of the horizon, one for all series. */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { DataShape, Family } from "../family.ts";
import { dlinearLoader } from "./loader.ts";
import { fitLinearMap } from "./model.ts";
import { ANCHORS } from "./windows.ts";

/** Which of several seasons anchors are of. */
const SEASONS = ["shortest", "longest"] as const;

const parametersSchema = z.object({
  lookback: z.int().min(1).max(1000),
  trend: z.int().min(1).max(400),
  anchor: z.enum(ANCHORS),
  season: z.enum(SEASONS),
});

const SPACE: SearchSpace = {
  lookback: { type: "int", low: 1, high: 1000, log: true },
  trend: { type: "int", low: 1, high: 400, log: true },
  anchor: { type: "categorical", choices: [...ANCHORS] },
  season: { type: "categorical", choices: [...SEASONS] },
};

/** Windows beyond make the normal equations dear. */
const LONGEST_DEFAULT = 336;
/** Of DLinear's moving average. */
const TREND_STEPS = 25;

function defaultsOf({ series }: DataShape): Parameters & z.infer<typeof parametersSchema> {
  const { seasons = [], horizon = 1, steps = 1, earliest } = series ?? {};
  const wished = Math.max(2 * horizon, 2 * (seasons.at(-1) ?? 1), 8);
  // Windows and the horizon behind them must fit into the series, more than once.
  const room = Math.min(Math.floor((steps - horizon) / 2), (earliest?.longest ?? steps) - horizon);
  return {
    lookback: Math.max(2, Math.min(wished, room, LONGEST_DEFAULT)),
    trend: 1,
    anchor: seasons.length > 0 ? "season" : "last",
    season: "longest",
  };
}

/** Windows of all series together below which a linear map has little to learn from. */
const LEAST_WINDOWS = 100;

export const dlinear: Family = {
  ...dlinearLoader,
  title: "Linear map of the past (DLinear)",
  losses: ["squared_error"],
  keepsMonotone: false,
  predictsFast: true,

  suits(shape) {
    const { count = 0, steps = 0, horizon = 0, earliest } = shape.series ?? {};
    const { lookback } = defaultsOf(shape);
    if (earliest && earliest.longest < lookback + horizon) {
      return {
        use: false,
        reason: `What the earliest fold learns from, at most ${earliest.longest} steps of a series, is shorter than a window of ${lookback} steps and the horizon of ${horizon} behind it.`,
      };
    }
    return count * (steps - horizon - lookback) >= LEAST_WINDOWS
      ? { use: true, reason: "One linear map learns what follows a window of the past." }
      : {
          use: false,
          reason: `Fewer than ${LEAST_WINDOWS} windows of the past with all steps behind them are too few for a linear map.`,
        };
  },

  searchSpace: (shape) => ({
    lookback: {
      type: "int",
      low: 2,
      high: Math.max(3, Math.min(3 * defaultsOf(shape).lookback, 500)),
      log: true,
    },
    trend: { type: "int", low: 1, high: 50, log: true },
    // Without a season, or with one alone, these change nothing.
    ...((shape.series?.seasons.length ?? 0) > 0
      ? { anchor: { type: "categorical", choices: [...ANCHORS] } as const }
      : {}),
    ...((shape.series?.seasons.length ?? 0) > 1
      ? { season: { type: "categorical", choices: [...SEASONS] } as const }
      : {}),
  }),
  defaults: defaultsOf,
  portfolio(shape) {
    const defaults = defaultsOf(shape);
    const { lookback } = defaults;
    return [
      defaults,
      { ...defaults, anchor: "last", trend: TREND_STEPS },
      { ...defaults, lookback: Math.max(2, lookback >> 1) },
    ];
  },
  parameters: () => SPACE,

  fit(context, given) {
    const { season: which, ...own } = parametersSchema.parse(given);
    const { frame } = context.data;
    const seasons = frame?.kind === "series" ? frame.seasons : [];
    const season = seasons.at(which === "longest" ? -1 : 0) ?? 1;
    return fitLinearMap(context, { ...own, season });
  },

  refitParameters: (parameters) => parameters,
};
