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

export interface Implausible {
  readonly kind: Implausibility;
  /** Rows that have it. */
  readonly count: number;
  /** The value, or the farthest of them; a time in ISO 8601. */
  readonly value: number | string;
  readonly message: string;
}

/** @param sorted all values that are there, ascending, infinities among them */
export function implausibleValues(
  { kind, name }: Pick<NumericColumn | TimestampColumn, "kind" | "name">,
  sorted: Float64Array,
): Implausible[] {
  const column = `Column ${shown(name)}`;
  const found: Implausible[] = [];
  const tell = (what: Implausibility, count: number, at: number, rest: string): void => {
    const value = kind === "timestamp" && Number.isFinite(at) ? isoTime(at) : at;
    const cells = count === 1 ? "1 row" : `${count} rows`;
    found.push({
      kind: what,
      count,
      value: Number.isFinite(at) ? value : String(at),
      message: `${column} is ${value} in ${cells}${rest}`,
    });
  };
  const finite = sorted.every(Number.isFinite) ? sorted : sorted.filter(Number.isFinite);
  if (finite.length < sorted.length) {
    const infinite = sorted.find((value) => !Number.isFinite(value)) ?? 0;
    tell(
      "infinite",
      sorted.length - finite.length,
      infinite,
      ` (or of the other sign): such cells are no measurements; leave them empty.`,
    );
  }
  if (kind === "timestamp") {
    const early = finite.filter((time) => time < EARLIEST);
    const late = finite.filter((time) => time >= LATEST);
    if (early.length > 0)
      tell(
        "out_of_time",
        early.length,
        early[0],
        " or before 1800: if that is no date, leave such cells empty.",
      );
    if (late.length > 0)
      tell(
        "out_of_time",
        late.length,
        late[late.length - 1],
        " or beyond 2200: if that is no date, leave such cells empty.",
      );
    return found;
  }
  if (finite.length < FEWEST_VALUES) return found;
  const mark = missingMark(finite);
  if (mark)
    tell(
      "missing_mark",
      mark.count,
      mark.value,
      `, far from all other values (${mark.low} to ${mark.high}): if it stands for missing, leave such cells empty.`,
    );
  const rest = mark === null ? finite : finite.filter((value) => value !== mark.value);
  for (const far of farValues(rest)) {
    tell(
      "far_value",
      far.count,
      far.value,
      `${far.count === 1 ? "" : " or nearly so"}, ${far.deviations.toPrecision(2)} robust deviations from the median ${far.median} and far beyond all others: see whether that is a slip.`,
    );
  }
  const most = mostFrequent(finite);
  if (
    most.distinct > 2 &&
    finite.length >= ALMOST_ALL_VALUES &&
    most.count > ALMOST_ALL * finite.length
  ) {
    tell(
      "almost_constant",
      most.count,
      most.value,
      ` of ${finite.length}: it says little of most rows.`,
    );
  }
  return found;
}

interface Mark {
  readonly value: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** A number of nines alone at an end, farther from the others than they are from each other. */
function missingMark(sorted: Float64Array): Mark | null {
  for (const value of [sorted[0], sorted[sorted.length - 1]]) {
    if (!/^-?99+$/.test(String(value))) continue;
    const others = sorted.filter((each) => each !== value);
    const count = sorted.length - others.length;
    if (count < MARK_ROWS || others.length < FEWEST_VALUES) continue;
    const [low, high] = [others[0], others[others.length - 1]];
    if (Math.min(Math.abs(value - low), Math.abs(value - high)) <= high - low) continue;
    return { value, count, low, high };
  }
  return null;
}

interface FarValues {
  /** The farthest. */
  readonly value: number;
  readonly count: number;
  readonly deviations: number;
  readonly median: number;
}

/** At each end, the few values behind a wide gap. */
function farValues(sorted: Float64Array): FarValues[] {
  const median = sorted[sorted.length >> 1];
  const most = Math.max(FAR_ROWS, FAR_SHARE * sorted.length);
  // Most columns have no such gap, and need no deviation.
  let deviation: number | null = null;
  return [1, -1].flatMap((side) => {
    const distance = (i: number): number =>
      Math.abs(sorted[side > 0 ? sorted.length - 1 - i : i] - median);
    for (let i = 1; i <= most && i < sorted.length; i++) {
      const far = distance(i - 1);
      if (far < GAP * distance(i)) continue;
      deviation ??= robustDeviation(sorted, median);
      if (deviation === 0 || far <= FAR * deviation || far < GAP * deviation) return [];
      const value = sorted[side > 0 ? sorted.length - 1 : 0];
      return [{ value, count: i, deviations: distance(0) / deviation, median }];
    }
    return [];
  });
}

function robustDeviation(sorted: Float64Array, median: number): number {
  const distances = sorted.map((value) => Math.abs(value - median)).sort();
  return 1.4826 * distances[distances.length >> 1];
}

function mostFrequent(sorted: Float64Array): { value: number; count: number; distinct: number } {
  let [value, count, distinct] = [Number.NaN, 0, 0];
  for (let i = 0, first = 0; i < sorted.length; i++) {
    if (sorted[i] !== sorted[first]) first = i;
    if (i === first) distinct++;
    if (i - first + 1 > count) [value, count] = [sorted[i], i - first + 1];
  }
  return { value, count, distinct };
}

function isoTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? String(milliseconds) : time.toISOString().slice(0, 10);
}
