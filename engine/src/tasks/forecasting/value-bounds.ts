/**
 * What values of series can be: as the request says, or as the values tell. That none has been negative yet tells nothing of
 * a series that has kept away from 0, or begins there: temperatures from spring on, what is earned, a random walk. It tells
 * much of one that has often been as near to 0 as its changes are large. `docs/decisions/forecasting.md` has what was measured.
 */

import type { z } from "zod";
import type { SeriesFrame } from "../../data/frame.ts";
import { lowerBound } from "../../data/lower-bound.ts";
import { shown } from "../../data/shown.ts";
import { DataError } from "../../data/table.ts";
import type { TaskMembers } from "../framing.ts";
import { givenBoundSchema } from "./fields.ts";

type GivenBound = z.infer<typeof givenBoundSchema>;

export interface BoundsRequest {
  readonly lower: GivenBound;
  readonly upper: GivenBound;
  /** Of each sum, behind the series that are none: which of these it sums. */
  readonly members: readonly (readonly number[])[];
}

/** One a series, and behind them that of a series that is new; infinite = none. */
export interface SeriesBounds {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** By how many times luck has to be less likely; a logarithm. */
const ENOUGH = Math.log(100);
/** The same of whole numbers, most of which are counts, where no series of whole numbers lies beyond. */
const ENOUGH_OF_WHOLE = Math.log(5);
/** What shares and percentages are never above, and how often a series has to be there exactly. */
const CEILINGS = [1, 100];
const LEAST_TOUCHES = 5;
/** Of fewer changes nobody knows how large they are. */
const LEAST_CHANGES = 5;
const LEAST_ZEROS = 2;
/** No step is surer than this to lie below. */
const MOST_SHARE = 0.95;
/** More is enough for as many series as there can be, and its exponential is finite. */
const MOST_EVIDENCE = 50;

/** @throws DataError for an upper bound below the lower one */
export function givenBounds(
  { lowerBound, upperBound }: TaskMembers,
  members: BoundsRequest["members"],
): BoundsRequest {
  const [lower, upper] = [lowerBound, upperBound].map((bound) => givenBoundSchema.parse(bound));
  if (typeof lower === "number" && typeof upper === "number" && upper < lower) {
    throw new DataError(`The \`upperBound\` ${upper} is below the \`lowerBound\` ${lower}.`, {
      member: "upperBound",
    });
  }
  return { lower, upper, members };
}

/** @param ends of each series the row before which its values are looked at */
export function boundsOfSeries(
  { target, offsets, seasons }: Pick<SeriesFrame, "offsets" | "seasons" | "target">,
  ends: ArrayLike<number>,
  { lower, upper, members }: BoundsRequest,
): SeriesBounds {
  const count = offsets.length - 1;
  const bottoms = count - members.length;
  const own = Array.from({ length: count }, (_, s) => target.subarray(offsets[s], ends[s]));
  const season = seasons[0] ?? 1;
  const whole = own.map((values) => values.every((y) => Number.isNaN(y) || Number.isInteger(y)));
  const least = sharedValues(count + 1, Number.NEGATIVE_INFINITY);
  const most = sharedValues(count + 1, Number.POSITIVE_INFINITY);
  const hold = (bounds: Float64Array, bound: number, told: readonly boolean[]): void => {
    for (const [s, isTold] of told.entries()) if (isTold) bounds[s] = bound;
  };
  for (const [bounds, sign] of [
    [least, 1],
    [most, -1],
  ] as const) {
    const evidence = own.map((values) =>
      evidenceAbove(sign > 0 ? values : values.map(negative), season),
    );
    hold(bounds, 0, whereTold(evidence, whole, bottoms));
    hold(bounds, 0, restingAtZero(own, evidence.map(Number.isNaN)));
    for (const [i, each] of members.entries()) {
      if (each.every((s) => bounds[s] === 0)) bounds[bottoms + i] = 0;
    }
  }
  for (const ceiling of CEILINGS) {
    const evidence = own.map((values) => evidenceBelow(values, ceiling, season));
    // Of whole numbers 1 is a count like others.
    if (ceiling > 1 || !whole.every(Boolean)) hold(most, ceiling, whereTold(evidence, [], bottoms));
  }
  give(least, lower, Number.NEGATIVE_INFINITY, members);
  give(most, upper, Number.POSITIVE_INFINITY, members);
  return { least, most };
}

/**
 * Series of zeros alone say nothing of the side to which they would leave it: there most of the others say it.
 *
 * @param isBeyond of each series whether it has been on the other side
 */
function restingAtZero(own: readonly Float64Array[], isBeyond: readonly boolean[]): boolean[] {
  const isZero = own.map((values) => values.every((y) => y === 0 || Number.isNaN(y)));
  const moved = isZero.filter((is) => !is).length;
  const beyond = isBeyond.filter(Boolean).length;
  return isZero.map((is) => is && 2 * beyond < moved);
}

/** A sum lies between the sums of the bounds. */
function give(
  bounds: Float64Array,
  given: GivenBound,
  none: number,
  members: readonly (readonly number[])[],
): void {
  if (given == null) return;
  const bound = given === "none" ? none : given;
  bounds.fill(bound);
  const bottoms = bounds.length - 1 - members.length;
  for (const [i, { length }] of members.entries()) bounds[bottoms + i] = length * bound;
}

/** @throws DataError where a value lies beyond what the request says that values can be */
export function requireWithin(
  { target, offsets, names, column }: SeriesFrame,
  { least, most }: SeriesBounds,
  { lower, upper }: BoundsRequest,
): void {
  for (const [s, name] of names.entries()) {
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      const [isBelow, isAbove] = [target[row] < least[s], target[row] > most[s]];
      const member =
        isBelow && lower != null ? "lowerBound" : isAbove && upper != null ? "upperBound" : null;
      if (member === null) continue;
      throw new DataError(
        `The series ${shown(name)} has the value ${target[row]} in ${shown(column)}, ${isBelow ? "below" : "above"} its \`${member}\` ${isBelow ? least[s] : most[s]}. Leave the bound out, or the row.`,
        { column, member },
      );
    }
  }
}

