/**
 * Columns of texts: which kind the engine infers of them (`engine/src/data/readers/string-column.ts`)
 * and their profile, by SQL.
 */

import { type ColumnProfile, DataError, kindOfTexts, TOP_VALUES } from "@distillery/engine";
import type { FileQueries } from "../parquet-file.ts";
import { quoted } from "./column-type.ts";
import { countDistinct, exactly } from "./distinct.ts";
import { type Fact, numberOf } from "./facts.ts";

/** Where values are too many to count all, those of the first rows are counted. */
const CANDIDATE_ROWS = 100_000;
/** An estimate of distinct values this near to half the rows does not decide. */
const UNDECIDED = 0.1;

export const textFacts = (name: string): Fact => {
  const cell = quoted(name);
  return {
    present: `count(${cell})`,
    approximately: `approx_count_distinct(${cell})`,
    // UTF-16 code units: those of texts beyond the first plane count twice.
    units: `sum(CASE WHEN strlen(${cell}) = length(${cell}) THEN length(${cell}) ELSE length(${cell}) + length(regexp_replace(${cell}, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')) END)`,
    booleans: `bool_and(lower(${cell}) IN ('true', 'false'))`,
    nul: `bool_or(contains(${cell}, chr(0)))`,
    // No text that the engine reads as a time fails this.
    times: `bool_and(regexp_matches(${cell}, '^[^0-9]*[0-9]{1,4}[-/.][0-9]'))`,
    trues: `count(*) FILTER (lower(${cell}) = 'true')`,
  };
};

/** Null where only the engine's own reading can tell: every text looks like a time. */
export async function profileTexts(
  file: FileQueries,
  name: string,
  rows: number,
  facts: Readonly<Record<string, unknown>>,
): Promise<ColumnProfile | null> {
  const present = numberOf(facts["present"]);
  const shared = { name, count: rows, missing: rows - present, infinite: 0, summary: null };
  if (present === 0) {
    return { ...shared, kind: "numeric", distinct: 0, distinctIsEstimate: false, top: [] };
  }
  if (facts["nul"] === true) {
    throw new DataError(
      `Column ${JSON.stringify(name)} has a NUL character in a text; replace it.`,
      {
        column: name,
      },
    );
  }
  if (facts["booleans"] === true) {
    const trues = numberOf(facts["trues"]);
    return { ...shared, ...booleanCounts(trues, present - trues) };
  }
  if (facts["times"] === true) return null;
  let distinct = await countDistinct(file, quoted(name), numberOf(facts["approximately"]));
  const many = distinct.isEstimate;
  if (many && Math.abs((distinct.count * 2) / present - 1) < UNDECIDED) {
    distinct = { count: await exactly(file, quoted(name)), isEstimate: false };
  }
  return {
    ...shared,
    kind: kindOfTexts(distinct.count, present, numberOf(facts["units"])),
    distinct: distinct.count,
    distinctIsEstimate: distinct.isEstimate,
    top: await topTexts(file, quoted(name), many),
  };
}

/** Booleans' part of a profile. */
export function booleanCounts(
  trues: number,
  falses: number,
): Pick<ColumnProfile, "kind" | "distinct" | "distinctIsEstimate" | "top"> {
  const top = [
    { value: "false", count: falses },
    { value: "true", count: trues },
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return { kind: "boolean", distinct: top.length, distinctIsEstimate: false, top };
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
     GROUP BY ${cell} ORDER BY count(*) DESC, ${cell} LIMIT ${TOP_VALUES}`,
  );
  return found.map(({ value, n }) => ({ value: String(value), count: numberOf(n) }));
}
