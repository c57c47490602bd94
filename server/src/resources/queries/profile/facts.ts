/** Aggregates of many columns from one pass over a file. */

import type { FileQueries } from "../parquet-file.ts";

/** Aggregate expressions of one column, by name. */
export type Fact = Readonly<Record<string, string>>;

/** Their values: numbers, booleans or null. */
export type Facts = Readonly<Record<string, unknown>>;

/** Columns that are aggregated in one statement. */
const COLUMNS_A_PASS = 64;

/** One record a list of aggregates, in order. @param from a file's rows, or a part of them */
export async function readFacts(
  file: FileQueries,
  facts: readonly Fact[],
  from = "file",
): Promise<Facts[]> {
  const found: Facts[] = [];
  for (let start = 0; start < facts.length; start += COLUMNS_A_PASS) {
    const slice = facts.slice(start, start + COLUMNS_A_PASS);
    const list = slice.flatMap((fact, at) =>
      Object.entries(fact).map(([name, sql]) => `${asJson(sql)} AS c${at}_${name}`),
    );
    // Of columns that are left to the engine nothing is asked.
    const rows = list.length === 0 ? [] : await file.rows(`SELECT ${list.join(", ")} FROM ${from}`);
    const [row = {}] = rows;
    for (const [at, fact] of slice.entries()) {
      found.push(
        Object.fromEntries(Object.keys(fact).map((name) => [name, row[`c${at}_${name}`]])),
      );
    }
  }
  return found;
}

/** Counts as doubles, which JSON and JavaScript hold alike. */
const asJson = (sql: string): string => (/^bool_/.test(sql) ? sql : `CAST(${sql} AS DOUBLE)`);

/** A number of a fact; null, of no rows, is NaN. */
export const numberOf = (value: unknown): number =>
  typeof value === "number" ? value : Number.NaN;
