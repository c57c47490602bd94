/**
 * Profiles of numbers and times, computed by SQL to agree with the engine's own. One pass gives
 * counts, extremes and moments of all columns, and a look at a sample of the rows. Then a column with few different values is grouped by
 * them, which tells the rest exactly; of one with many, quantiles are those of the sample.
 */

import {
  type ColumnProfile,
  HISTOGRAM_BINS,
  histogramEdges,
  type Implausible,
  implausibleCounts,
  type NumberSummary,
  QUANTILES,
  wholeWidth,
} from "@distillery/engine";
import type { FileQueries } from "../parquet-file.ts";
import type { ColumnReading } from "./column-type.ts";
import { estimateDistinct } from "./distinct.ts";
import { type Fact, type Facts, numberOf } from "./facts.ts";
import { valueCounts } from "./value-counts.ts";

/** Up to here every column is grouped. */
const GROUPED_ROWS = 250_000;
/** Of more rows, about this many are looked at first. */
const SAMPLE_ROWS = 100_000;
/** A sample that repeats fewer of its values than this is of a column with many. */
const FEW = 0.9;

export interface NumberColumn {
  readonly name: string;
  readonly reading: Extract<ColumnReading, { kind: "numeric" | "timestamp" }>;
}

export interface NumberProfile {
  readonly profile: ColumnProfile;
  readonly quantilesAreEstimates: boolean;
  /** Whether it has integers beyond 2^53, not all of which doubles hold. */
  readonly mayLoseDigits: boolean;
}

const finiteOf = ({ value, mayBeInfinite }: NumberColumn["reading"]): string =>
  mayBeInfinite ? `CASE WHEN isfinite(${value}) THEN ${value} END` : value;

/** The share of the rows that `numberFacts` takes a sample of; null = none. */
export const sampledShare = (rows: number): number | null =>
  rows <= GROUPED_ROWS ? null : SAMPLE_ROWS / rows;

/** @param sampled the name of a column that is true in the sample's rows; null = no sample */
export function numberFacts({ reading }: NumberColumn, sampled: string | null): Fact {
  const finite = finiteOf(reading);
  const whole = {
    present: `count(${reading.value})`,
    finite: `count(${finite})`,
    min: `min(${finite})`,
    max: `max(${finite})`,
    mean: `avg(${finite})`,
    std: `stddev_samp(${finite})`,
    broken: `count(*) FILTER (${finite} <> trunc(${finite}))`,
  };
  if (sampled === null) return whole;
  const within = `FILTER (${sampled})`;
  const quantiles = `(quantile_cont(${finite}, [${QUANTILES.join(", ")}]) ${within})`;
  return {
    ...whole,
    seen: `count(${reading.value}) ${within}`,
    // DuckDB's estimate may be off by a fifth, which is more than tells many from few.
    different: `count(DISTINCT ${reading.value}) ${within}`,
    ...Object.fromEntries(QUANTILES.map((_, at) => [`q${at}`, `${quantiles}[${at + 1}]`])),
  };
}

/** @param facts of `numberFacts`, one a column */
export async function profileNumbers(
  file: FileQueries,
  column: NumberColumn,
  rows: number,
  facts: Facts,
): Promise<NumberProfile> {
  const many = numberOf(facts["different"]) > FEW * numberOf(facts["seen"]);
  const rest =
    many && numberOf(facts["finite"]) > 0
      ? await restOfMany(file, column, rows, facts)
      : await restOfFew(file, column, facts);
  const implausible = implausibleCounts(
    { name: column.name, kind: column.reading.kind },
    await valueCounts(file, column.reading, facts),
  );
  return profileOf(column, rows, facts, { ...rest, implausible });
}

interface Rest {
  readonly distinct: number;
  readonly isEstimate: boolean;
  readonly quantiles: readonly number[];
  readonly counts: readonly number[];
}

function profileOf(
  { name, reading }: NumberColumn,
  rows: number,
  facts: Facts,
  rest: Rest & { readonly implausible: readonly Implausible[] },
): NumberProfile {
  const { implausible } = rest;
  const [present, finite] = [numberOf(facts["present"]), numberOf(facts["finite"])];
  const summary = finite === 0 ? null : summaryOf(reading, facts, finite, rest);
  const beyond = (value: number): boolean => Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return {
    profile: {
      name,
      kind: reading.kind,
      count: rows,
      missing: rows - present,
      distinct: rest.distinct,
      distinctIsEstimate: rest.isEstimate,
      infinite: present - finite,
      ...(implausible.length > 0 ? { implausible } : {}),
      summary,
      top: [],
    },
    quantilesAreEstimates: summary !== null && rest.isEstimate,
    mayLoseDigits:
      reading.whole && summary !== null && (beyond(summary.min) || beyond(summary.max)),
  };
}

