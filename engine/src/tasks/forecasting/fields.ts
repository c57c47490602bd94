/** What a request says of series: which there are, how far they are forecast, and what is known ahead. */

import { z } from "zod";
import { levelsSchema } from "../quantile_regression/levels.ts";

const MOST_STEPS = 10_000;
const columns = z.array(z.string().min(1));
const season = z.int().min(1).max(MOST_STEPS);

export const forecastingFields = {
  horizon: z
    .int()
    .min(1)
    .max(MOST_STEPS)
    .nullish()
    .describe("Of forecasting, required: steps that are forecast, the next one first."),
  seriesColumns: columns
    .nullish()
    .describe(
      "Of forecasting: columns whose values tell series apart. Absent: all rows are of one series.",
    ),
  seasonLength: z
    .union([season, z.array(season).min(1).max(5)])
    .nullish()
    .describe(
      "Of forecasting: steps of a season, or of several (24 and 168 for hours with days and weeks); 1 = none. Absent: those of the stamps' calendar, or for numbered steps what the series show.",
    ),
  knownColumns: columns
    .nullish()
    .describe(
      "Of forecasting: columns whose values are known for the steps to come, such as holidays or prices that are set; requests for forecasts then bring them. Columns that are neither these nor constant within every series are left out.",
    ),
  gap: z
    .int()
    .min(0)
    .max(MOST_STEPS)
    .nullish()
    .describe(
      "Of forecasting: steps between the last value that is known and the first that is forecast. Default 0.",
    ),
  windowStep: z
    .int()
    .min(1)
    .max(MOST_STEPS)
    .nullish()
    .describe(
      "Of forecasting: steps from one window of the backtest to the next, at least the horizon. Default: the horizon.",
    ),
  quantiles: levelsSchema,
};
