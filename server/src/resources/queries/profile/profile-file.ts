/**
 * What a Parquet file holds, told by SQL over the file where it lies: the engine's own inspection
 * (kinds, missing and distinct values, quantiles, histograms, top values) without reading the rows
 * into JavaScript. One pass gives the aggregates of all columns; distinct values, histograms and
 * top values are a pass over their column each.
 */

import {
  type ColumnProfile,
  checkNames,
  DataError,
  type Inspection,
  profileRecord,
} from "@distillery/engine";
import { quoteName } from "../../../query/sql-text.ts";
import type { FileQueries } from "../parquet-file.ts";
import { type ColumnReading, columnReading } from "./column-type.ts";
import { numberOf, readFacts } from "./facts.ts";
import { numberFacts, profileNumbers, sampledShare } from "./number-profile.ts";
import { profileBooleans, profileTexts, textFacts } from "./text-profile.ts";

export interface ProfileOptions {
  readonly file: FileQueries;
  /** The engine's own inspection of some columns, where SQL cannot tell their kind. */
  readonly inspect: (columns: readonly string[]) => Promise<Inspection>;
}

export interface ReadColumn {
  readonly name: string;
  readonly reading: ColumnReading;
}

/** How the engine reads the file's columns. @throws DataError naming the one that no table can hold; SqlError */
export async function readColumns(file: FileQueries): Promise<readonly ReadColumn[]> {
  const described = (await file.rows("DESCRIBE SELECT * FROM file")).map((row) => ({
    name: String(row["column_name"]),
    type: String(row["column_type"]),
  }));
  checkNames(described.map(({ name }) => name));
  return described.map(({ name, type }) => {
    const reading = columnReading(name, type);
    if (reading !== null) return { name, reading };
    throw unusable(name, type);
  });
}

/** @throws DataError naming the column that no table can hold; SqlError */
export async function profileFile({ file, inspect }: ProfileOptions): Promise<Inspection> {
  const columns = await readColumns(file);
  const [count = {}] = await file.rows("SELECT CAST(count(*) AS DOUBLE) AS n FROM file");
  const rows = numberOf(count["n"]);
  if (rows === 0) throw new DataError("The file has columns, but no rows.");
  const share = sampledShare(rows);
  const sampled = share === null ? null : quoteName(unused(columns.map(({ name }) => name)));
  const facts = await readFacts(
    file,
    columns.map(({ name, reading }) => {
      if (reading.kind === "texts") return textFacts(name);
      if (reading.kind === "clock") return {};
      if (reading.kind !== "boolean") return numberFacts({ name, reading }, sampled);
      const cell = quoteName(name);
      return { trues: `count(*) FILTER (${cell})`, falses: `count(*) FILTER (NOT ${cell})` };
    }),
    share === null ? "file" : `(SELECT *, random() < ${share} AS ${sampled} FROM file)`,
  );
  const profiles: (ColumnProfile | null)[] = [];
  const estimated = new Set<string>();
  const warnings: string[] = [];
  for (const [at, { name, reading }] of columns.entries()) {
    const fact = facts[at] ?? {};
    let profile: ColumnProfile | null;
    if (reading.kind === "boolean") profile = profileBooleans(name, rows, fact);
    else if (reading.kind === "texts") profile = await profileTexts(file, name, rows, fact);
    else if (reading.kind === "clock") profile = null;
    else {
      const numbers = await profileNumbers(file, { name, reading }, rows, fact);
      // Whether doubles tell its integers apart, and so which kind it is, the engine says.
      profile = numbers.mayLoseDigits ? null : numbers.profile;
      if (numbers.quantilesAreEstimates && profile !== null) estimated.add(name);
    }
    if (profile?.missing === rows) warnings.push(`Column ${JSON.stringify(name)} has no values.`);
    profiles.push(profile);
  }
  const left = columns.flatMap(({ name }, at) => (profiles[at] === null ? [name] : []));
  const inspected = left.length === 0 ? null : await inspect(left);
  return {
    rows,
    columns: columns.map(({ name }, at) => {
      const profile = profiles[at];
      if (profile != null) return { name, kind: profile.kind, nullable: profile.missing > 0 };
      return found(inspected?.columns, name);
    }),
    profile: columns.map(({ name }, at) => {
      const profile = profiles[at];
      if (profile != null) {
        const marks = estimated.has(name) ? { quantiles_are_estimates: true } : {};
        return { ...profileRecord(profile), ...marks };
      }
      return found(inspected?.profile, name);
    }),
    warnings: [...warnings, ...(inspected?.warnings ?? [])],
  };
}

function found<T extends { readonly name?: unknown }>(
  all: readonly T[] | undefined,
  name: string,
): T {
  const one = all?.find((each) => each.name === name);
  if (one === undefined) throw new Error(`the inspection lacks column ${name}`);
  return one;
}

/** A name that none of the columns has, in any case. */
function unused(names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = "sampled";
  while (taken.has(name)) name += "_";
  return name;
}

const HINTS: Readonly<Record<string, string>> = {
  BLOB: "leave it out, or take to_hex of it",
  INTERVAL: "leave it out, or take the seconds by epoch of it",
  UUID: "cast it to VARCHAR",
};

export function unusable(name: string, type: string): DataError {
  const hint = HINTS[type] ?? "leave it out, flatten it first, or take to_json of it";
  return new DataError(
    `Column ${JSON.stringify(name)} is of the type ${type}, which does not have one value per row; ${hint}.`,
    { column: name },
  );
}
