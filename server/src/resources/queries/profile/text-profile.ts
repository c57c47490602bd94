/**
 * Columns of texts: which kind the engine infers of them (`engine/src/data/readers/text-inference.ts`)
 * and their profile, by SQL.
 */

import { type ColumnProfile, DataError, kindOfTexts, TOP_VALUES } from "@distillery/engine";
import { quoteName } from "../../../query/sql-text.ts";
import type { FileQueries } from "../parquet-file.ts";
import { countDistinct, estimateDistinct } from "./distinct.ts";
import { type Fact, type Facts, numberOf, readFacts } from "./facts.ts";

/** Guessed to have more different texts than this, a column's are not counted one by one. */
const EXACT_DISTINCT = 500_000;
/** Where values are too many to count all, those of the first rows are counted. */
const CANDIDATE_ROWS = 100_000;
/** An estimate of distinct values this near to half the rows does not decide. */
const UNDECIDED = 0.1;

export const textFacts = (name: string): Fact => ({
  present: `count(${quoteName(name)})`,
  approximately: `approx_count_distinct(${quoteName(name)})`,
});

/** Of the different texts `v`, each in `n` rows. */
const FACTS: Fact = {
  // UTF-16 code units: those of texts beyond the first plane count twice.
  units: `sum(n * CASE WHEN strlen(v) = length(v) THEN length(v) ELSE length(v) + length(regexp_replace(v, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) END)`,
  booleans: "bool_and(lower(v) IN ('true', 'false'))",
  nul: "bool_or(contains(v, chr(0)))",
  // No text that the engine reads as a time fails this.
  times: "bool_and(regexp_matches(v, '^[^0-9]*[0-9]{1,4}[-/.][0-9]'))",
  trues: "sum(n) FILTER (lower(v) = 'true')",
  falses: "sum(n) FILTER (lower(v) = 'false')",
};

/** Null where only the engine's own reading can tell: every text looks like a time. */
export async function profileTexts(
  file: FileQueries,
  name: string,
  rows: number,
  counts: Facts,
): Promise<ColumnProfile | null> {
  const cell = quoteName(name);
  const present = numberOf(counts["present"]);
  const shared = { name, count: rows, missing: rows - present, infinite: 0, summary: null };
  if (present === 0) {
    return { ...shared, kind: "numeric", distinct: 0, distinctIsEstimate: false, top: [] };
  }
  const many = numberOf(counts["approximately"]) > EXACT_DISTINCT;
  // By its place: a column of the file may be called v.
  const different = many
    ? `(SELECT ${cell} AS v, 1 AS n FROM file)`
    : `(SELECT ${cell} AS v, count(*) AS n FROM file GROUP BY 1)`;
  const [facts = {}] = await readFacts(file, [{ ...FACTS, distinct: "count(v)" }], different);
  if (facts["nul"] === true) {
    throw new DataError(
      `Column ${JSON.stringify(name)} has a NUL character in a text; take it out: replace(${cell}, chr(0), '').`,
      { column: name },
    );
  }
  if (facts["booleans"] === true) {
    const [trues, falses] = [numberOf(facts["trues"] ?? 0), numberOf(facts["falses"] ?? 0)];
    return profileBooleans(name, rows, { trues, falses });
  }
  if (facts["times"] === true) return null;
  let distinct = many ? await estimateDistinct(file, cell, rows) : numberOf(facts["distinct"]);
  const undecided = many && Math.abs((distinct * 2) / present - 1) < UNDECIDED;
  if (undecided) distinct = await countDistinct(file, cell);
  return {
    ...shared,
    kind: kindOfTexts(distinct, present, numberOf(facts["units"])),
    distinct,
    distinctIsEstimate: many && !undecided,
    top: await topTexts(file, cell, many),
  };
}

/** @param facts counts of `trues` and `falses` */
export function profileBooleans(name: string, rows: number, facts: Facts): ColumnProfile {
  const [trues, falses] = [numberOf(facts["trues"]), numberOf(facts["falses"])];
  const top = [
    { value: "false", count: falses },
    { value: "true", count: trues },
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return {
    name,
    kind: "boolean",
    count: rows,
    missing: rows - trues - falses,
    distinct: top.length,
    distinctIsEstimate: false,
    infinite: 0,
    summary: null,
    top,
  };
}

async function topTexts(
  file: FileQueries,
  cell: string,
  many: boolean,
): Promise<{ value: string; count: number }[]> {
  const candidates = `AND ${cell} IN (SELECT ${cell} FROM file WHERE ${cell} IS NOT NULL LIMIT ${CANDIDATE_ROWS})`;
  const found = await file.rows(
    `SELECT ${cell} AS value, CAST(count(*) AS DOUBLE) AS n FROM file
     WHERE ${cell} IS NOT NULL ${many ? candidates : ""}
     GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${TOP_VALUES}`,
  );
  return found.map(({ value, n }) => ({ value: String(value), count: numberOf(n) }));
}
