/** Sets of time series with an official test window each, from folders of `--data`. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export interface TestedSeries {
  readonly id: string;
  /** Oldest first. */
  readonly history: Float64Array;
  /** The values after the history, one a step of the horizon. */
  readonly future: Float64Array;
}

export interface SeriesSet {
  readonly name: string;
  /** "yearly", "quarterly", "monthly", "daily" or "hourly". */
  readonly frequency: string;
  readonly season: number;
  readonly horizon: number;
  readonly series: readonly TestedSeries[];
}

/** `every`: only each so many-th series. */
export function readSeriesSet(folder: string, name: string, every: number): SeriesSet {
  const path = join(folder, name);
  const meta: Record<string, unknown> = JSON.parse(readFileSync(join(path, "meta.json"), "utf8"));
  const frequency = String(meta["frequency"]);
  const season = Number(meta["seasonality"]);
  const horizon = Number(meta["horizon"]);
  const histories = readPart(path, "train");
  const futures = readPart(path, "test");
  const series = [...histories]
    .filter((_, index) => index % every === 0)
    .map(([id, history]) => {
      const future = futures.get(id);
      if (future?.length !== horizon) {
        throw new Error(`${name}: series ${id} has no test window of ${horizon} values.`);
      }
      return { id, history: Float64Array.from(history), future: Float64Array.from(future) };
    });
  return { name, frequency, season, horizon, series };
}

/** The rows that histories were read from, with their stamps, as CSV. */
export function historyRows(folder: string, { name, series }: SeriesSet): string {
  const ids = new Set(series.map(({ id }) => id));
  const [header = "", ...rows] = linesOf(join(folder, name), "train");
  return `${[header, ...rows.filter((line) => ids.has(idAndRest(line).id))].join("\n")}\n`;
}

function linesOf(folder: string, part: string): string[] {
  const plain = join(folder, `${part}.csv`);
  const text = existsSync(plain)
    ? readFileSync(plain, "utf8")
    : gunzipSync(readFileSync(`${plain}.gz`)).toString("utf8");
  return text.trimEnd().split("\n");
}

/** The first cell of a row, which may be quoted, and what follows it. */
function idAndRest(line: string): { readonly id: string; readonly rest: string } {
  const [cell = "", quoted, plain = ""] = /^(?:"((?:[^"]|"")*)"|([^,]*)),/.exec(line) ?? [];
  return { id: quoted?.replaceAll('""', '"') ?? plain, rest: line.slice(cell.length) };
}

/** Rows `unique_id,ds,y`, grouped by series and in time's order. */
function readPart(folder: string, part: string): Map<string, number[]> {
  const series = new Map<string, number[]>();
  for (const line of linesOf(folder, part).slice(1)) {
    const { id, rest } = idAndRest(line.trimEnd());
    const [, value = ""] = rest.split(",");
    const known = series.get(id);
    if (known === undefined) series.set(id, [Number(value)]);
    else known.push(Number(value));
  }
  return series;
}
