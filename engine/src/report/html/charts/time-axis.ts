/** Steps of series on an axis: times on the clock of their stamps (UTC), or numbers. */

export type Stamp = string | number;

/** @param isTime whether stamps are ISO 8601 */
export function placeOf(stamp: Stamp, isTime: boolean): number {
  return isTime ? Date.parse(String(stamp)) : Number(stamp);
}

/** Of ticks at the begin of such spans: each says which day it is, where the usual "Mon 24" leaves out the month. */
const LABELS = {
  ...{ year: "%Y", quarter: "%b %Y", month: "%b %Y", week: "%b %-d", day: "%b %-d" },
  ...{ hours: "%H:%M", minutes: "%H:%M", seconds: "%H:%M:%S" },
} as const;

export function timeScale(isTime: boolean) {
  return isTime
    ? ({
        type: "temporal",
        scale: { type: "utc" },
        axis: { labelOverlap: true, tickCount: 6, format: LABELS },
      } as const)
    : ({
        type: "quantitative",
        scale: { zero: false, nice: false },
        axis: { tickCount: 6, format: "d" },
      } as const);
}

/** For people: as much of it as tells steps apart. */
export function stampText(stamp: Stamp, isTime: boolean): string {
  if (!isTime) return String(stamp);
  const text = String(stamp);
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
}
