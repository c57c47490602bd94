/** What a model keeps of its series, beside their values. */

import { z } from "zod";

const frequencySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("regular"), step: z.number(), origin: z.number() }),
  z.object({
    kind: z.literal("months"),
    step: z.int(),
    origin: z.int(),
    day: z.int(),
    end: z.boolean(),
    time: z.number(),
  }),
  z.object({ kind: z.literal("business_days"), time: z.number() }),
]);

const cellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const headerSchema = z.object({
  label: z.string(),
  timeColumn: z.string(),
  isTime: z.boolean(),
  frequency: frequencySchema,
  horizon: z.int().min(1),
  gap: z.int().min(0),
  seasons: z.array(z.int()),
  seriesColumns: z.array(z.string()),
  known: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["numeric", "boolean", "categorical", "text", "timestamp"]),
    }),
  ),
  /** Numeric columns that change with time and are known of the past alone. */
  past: z.array(z.string()).default([]),
  /** Columns of one value a series, with its cells. */
  static: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["numeric", "boolean", "categorical", "text", "timestamp"]),
      cells: z.array(cellSchema),
    }),
  ),
  keys: z.array(z.array(z.string())),
});

export type Header = z.infer<typeof headerSchema>;
/** Of a column, by its kind; null is missing. */
export type Cell = z.infer<typeof cellSchema>;