function summaryOf(
  reading: NumberColumn["reading"],
  facts: Facts,
  finite: number,
  { quantiles, counts }: Rest,
): NumberSummary {
  const { min, max } = extremes(facts);
  const edges = histogramEdges(min, max, isWhole(reading, facts));
  return {
    min,
    max,
    mean: numberOf(facts["mean"]),
    std: finite > 1 ? numberOf(facts["std"]) : 0,
    quantiles: QUANTILES.map((q, at) => ({ q, value: quantiles[at] ?? Number.NaN })),
    histogram: { edges, counts: min === max ? [finite] : counts.slice(0, edges.length - 1) },
  };
}

/** Whether all values are whole numbers. */
const isWhole = (reading: NumberColumn["reading"], facts: Facts): boolean =>
  reading.kind === "numeric" && numberOf(facts["broken"]) === 0;

/** Plus zero: a negative zero is shown as zero. */
const extremes = (facts: Facts): { min: number; max: number } => ({
  min: numberOf(facts["min"]) + 0,
  max: numberOf(facts["max"]) + 0,
});

/** A quantile lies between the values of two ranks. */
const PLACES = QUANTILES.flatMap((q, at) => [
  { q, at, side: 0 },
  { q, at, side: 1 },
]);

async function restOfFew(
  file: FileQueries,
  { reading }: NumberColumn,
  facts: Facts,
): Promise<Rest> {
  const finite = numberOf(facts["finite"]);
  const rankOf = (q: number, side: number): number =>
    Math.min(Math.max(finite - 1, 0), Math.floor(q * (finite - 1)) + side);
  const bins = Array.from({ length: HISTOGRAM_BINS }, (_, bin) => bin);
  const list = [
    "CAST(count(v) AS DOUBLE) AS d",
    ...PLACES.map(
      ({ q, at, side }) => `min(v) FILTER (f AND c > ${rankOf(q, side)}) AS q${at}_${side}`,
    ),
    ...bins.map((bin) => `CAST(sum(n) FILTER (b = ${bin}) AS DOUBLE) AS b${bin}`),
  ];
  const [row = {}] = await file.rows(
    // By its place: a column of the file may be called v.
    `WITH found AS (SELECT ${reading.value} AS v, count(*) AS n FROM file GROUP BY 1),
     placed AS (
       SELECT v, n, v IS NOT NULL AND isfinite(v) AS f,
         sum(CASE WHEN isfinite(v) THEN n ELSE 0 END)
           OVER (ORDER BY v NULLS LAST ROWS UNBOUNDED PRECEDING) AS c,
         CASE WHEN isfinite(v) THEN ${binOf("v", reading, facts)} END AS b
       FROM found)
     SELECT ${list.join(", ")} FROM placed`,
  );
  return {
    distinct: numberOf(row["d"]),
    isEstimate: false,
    quantiles: QUANTILES.map((q, at) => {
      const [low, high] = [numberOf(row[`q${at}_0`]) + 0, numberOf(row[`q${at}_1`]) + 0];
      const place = q * (finite - 1);
      return low + (place - Math.floor(place)) * (high - low);
    }),
    counts: bins.map((bin) => numberOf(row[`b${bin}`] ?? 0)),
  };
}

async function restOfMany(
  file: FileQueries,
  { reading }: NumberColumn,
  rows: number,
  facts: Facts,
): Promise<Rest> {
  const counts = new Array<number>(HISTOGRAM_BINS).fill(0);
  const found = await file.rows(
    `SELECT ${binOf("v", reading, facts)} AS bin, CAST(count(*) AS DOUBLE) AS n
     FROM (SELECT ${finiteOf(reading)} AS v FROM file)
     WHERE v IS NOT NULL GROUP BY bin`,
  );
  for (const { bin, n } of found) counts[numberOf(bin)] = numberOf(n);
  return {
    distinct: await estimateDistinct(file, reading.value, rows),
    isEstimate: true,
    quantiles: QUANTILES.map((_, at) => numberOf(facts[`q${at}`])),
    counts,
  };
}

/**
 * The bin of a value between the extremes. Near an edge it is told by the very edge that is shown
 * (`histogramEdges`), elsewhere by a division.
 */
function binOf(value: string, reading: NumberColumn["reading"], facts: Facts): string {
  const { min, max } = extremes(facts);
  const counted = wholeWidth(min, max, isWhole(reading, facts));
  if (counted !== null) {
    return `CAST(greatest(0, floor((${value} - '${min}'::DOUBLE) / ${counted})) AS UTINYINT)`;
  }
  // Of columns without a range the bins are not looked at.
  const [low, high] = max > min ? [min, max] : [0, 1];
  const last = HISTOGRAM_BINS - 1;
  const [start, width] = [`'${low}'::DOUBLE`, `'${high - low}'::DOUBLE`];
  const place = `((${value} - ${start}) / ${width} * ${HISTOGRAM_BINS})`;
  const edge = `(${start} + ${width} * (round(${place}) / ${HISTOGRAM_BINS}))`;
  const near = `CASE WHEN ${value} >= ${edge} THEN round(${place}) ELSE round(${place}) - 1 END`;
  const bin = `CASE WHEN abs(${place} - round(${place})) < 1e-9 THEN ${near} ELSE floor(${place}) END`;
  return `CAST(greatest(0, least(${last}, ${bin})) AS UTINYINT)`;
}
