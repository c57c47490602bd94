/**
 * How many different values a column has: counted, or estimated from those whose hashes fall into a
 * known share of the range (Wegman's adaptive sampling; Flajolet, "On adaptive sampling",
 * Computing 43, 1990).
 */

import type { FileQueries } from "../parquet-file.ts";
import { numberOf } from "./facts.ts";

/** Hashes to be met where every value is there once. */
const SAMPLE = 65_536;
const HASHES = 2n ** 64n;

/** Within 2 % or so where at least a tenth of the rows differ. @param value an SQL expression */
export async function estimateDistinct(
  file: FileQueries,
  value: string,
  rows: number,
): Promise<number> {
  const below = (HASHES * BigInt(SAMPLE)) / BigInt(Math.max(rows, 2 * SAMPLE));
  const [row = {}] = await file.rows(
    `SELECT CAST(count(DISTINCT h) AS DOUBLE) AS n
     FROM (SELECT hash(${value}) AS h FROM file WHERE (${value}) IS NOT NULL)
     WHERE h < CAST(${below} AS UBIGINT)`,
  );
  return Math.round(numberOf(row["n"]) / (Number(below) / Number(HASHES)));
}

export async function countDistinct(file: FileQueries, value: string): Promise<number> {
  const [row = {}] = await file.rows(
    `SELECT CAST(count(DISTINCT ${value}) AS DOUBLE) AS n FROM file`,
  );
  return numberOf(row["n"]);
}
