/** AutoGluon's forecasts of a set of series, by `autogluon_series.py`. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { SeriesSet } from "./series-sets.ts";

const SCRIPT = fileURLToPath(new URL("autogluon_series.py", import.meta.url));
const MOST_BYTES = 2 ** 28;

const answerSchema = z.object({
  version: z.string(),
  seconds: z.number(),
  forecasts: z.record(z.string(), z.array(z.number())),
});

/** Its version; null where `python` does not have it. */
export function autogluonSeriesVersion(python: string): string | null {
  const code = "from importlib.metadata import version; print(version('autogluon.timeseries'))";
  try {
    return execFileSync(python, ["-c", code], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return null;
  }
}

/**
 * One list a series, in the set's order, and the seconds of wall time that they took.
 *
 * @param histories a file as `historyRows` writes it
 * @throws Error where a series has no forecast
 */
export function autogluonForecasts(
  python: string,
  histories: string,
  { frequency, season, horizon, series }: SeriesSet,
  { seconds, threads }: { readonly seconds: number; readonly threads: number },
): { readonly forecasts: readonly (readonly number[])[]; readonly seconds: number } {
  const asked = [histories, seconds, threads, frequency, season, horizon].map(String);
  const said = execFileSync(python, [SCRIPT, ...asked], {
    ...{ encoding: "utf8", maxBuffer: MOST_BYTES, stdio: ["ignore", "pipe", "ignore"] },
  });
  const answer = answerSchema.parse(JSON.parse(said));
  const forecasts = series.map(({ id }) => {
    const own = answer.forecasts[id];
    if (own?.length !== horizon) throw new Error(`AutoGluon has no forecast of series ${id}.`);
    return own;
  });
  return { forecasts, seconds: answer.seconds };
}
