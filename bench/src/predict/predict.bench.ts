/**
 * What a prediction costs in the engine, without a service: one row, some, many, explained, and a model
 * that is loaded. The 500 trees are timed in turns with LightGBM's, which learned the same rows, and with
 * shap's TreeSHAP.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type RunConfigInput, train } from "../../../engine/src/index.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import type { Model } from "../../../engine/src/model/model.ts";
import { modelFolder } from "../../../engine/src/model/model-folder.ts";
import { syntheticColumns, syntheticTarget } from "../bench-data.ts";
import type { Findings } from "../findings/findings.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { numericTable } from "./numeric-table.ts";
import { PredictPeer } from "./predict-peer.ts";

export interface PredictBenchOptions {
  readonly quick: boolean;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const COLUMNS = 30;
const TURNS = 3;

export async function benchPredict({
  quick,
  python,
  findings,
  print,
}: PredictBenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-predict-"));
  try {
    const rows = quick ? 3000 : 20_000;
    const heldOut = quick ? 20_000 : 1_000_000;
    const columns = shared(syntheticColumns(rows + heldOut, COLUMNS));
    const target = syntheticTarget(columns, rows + heldOut);
    const trees = join(folder, "trees");
    await trained(folder, trees, columns, rows, (i) => target[i], {
      task: { taskKind: "binclass", labelColumn: "y" },
      nTrials: 1,
      nCvSplits: null,
      ensemble: false,
      calibration: false,
      hpoSpace: { models: [{ family: "gbdt", fixed: TREES }] },
    });
    const path = join(folder, "data.f64");
    await writeFile(
      path,
      [...columns, target].map((each) => new Uint8Array(Float64Array.from(each).buffer)),
    );
    const peer = await PredictPeer.start(python, {
      ...{ path, rows, columns: COLUMNS, held_out: heldOut },
    });
    if (peer === null) print(`\nNot compared: ${python} has no LightGBM\n`);
    try {
      const unseen = columns.map((column) => column.subarray(rows));
      await besidePeers(join(trees, "model"), unseen, peer, { quick, findings, print });
    } finally {
      await peer?.close();
    }
    const ensemble = join(folder, "ensemble");
    const some = quick ? 400 : 1500;
    const classOf = (i: number): string =>
      `class${2 * target[i] + Number(columns[8][i] + columns[9][i] > 0)}`;
    await trained(folder, ensemble, columns.slice(0, 12), some, classOf, {
      task: { taskKind: "multiclass", labelColumn: "y" },
      nTrials: quick ? 4 : 12,
    });
    await ofEnsemble(join(ensemble, "model"), columns.slice(0, 12), findings, print);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const TREES = {
  n_estimators: 500,
  num_leaves: 63,
  learning_rate: 0.05,
  min_data_in_leaf: 20,
  early_stopping_rounds: 0,
  feature_fraction: 1,
  bagging_fraction: 1,
};

async function besidePeers(
  folder: string,
  columns: readonly Float64Array[],
  peer: PredictPeer | null,
  { quick, findings, print }: Omit<PredictBenchOptions, "python">,
): Promise<void> {
  const model = await loadModel(modelFolder(folder));
  const all = columns[0].length;
  const found: string[][] = [];
  const lightgbm = `LightGBM ${peer?.versions.lightgbm}`;
  const compare = async (
    work: string,
    ours: () => number | Promise<number>,
    theirs: ((peer: PredictPeer) => Promise<number>) | null,
  ): Promise<void> => {
    const times: { readonly own: number[]; readonly other: number[] } = { own: [], other: [] };
    for (let turn = 0; turn < TURNS; turn++) {
      times.own.push(await ours());
      if (peer && theirs) times.other.push(await theirs(peer));
    }
    const own = median(times.own);
    const other = times.other.length > 0 ? median(times.other) : Number.NaN;
    const library = work.includes("(shap)") ? `shap ${peer?.versions.shap}` : lightgbm;
    const shared = { what: `500 trees, ${work}`, unit: "ms", better: "smaller" } as const;
    findings.compare({ ...shared, ours: own, against: library, theirs: other });
    found.push([work, shortNumber(own), shortNumber(other), shortNumber(other / own, 3)]);
    print(`${work}: ${shortNumber(own)} ms, theirs ${shortNumber(other)} ms\n`);
  };
  for (const [count, times] of [
    [1, 300],
    [1000, 10],
    [all, 1],
  ]) {
    const table = numericTable(columns, 0, count);
    await compare(
      `${count === 1 ? "one row" : `${count} rows`}, one thread`,
      () => milliseconds(times, () => model.predict(table)),
      (other) => other.predict(count, 1, times),
    );
  }
  const threads = await Promise.all([1, 2].map(() => threadOf(folder, columns)));
  try {
    const half = all >> 1;
    await compare(
      `${all} rows, two threads`,
      async () => {
        const begun = performance.now();
        await Promise.all([asked(threads[0], 0, half), asked(threads[1], half, all)]);
        return performance.now() - begun;
      },
      (other) => other.predict(all, 2, 1),
    );
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  const explained = quick ? 20 : 100;
  const some = numericTable(columns, 0, explained);
  for (const library of ["lightgbm", "shap"] as const) {
    if (library === "shap" && peer !== null && peer.versions.shap === null) continue;
    await compare(
      `TreeSHAP of ${explained} rows (${library})`,
      () => milliseconds(1, () => model.explain(some)),
      (other) => other.contributions(explained, library),
    );
  }
  const versions = peer?.versions ?? { lightgbm: "absent", shap: null };
  print(
    `\n500 trees of 63 leaves, ${COLUMNS} columns; LightGBM ${versions.lightgbm}, shap ${versions.shap}\n`,
  );
  print(`${textTable(["", "ms", "theirs, ms", "ratio"], found)}\n`);
}

async function ofEnsemble(
  folder: string,
  columns: readonly Float64Array[],
  findings: Findings,
  print: (text: string) => void,
): Promise<void> {
  const loads: number[] = [];
  let model: Model | undefined;
  for (let turn = 0; turn < TURNS; turn++) {
    const begun = performance.now();
    model = await loadModel(modelFolder(folder));
    loads.push(performance.now() - begun);
  }
  if (model === undefined) return;
  const loaded = model;
  const one = numericTable(columns, 0, 1);
  const thousand = numericTable(columns, 0, 1000);
  const ten = numericTable(columns, 0, 10);
  const rows = [
    ["loaded, the first time", loads[0]],
    ["loaded again", median(loads)],
    ["one row", milliseconds(200, () => loaded.predict(one))],
    ["1,000 rows", milliseconds(10, () => loaded.predict(thousand))],
    ["explained, 10 rows", milliseconds(3, () => loaded.explain(ten))],
  ] as const;
  for (const [name, ms] of rows) findings.note(`default ensemble, ${name}`, "ms", ms);
  const { members } = model.document;
  print(`\na default ensemble of four classes: ${members.length} members\n`);
  print(
    `${textTable(
      ["", "ms"],
      rows.map(([name, ms]) => [name, shortNumber(ms)]),
    )}\n`,
  );
}

/** The median. */
function milliseconds(times: number, action: () => unknown): number {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const begun = performance.now();
    action();
    taken.push(performance.now() - begun);
  }
  return median(taken);
}

async function trained(
  temporary: string,
  folder: string,
  columns: readonly Float64Array[],
  rows: number,
  label: (row: number) => string | number,
  config: RunConfigInput,
): Promise<void> {
  const lines = Array.from({ length: rows }, (_, i) =>
    [...columns.map((column) => column[i]), label(i)].join(","),
  );
  const header = [...columns.map((_, f) => `x${f}`), "y"].join(",");
  const path = join(temporary, "rows.csv");
  await writeFile(path, [header, ...lines].join("\n"));
  await train({ path, format: "csv" }, config, { folder });
}

function shared(columns: readonly Float64Array[]): Float64Array[] {
  return columns.map((column) => {
    const copy = new Float64Array(new SharedArrayBuffer(column.byteLength));
    copy.set(column);
    return copy;
  });
}

async function threadOf(folder: string, columns: readonly Float64Array[]): Promise<Worker> {
  const worker = new Worker(new URL("predict-thread.ts", import.meta.url), {
    workerData: { folder, columns },
  });
  await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return worker;
}

function asked(worker: Worker, from: number, to: number): Promise<unknown> {
  const answered = new Promise((resolve) => worker.once("message", resolve));
  worker.postMessage({ from, to });
  return answered;
}
