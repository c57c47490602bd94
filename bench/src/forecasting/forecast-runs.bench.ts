/**
 * Whole runs with all defaults under a time budget on the test windows of published competitions, beside
 * statsforecast's automatic models and their mean, and AutoGluon within the same time. What these forecast is kept in
 * a file, a line a model and set, since some take an hour.
 */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { train } from "../../../engine/src/index.ts";
import type { Findings } from "../findings/findings.ts";
import { textTable } from "../text-table.ts";
import { autogluonForecasts, autogluonSeriesVersion } from "./autogluon-series.ts";
import { type ForecastScores, meanForecasts, scoreForecasts } from "./forecast-scores.ts";
import { historyRows, readSeriesSet, type SeriesSet } from "./series-sets.ts";
import { StatsforecastProcess } from "./statsforecast-process.ts";

export interface ForecastRunsOptions {
  /** Of the data sets. */
  readonly folder: string;
  /** Names of sets to take; empty = all. */
  readonly only: readonly string[];
  /** Each 20th series. */
  readonly quick: boolean;
  /** Of wall time, for each run of ours. */
  readonly seconds: number;
  readonly python: string;
  /** Keeps what the other library forecast. */
  readonly kept: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** `left`: models that take hours on the set. */
const SETS: readonly { readonly name: string; readonly left: readonly string[] }[] = [
  { name: "m4_hourly", left: ["AutoARIMA"] },
  { name: "m3_yearly", left: [] },
  { name: "m3_quarterly", left: [] },
  { name: "tourism_yearly", left: [] },
  { name: "tourism_monthly", left: [] },
  { name: "air_passengers", left: [] },
  { name: "aus_retail", left: [] },
  { name: "australia_tourism", left: [] },
];
const THREADS = 2;
const PEERS = ["AutoETS", "AutoARIMA", "DynamicOptimizedTheta", "AutoCES"];
const EVERY_QUICK = 20;
/** Series that one question to the other library holds. */
const TOGETHER = 20;

type Forecasts = readonly (readonly number[] | Float64Array)[];

interface Outcome {
  readonly forecasts: Forecasts;
  /** Of CPU; of AutoGluon of wall time. */
  readonly seconds: number;
}

export async function benchForecastRuns(options: ForecastRunsOptions): Promise<void> {
  const { folder, only, quick, seconds, python, kept, findings, print } = options;
  const peer = await StatsforecastProcess.start(python);
  if (peer === null) print(`\nstatsforecast is left out: ${python} does not have it.\n`);
  else print(`\nwhole runs of ${seconds} s beside statsforecast ${peer.version}\n`);
  const autogluon = autogluonSeriesVersion(python);
  if (autogluon === null) print(`AutoGluon is left out: ${python} has no autogluon.timeseries.\n`);
  try {
    for (const { name, left } of SETS) {
      if (only.length > 0 && !only.includes(name)) continue;
      const set = readSeriesSet(folder, name, quick ? EVERY_QUICK : 1);
      const ours = await ourRun(folder, set, seconds);
      const own = scoreForecasts(set, ours.forecasts);
      const beside = (against: string, theirs: ForecastScores): void => {
        const shared = {
          what: `${name}, whole run of ${seconds} s`,
          better: "smaller",
          against,
        } as const;
        findings.compare({ ...shared, unit: "MASE", ours: own.mase, theirs: theirs.mase });
        findings.compare({ ...shared, unit: "sMAPE", ours: own.smape, theirs: theirs.smape });
      };
      const rows = [["whole run", ...cells(own, ours.seconds), ours.said]];
      const theirs: Forecasts[] = [];
      for (const model of PEERS) {
        if (peer === null) break;
        if (left.includes(model)) {
          rows.push([model, "", "", "", "left out: hours"]);
          continue;
        }
        const { version } = peer;
        const outcome = await keptForecasts(kept, set, { model, version }, () =>
          ofStatsforecast(peer, set, model),
        );
        theirs.push(outcome.forecasts);
        const scores = scoreForecasts(set, outcome.forecasts);
        beside(model, scores);
        rows.push([model, ...cells(scores, outcome.seconds), ""]);
      }
      if (theirs.length > 0) {
        const scores = scoreForecasts(set, meanForecasts(theirs));
        beside(`mean of ${theirs.length}`, scores);
        rows.push([`mean of ${theirs.length}`, ...cells(scores, null), ""]);
      }
      if (autogluon !== null) {
        const model = `AutoGluon in ${seconds} s`;
        const outcome = await keptForecasts(kept, set, { model, version: autogluon }, () =>
          withHistories(folder, set, async (path) =>
            autogluonForecasts(python, path, set, { seconds, threads: THREADS }),
          ),
        );
        const scores = scoreForecasts(set, outcome.forecasts);
        beside(model, scores);
        rows.push([model, ...cells(scores, null), `${outcome.seconds.toFixed(1)} s`]);
      }
      print(
        `\n${name}: ${set.series.length} series, ${set.horizon} steps\n${textTable(["", "MASE", "sMAPE", "CPU s", ""], rows)}\n`,
      );
    }
  } finally {
    await peer?.close();
  }
}

function cells({ mase, smape }: ForecastScores, seconds: number | null): string[] {
  return [mase.toFixed(4), smape.toFixed(3), seconds === null ? "" : seconds.toFixed(1)];
}

/** Of the histories alone; nothing is said but where time, series and values stand, and the horizon. */
async function ourRun(
  folder: string,
  set: SeriesSet,
  timeBudgetS: number,
): Promise<Outcome & { readonly said: string }> {
  return withHistories(folder, set, async (path) => {
    const [wall, before] = [performance.now(), process.cpuUsage()];
    const { model } = await train(
      { path, format: "csv" },
      {
        task: {
          taskKind: "forecasting",
          labelColumn: "y",
          timeColumn: "ds",
          seriesColumns: ["unique_id"],
          horizon: set.horizon,
        },
        timeBudgetS,
      },
      { threads: THREADS },
    );
    const took = (performance.now() - wall) / 1000;
    const { user, system } = process.cpuUsage(before);
    const { values, intervals, keys } = model.predict({ rows: 0, columns: [] });
    const places = new Map(set.series.map(({ id }, index) => [id, index]));
    const forecasts = set.series.map((): number[] => []);
    let [held, asked] = [0, 0];
    for (const [row, key] of (keys ?? []).entries()) {
      const place = places.get(idOf(key["series"]));
      if (place === undefined) throw new Error("A forecast is of none of the series.");
      const actual = set.series[place].future[forecasts[place].length];
      forecasts[place].push(values[row]);
      const bounds = intervals?.bounds;
      if (!bounds) continue;
      asked++;
      if (bounds.lower[row] <= actual && actual <= bounds.upper[row]) held++;
    }
    const coverage = asked === 0 ? "no intervals" : `${((100 * held) / asked).toFixed(1)} % held`;
    return {
      forecasts,
      seconds: (user + system) / 1e6,
      said: `${took.toFixed(1)} s, 90 % intervals: ${coverage}`,
    };
  });
}

/** The rows before the test windows, in a file for as long as `action` takes. */
async function withHistories<Result>(
  folder: string,
  set: SeriesSet,
  action: (path: string) => Promise<Result>,
): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), "distillery-forecasts-"));
  try {
    const path = join(home, "histories.csv");
    writeFileSync(path, historyRows(folder, set));
    return await action(path);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function idOf(series: unknown): string {
  if (typeof series !== "object" || series === null || !("unique_id" in series)) return "";
  return String(series.unique_id);
}

interface KeptKey {
  readonly set: string;
  readonly series: number;
  readonly model: string;
  readonly version: string;
}

interface KeptLine extends KeptKey, Outcome {}

/** As the file has them, or made and added to it. */
async function keptForecasts(
  kept: string,
  { name: set, series: { length: series } }: SeriesSet,
  { model, version }: Pick<KeptKey, "model" | "version">,
  make: () => Promise<Outcome>,
): Promise<Outcome> {
  const lines = existsSync(kept) ? readFileSync(kept, "utf8").trimEnd().split("\n") : [];
  for (const line of lines) {
    if (line === "") continue;
    const known: KeptLine = JSON.parse(line);
    const isSame = known.set === set && known.series === series;
    if (isSame && known.model === model && known.version === version) return known;
  }
  const line: KeptLine = { set, series, model, version, ...(await make()) };
  mkdirSync(dirname(kept), { recursive: true });
  appendFileSync(kept, `${JSON.stringify(line)}\n`);
  return line;
}

async function ofStatsforecast(
  peer: StatsforecastProcess,
  { season, horizon, series }: SeriesSet,
  model: string,
): Promise<Outcome> {
  const forecasts: (readonly number[])[] = [];
  let seconds = 0;
  for (let start = 0; start < series.length; start += TOGETHER) {
    const histories = series.slice(start, start + TOGETHER).map(({ history }) => history);
    const answer = await peer.forecast(model, season, horizon, histories);
    forecasts.push(...answer.forecasts);
    seconds += answer.seconds;
  }
  return { seconds, forecasts };
}
