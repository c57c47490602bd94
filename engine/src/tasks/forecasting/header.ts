/** What a model keeps of its series, beside their values. */

import { z } from "zod";
import { SLASHED_ORDERS } from "../../data/readers/timestamp-text.ts";
import { type StepColumn, stepColumnSchema } from "../step-columns.ts";
import type { Clock } from "./clock.ts";

/** Of a horizon, a gap, a season. */
export const MOST_STEPS = 10_000;

const frequencySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("regular"), step: z.number().positive(), origin: z.number() }),
  z.object({
    kind: z.literal("months"),
    step: z.int().min(1),
    origin: z.int(),
    day: z.int(),
    end: z.boolean(),
    time: z.number(),
  }),
  z.object({ kind: z.literal("business_days"), time: z.number() }),
]);

const clockSchema = z.array(z.object({ step: z.int(), shift: z.number() }));

/** How forecasts of sums and of what they sum are made to agree; the first is the default. */
export const METHODS = ["mint_shrink", "bottom_up"] as const;

const cellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const kindSchema = z.enum(["numeric", "boolean", "categorical", "text", "timestamp"]);

const constantColumnSchema = z.object({
  name: z.string(),
  kind: kindSchema,
  /** Its one value as text; null where it has none. */
  value: z.string().nullable(),
});

export type ConstantColumn = z.infer<typeof constantColumnSchema>;

export const headerSchema = z.object({
  label: z.string(),
  timeColumn: z.string(),
  isTime: z.boolean(),
  /** How the time column's dates are read. Absent: they tell by themselves. */
  slashed: z.enum(SLASHED_ORDERS).optional(),
  frequency: frequencySchema,
  /** Of stamps by local clocks (`clock.ts`): which there are, and which one each series has; -1 = none. Absent: none has. */
  clocks: z
    .object({ each: z.array(clockSchema), of: z.array(z.int().min(-1)) })
    .refine(({ each, of }) => of.every((place) => place < each.length))
    .optional(),
  /** One of all series, in former versions. */
  clock: clockSchema.optional(),
  horizon: z.int().min(1).max(MOST_STEPS),
  gap: z.int().min(0).max(MOST_STEPS),
  seasons: z.array(z.int().min(1)),
  /** Steps of a year of days or weeks. Absent: none; former versions knew of none. */
  year: z.number().positive().optional(),
  seriesColumns: z.array(z.string()),
  known: z.array(
    z.object({
      name: z.string(),
      kind: kindSchema,
      /** A blank is a value of its own, and the usual one. Absent: no. */
      blank: z.boolean().optional(),
    }),
  ),
  /** Columns that are known in advance and had one value, or none; no model reads them. Older models had them in `known`. */
  constant: z.array(constantColumnSchema).default([]),
  /** Columns that change with time and are known of the past alone; by a name alone in older models. */
  past: z
    .array(z.union([stepColumnSchema, z.string().transform((column): StepColumn => ({ column }))]))
    .default([]),
  /** Columns of one value a series, with its cells. */
  static: z.array(
    z.object({
      name: z.string(),
      kind: kindSchema,
      cells: z.array(cellSchema),
    }),
  ),
  /** Of each series, and of sums behind them: one value a series column; null = all of them are summed. */
  keys: z.array(z.array(z.string().nullable())),
  hierarchy: z
    .object({
      method: z.enum(METHODS),
      /** Series that are no sums: the first ones. */
      bottoms: z.int().min(1),
      /** Of each sum, one after the other behind them: the series that it sums, ascending. */
      members: z.array(z.array(z.int().min(0)).min(1)),
    })
    .optional(),
});

export type Header = z.infer<typeof headerSchema>;
/** A value a series column; of sums null for those that are summed over. */
export type SeriesKey = readonly (string | null)[];
/** Of a column, by its kind; null is missing. */
export type Cell = z.infer<typeof cellSchema>;

/** The values of a series' columns, as answers have them: without those that it sums over. */
export function namedKey(columns: readonly string[], key: SeriesKey): Record<string, string> {
  return Object.fromEntries(
    columns.flatMap((name, i) => {
      const value = key[i];
      return value == null ? [] : [[name, value]];
    }),
  );
}

/** @param series its number in training; -1 = it was not there */
export function clockOfSeries({ clocks, clock }: Header, series: number): Clock | undefined {
  return clocks ? clocks.each[clocks.of[series]] : clock;
}

/** What a column of the past is called in a frame. */
export function pastName({ column, level }: StepColumn): string {
  return level === undefined ? column : JSON.stringify([column, level]);
}

/** A series as messages call it. */
export function seriesName(key: SeriesKey): string {
  return key.length === 0 ? "all rows" : key.map((value) => value ?? "(all)").join(" / ");
}
