/** Seasons of a run's series: as asked, by the calendar, or those that numbered steps show. */

import type { SeriesFrame } from "../../data/frame.ts";
import { seasonLengths } from "../../series/seasonality/season-lengths.ts";
import { calendarSeasons, type Frequency } from "./frequency.ts";

/** Lengths in steps, ascending. */
export function seasonsOf(
  asked: unknown,
  frequency: Frequency,
  isTime: boolean,
  { target, offsets }: Pick<SeriesFrame, "target" | "offsets">,
): readonly number[] {
  const given =
    typeof asked === "number" ? [asked] : Array.isArray(asked) ? asked.map(Number) : null;
  if (given !== null)
    return [...new Set(given)].filter((season) => season > 1).sort((a, b) => a - b);
  if (isTime) return calendarSeasons(frequency, isTime);
  return seasonsShown(target, offsets);
}

/** Seasons that numbered steps may have: of months, weeks, days of hours, and their parts. */
const CANDIDATES = [4, 6, 7, 12, 24, 48, 52, 96, 168, 336];
/** Series that are looked at, evenly spaced, and values of each. */
const LOOKED_AT = 50;
const LOOKED_BACK = 2000;

/** Of the series that are looked at, how many must show a season, and how many a multiple of such a one. */
const MOST_SHOW = 1 / 2;
const SOME_SHOW = 1 / 8;

/**
 * The strongest that most series show, and its strongest multiple that some do: what weekdays are to some
 * series of hours, others are without, and models of both seasons serve all of them.
 */
function seasonsShown(target: Float64Array, offsets: Uint32Array): readonly number[] {
  const count = offsets.length - 1;
  const looked = Math.min(count, LOOKED_AT);
  const votes = new Map<number, number>();
  for (let i = 0; i < looked; i++) {
    const s = Math.floor((i * count) / looked);
    const from = Math.max(offsets[s], offsets[s + 1] - LOOKED_BACK);
    const known = target.subarray(from, offsets[s + 1]).filter((value) => !Number.isNaN(value));
    if (known.length < 3) continue;
    for (const length of seasonLengths(known, CANDIDATES).slice(0, 2)) {
      votes.set(length, (votes.get(length) ?? 0) + 1);
    }
  }
  const ranked = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const most = ranked.filter(([, voters]) => voters >= MOST_SHOW * looked);
  const some = ranked.filter(
    ([length, voters]) =>
      voters >= SOME_SHOW * looked &&
      most.some(([shorter]) => length > shorter && length % shorter === 0),
  );
  return [...new Set([...most, ...some].map(([length]) => length))]
    .slice(0, 2)
    .sort((a, b) => a - b);
}
