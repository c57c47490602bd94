/**
 * Numbers and times that are hardly meant: infinities, marks for missing such as -999, single values
 * far beyond all others, times of other centuries. By robust statistics alone, never by a column's
 * name; told, never changed.
 */

import { shown } from "./shown.ts";
import type { NumericColumn, TimestampColumn } from "./table.ts";

/** Robust deviations (1.4826 × the median absolute deviation, which is a normal's standard deviation). */
const FAR = 10;
/** So many times as far from the median as the next: tails thin out step by step, slips do not. */
const GAP = 4;
/** More rows than that are a part of the distribution. */
const FAR_SHARE = 0.001;
const FAR_ROWS = 3;
const MOST_FAR_ROWS = 1000;
const FEWEST_VALUES = 30;
const ALMOST_ALL = 0.99;
const ALMOST_ALL_VALUES = 200;
/** Cells that stand for missing ones are rarely alone. */
const MARK_ROWS = 2;
const EARLIEST = Date.UTC(1800, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

export type Implausibility =
  | "infinite"
  | "missing_mark"
  | "far_value"
  | "out_of_time"
  | "almost_constant";

/** Values of a column that are probably not meant, and how many rows have them. */
export interface Implausible {
  readonly kind: Implausibility;
  /** Rows that have it. */
  readonly count: number;
  /** The value, or the farthest of them; a time in ISO 8601. */
  readonly value: number | string;
  readonly message: string;
}

/** Values in ascending order, each once, with the number of its rows; infinities are values too. */
export interface ValueCounts {
  readonly values: Float64Array;
  readonly counts: Float64Array | Uint32Array;
}

/** @param sorted all values that are there, ascending, infinities among them */
export function implausibleValues(
  column: Pick<NumericColumn | TimestampColumn, "kind" | "name">,
  sorted: Float64Array,
): Implausible[] {
  return implausibleCounts(column, countSorted(sorted));
}

/**
 * Values of a column that are probably not meant, each with how many rows have it.
 *
 * @param counted all values that are there; those in the middle may stand for their neighbours too
 */
export function implausibleCounts(
  { kind, name }: Pick<NumericColumn | TimestampColumn, "kind" | "name">,
  counted: ValueCounts,
): Implausible[] {
  const column = `Column ${shown(name)}`;
  const found: Implausible[] = [];
  const tell = (what: Implausibility, count: number, at: number, rest: string): void => {
    const value = kind === "timestamp" && Number.isFinite(at) ? isoTime(at) : at;
    const cells = rowsText(count);
    found.push({
      kind: what,
      count,
      value: Number.isFinite(at) ? value : String(at),
      message: `${column} is ${value} in ${cells}${rest}`,
    });
  };
  const tellTimes = (when: string, which: string, far: ValueCounts, at: number): void => {
    const [count, value] = [rowsOf(far), isoTime(at)];
    const place = far.values.length === 1 ? value : `the ${which} ${value}`;
    const message = `${column} has times ${when} in ${rowsText(count)}, ${place}: if that stands for missing, leave such cells empty.`;
    found.push({ kind: "out_of_time", count, value, message });
  };
  const { finite, infinite } = byFiniteness(counted);
  if (infinite.values.length > 0) {
    tell(
      "infinite",
      rowsOf(infinite),
      infinite.values[0],
      ` (or of the other sign): such cells are not measurements; leave them empty.`,
    );
  }
  if (kind === "timestamp") {
    const early = where(finite, (time) => time < EARLIEST);
    const late = where(finite, (time) => time >= LATEST);
    if (early.values.length > 0) tellTimes("before 1800", "earliest", early, early.values[0]);
    if (late.values.length > 0) {
      tellTimes("from 2200 on", "latest", late, late.values[late.values.length - 1]);
    }
    return found;
  }
  const rows = rowsOf(finite);
  if (rows < FEWEST_VALUES) return found;
  const mark = missingMark(finite);
  if (mark)
    tell(
      "missing_mark",
      mark.count,
      mark.value,
      `, far from all other values (${mark.low} to ${mark.high}): if it stands for missing, leave such cells empty.`,
    );
  const rest = mark === null ? finite : where(finite, (value) => value !== mark.value);
  for (const far of farValues(rest)) {
    tell(
      "far_value",
      far.count,
      far.value,
      `${far.nearest === far.value ? "" : ` (the least far ${far.nearest})`}, ${rounded(far.deviations, 2)} robust deviations from the median ${rounded(far.median, 6)} and far beyond all others: check whether that is a mistake.`,
    );
  }
  let most = 0;
  for (let i = 1; i < finite.counts.length; i++) {
    if (finite.counts[i] > finite.counts[most]) most = i;
  }
  const count = finite.counts[most];
  if (finite.values.length > 2 && rows >= ALMOST_ALL_VALUES && count > ALMOST_ALL * rows) {
    tell(
      "almost_constant",
      count,
      finite.values[most],
      ` of ${rows}: it says little about most rows.`,
    );
  }
  return found;
}

const rowsText = (count: number): string => (count === 1 ? "1 row" : `${count} rows`);

function countSorted(sorted: Float64Array): ValueCounts {
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) distinct++;
  const counts = new Uint32Array(distinct);
  if (distinct === sorted.length) return { values: sorted, counts: counts.fill(1) };
  const values = new Float64Array(distinct);
  for (let i = 0, place = -1; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) values[++place] = sorted[i];
    counts[place]++;
  }
  return { values, counts };
}

