/**
 * Stamps at one time of a local clock that is put forward and back: as instants they lie an hour apart in summer and
 * in winter, so that two of their steps a year are an hour shorter or longer. Instants are all that tables keep, so
 * the changes are found in these.
 */

import { DAY, type Frequency, HOUR, mode, REGULAR_SHARE, type Stamps } from "./frequency.ts";

/** From a step on, instants lie so many milliseconds beside those of the frequency; ascending. */
export type Clock = readonly { readonly step: number; readonly shift: number }[];

/** From a time on. The hour of winter is the clock's own: it has no shift. */
export interface ClockChange {
  readonly from: number;
  readonly shift: number;
}

/** A clock stays for longer than that; other stamps are moved by something else. */
const SHORTEST = 21 * DAY;
const YEAR = 365.25 * DAY;
const CHANGES_A_YEAR = 2;
/** Steps of an hour or two are as regular in time as they are by the clock. */
const SHORTEST_STEP = 2 * HOUR;

/** Null where the stamps are those of a clock that is never changed, or of several clocks. */
export function clockChanges(series: readonly Stamps[]): readonly ClockChange[] | null {
  const cycle = cycleOf(series);
  const residues = cycle === null ? null : twoResidues(series, cycle);
  if (cycle === null || residues === null) return null;
  const { winter, summer, count } = residues;
  const instants = new Float64Array(count);
  let kept = 0;
  for (const { times } of series) {
    for (const time of times) {
      const residue = modulo(time, cycle);
      if (residue === winter || residue === summer) instants[kept++] = time;
    }
  }
  instants.sort();
  const changes: { from: number; shift: number }[] = [];
  for (const from of instants) {
    const shift = modulo(from, cycle) === summer ? -HOUR : 0;
    const last = changes.at(-1);
    if (last?.shift === shift) continue;
    // The first of them may have been seen for the last days of its half of the year alone.
    if (last && changes.length > 1 && from - last.from < SHORTEST) return null;
    changes.push({ from, shift });
  }
  const years = (instants[instants.length - 1] - instants[0]) / YEAR;
  return changes.length - 1 <= CHANGES_A_YEAR * (years + 1) ? changes : null;
}

/** Stamps as if the clock had stayed in winter. */
export function unchangedClock(changes: readonly ClockChange[], time: number): number {
  const change = changes.findLast(({ from }) => from <= time) ?? changes[0];
  return time - change.shift;
}

export function shiftAt(clock: Clock | undefined, step: number): number {
  if (clock === undefined || clock.length === 0) return 0;
  return (clock.findLast(({ step: from }) => from <= step) ?? clock[0]).shift;
}

/** What stamps of a clock that is put forward or back may lie beside those of the frequency. */
export function shiftsOf(frequency: Frequency, isTime: boolean): readonly number[] {
  const isByClock = isTime && (frequency.kind !== "regular" || frequency.step > SHORTEST_STEP);
  return isByClock ? [0, -HOUR, HOUR] : [0];
}

/** What the time of day is looked at in: a day, or a step that divides one. */
function cycleOf(series: readonly Stamps[]): number | null {
  const distances = series.flatMap(({ times }) => {
    const few = times.subarray(0, MOST_LOOKED_AT);
    return Array.from(few.subarray(1), (time, i) => time - few[i]);
  });
  if (distances.length === 0) return null;
  const step = mode(distances);
  if (step >= DAY) return DAY;
  return step > SHORTEST_STEP && DAY % step === 0 ? step : null;
}

/** Stamps of a series that say what its step is. */
const MOST_LOOKED_AT = 100;
/** More different times of day are not those of a clock that is changed, and few that are off. */
const MOST_RESIDUES = 1000;

/** The two times of day of nearly all stamps, where these are an hour apart. */
function twoResidues(
  series: readonly Stamps[],
  cycle: number,
): { readonly winter: number; readonly summer: number; readonly count: number } | null {
  const counts = new Map<number, number>();
  let all = 0;
  for (const { times } of series) {
    all += times.length;
    for (const time of times) {
      const residue = modulo(time, cycle);
      counts.set(residue, (counts.get(residue) ?? 0) + 1);
    }
    if (counts.size > MOST_RESIDUES) return null;
  }
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!second || first[1] + second[1] < REGULAR_SHARE * all) return null;
  const count = first[1] + second[1];
  const [a, b] = [first[0], second[0]];
  if (modulo(a - HOUR, cycle) === b) return { winter: a, summer: b, count };
  return modulo(b - HOUR, cycle) === a ? { winter: b, summer: a, count } : null;
}

function modulo(value: number, cycle: number): number {
  return ((value % cycle) + cycle) % cycle;
}
