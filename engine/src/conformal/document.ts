/** What of this room lies in `model.json`. */

import { z } from "zod";
import { HIGHEST_LEVEL, LOWEST_LEVEL } from "./levels.ts";

/** What a run may be asked for. */
export const coverageSchema = z.number().gt(LOWEST_LEVEL).max(HIGHEST_LEVEL);

export const intervalPartSchema = z.object({
  kind: z.literal("interval"),
  /** The level that the run was asked for. */
  coverage: z.number(),
  /** Out-of-fold rows of a positive weight. */
  rows: z.int(),
  /** Of those rows, where they are grouped. */
  groups: z.int().optional(),
  difficulty: z.object({ at: z.array(z.number()).min(1), scale: z.array(z.number()).min(1) }),
  /** By ascending level. */
  levels: z
    .array(
      z.object({
        level: z.number(),
        /** Added to the prediction, times its difficulty; null: the rows are too few for the level. */
        bounds: z.tuple([z.number(), z.number()]).nullable(),
      }),
    )
    .min(1),
  /** Mean square of the residuals over their difficulty. */
  meanSquare: z.number(),
  /** Folds' models are averaged, and rows are exchangeable: see `model/fold-ambiguity.ts`. */
  narrowed: z.boolean(),
  /** 0 where no target was negative / positive; else null. */
  least: z.literal(0).nullable(),
  most: z.literal(0).nullable(),
});

export const setPartSchema = z.object({
  kind: z.literal("set"),
  coverage: z.number(),
  rows: z.int(),
  groups: z.int().optional(),
  /** By ascending level. */
  levels: z
    .array(
      z.object({
        level: z.number(),
        /**
         * Probability from which a class is in the set besides the label: one for all classes, or one
         * a class. 0: all are; null: none is.
         */
        from: z.array(z.number().nullable()).min(1),
        /** The rows (of some class) are too few for the level, so that more classes are in. */
        unlimited: z.boolean(),
      }),
    )
    .min(1),
});

const forecastPartSchema = z.object({
  kind: z.literal("forecast"),
  coverage: z.number(),
  /** Forecasts of the backtest whose truth is known. */
  rows: z.int(),
  /** Steps. */
  horizon: z.int().min(1),
  /** What errors are measured in: changes of the recent past, or in former versions of all of it. */
  scale: z.enum(["all", "recent"]).default("all"),
  /** Of stretches of the horizon, equally long: mean absolute error over the series' scale. */
  growth: z.array(z.number().positive()).min(1),
  /** Ascending. */
  levels: z.array(z.number()).min(1),
  /** Of each level, what is added to a forecast, over scale and growth; null: too few rows. */
  quantiles: z.array(z.number().nullable()).min(1),
  /** The outermost levels that the rows tell; those beyond are stretched from them. Absent: they tell all. */
  told: z.tuple([z.number(), z.number()]).optional(),
});

export const conformalPartSchema = z.discriminatedUnion("kind", [
  intervalPartSchema,
  setPartSchema,
  forecastPartSchema,
]);

/** What was measured on rows that neither the model's members nor these parts learned from. */
export const uncertaintyCardSchema = z.object({
  kind: z.enum(["interval", "set", "forecast"]),
  /** The nominal share of rows to come that their interval or set holds. */
  coverage: z.number(),
  /** The share of out-of-fold rows, cross-fitted by fold; null where there is nothing to measure. */
  measured: z.number().nullable(),
  /** Intervals: mean width, in units of the target; null where some have no end. */
  meanWidth: z.number().nullable().optional(),
  /** Sets: mean count of classes. */
  meanSize: z.number().nullable().optional(),
  /** Forecasts: windows of the backtest that the coverage rests on. */
  windows: z.int().optional(),
  /** Sets: the measured coverage of each class; null where it has no rows. */
  byClass: z.record(z.string(), z.number().nullable()).optional(),
  warnings: z.array(z.string()),
});

export type IntervalPart = z.infer<typeof intervalPartSchema>;
export type SetPart = z.infer<typeof setPartSchema>;
export type ForecastPart = z.infer<typeof forecastPartSchema>;
/** What a model holds for its intervals or sets, as `model.json` has it. */
export type ConformalPart = z.infer<typeof conformalPartSchema>;
/** How well a model's intervals or sets hold, as its card has it. */
export type UncertaintyCard = z.infer<typeof uncertaintyCardSchema>;
