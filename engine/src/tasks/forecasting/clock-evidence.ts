/** Whether what the ends of a series show is a clock that was changed, or a stamp that is wrong. */

import { type Run, SHORTEST, YEAR } from "./clock-runs.ts";
import { DAY } from "./frequency.ts";

/** Stamps that say little by themselves: so many, or within so long. */
const FEW_STAMPS = 2;
const SHORT_TIME = 2 * DAY;
/** From one year to the next, changes move by up to so long, and are seen at the next step. */
const YEARLY = 15 * DAY;

/** A few stamps at an end of a series that are by another clock than those beside them. */
export interface SeriesEnd {
  readonly series: number;
  readonly run: Run;
  /** The first run by the later of both clocks. */
  readonly change: Run;
  readonly isPlausible: boolean;
}

/** Runs without those at their ends that say too little by themselves. */
export function cutEnds(
  series: number,
  runs: readonly Run[],
): { readonly runs: readonly Run[]; readonly ends: readonly SeriesEnd[] } {
  const left = [...runs];
  const ends: SeriesEnd[] = [];
  const cut = (at: 0 | -1): void => {
    const run = left.at(at);
    const next = left.at(at === 0 ? 1 : -2);
    if (run === undefined || next === undefined || left.length < 2 || !isFew(run)) return;
    const [before, change] = at === 0 ? [run, next] : [next, run];
    const isPlausible = mayChangeBetween(before.to, change.from);
    ends.push({ series, run, change, isPlausible });
    left.splice(at, 1);
  };
  const isFirstLess = runs.length === 2 && runs[0].count < runs[1].count;
  for (const at of isFirstLess ? ([0, -1] as const) : ([-1, 0] as const)) cut(at);
  return { runs: left, ends };
}

/** The last change, where it was not long ago and no clock is changed at that time of the year. */
export function unlikelyChange(runs: readonly Run[]): Run | null {
  const [before, last] = runs.slice(-2);
  if (last === undefined || last.to - last.from >= SHORTEST) return null;
  return mayChangeBetween(before.to, last.from) ? null : last;
}

const isFew = ({ from, to, count }: Run): boolean => count <= FEW_STAMPS || to - from < SHORT_TIME;

/**
 * Whether clocks are changed anywhere between two instants. By the laws of all zones but a few it is at a weekend, from
 * the second week of March to April, or from September to the first week of November.
 */
export function mayChangeBetween(before: number, after: number): boolean {
  const first = Math.floor(before / DAY);
  // A year holds all days there are.
  const last = Math.min(Math.floor(after / DAY), first + 366);
  for (let day = first; day <= last; day++) {
    const date = new Date(day * DAY);
    const [month, of] = [date.getUTCMonth(), date.getUTCDate()];
    const isSeason =
      (month === 2 && of >= 8) ||
      month === 3 ||
      month === 8 ||
      month === 9 ||
      (month === 10 && of <= 7);
    if (isSeason && [0, 5].includes(date.getUTCDay())) return true;
  }
  return false;
}

/** Whether the same change was seen in another year, at about that day of it. */
export function isYearly(runs: readonly Run[], { residue, from }: Run, step: number): boolean {
  return runs.some((run, k) => {
    if (k === 0 || run.residue !== residue || runs[k - 1].residue === residue) return false;
    const years = Math.round((from - run.from) / YEAR);
    return years !== 0 && Math.abs(from - run.from - years * YEAR) <= YEARLY + step;
  });
}
