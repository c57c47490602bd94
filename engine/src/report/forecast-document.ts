/** What a run over series shows beside the sections of every run: part of the shape of `report.json`. */

import { z } from "zod";

const count = z.int().nonnegative();
const time = z
  .union([z.string(), z.number()])
  .describe("The step: ISO 8601, or its number where steps are numbered.");
const mae = z.number().describe("Mean absolute error, in units of the label.");
const mase = z
  .number()
  .describe(
    "Mean absolute error over the scale of each series' past: its mean change over a season, or from step to step.",
  );
const errors = { mae, mase, count: count.describe("Forecasts of observed values.") };
const span = z.object({
  from: time.describe("Its first step."),
  to: time.describe("Its last step."),
});

const shownSeries = z.object({
  name: z.string().describe("The values of its columns; empty where there is one series alone."),
  rank: z
    .enum(["hardest", "median", "easiest", "only"])
    .describe("Which it is of all series by `mase` out of fold."),
  ...errors,
  history: z
    .array(z.tuple([time, z.number().nullable()]))
    .describe("The last steps that are known: time and value, null where it is missing."),
  backtest: z
    .array(z.array(z.tuple([time, z.number()])))
    .describe("Forecasts of those steps out of fold, one list a window."),
  forecast: z
    .array(
      z.object({
        time,
        value: z.number().describe("The forecast."),
        ranges: z
          .array(
            z.object({
              coverage: z.number().describe("Share of such values that it should hold, in (0, 1)."),
              low: z.number().describe("Its lower end."),
              high: z.number().describe("Its upper end."),
            }),
          )
          .describe(
            "Narrowest first; those of levels that there were too few errors for are absent.",
          ),
      }),
    )
    .describe("The steps after the last one known, by the model itself."),
});

/** The shape of `forecasts` in `report.json`. */
export const forecastsSchema = z.object({
  step: z.string().describe("A step in words, such as `1 hour`."),
  isTime: z.boolean().describe("Whether steps are times; else they are numbered."),
  horizon: count.describe("Steps that are forecast at once."),
  gap: count.describe("Steps between the last known one and the first that is forecast."),
  series: count.describe("Number of series."),
  scored: count.describe("Series that a window of the backtest was long enough for."),
  knownAhead: z
    .array(z.string())
    .describe("Columns that forecasts should be told ahead; these here had to do without."),
  shown: z.array(shownSeries).describe("The hardest series, the median one and the easiest."),
  windows: z
    .array(
      z.object({
        learned: span.describe("What lies before its origin, of the series `windowsOf`."),
        tested: span.describe("What was forecast, of that series."),
        series: count.describe("Series that it tests."),
        ...errors,
      }),
    )
    .describe("Of the backtest, oldest first."),
  windowsOf: z.string().describe("The series whose spans `windows` has: the longest."),
  endsDiffer: z.boolean().describe("Whether series end at other times, and windows with them."),
  bySteps: z
    .array(
      z.object({
        from: count.describe("First step of the stretch, from 1."),
        to: count.describe("Last step of it."),
        ...errors,
      }),
    )
    .describe("Errors by the step of the horizon; of a long horizon by stretches."),
  bySeries: z
    .object({
      edges: z.array(z.number()).describe("Of `counts`, in units of `mase`."),
      counts: z.array(count).describe("Series between two edges; the last edge is inside."),
      beyond: count.describe("Series above the last edge."),
      median: z.number().describe("Of the series' `mase`."),
      hardest: z
        .array(z.object({ name: z.string(), ...errors }))
        .describe("The series with the largest `mase`."),
    })
    .optional()
    .describe("How errors are spread over series; absent where there are few."),
  seasons: z
    .array(
      z.object({
        length: count.describe("Steps of the season."),
        relative: z
          .boolean()
          .describe("Whether differences are shares of each series' mean size; else of the label."),
        series: count.describe("Series that were looked at."),
        places: z
          .array(
            z.object({
              name: z.string().describe("Such as `Mon`, or the number of the place."),
              mean: z.number().describe("Mean difference to the level of the season around it."),
              low: z.number().describe("First quartile of the differences."),
              high: z.number().describe("Third quartile."),
            }),
          )
          .describe("In the order of the season."),
      }),
    )
    .describe("What is usual at each place of a season."),
  autocorrelation: z
    .object({
      values: z.array(z.number()).describe("Of lags 1, 2, …, in steps; each in [-1, 1]."),
      bound: z.number().describe("Noise lies within ± this at 19 of 20 lags."),
      count: count.describe("Errors that it is of."),
    })
    .optional()
    .describe("Of errors out of fold, each over the scale of its series."),
});

export type ForecastsSection = z.infer<typeof forecastsSchema>;
