/**
 * The whole search beside LightGBM tuned by Optuna: equal wall time and threads, one after the other
 * on each data set, scored once on rows that neither has seen. Log-loss and RMSE; lower is better.
 */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import { SYSTEM_CLOCK } from "../../../engine/src/trainer/budget.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config.ts";
import { prepareTable } from "../../../engine/src/trainer/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/store.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, listDatasets, readFolder } from "../bench-data.ts";
import { metricOf, scoreOf } from "../contest.ts";
import type { Findings } from "../findings/findings.ts";
import type { PeerProcess, TunedPredictions, TuneRequest } from "../peer-process.ts";
import { shortNumber, textTable } from "../text-table.ts";

export interface TunedOptions {
  readonly folder: string;
  /** Data sets to take; empty = all. */
  readonly only: readonly string[];
  /** Wall time of each side and data set. */
  readonly seconds: number;
  /** Rows of a data set at most, where its split is not given. */
  readonly mostRows: number;
  readonly seed: number;
  readonly peers: PeerProcess;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** What is asked for: the share of data sets that are won. */
const ASKED_SHARE = 0.6;

export async function benchTuned(options: TunedOptions): Promise<void> {
  const { folder, only, seconds, mostRows, seed, peers, findings, print } = options;
  const threads = availableParallelism();
  print(`\nSearch beside LightGBM under Optuna, ${seconds} s and ${threads} threads each\n`);
  const rows: string[][] = [];
  let won = 0;
  for (const { name } of listDatasets(folder)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const data = await readFolder(join(folder, name), mostRows);
    await peers.load(data);
    const ours = await searchWithin(data, { seconds, threads, seed });
    const theirs = await peers.tune({ seconds, threads, seed });
    const [our, their] = [scoreOf(data, ours.predictions), scoreOf(data, theirs.predictions)];
    if (our < their) won++;
    findings.compare({
      ...{ what: `${name}, ${seconds} s`, unit: metricOf(data), better: "smaller" },
      ...{ ours: our, against: "LightGBM under Optuna", theirs: their },
    });
    const row = [
      name,
      String(data.train.length),
      metricOf(data),
      shortNumber(our, 4),
      shortNumber(their, 4),
      our < their ? "won" : our === their ? "equal" : "lost",
      shortNumber(our / their, 4),
      `${ours.trials} / ${theirs.trials}`,
      `${ours.seconds.toFixed(1)} / ${theirs.seconds.toFixed(1)}`,
    ];
    rows.push(row);
    print(`${row.join("  ")}\n`);
  }
  const header = ["", "train", "metric", "ours", "theirs", "", "ratio", "trials", "seconds"];
  print(`\n${textTable(header, rows)}\n`);
  print(`Won ${won} of ${rows.length}; asked for: ${ASKED_SHARE * 100} %.\n`);
}

/** More than fit into any of the times. */
const TRIALS = 10_000;

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
    nTrials: TRIALS,
    timeBudgetS: seconds,
    randomState: seed,
  });
  const run = prepareTable(takeRows(data.table, [...features, label], data.train), config);
  const pool = createPool(threads);
  try {
    const store = new MemoryRunStore();
    const state = await new RunDriver({ run, config, store, pool, startedAt }).drive();
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
