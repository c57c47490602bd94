/** Stamps of one series by their time of day, and how long they keep it: a clock that is changed keeps each for weeks. */

import { HALF_HOUR, modulo, SHORTEST_STEP } from "./clock.ts";
import { DAY, HOUR, REGULAR_SHARE } from "./frequency.ts";

/** Stamps of one time of day, or of a step that divides one, on end. */
export interface Run {
  /** Its time of day. */
  readonly residue: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** One that is read, stamp by stamp. */
interface OpenRun extends Run {
  to: number;
  count: number;
}

/** A clock stays for longer than that; other stamps are moved by something else. */
export const SHORTEST = 21 * DAY;
export const YEAR = 365.25 * DAY;
const CHANGES_A_YEAR = 2;
/** More different times of day are not those of a clock that is changed, and few that are off. */
const MOST_RESIDUES = 1000;
/** Times that a series leaves its clock by mistake. */
const MOST_MISTAKES = 100;

/** The time of day of nearly all stamps, or two that a change of the clock leads to; null where there are others. */
export function residuesOf(times: Float64Array, cycle: number): readonly number[] | null {
  const counts = new Map<number, number>();
  for (const time of times) {
    const residue = modulo(time, cycle);
    counts.set(residue, (counts.get(residue) ?? 0) + 1);
    if (counts.size > MOST_RESIDUES) return null;
  }
  const [[main, most], ...others] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const other = others.find(([residue]) => changeBetween(main, residue, cycle) !== null);
  if (most + (other?.[1] ?? 0) < REGULAR_SHARE * times.length) return null;
  return other ? [main, other[0]] : [main];
}

/** By how much a clock is put forward between two times of day: below 0 where it is put back. */
export function changeBetween(a: number, b: number, cycle: number): number | null {
  const changes = cycle > SHORTEST_STEP ? [HOUR, HALF_HOUR] : [HALF_HOUR];
  for (const by of changes) {
    // Half an hour is no change where steps are as long.
    if (by % cycle === 0) continue;
    if (modulo(a - by, cycle) === b) return by;
    if (modulo(b - by, cycle) === a) return -by;
  }
  return null;
}

/** What a series shows of its clock: runs that take turns, and stamps that lie beside them. */
export interface SeenClock {
  readonly runs: readonly Run[];
  readonly mistakes: readonly number[];
}

/** Null where its stamps are of no clock. */
export function seenClock(times: Float64Array, cycle: number): SeenClock | null {
  // As of nearly all series.
  const first = modulo(times[0], cycle);
  if (times.every((time) => modulo(time, cycle) === first)) {
    const [from, to, count] = [times[0], times[times.length - 1], times.length];
    return { runs: [{ residue: first, from, to, count }], mistakes: [] };
  }
  const residues = residuesOf(times, cycle);
  if (residues === null) return null;
  const all: OpenRun[] = [];
  for (const time of times) {
    const residue = modulo(time, cycle);
    if (residues.includes(residue)) extend(all, time, residue, Number.POSITIVE_INFINITY);
  }
  const most = Math.max(1, (1 - REGULAR_SHARE) * times.length);
  if (!areFew(all, 2 * Math.min(most, MOST_MISTAKES))) return null;
  let runs = all;
  let dropped = 0;
  for (let short = shortest(runs); short !== null; short = shortest(runs)) {
    dropped += short.count;
    if (dropped > most) return null;
    const left: Run[] = [];
    for (const run of runs) if (run !== short) append(left, run);
    runs = left;
  }
  if (!areFew(runs, 0)) return null;
  const inRuns = runs.reduce((sum, { count }) => sum + count, 0);
  return { runs, mistakes: inRuns === times.length ? [] : beside(times, cycle, runs) };
}

/** @param most time between two stamps of a run */
function extend(runs: OpenRun[], time: number, residue: number, most: number): void {
  const last = runs.at(-1);
  if (last?.residue === residue && time - last.to <= most) {
    last.to = time;
    last.count++;
  } else runs.push({ residue, from: time, to: time, count: 1 });
}

function append(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  if (last?.residue !== run.residue) runs.push(run);
  else runs[runs.length - 1] = joined(last, run);
}

export const joined = (a: Run, b: Run): Run => ({
  residue: a.residue,
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
  count: a.count + b.count,
});

/** Of runs between two others, the one of fewest stamps that is shorter than a clock stays. */
function shortest(runs: readonly Run[]): Run | null {
  let found: Run | null = null;
  for (let k = 1; k + 1 < runs.length; k++) {
    const isShort = runs[k + 1].from - runs[k].from < SHORTEST;
    if (isShort && (found === null || runs[k].count < found.count)) found = runs[k];
  }
  return found;
}

/** @param further runs that may be there beside those of a clock */
export function areFew(runs: readonly Run[], further: number): boolean {
  if (runs.length < 2) return true;
  const years = (runs[runs.length - 1].to - runs[0].from) / YEAR;
  return runs.length - 1 <= CHANGES_A_YEAR * (years + 1) + further;
}

/** Stamps at a time of day that a change would lead to, of a clock that was not changed. */
function beside(times: Float64Array, cycle: number, runs: readonly Run[]): number[] {
  const found: number[] = [];
  let k = 0;
  for (const time of times) {
    while (k + 1 < runs.length && runs[k + 1].from <= time) k++;
    const residue = modulo(time, cycle);
    if (residue === runs[k].residue) continue;
    if (changeBetween(residue, runs[k].residue, cycle) !== null) found.push(time);
  }
  return found;
}

/**
 * The same runs without the times between that have no stamp, of which they say nothing.
 *
 * @param gap time between two stamps, at least; less is no gap
 */
export function seenParts(
  times: Float64Array,
  cycle: number,
  runs: readonly Run[],
  gap: number,
): Run[] {
  const parts: OpenRun[] = [];
  let k = 0;
  for (const time of times) {
    while (k < runs.length && runs[k].to < time) k++;
    if (k === runs.length) break;
    if (time < runs[k].from || modulo(time, cycle) !== runs[k].residue) continue;
    extend(parts, time, runs[k].residue, gap);
  }
  return parts;
}
