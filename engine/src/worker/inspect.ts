/** What a file holds: its columns, their profile, and what was odd about them. */

import { type ColumnProfile, type NumberSummary, profileTable } from "../data/profile.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import type { ColumnSchema } from "../data/table.ts";
import { uncleanColumns } from "../data/unclean-columns.ts";
import type { UploadedFile } from "../trainer/plan/run-table.ts";

/** A column's profile as plain JSON; times are ISO 8601. */
export type ProfileRecord = Readonly<Record<string, unknown>>;

/** What a file of rows holds. */
export interface Inspection {
  readonly rows: number;
  readonly columns: readonly ColumnSchema[];
  readonly profile: readonly ProfileRecord[];
  readonly warnings: readonly string[];
  /** Of delimited text that is not ASCII alone: what it was read as, by the Encoding Standard's name. */
  readonly encoding?: string;
}

/** @throws DataError where the bytes are not a table of the format */
export async function inspect(file: UploadedFile): Promise<Inspection> {
  const { table, warnings, encoding } = await readTableFromFile(file.path, file);
  const profiles = profileTable(table);
  return {
    rows: table.rows,
    columns: profiles.map(({ name, kind, missing }) => ({ name, kind, nullable: missing > 0 })),
    profile: profiles.map(profileRecord),
    warnings: [...warnings, ...uncleanColumns(table.columns)].map(({ message }) => message),
    ...(encoding !== undefined && { encoding }),
  };
}

/** The profile as it is stored and shown. */
export function profileRecord(profile: ColumnProfile): ProfileRecord {
  const { name, kind, count, missing, distinct, distinctIsEstimate, infinite, summary, top } =
    profile;
  const { implausible = [] } = profile;
  return {
    name,
    kind,
    count,
    missing,
    distinct,
    distinct_is_estimate: distinctIsEstimate,
    ...(infinite > 0 ? { infinite } : {}),
    ...(implausible.length > 0 ? { implausible } : {}),
    ...(summary ? (kind === "timestamp" ? withTimes(summary) : summary) : {}),
    ...(top.length > 0 ? { top_values: top } : {}),
  };
}

function withTimes({ min, max, mean, std, quantiles, histogram }: NumberSummary): ProfileRecord {
  return {
    min: isoTime(min),
    max: isoTime(max),
    mean: isoTime(mean),
    std_days: std / 86_400_000,
    quantiles: quantiles.map(({ q, value }) => ({ q, value: isoTime(value) })),
    histogram: { edges: histogram.edges.map(isoTime), counts: histogram.counts },
  };
}

/** Null beyond the years that ISO 8601 can say. */
function isoTime(milliseconds: number): string | null {
  const time = new Date(Math.round(milliseconds));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
