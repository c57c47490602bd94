/**
 * What a table's file says of itself beside its columns: their kinds, what reading them first gave
 * warning of, and statistics of its groups of rows.
 */

import { z } from "zod";
import { ArrowFileError } from "../arrow/file-error.ts";
import type { ArrowSchema } from "../arrow/messages.ts";
import { STAMP_FORMS } from "../readers/stamps.ts";
import { SLASHED_ORDERS } from "../readers/timestamp-text.ts";
import { COLUMN_KINDS, type TimestampColumn } from "../table.ts";

/** The key in the Arrow schema's custom metadata, whose value is JSON. */
export const METADATA_KEY = "distillery.table";
/** Rows of a record batch; the last has the rest. */
export const GROUP_ROWS = 65_536;

/** Of the rows of each group, in their order. */
const statisticsSchema = z.object({
  missing: z.array(z.int().nonnegative()),
  /** Of numbers, times and booleans: the least and the greatest; null = not bounded, or no value. */
  low: z.array(z.number().nullable()).optional(),
  high: z.array(z.number().nullable()).optional(),
  /** Of categories: the codes that are there; null = too many to list. */
  codes: z.array(z.array(z.int().nonnegative()).nullable()).optional(),
});
export type ColumnStatistics = z.output<typeof statisticsSchema>;

const storedColumnSchema = z.object({
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  slashed: z.enum(SLASHED_ORDERS).optional(),
  either: z.boolean().optional(),
  stamp: z.enum(STAMP_FORMS).optional(),
  zoned: z.boolean().optional(),
  /** The place of the field with the cells as they were written, where that differs. */
  written: z.int().nonnegative().optional(),
  statistics: statisticsSchema,
});
export type StoredColumn = z.output<typeof storedColumnSchema>;

const storedMetadataSchema = z.object({
  version: z.literal(1),
  rows: z.int().positive(),
  groupRows: z.int().positive(),
  /** One a column, in the order of the fields; fields behind them are of written cells. */
  columns: z.array(storedColumnSchema).min(1),
  /** What every reading of the original would say, its kinds being known. */
  warnings: z.array(z.string()),
});
export type StoredMetadata = z.output<typeof storedMetadataSchema>;

type TimeForm = Pick<TimestampColumn, "slashed" | "either" | "stamp" | "zoned">;

/** How a column's times were written, with the members that are known of it alone. */
export function timeFormOf({
  slashed,
  either,
  stamp,
  zoned,
}: { readonly [Member in keyof TimeForm]: TimeForm[Member] | undefined }): TimeForm {
  return {
    ...(slashed && { slashed }),
    ...(either && { either }),
    ...(stamp && { stamp }),
    ...(zoned && { zoned }),
  };
}

/** @throws ArrowFileError where the file is none of a table's */
export function storedMetadataOf({ metadata }: Pick<ArrowSchema, "metadata">): StoredMetadata {
  const json = metadata.get(METADATA_KEY);
  if (json === undefined) throw new ArrowFileError("the file is not that of a table");
  return storedMetadataSchema.parse(JSON.parse(json));
}
