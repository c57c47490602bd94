/**
 * A column's values with their rows, in ascending order, for the engine to find those that are hardly
 * meant. Of many different values both ends are exact, and quantiles stand for what lies between.
 */

import type { ValueCounts } from "@distillery/engine";
import type { FileQueries } from "../parquet-file.ts";
import type { ColumnReading } from "./column-type.ts";
import { type Facts, numberOf } from "./facts.ts";

/** Different values that are listed one by one. */
const LISTED = 2000;
/** Rows of each end: more than that, however far, are a part of the distribution. */
const END_ROWS = 1002;
/** Points of the middle. */
const POINTS = 512;

type NumberReading = Extract<ColumnReading, { kind: "numeric" | "timestamp" }>;

/** @param facts of `numberFacts` */
export async function valueCounts(
  file: FileQueries,
  { value, mayBeInfinite }: NumberReading,
  facts: Facts,
): Promise<ValueCounts> {
  const infinite = numberOf(facts["present"]) - numberOf(facts["finite"]);
  const finite = mayBeInfinite
    ? `(${value}) IS NOT NULL AND isfinite(${value})`
    : `(${value}) IS NOT NULL`;
  const pairs = await finiteCounts(file, `(SELECT ${value} AS v FROM file WHERE ${finite})`, facts);
  if (infinite > 0) {
    const [row = {}] = await file.rows(
      `SELECT CAST(count(*) FILTER (${value} < 0 AND NOT isfinite(${value})) AS DOUBLE) AS n FROM file`,
    );
    const below = numberOf(row["n"]);
    if (below > 0) pairs.unshift([Number.NEGATIVE_INFINITY, below]);
    if (infinite > below) pairs.push([Number.POSITIVE_INFINITY, infinite - below]);
  }
  return {
    values: Float64Array.from(pairs, ([at]) => at),
    counts: Float64Array.from(pairs, ([, count]) => count),
  };
}

type Pair = readonly [value: number, rows: number];

async function finiteCounts(file: FileQueries, from: string, facts: Facts): Promise<Pair[]> {
  const rows = numberOf(facts["finite"]);
  if (rows === 0) return [];
  // A sample that hardly repeats a value is of a column with many.
  const many = numberOf(facts["different"]) > LISTED;
  if (!many) {
    const listed = await pairsOf(
      file,
      `SELECT v, CAST(count(*) AS DOUBLE) AS n FROM ${from} GROUP BY v ORDER BY v LIMIT ${LISTED + 1}`,
    );
    if (listed.length <= LISTED) return listed;
  }
  const [low, high] = [numberOf(facts["min"]) + 0, numberOf(facts["max"]) + 0];
  const inner = `(SELECT v FROM ${from} WHERE v > '${low}'::DOUBLE AND v < '${high}'::DOUBLE)`;
  const [lowest, highest] = await ends(file, from, low, high);
  const between = rows - lowest - highest;
  const end = (order: string): Promise<Pair[]> =>
    pairsOf(
      file,
      `SELECT v, CAST(count(*) AS DOUBLE) AS n FROM (SELECT v FROM ${inner} ORDER BY v ${order} LIMIT ${END_ROWS}) GROUP BY v ORDER BY v`,
    );
  // Where most rows are at the ends, little is left between.
  if (between <= 2 * END_ROWS) {
    const inside = await pairsOf(
      file,
      `SELECT v, CAST(count(*) AS DOUBLE) AS n FROM ${inner} GROUP BY v ORDER BY v`,
    );
    return merged([[low, lowest], ...inside, [high, highest]]);
  }
  const below = await end("ASC");
  const above = await end("DESC");
  const middle = between - 2 * END_ROWS;
  const shares = Array.from(
    { length: POINTS },
    (_, point) => (END_ROWS + ((point + 0.5) * middle) / POINTS) / between,
  );
  const points = await pairsOf(
    file,
    `SELECT unnest(quantile_disc(v, [${shares.join(", ")}])) AS v, CAST(${middle / POINTS} AS DOUBLE) AS n FROM ${inner}`,
  );
  return merged([[low, lowest], ...below, ...points, ...above, [high, highest]]);
}

async function ends(
  file: FileQueries,
  from: string,
  low: number,
  high: number,
): Promise<readonly [number, number]> {
  const [row = {}] = await file.rows(
    `SELECT CAST(count(*) FILTER (v = '${low}'::DOUBLE) AS DOUBLE) AS low,
       CAST(count(*) FILTER (v = '${high}'::DOUBLE) AS DOUBLE) AS high FROM ${from}`,
  );
  return [numberOf(row["low"]), numberOf(row["high"])];
}

async function pairsOf(file: FileQueries, sql: string): Promise<Pair[]> {
  const found = await file.rows(sql);
  return found.map(({ v, n }) => [numberOf(v) + 0, numberOf(n)] as const);
}

/** Ascending, each value once. */
function merged(pairs: readonly Pair[]): Pair[] {
  const all: [number, number][] = [];
  for (const [value, rows] of pairs) {
    const last = all.at(-1);
    if (last !== undefined && last[0] === value) last[1] += rows;
    else all.push([value, rows]);
  }
  return all;
}