/** Those whose values are so. */
function where({ values, counts }: ValueCounts, is: (value: number) => boolean): ValueCounts {
  if (values.every(is)) return { values, counts };
  return { values: values.filter(is), counts: counts.filter((_, i) => is(values[i])) };
}

/** Infinite values can only be the first and the last. */
function byFiniteness({ values, counts }: ValueCounts): Record<"finite" | "infinite", ValueCounts> {
  const from = values[0] === Number.NEGATIVE_INFINITY ? 1 : 0;
  const last = values.length - 1;
  const to = last >= from && values[last] === Number.POSITIVE_INFINITY ? last : last + 1;
  const ends = (all: ValueCounts["counts"]): Float64Array =>
    Float64Array.of(...all.subarray(0, from), ...all.subarray(to));
  return {
    finite: { values: values.subarray(from, to), counts: counts.subarray(from, to) },
    infinite: { values: ends(values), counts: ends(counts) },
  };
}

function rowsOf({ counts }: ValueCounts): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i];
  return sum;
}

interface Mark {
  readonly value: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** A number of nines alone at an end, farther from the others than they are from each other. */
function missingMark(finite: ValueCounts): Mark | null {
  const { values, counts } = finite;
  const last = values.length - 1;
  for (const place of [0, last]) {
    const [value, count] = [values[place], counts[place]];
    if (!/^-?99+$/.test(String(value))) continue;
    if (count < MARK_ROWS || rowsOf(finite) - count < FEWEST_VALUES) continue;
    const [low, high] = [values[place === 0 ? 1 : 0], values[place === last ? last - 1 : last]];
    if (Math.min(Math.abs(value - low), Math.abs(value - high)) <= high - low) continue;
    return { value, count, low, high };
  }
  return null;
}

interface FarValues {
  /** The farthest. */
  readonly value: number;
  /** The one that is nearest to the others. */
  readonly nearest: number;
  readonly count: number;
  readonly deviations: number;
  readonly median: number;
}

/** At each end, the few values behind a wide gap. */
function farValues(given: ValueCounts): FarValues[] {
  const { values, counts } = given;
  const rows = rowsOf(given);
  const median = values[placeOfRank(counts, Math.floor(rows / 2))];
  const most = Math.min(MOST_FAR_ROWS, Math.max(FAR_ROWS, FAR_SHARE * rows));
  // Most columns have no such gap, and need no deviation.
  let deviation: number | null = null;
  return [1, -1].flatMap((side) => {
    const at = (place: number): number => (side > 0 ? values.length - 1 - place : place);
    const distance = (place: number): number => Math.abs(values[at(place)] - median);
    let count = 0;
    let behindGap = 0;
    let nearest = Number.NaN;
    // Slips differ in size themselves: all behind the last gap are far, not those behind the first alone.
    for (let place = 1; place < values.length; place++) {
      count += counts[at(place - 1)];
      if (count > most) break;
      const far = distance(place - 1);
      if (far < GAP * distance(place)) continue;
      deviation ??= robustDeviation(given, median);
      if (deviation === 0 || far <= FAR * deviation || far < GAP * deviation) break;
      behindGap = count;
      nearest = values[at(place - 1)];
    }
    if (behindGap === 0 || deviation === null) return [];
    return [
      {
        value: values[at(0)],
        nearest,
        count: behindGap,
        deviations: distance(0) / deviation,
        median,
      },
    ];
  });
}

/** The place of the value of a row, by its rank from 0. */
function placeOfRank(counts: ValueCounts["counts"], rank: number): number {
  let seen = 0;
  for (let place = 0; place < counts.length; place++) {
    seen += counts[place];
    if (seen > rank) return place;
  }
  return counts.length - 1;
}

/** From the median outwards on both sides, always the nearer one next. */
function robustDeviation(given: ValueCounts, median: number): number {
  const { values, counts } = given;
  const rank = Math.floor(rowsOf(given) / 2);
  let above = values.findIndex((value) => value >= median);
  let below = above - 1;
  let seen = 0;
  let distance = 0;
  while (seen <= rank && (below >= 0 || above < values.length)) {
    const down = below >= 0 ? median - values[below] : Number.POSITIVE_INFINITY;
    const up = above < values.length ? values[above] - median : Number.POSITIVE_INFINITY;
    distance = Math.min(down, up);
    seen += down < up ? counts[below--] : counts[above++];
  }
  return 1.4826 * distance;
}

/** Without an exponent for counts, nor digits that only binary fractions have. */
function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

function isoTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? String(milliseconds) : time.toISOString().slice(0, 10);
}
