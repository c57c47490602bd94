/** The steps that a model answers, by the series that they are of. */

import type { Outputs } from "@distillery/client";
import type { RunReport } from "./queries.ts";

type Section = NonNullable<RunReport["forecasts"]>;
/** As charts of a report draw them. */
export type Step = Section["shown"][number]["forecast"][number];
type Predictions = Outputs["models"]["predict"]["predictions"];

/** Under the names that the report has for them. */
export function stepsBySeries(predictions: Predictions, coverage: number): Map<string, Step[]> {
  const found = new Map<string, Step[]>();
  for (const prediction of predictions) {
    if (!("time" in prediction) || !("series" in prediction)) continue;
    const { time, value, interval, series } = prediction as {
      time: string | number;
      value: number;
      interval?: readonly [number, number] | null;
      series: Readonly<Record<string, string>>;
    };
    const name = Object.values(series).join(" / ");
    const ranges = interval ? [{ coverage, low: interval[0], high: interval[1] }] : [];
    found.set(name, [...(found.get(name) ?? []), { time, value, ranges }]);
  }
  return found;
}
