/** What a run says of the bounds that forecasts are held within. */

import type { Frame } from "../../data/frame.ts";

/** What forecasts are held at; empty where they can be any, or are no forecasts. */
export function notesOfBounds(frame: Frame | undefined): readonly string[] {
  if (frame?.kind !== "series" || !frame.least || !frame.most) return [];
  const series = frame.names.length;
  const noteOf = (bounds: Float64Array, side: string): string[] => {
    const times = new Map<number, number>();
    for (const bound of bounds.subarray(0, series)) times.set(bound, (times.get(bound) ?? 0) + 1);
    return [...times].flatMap(([bound, count]) =>
      Number.isFinite(bound)
        ? [
            `Forecasts${series === 1 ? "" : ` of ${count === series ? "all" : `${count} of ${series}`} series`} are held at ${bound} or ${side}: at the bound that was given or, without one, where the past values keep to it.`,
          ]
        : [],
    );
  };
  return [...noteOf(frame.least, "above"), ...noteOf(frame.most, "below")];
}
