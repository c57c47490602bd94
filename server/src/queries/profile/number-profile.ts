/** Profiles of numbers and times, computed by SQL to agree with the engine's own. */

import {
  type ColumnProfile,
  HISTOGRAM_BINS,
  histogramEdges,
  type NumberSummary,
  QUANTILES,
} from "@distillery/engine";
import type { FileQueries } from "../parquet-file.ts";
import type { ColumnReading } from "./column-type.ts";
import { countDistinct } from "./distinct.ts";
import { type Fact, numberOf } from "./facts.ts";

/** Up to here quantiles are exact; beyond they come from a t-digest. */
export const EXACT_QUANTILE_ROWS = 1_000_000;

type NumberReading = Extract<ColumnReading, { kind: "numeric" | "timestamp" }>;

export const numberFacts = ({ value, mayBeInfinite }: NumberReading, rows: number): Fact => {
  const finite = mayBeInfinite ? `CASE WHEN isfinite(${value}) THEN ${value} END` : value;
  const list = `[${QUANTILES.join(", ")}]`;
  const quantiles =
    rows <= EXACT_QUANTILE_ROWS
      ? `quantile_cont(${finite}, ${list})`
      : `approx_quantile(${finite}, ${list})`;
  return {
    present: `count(${value})`,
    finite: `count(${finite})`,
    approximately: `approx_count_distinct(${value})`,
    min: `min(${finite})`,
    max: `max(${finite})`,
    mean: `avg(${finite})`,
    std: `stddev_samp(${finite})`,
    ...Object.fromEntries(QUANTILES.map((_, at) => [`q${at}`, `${quantiles}[${at + 1}]`])),
  };
};

export interface NumberProfile {
  readonly profile: ColumnProfile;
  readonly quantilesAreEstimates: boolean;
  /** Integers that a double cannot hold exactly. */
  readonly inexact: boolean;
}

export async function profileNumbers(
  file: FileQueries,
  name: string,
  reading: NumberReading,
  rows: number,
  facts: Readonly<Record<string, unknown>>,
): Promise<NumberProfile> {
  const present = numberOf(facts["present"]);
  const finite = numberOf(facts["finite"]);
  const distinct = await countDistinct(file, reading.value, numberOf(facts["approximately"]));
  const summary = finite === 0 ? null : await summarise(file, reading.value, finite, facts);
  const beyond = (value: number): boolean => Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return {
    profile: {
      name,
      kind: reading.kind,
      count: rows,
      missing: rows - present,
      distinct: distinct.count,
      distinctIsEstimate: distinct.isEstimate,
      infinite: present - finite,
      summary,
      top: [],
    },
    quantilesAreEstimates: summary !== null && rows > EXACT_QUANTILE_ROWS,
    inexact: reading.whole && summary !== null && (beyond(summary.min) || beyond(summary.max)),
  };
}

async function summarise(
  file: FileQueries,
  value: string,
  finite: number,
  facts: Readonly<Record<string, unknown>>,
): Promise<NumberSummary> {
  // Plus zero: a negative zero is shown as zero.
  const min = numberOf(facts["min"]) + 0;
  const max = numberOf(facts["max"]) + 0;
  return {
    min,
    max,
    mean: numberOf(facts["mean"]),
    std: finite > 1 ? numberOf(facts["std"]) : 0,
    quantiles: QUANTILES.map((q, at) => ({ q, value: numberOf(facts[`q${at}`]) })),
    histogram: {
      edges: histogramEdges(min, max),
      counts: min === max ? [finite] : await histogram(file, value, min, max),
    },
  };
}

/** The bin is guessed by a division and then set right by the very edges that are shown. */
async function histogram(
  file: FileQueries,
  value: string,
  min: number,
  max: number,
): Promise<number[]> {
  const last = HISTOGRAM_BINS - 1;
  const edge = (bin: string): string =>
    `(low + (high - low) * ((${bin}) / ${HISTOGRAM_BINS}.0::DOUBLE))`;
  const counts = new Array<number>(HISTOGRAM_BINS).fill(0);
  const found = await file.rows(
    `WITH cells AS (SELECT ${value} AS v, CAST($1 AS DOUBLE) AS low, CAST($2 AS DOUBLE) AS high FROM file),
     guessed AS (
       SELECT v, low, high, greatest(0, least(${last}, floor((v - low) / (high - low) * ${HISTOGRAM_BINS}))) AS b
       FROM cells WHERE v IS NOT NULL AND isfinite(v))
     SELECT CASE WHEN v < ${edge("b")} THEN b - 1
                 WHEN b < ${last} AND v >= ${edge("b + 1")} THEN b + 1 ELSE b END AS bin,
            CAST(count(*) AS DOUBLE) AS n
     FROM guessed GROUP BY bin`,
    [min, max],
  );
  for (const { bin, n } of found) counts[numberOf(bin)] = numberOf(n);
  return counts;
}
