/** What a request says of series: which there are, how far they are forecast, and what is known ahead. */

import { z } from "zod";
import { LARGEST_LABEL } from "../labels/largest-label.ts";
import { levelsSchema } from "../quantile_regression/levels.ts";
import { MOST_STEPS } from "./header.ts";
import { hierarchySchema } from "./hierarchy.ts";

const columns = z.array(z.string().min(1));
/** Of values. "none": they can be any. Absent: as the values tell. */
export const givenBoundSchema = z
  .union([z.number().min(-LARGEST_LABEL).max(LARGEST_LABEL), z.literal("none")])
  .nullish();
const season = z.int().min(1).max(MOST_STEPS);

export const forecastingFields = {
  horizon: z
    .int()
    .min(1)
    .max(MOST_STEPS)
    .nullish()
    .describe("Required for forecasting: the number of steps to forecast."),
  seriesColumns: columns
    .nullish()
    .describe(
      "Forecasting: columns whose values tell series apart. Absent: all rows are of one series.",
    ),
  seasonLength: z
    .union([season, z.array(season).min(1).max(5)])
    .nullish()
    .describe(
      "Forecasting: steps in a season, or in several (24 and 168 for hours with days and weeks); 1 = none. Absent: derived from the calendar of the stamps, or for numbered steps from the series.",
    ),
  knownColumns: columns
    .nullish()
    .describe(
      "Forecasting: columns whose values are known in advance for the steps to forecast, such as holidays or set prices; requests for forecasts then send them. Of columns that are neither these nor constant within every series, numbers are read until the last known value, and others left out.",
    ),
  gap: z
    .int()
    .min(0)
    .max(MOST_STEPS)
    .nullish()
    .describe("Forecasting: steps between the last known value and the first forecast. Default 0."),
  windowStep: z
    .int()
    .min(1)
    .max(MOST_STEPS)
    .nullish()
    .describe(
      "Forecasting: steps from one window of the backtest to the next, at least the horizon; each fit then forecasts one window. Default: the horizon, and of few long series each fit forecasts several windows, one after another, from all that lies before each.",
    ),
  lowerBound: givenBoundSchema.describe(
    `Forecasting: what values are never below, such as 0 of sales: forecasts, quantiles and intervals are not either. "none": they may be any. Absent: 0 for series that came as near to it as their changes are large, time and again, and never went on. Of a hierarchy's sums as many times this as they sum series.`,
  ),
  upperBound: givenBoundSchema.describe(
    `Forecasting: the same above, such as 100 of percentages. Absent: 1 or 100 for series that were often there exactly and never above, and 0 for those that are never positive.`,
  ),
  hierarchy: hierarchySchema
    .nullish()
    .describe(
      "Forecasting: sums of the series that are forecast too, so that the answers sum up at every step. All series must end at the same step.",
    ),
  quantiles: levelsSchema,
};
