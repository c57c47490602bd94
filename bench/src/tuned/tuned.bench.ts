/**
 * The whole search beside that of others: equal wall time and threads, one after the other
 * on each data set, scored once on rows that neither has seen. Log-loss and RMSE; lower is better.
 */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import { SYSTEM_CLOCK } from "../../../engine/src/trainer/clock/budget.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, listDatasets, readFolder } from "../bench-data.ts";
import { metricOf, scoreOf } from "../contest.ts";
import { ASKED_FOR, type Findings, geometricMean } from "../findings/findings.ts";
import type { PeerProcess, SearchPeer, TunedPredictions, TuneRequest } from "../peer-process.ts";
import { shortNumber, textTable } from "../text-table.ts";

export interface TunedOptions {
  readonly beside: SearchPeer;
  readonly folder: string;
  /** Data sets to take; empty = all. */
  readonly only: readonly string[];
  /** Wall time of each side and data set. */
  readonly seconds: number;
  /** Rows of a data set at most, where its split is not given. */
  readonly mostRows: number;
  readonly seeds: number;
  readonly peers: PeerProcess;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** What is asked for: the share of data sets that are won. */
const ASKED_SHARE = 0.6;

export async function benchTuned(options: TunedOptions): Promise<void> {
  const { beside, folder, only, seconds, mostRows, seeds, peers, findings, print } = options;
  const threads = availableParallelism();
  print(`\nSearch beside ${beside}, ${seconds} s and ${threads} threads each\n`);
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (const { name } of listDatasets(folder)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const data = await readFolder(join(folder, name), mostRows);
    await peers.load(data);
    const own: Searched[] = [];
    const others: Searched[] = [];
    try {
      for (let seed = 0; seed < seeds; seed++) {
        const request = { seconds, threads, seed };
        own.push(scored(data, await searchWithin(data, request)));
        others.push(scored(data, await peers.search(beside, request)));
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      rows.push([name, String(data.train.length), "failed"]);
      print(`${name}: left out, since a search failed: ${why}\n`);
      continue;
    }
    const [ours, theirs] = [meanOf(own), meanOf(others)];
    ratios.push(theirs.loss / ours.loss);
    findings.compare({
      ...{ what: `${name}, ${seconds} s`, unit: metricOf(data), better: "smaller" },
      ...{ ours: ours.loss, against: beside, theirs: theirs.loss },
    });
    const row = [
      name,
      String(data.train.length),
      metricOf(data),
      shortNumber(ours.loss, 4),
      shortNumber(theirs.loss, 4),
      ours.loss < theirs.loss ? "won" : ours.loss === theirs.loss ? "equal" : "lost",
      shortNumber(ours.loss / theirs.loss, 4),
      `${shortNumber(ours.trials, 3)} / ${shortNumber(theirs.trials, 3)}`,
      `${ours.seconds.toFixed(1)} / ${theirs.seconds.toFixed(1)}`,
    ];
    rows.push(row);
    print(`${row.join("  ")}\n`);
  }
  const header = ["", "train", "metric", "ours", "theirs", "", "ratio", "trials", "seconds"];
  print(`\nMeans of ${seeds} seeds\n${textTable(header, rows)}\n`);
  if (ratios.length === 0) return;
  const won = ratios.filter((ratio) => ratio > 1).length;
  print(`Won ${won} of ${ratios.length}; asked for: ${ASKED_SHARE * 100} %.\n`);
  findings.compare({
    ...{ what: `${ratios.length} data sets, ${seconds} s, beside ${beside}`, unit: "share won" },
    ...{ better: "larger", ours: won / ratios.length, against: ASKED_FOR, theirs: ASKED_SHARE },
  });
  findings.compare({
    ...{ what: `loss over ${ratios.length} data sets, ${seconds} s`, unit: "relative" },
    ...{ better: "smaller", ours: 1, against: beside, theirs: geometricMean(ratios) },
  });
}

interface Searched {
  readonly loss: number;
  readonly trials: number;
  readonly seconds: number;
}

function scored(data: BenchData, { predictions, trials, seconds }: TunedPredictions): Searched {
  return { loss: scoreOf(data, predictions), trials, seconds };
}

function meanOf(searched: readonly Searched[]): Searched {
  const mean = (of: (each: Searched) => number): number =>
    searched.reduce((sum, each) => sum + of(each), 0) / searched.length;
  return {
    loss: mean(({ loss }) => loss),
    trials: mean(({ trials }) => trials),
    seconds: mean(({ seconds }) => seconds),
  };
}

async function searchWithin(
  data: BenchData,
  { seconds, threads, seed }: TuneRequest,
): Promise<TunedPredictions> {
  const started = performance.now();
  const startedAt = SYSTEM_CLOCK.now();
  const features = data.schema.columns.map(({ name }) => name);
  const { label } = data;
  const config = runConfigSchema.parse({
    task: { taskKind: data.task.kind, labelColumn: label },
    timeBudgetS: seconds,
    randomState: seed,
  });
  const run = prepareTable(takeRows(data.table, [...features, label], data.train), config);
  const pool = createPool(threads);
  try {
    const store = new MemoryRunStore();
    // As `train` without a folder: time that is kept for a report would go unused.
    const driver = new RunDriver({ run, config, store, pool, startedAt, reports: false });
    const state = await driver.drive();
    const model = await loadModel((path) => readModelFile(store, path));
    const { values } = model.predict(takeRows(data.table, features, data.test));
    return {
      predictions: values,
      trials: state.trials.filter((trial) => trial.state === "finished").length,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await pool.close();
  }
}
