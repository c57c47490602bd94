/**
 * Local clocks: instants lie beside the wall times of a series by its offset from UTC, which changes where the clock is put
 * forward and back. The steps of a grid are wall times; `series-clocks.ts` finds the clocks.
 */

import { DAY, type Frequency, HOUR, timeOf } from "./frequency.ts";

/** From a step on, instants lie so many milliseconds beside those of the frequency; ascending. */
export type Clock = readonly { readonly step: number; readonly shift: number }[];

/** From an instant on. */
export interface ClockChange {
  readonly from: number;
  readonly shift: number;
}

export const HALF_HOUR = HOUR / 2;
/** Steps of an hour or two are as regular in time as they are by a clock that is changed by an hour. */
export const SHORTEST_STEP = 2 * HOUR;
/** Midnights in UTC of Lord Howe Island, in winter and in summer: the one place whose clock is changed by half an hour. */
const LORD_HOWE: readonly number[] = [13.5 * HOUR, 13 * HOUR];

export function shiftAt(clock: Clock | undefined, step: number): number {
  if (clock === undefined || clock.length === 0) return 0;
  return (clock.findLast(({ step: from }) => from <= step) ?? clock[0]).shift;
}

export function shiftFrom(changes: readonly ClockChange[], instant: number): number {
  return (changes.findLast(({ from }) => from <= instant) ?? changes[0]).shift;
}

/** What stamps of a series may lie beside those of the frequency; the likeliest first. */
export function shiftsOf(
  frequency: Frequency,
  isTime: boolean,
  clock: Clock | undefined,
): readonly number[] {
  const known = [...new Set((clock ?? []).map(({ shift }) => shift))].reverse();
  if (known.length > 1) return known;
  const [shift] = known.length > 0 ? known : [0];
  const isByClock = isTime && (frequency.kind !== "regular" || frequency.step > SHORTEST_STEP);
  if (!isByClock) return [shift];
  const isHalf = LORD_HOWE.includes(modulo(timeOf(frequency, 0) + shift, DAY));
  const changes = isHalf ? [HALF_HOUR, HOUR] : [HOUR];
  return [shift, ...changes.flatMap((by) => [shift - by, shift + by])];
}

/**
 * Clocks as a header has them. A sum is by that of its series; of several, its steps are at the wall times themselves.
 *
 * @param sums the series of each
 */
export function savedClocks(
  own: readonly (Clock | undefined)[],
  sums: readonly (readonly number[])[],
): { each: { step: number; shift: number }[][]; of: number[] } | null {
  const places = new Map<Clock, number>();
  const placeOf = (clock: Clock | undefined): number => {
    if (clock === undefined) return -1;
    const place = places.get(clock) ?? places.size;
    places.set(clock, place);
    return place;
  };
  const of = own.map(placeOf);
  const ofSums = sums.map(([first, ...others]) =>
    others.every((s) => of[s] === of[first]) ? of[first] : -1,
  );
  if (places.size === 0) return null;
  return { each: [...places.keys()].map((clock) => [...clock]), of: [...of, ...ofSums] };
}

export function modulo(value: number, cycle: number): number {
  return ((value % cycle) + cycle) % cycle;
}
