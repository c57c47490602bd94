/**
 * One fit of boosting, binning included, beside every way that other libraries have of it, on one thread and on two:
 * equal settings, alternating in one run, medians. Losses are of held-out rows: speed at a worse loss is none.
 */

import { availableParallelism } from "node:os";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, encodeHelped, syntheticData } from "../bench-data.ts";
import {
  type Contender,
  medianOf,
  metricOf,
  ourEqual,
  type Result,
  runContest,
} from "../contest.ts";
import type { Findings } from "../findings/findings.ts";
import type { EqualSettings, PeerFitOptions, PeerProcess } from "../peer-process.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { manyClasses, manyLevels, oneHot } from "./tables.ts";

export interface FitsOptions {
  readonly quick: boolean;
  /** Turns, of which the median counts. */
  readonly seeds: number;
  /** Tables whose names contain one of these; none: all. */
  readonly datasets: readonly string[];
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Case {
  readonly name: string;
  readonly make: () => BenchData;
  readonly rounds: number;
  readonly leaves: number;
  /** How many times as fast as the fastest other one it is to be. */
  readonly asked: number;
}

/** Ways of growing trees that are options of a library. */
const WAYS: readonly {
  readonly library: string;
  readonly way: string;
  readonly parameters: NonNullable<PeerFitOptions["parameters"]>;
}[] = [
  { library: "lightgbm", way: "row-wise", parameters: { force_row_wise: true } },
  { library: "lightgbm", way: "column-wise", parameters: { force_col_wise: true } },
  {
    library: "lightgbm",
    way: "row-wise, quantised",
    parameters: { force_row_wise: true, use_quantized_grad: true },
  },
  {
    library: "lightgbm",
    way: "column-wise, quantised",
    parameters: { force_col_wise: true, use_quantized_grad: true },
  },
  { library: "xgboost", way: "hist", parameters: {} },
  { library: "catboost", way: "symmetric", parameters: {} },
  { library: "hist_gradient_boosting", way: "", parameters: {} },
];

/** Times our loss, up to which another one is as low: fits that are faster and learn less are told beside those. */
const AS_LOW = 1.005;

function casesOf(quick: boolean): readonly Case[] {
  const size = (rows: number): number => (quick ? Math.floor(rows / 20) : rows);
  const rounds = (full: number): number => (quick ? 5 : full);
  return [
    {
      ...{ name: "long", make: () => syntheticData(size(1_000_000), 28) },
      ...{ rounds: rounds(100), leaves: 255, asked: 1.5 },
    },
    {
      ...{ name: "wide", make: () => syntheticData(size(100_000), quick ? 100 : 500) },
      ...{ rounds: rounds(50), leaves: 63, asked: 1.3 },
    },
    {
      ...{
        name: "sparse",
        make: () => oneHot(size(100_000), quick ? 4 : 20, 20, quick ? 20 : 100),
      },
      ...{ rounds: rounds(50), leaves: 63, asked: 1.3 },
    },
    {
      ...{ name: "classes", make: () => manyClasses(size(100_000), 28, 7) },
      ...{ rounds: rounds(50), leaves: 31, asked: 1.3 },
    },
    {
      ...{ name: "levels", make: () => manyLevels(size(200_000), 30, 1000) },
      ...{ rounds: rounds(100), leaves: 31, asked: 1.3 },
    },
  ];
}

export async function benchFits(options: FitsOptions): Promise<void> {
  const { quick, datasets, peers } = options;
  const counts = [1, 2].filter((count) => count <= availableParallelism());
  const pool = createPool(1);
  try {
    // Its thread starts with its first task, which is no part of a fit.
    await encodeHelped(syntheticData(1000, 4), { pool, count: 1 });
    for (const each of casesOf(quick)) {
      if (datasets.length > 0 && !datasets.some((part) => each.name.includes(part))) continue;
      const data = each.make();
      await peers?.load(data);
      for (const threads of counts) await compare(each, data, threads, pool, options);
    }
  } finally {
    await pool.close();
  }
}

async function compare(
  { name, rounds, leaves, asked }: Case,
  data: BenchData,
  threads: number,
  pool: ComputePool,
  { quick, seeds, peers, findings, print }: FitsOptions,
): Promise<void> {
  const settings = { rounds, leaves, learning_rate: 0.1, min_data: 20, l2: 1 };
  const contenders = [
    ourEqual(data, settings, threads > 1 ? { pool, count: threads - 1 } : null),
    ...(peers === null ? [] : waysOf(peers, settings, threads)),
  ];
  const results = await runContest(data, contenders, quick ? 1 : seeds);
  const what = `${name}, ${data.train.length} × ${data.table.columns.length}, ${leaves} leaves, ${rounds} rounds`;
  print(`\n${what}, ${threads === 1 ? "one thread" : `${threads} threads`}\n`);
  print(`${resultTable(data, results)}\n`);
  const [ours, ...others] = results;
  const ran = others.filter(({ failure }) => failure === null);
  if (ours.failure !== null || ran.length === 0) return;
  const fastest = ran.reduce((best, each) => (seconds(each) < seconds(best) ? each : best));
  const fit = `${what}, threads: ${threads}`;
  findings.compare({
    ...{ what: `${fit}; asked for: ${asked} times`, unit: "s, bin and train", better: "smaller" },
    ...{ ours: seconds(ours), against: fastest.name, theirs: seconds(fastest) },
  });
  const able = ran.filter((each) => lossOf(each) <= AS_LOW * lossOf(ours));
  if (able.length > 0 && !able.includes(fastest)) {
    const next = able.reduce((best, each) => (seconds(each) < seconds(best) ? each : best));
    findings.compare({
      ...{ what: `${fit}; of as low a loss`, unit: "s, bin and train", better: "smaller" },
      ...{ ours: seconds(ours), against: next.name, theirs: seconds(next) },
    });
  }
  const best = ran.reduce((least, each) => (lossOf(each) < lossOf(least) ? each : least));
  findings.compare({
    ...{ what: fit, unit: `held-out ${metricOf(data)}`, better: "smaller" },
    ...{ ours: lossOf(ours), against: best.name, theirs: lossOf(best) },
  });
}

function lossOf(result: Result): number {
  return median(result.scores);
}

function waysOf(peers: PeerProcess, settings: EqualSettings, threads: number): Contender[] {
  return WAYS.filter(({ library }) => peers.libraries.has(library)).map(
    ({ library, way, parameters }) => ({
      name: `${library} ${peers.libraries.get(library) ?? ""} ${way}`.trim(),
      fit: (seed) => peers.fit(library, settings, seed, { threads, parameters }),
    }),
  );
}

function seconds(result: Result): number {
  return medianOf(result, (fit) => fit.binSeconds + fit.trainSeconds);
}

function resultTable(data: BenchData, results: readonly Result[]): string {
  const own = seconds(results[0]);
  return textTable(
    ["", "bin s", "train s", "both", "of ours", `held-out ${metricOf(data)}`],
    results.map((result) => {
      if (result.failure !== null) return [result.name, `failed: ${result.failure}`];
      return [
        result.name,
        shortNumber(medianOf(result, (fit) => fit.binSeconds)),
        shortNumber(medianOf(result, (fit) => fit.trainSeconds)),
        shortNumber(seconds(result)),
        shortNumber(seconds(result) / own, 3),
        shortNumber(median(result.scores), 5),
      ];
    }),
  );
}
