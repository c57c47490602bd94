/**
 * The clocks of series, found in their stamps: instants are all that tables keep, and days at midnight in Berlin are at
 * 23:00 UTC in winter and at 22:00 in summer, those in Mumbai at 18:30. Each series has its own clock; what series
 * of one clock show of its changes holds for all of them.
 */

import { type Clock, type ClockChange, modulo } from "./clock.ts";
import { cutEnds, isYearly, type SeriesEnd, unlikelyChange } from "./clock-evidence.ts";
import { type Run, SHORTEST, seenClock, seenParts } from "./clock-runs.ts";
import {
  admit,
  type Cycle,
  changesOf,
  clockOf,
  weekdaysOf,
  type Zone,
  zonesOf,
} from "./clock-zones.ts";
import {
  DAY,
  type Frequency,
  HOUR,
  MOST_DISTANCES,
  mode,
  type Stamps,
  stepOf,
} from "./frequency.ts";

export interface SeriesClocks {
  /** None where there is one alone, and it is never changed: all stamps are on one grid then. */
  readonly clocks: readonly (readonly ClockChange[])[];
  /** Of each series the place of its clock; -1: none. */
  readonly of: readonly number[];
  /** Of series that have some: stamps that lie beside their clock, and where they should be. */
  readonly mistakes: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** Where a clock is taken to have been changed, with little to show for it. */
  readonly doubtful: readonly DoubtfulStamp[];
}

export interface DoubtfulStamp {
  readonly series: number;
  readonly instant: number;
}

/** Stamps of a series that say what its step is. */
const MOST_LOOKED_AT = 100;

export function clocksOf(series: readonly Stamps[]): SeriesClocks {
  const none = { clocks: [], of: series.map(() => -1), mistakes: new Map(), doubtful: [] };
  const cycle = cycleOf(series);
  if (cycle === null) return none;
  const ends: SeriesEnd[] = [];
  const unlikely: { series: number; run: Run }[] = [];
  const beside = new Map<number, readonly number[]>();
  const seen = series.map(({ times }, s) => {
    const clock = seenClock(times, cycle.length);
    if (clock === null) return null;
    if (clock.mistakes.length > 0) beside.set(s, clock.mistakes);
    const core = cutEnds(s, clock.runs);
    ends.push(...core.ends);
    const run = unlikelyChange(core.runs);
    if (run) unlikely.push({ series: s, run });
    return seenParts(times, cycle.length, core.runs, cycle.gap);
  });
  const zones = zonesOf(seen, cycle);
  const of = none.of.slice();
  for (const [z, zone] of zones.entries()) for (const s of zone.series) of[s] = z;
  const settled = settleEnds(ends, { zones, of }, cycle);
  for (const { series: s, run } of settled.mistakes) {
    const at = timesWithin(series[s].times, run, cycle.length);
    beside.set(s, [...(beside.get(s) ?? []), ...at]);
  }
  const mistakes = new Map(
    [...beside].map(([s, instants]) => [
      s,
      new Map(instants.map((at) => [at, corrected(at, zones[of[s]], cycle.length)])),
    ]),
  );
  const late = unlikely.filter(
    ({ series: s, run }) => !isYearly(zones[of[s]].runs, run, cycle.step),
  );
  const doubtful = [...settled.doubtful, ...late].map(({ series: s, run }) => ({
    series: s,
    instant: run.from,
  }));
  const isOne = zones.length < 2 && zones.every(({ runs }) => changesOf(runs).length < 2);
  if (isOne) return { ...none, mistakes, doubtful };
  const clocks = zones.map((zone) => {
    const weekdays = zone.series.reduce((days, s) => days | weekdaysOf(series[s].times), 0);
    return clockOf(zone, cycle, weekdays);
  });
  return { clocks, of, mistakes, doubtful };
}

/** @param frequency of wall times */
export function stepsOfChanges(frequency: Frequency, changes: readonly ClockChange[]): Clock {
  return changes.map(({ from, shift }) => ({
    step: Math.round(stepOf(frequency, from - shift)),
    shift,
  }));
}

/** Null where stamps have no time of day in common. */
function cycleOf(series: readonly Stamps[]): Cycle | null {
  const distances: number[] = [];
  for (const { times } of series) {
    const count = Math.min(times.length, MOST_LOOKED_AT);
    for (let i = 1; i < count && distances.length < MOST_DISTANCES; i++) {
      distances.push(times[i] - times[i - 1]);
    }
  }
  if (distances.length === 0) return null;
  const step = mode(distances);
  if (step < DAY && DAY % step !== 0) return null;
  return { length: Math.min(step, DAY), step, gap: Math.max(SHORTEST, 1.5 * step) };
}

/**
 * What few stamps at an end say holds where the clock was changed at that time of another year, or clocks are changed at such
 * a time anywhere: with a word where neither another series nor a change back shows it. Else they are mistakes.
 */
function settleEnds(
  ends: readonly SeriesEnd[],
  { zones, of }: { readonly zones: readonly Zone[]; readonly of: readonly number[] },
  cycle: Cycle,
): { readonly mistakes: readonly SeriesEnd[]; readonly doubtful: readonly SeriesEnd[] } {
  const mistakes: SeriesEnd[] = [];
  const doubtful: SeriesEnd[] = [];
  const nameOf = ({ series, run, change }: SeriesEnd): string =>
    [of[series], run.residue, change.from].join();
  const shared = new Map<string, number>();
  for (const end of ends) shared.set(nameOf(end), (shared.get(nameOf(end)) ?? 0) + 1);
  for (const end of ends) {
    const { run, change, isPlausible } = end;
    const zone = zones[of[end.series]];
    const others = zone.runs.filter(
      ({ from, to }) => from - HOUR <= run.from && run.to <= to + HOUR,
    );
    if (others.some(({ residue }) => residue === run.residue)) continue;
    const isYearlyOne = isYearly(zone.runs, change, cycle.step);
    // Of a clock that was changed the other way it is due.
    const isBack =
      zone.runs.some(({ residue }) => residue === run.residue) &&
      !changesOf(zone.runs).some(({ residue }, k) => k > 0 && residue === change.residue);
    const isShown = isYearlyOne || isBack || (shared.get(nameOf(end)) ?? 0) > 1;
    if (others.length > 0 || !(isPlausible || isYearlyOne) || !admit(zone, [run], cycle)) {
      mistakes.push(end);
    } else if (!isShown) doubtful.push(end);
  }
  return { mistakes, doubtful };
}

function timesWithin(times: Float64Array, { from, to, residue }: Run, cycle: number): number[] {
  return [...times].filter((at) => at >= from && at <= to && modulo(at, cycle) === residue);
}

/** The instant beside it at which the clock had its time of day. */
function corrected(instant: number, { runs }: Zone, cycle: number): number {
  const run = runs.findLast(({ from }) => from - HOUR <= instant) ?? runs[0];
  const off = modulo(instant - run.residue, cycle);
  return instant - (off > cycle / 2 ? off - cycle : off);
}
