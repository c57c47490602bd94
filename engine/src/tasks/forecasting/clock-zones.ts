/** Series whose stamps are by one clock: what one of them shows holds for the others. */

import { type ClockChange, HALF_HOUR, modulo } from "./clock.ts";
import { areFew, changeBetween, joined, type Run, SHORTEST } from "./clock-runs.ts";
import { DAY, HOUR } from "./frequency.ts";

/** What the time of day is looked at in. */
export interface Cycle {
  /** A day, or a step that divides one. */
  readonly length: number;
  /** The usual distance of two stamps. */
  readonly step: number;
  /** From so long a distance on nothing is known of the time between. */
  readonly gap: number;
}

export interface Zone {
  /** Of all its series, by time. */
  runs: readonly Run[];
  readonly residues: Set<number>;
  readonly series: number[];
}

/** The zones of runs that contradict each other, by first sight of those that show the most. */
export function zonesOf(seen: readonly (readonly Run[] | null)[], cycle: Cycle): Zone[] {
  const zones: Zone[] = [];
  const byResidue = new Map<number, Zone[]>();
  const order = seen.flatMap((runs, s) =>
    runs === null ? [] : [{ s, runs, shown: residuesIn(runs).size }],
  );
  order.sort((a, b) => b.shown - a.shown || a.s - b.s);
  for (const { s, runs } of order) {
    const found = byResidue.get(runs[0].residue)?.find((zone) => admit(zone, runs, cycle));
    const zone = found ?? { runs, residues: new Set<number>(), series: [] };
    if (!found) zones.push(zone);
    zone.series.push(s);
    for (const { residue } of runs) {
      if (zone.residues.has(residue)) continue;
      zone.residues.add(residue);
      const others = byResidue.get(residue);
      if (others) others.push(zone);
      else byResidue.set(residue, [zone]);
    }
  }
  return zones;
}

const residuesIn = (runs: readonly Run[]): Set<number> =>
  new Set(runs.map(({ residue }) => residue));

/** Whether a zone's clock can have been as these runs say; it is known of them then. */
export function admit(zone: Zone, runs: readonly Run[], { length, gap }: Cycle): boolean {
  const all = [...zone.runs, ...runs].sort((a, b) => a.from - b.from || a.to - b.to);
  const residues = [...residuesIn(all)];
  const isOne =
    residues.length === 1 ||
    (residues.length === 2 && changeBetween(residues[0], residues[1], length) !== null);
  if (!isOne) return false;
  const merged: Run[] = [];
  for (const run of all) {
    const last = merged.at(-1);
    if (last === undefined || (last.residue === run.residue && run.from - last.to > gap)) {
      merged.push(run);
    } else if (last.residue === run.residue) merged[merged.length - 1] = joined(last, run);
    else if (run.from <= last.to) return false;
    else merged.push(run);
  }
  const changes = changesOf(merged);
  // The first of them may have been seen for the last days of its half of the year alone.
  const isShort = changes.some(({ from }, k) => k > 1 && from - changes[k - 1].from < SHORTEST);
  if (isShort || !areFew(changes, 0)) return false;
  zone.runs = merged;
  return true;
}

/** Runs that begin at another time of day than the one before. */
export const changesOf = (runs: readonly Run[]): Run[] =>
  runs.filter(({ residue }, k) => k === 0 || residue !== runs[k - 1].residue);

/** How far the instants of a zone lie beside wall times: midnights, or whole steps of such as divide a day. */
export function clockOf(zone: Zone, { length }: Cycle, weekdays: number): ClockChange[] {
  const changes = changesOf(zone.runs);
  const [first, second = first] = new Set(changes.map(({ residue }) => residue));
  const by = changeBetween(first, second, length) ?? 0;
  const winter = by < 0 ? second : first;
  const isLater = length < DAY ? winter > length / 2 : isDayAfter(winter, changes, weekdays);
  const shift = isLater ? winter - length : winter;
  return changes.map(({ from, residue }) => ({
    from,
    shift: residue === winter ? shift : shift - Math.abs(by),
  }));
}

/** The same of a clock that nothing is known of but its time of day. */
export function unchangedShift(residue: number, length: number): number {
  const isLater = length < DAY ? residue > length / 2 : residue >= EAST.unchanged;
  return isLater ? residue - length : residue;
}

/** From which time of day in UTC on it is midnight east of Greenwich, of clocks by where they are changed. */
const EAST = { unchanged: 11 * HOUR, south: 11 * HOUR, north: 21 * HOUR + HALF_HOUR };
/** Monday to Friday, by bits of days from Sunday on. */
const WORKDAYS = 0b0111110;

/**
 * Whether the local day is the one after that in UTC: midnight east of Greenwich is the evening before. Stamps of other
 * times of day are those of the day in UTC.
 *
 * @param weekdays bits of days in UTC, from Sunday on
 */
function isDayAfter(winter: number, changes: readonly Run[], weekdays: number): boolean {
  const after = ((weekdays << 1) | (weekdays >> 6)) & 0b1111111;
  if (weekdays === WORKDAYS) return false;
  if (after === WORKDAYS) return true;
  const [, change] = changes;
  if (change === undefined) return winter >= EAST.unchanged;
  // In the north clocks are put forward in the first half of the year.
  const isFirstHalf = new Date(change.from).getUTCMonth() < 6;
  const isForward = change.residue !== winter;
  return winter >= (isFirstHalf === isForward ? EAST.north : EAST.south);
}

/** Bits of the days in UTC that stamps are on, from Sunday on. */
export function weekdaysOf(times: Float64Array): number {
  let days = 0;
  for (const time of times) days |= 1 << modulo(Math.floor(time / DAY) + 4, 7);
  return days;
}
