/**
 * How many different values a column has: counted where they are few, else estimated from those
 * whose hashes fall into a known share of the range (Wegman's adaptive sampling; Flajolet, "On
 * adaptive sampling", Computing 43, 1990), sized by HyperLogLog's first guess.
 */

import type { FileQueries } from "../parquet-file.ts";
import { numberOf } from "./facts.ts";

/** Guessed to have more than this, they are not counted one by one. */
export const EXACT_DISTINCT = 500_000;
/** Hashes to be met in the sample: the estimate is within 2 % or so. */
const SAMPLE = 16_384;
const HASHES = 2n ** 64n;

export interface Distinct {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** @param value an SQL expression @param guess by `approx_count_distinct`, within some 30 % */
export async function countDistinct(
  file: FileQueries,
  value: string,
  guess: number,
): Promise<Distinct> {
  if (guess <= EXACT_DISTINCT) return { count: await exactly(file, value), isEstimate: false };
  const below = (HASHES * BigInt(SAMPLE)) / BigInt(Math.round(guess));
  const [row = {}] = await file.rows(
    `SELECT CAST(count(DISTINCT h) AS DOUBLE) AS n
     FROM (SELECT hash(${value}) AS h FROM file WHERE (${value}) IS NOT NULL)
     WHERE h < CAST(${below} AS UBIGINT)`,
  );
  const share = Number(below) / Number(HASHES);
  return { count: Math.round(numberOf(row["n"]) / share), isEstimate: true };
}

export async function exactly(file: FileQueries, value: string): Promise<number> {
  const [row = {}] = await file.rows(
    `SELECT CAST(count(DISTINCT ${value}) AS DOUBLE) AS n FROM file`,
  );
  return numberOf(row["n"]);
}
