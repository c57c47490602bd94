/** Aggregates of many columns from one pass over a file. */

import type { FileQueries } from "../parquet-file.ts";

/** Aggregate expressions of one column, by name. */
export type Fact = Readonly<Record<string, string>>;

/** Columns that are aggregated in one statement. */
const COLUMNS_A_PASS = 64;

/** One record a fact list, in order; values are numbers, booleans or null. */
export async function readFacts(
  file: FileQueries,
  facts: readonly Fact[],
): Promise<Readonly<Record<string, unknown>>[]> {
  const found: Record<string, unknown>[] = [];
  for (let start = 0; start < facts.length; start += COLUMNS_A_PASS) {
    const slice = facts.slice(start, start + COLUMNS_A_PASS);
    const list = slice.flatMap((fact, at) =>
      Object.entries(fact).map(([name, sql]) => `${asJson(sql)} AS c${at}_${name}`),
    );
    const [row = {}] = await file.rows(`SELECT ${list.join(", ")} FROM file`);
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
