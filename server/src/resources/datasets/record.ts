/** The dataset as the API shows it. */

import { COLUMN_KINDS } from "@distillery/engine";
import { z } from "zod";
import type { DatasetRow, ListedDataset } from "./store.ts";

const columnSchema = z.object({
  name: z.string(),
  datatype: z.object({ kind: z.enum(COLUMN_KINDS) }),
  nullable: z.boolean(),
});

export const datasetSchema = z.object({
  dataset_id: z.uuid(),
  name: z.string(),
  rows: z.int(),
  bytes: z.int(),
  hash: z.string().describe("SHA-256 of the bytes that it was made from, lowercase hex."),
  source: z.record(z.string(), z.unknown()),
  columns: z.array(columnSchema),
  warnings: z.array(z.string()),
  created_at: z.iso.datetime(),
  sql_name: z
    .string()
    .describe(
      "Its table in the built-in catalog `datasets` of every query: `SELECT * FROM datasets.{sql_name}`. Made of its name; among datasets whose names give the same, the newest has the short one.",
    ),
  sql_stable_name: z
    .string()
    .describe("As sql_name, and never means another dataset, however many come later."),
});

/** Of a list. */
export const listedDatasetSchema = datasetSchema.extend({
  column_count: z.int().describe("How many columns it has, whether they are told or not."),
});

export const profileSchema = z.array(z.record(z.string(), z.unknown()));

export const profiledDatasetSchema = datasetSchema.extend({
  profile: profileSchema.describe(
    "One entry per column: counts, missing and distinct values, quantiles, top values.",
  ),
});

export function toDataset(row: DatasetRow): z.infer<typeof datasetSchema> {
  return {
    dataset_id: row.id,
    name: row.name,
    rows: row.rows,
    bytes: row.bytes,
    hash: row.hash,
    source: { ...row.source },
    columns: row.columns.map(({ name, kind, nullable }) => ({
      name,
      datatype: { kind },
      nullable,
    })),
    warnings: [...row.warnings],
    created_at: row.created_at.toISOString(),
    sql_name: row.sql_name,
    sql_stable_name: row.sql_stable_name,
  };
}

export const toListedDataset = (
  row: ListedDataset,
  maxColumns: number,
): z.infer<typeof listedDatasetSchema> => ({
  ...toDataset({ ...row, columns: row.columns.slice(0, maxColumns) }),
  column_count: row.column_count,
});
