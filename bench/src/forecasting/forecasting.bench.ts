/**
 * Models of one series on the test windows of published competitions: mean MASE and sMAPE of each of ours
 * and of their mean and median, beside statsforecast's counterpart where it is installed, and the CPU time
 * of both, series by series in turns.
 */

import process from "node:process";
import { seasonLengths } from "../../../engine/src/series/seasonality/season-lengths.ts";
import type { Findings } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import {
  type ForecastScores,
  meanForecasts,
  medianForecasts,
  scoreForecasts,
} from "./forecast-scores.ts";
import { OUR_MODELS } from "./our-models.ts";
import { readSeriesSet, type SeriesSet } from "./series-sets.ts";
import { StatsforecastProcess } from "./statsforecast-process.ts";

export interface ForecastingOptions {
  /** Of the data sets. */
  readonly folder: string;
  /** Names of sets to take; empty = all. */
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** `slowEvery`: models whose counterpart takes seconds or minutes a series take each so many-th. */
const SETS = [
  { name: "m3_yearly", slowEvery: 1 },
  { name: "tourism_yearly", slowEvery: 1 },
  { name: "m3_quarterly", slowEvery: 1 },
  { name: "tourism_monthly", slowEvery: 12 },
  { name: "m4_hourly", slowEvery: 60 },
];
/** Lengths among which seasons are looked for. */
const CANDIDATES = [4, 7, 12, 24, 52];
/** Series that ours and theirs take in turns. */
const TURN = 10;

interface Outcome {
  readonly forecasts: readonly (readonly number[] | Float64Array)[];
  readonly seconds: number;
}

export async function benchForecasting(options: ForecastingOptions): Promise<void> {
  const { folder, only, quick, python, findings, print } = options;
  const peer = await StatsforecastProcess.start(python);
  if (peer === null) print(`\nstatsforecast is left out: ${python} does not have it.\n`);
  else print(`\nforecasting beside statsforecast ${peer.version}\n`);
  try {
    for (const { name, slowEvery } of SETS) {
      if (only.length > 0 && !only.includes(name)) continue;
      const slow = slowEvery === 1;
      const groups = quick
        ? [{ every: 20, slow }]
        : [{ every: 1, slow }, ...(slow ? [] : [{ every: slowEvery, slow: true }])];
      for (const group of groups) {
        await benchSet(readSeriesSet(folder, name, group.every), group.slow, peer, findings, print);
      }
    }
  } finally {
    await peer?.close();
  }
}

async function benchSet(
  set: SeriesSet,
  slow: boolean,
  peer: StatsforecastProcess | null,
  findings: Findings,
  print: (text: string) => void,
): Promise<void> {
  const seasonal = set.series.filter(({ history }) =>
    seasonLengths(history, CANDIDATES).includes(set.season),
  );
  const rows: string[][] = [];
  const ours: Outcome["forecasts"][] = [];
  const theirs: Outcome["forecasts"][] = [];
  for (const model of OUR_MODELS) {
    if (model.slow && !slow) continue;
    const outcome = await runInTurns(set, model, peer);
    if (outcome.theirs !== null && model.peer !== null && peer !== null) {
      findings.compare({
        ...{ what: `${set.name}, ${model.name}`, unit: "CPU s", better: "smaller" },
        ...{ ours: outcome.ours.seconds, theirs: outcome.theirs.seconds },
        against: `${model.peer} of statsforecast ${peer.version}`,
      });
    }
    if (model.inEnsemble) {
      ours.push(outcome.ours.forecasts);
      if (outcome.theirs !== null) theirs.push(outcome.theirs.forecasts);
    }
    rows.push([
      model.name,
      ...scoreCells(scoreForecasts(set, outcome.ours.forecasts)),
      shortNumber(outcome.ours.seconds, 3),
      ...(outcome.theirs === null || model.peer === null
        ? ["", "", "", ""]
        : [
            model.peer,
            ...scoreCells(scoreForecasts(set, outcome.theirs.forecasts)),
            shortNumber(outcome.theirs.seconds, 3),
          ]),
    ]);
  }
  for (const [name, combine] of [
    ["mean", meanForecasts],
    ["median", medianForecasts],
  ] as const) {
    const own = scoreForecasts(set, combine(ours));
    const cells = scoreCells(own);
    if (theirs.length === ours.length) {
      findings.compare({
        ...{ what: `${set.name}, ${name} of ${ours.length} models`, unit: "MASE" },
        ...{ better: "smaller", ours: own.mase, against: `statsforecast ${peer?.version}` },
        theirs: scoreForecasts(set, combine(theirs)).mase,
      });
    }
    const beside =
      theirs.length === ours.length
        ? [name, ...scoreCells(scoreForecasts(set, combine(theirs))), ""]
        : ["", "", "", ""];
    rows.push([`${name} of ${ours.length}`, ...cells, "", ...beside]);
  }
  const header = ["", "MASE", "sMAPE", "CPU s", "statsforecast", "MASE", "sMAPE", "CPU s"];
  print(
    `\n${set.name}: ${set.series.length} series, season ${set.season}, ${set.horizon} steps; the season is found in ${seasonal.length}\n` +
      `${textTable(header, rows)}\n`,
  );
}

const scoreCells = ({ mase, smape }: ForecastScores): string[] => [
  mase.toFixed(4),
  smape.toFixed(3),
];

async function runInTurns(
  set: SeriesSet,
  { fit, peer: peerModel }: (typeof OUR_MODELS)[number],
  peer: StatsforecastProcess | null,
): Promise<{ ours: Outcome; theirs: Outcome | null }> {
  const { season, horizon, series } = set;
  const ours: Float64Array[] = [];
  const theirs: (readonly number[])[] = [];
  let ourSeconds = 0;
  let theirSeconds = 0;
  for (let start = 0; start < series.length; start += TURN) {
    const histories = series.slice(start, start + TURN).map(({ history }) => history);
    const before = process.cpuUsage();
    for (const history of histories) ours.push(fit(history, season).forecast(history, horizon));
    const used = process.cpuUsage(before);
    ourSeconds += (used.user + used.system) / 1e6;
    if (peer === null || peerModel === null) continue;
    const answer = await peer.forecast(peerModel, season, horizon, histories);
    theirs.push(...answer.forecasts);
    theirSeconds += answer.seconds;
  }
  return {
    ours: { forecasts: ours, seconds: ourSeconds },
    theirs:
      peer === null || peerModel === null ? null : { forecasts: theirs, seconds: theirSeconds },
  };
}