/**
 * Of each series, and of one that is new, whether its own values tell a bound or, where none of the series lies beyond, those
 * of all do. Series may go together, and the mean of what each of them tells allows for that (Vovk & Wang, "E-values:
 * calibration, combination and applications", Annals of Statistics 49(3), 2021).
 *
 * @param evidence one a series; NaN where one lies beyond
 * @param whole one a series; none where that says nothing
 * @param bottoms as many, from the first one on, are no sums
 */
function whereTold(
  evidence: readonly number[],
  whole: readonly boolean[],
  bottoms: number,
): boolean[] {
  const isBeyond = evidence.map(Number.isNaN);
  const enough = isBeyond.some((is, s) => is && whole[s]) ? ENOUGH : ENOUGH_OF_WHOLE;
  const together = evidence
    .slice(0, bottoms)
    .reduce((sum, each) => sum + Math.exp(Math.min(each, MOST_EVIDENCE)) / bottoms, 0);
  const areWhole = whole.length > 0 && whole.every(Boolean);
  const isTold =
    !isBeyond.some(Boolean) && Math.log(together) >= (areWhole ? ENOUGH_OF_WHOLE : ENOUGH);
  return [...evidence.map((each, s) => isTold || each >= (whole[s] ? enough : ENOUGH)), isTold];
}

/**
 * Evidence that values cannot be negative, as the logarithm of an e-value. Of a process whose changes are alike wherever it is,
 * a step lies below 0 by the share of changes that go down by more than the value they start from (the smaller one of those
 * from the step before and from a season before). The product of 1 / (1 - share) over steps that do not reaches k by luck
 * with probability 1 / k at most, however long one looks (Ville, "Étude critique de la notion de collectif", 1939).
 *
 * @param values NaN where one is not known
 * @returns NaN where one is negative
 */
function evidenceAbove(values: Float64Array, season: number): number {
  const lowest = lowestOf(values);
  if (lowest < 0) return Number.NaN;
  const lags: { readonly lag: number; readonly changes: Float64Array }[] = [];
  for (const lag of season > 1 ? [1, season] : [1]) {
    const changes = changesOver(values, lag);
    if (changes.length < LEAST_CHANGES) continue;
    // None goes down by as much as any value is above 0.
    if (lowestOf(changes) >= -lowest) return 0;
    lags.push({ lag, changes: changes.sort() });
  }
  let sum = 0;
  for (let t = 1; t < values.length && sum < MOST_EVIDENCE; t++) {
    if (Number.isNaN(values[t])) continue;
    let share = 1;
    for (const { lag, changes } of lags) {
      if (t < lag || Number.isNaN(values[t - lag])) continue;
      share = Math.min(share, shareBelow(changes, -values[t - lag]));
    }
    // Of a step with nothing before it nobody knows.
    if (share < 1) sum -= Math.log1p(-Math.min(MOST_SHARE, share));
  }
  return sum < ENOUGH && hasOwnZero(values) ? ENOUGH : sum;
}

/** Infinite where none is known. */
function lowestOf(values: Float64Array): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}

/**
 * Whether values are exactly 0 again and again, and no other one nearly as often: as of what ends there. Zeros before the
 * first other value are of what has not begun.
 */
function hasOwnZero(values: Float64Array): boolean {
  const times = new Map<number, number>();
  for (const value of values.subarray(values.findIndex((each) => each > 0))) {
    if (Number.isNaN(value)) continue;
    times.set(value, (times.get(value) ?? 0) + 1);
  }
  const zeros = times.get(0) ?? 0;
  if (zeros < LEAST_ZEROS) return false;
  for (const [value, count] of times) if (value > 0 && 2 * count > zeros) return false;
  return true;
}

/** The same that values cannot be above a ceiling that they are often at; NaN where one lies beyond it, or is negative. */
function evidenceBelow(values: Float64Array, ceiling: number, season: number): number {
  if (values.some((y) => y > ceiling || y < 0)) return Number.NaN;
  const touches = values.reduce((count, y) => count + Number(y === ceiling), 0);
  if (touches < LEAST_TOUCHES) return 0;
  return evidenceAbove(
    values.map((y) => ceiling - y),
    season,
  );
}

/** Of known values with known ones before them. */
function changesOver(values: Float64Array, lag: number): Float64Array {
  const changes = new Float64Array(Math.max(0, values.length - lag));
  let count = 0;
  for (let t = lag; t < values.length; t++) {
    const change = values[t] - values[t - lag];
    if (!Number.isNaN(change)) changes[count++] = change;
  }
  return changes.subarray(0, count);
}

/** @param ascending at least one */
function shareBelow(ascending: Float64Array, value: number): number {
  return lowerBound(ascending, value) / ascending.length;
}

const sharedValues = (count: number, value: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(count * 8)).fill(value);

const negative = (value: number): number => -value;
