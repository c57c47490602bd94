/** A whole fit with RealMLP's own settings beside pytabkit's on PyTorch's CPU kernels, on one thread and on two. */

import { availableParallelism } from "node:os";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { mlp } from "../../../engine/src/families/mlp/family.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, syntheticData } from "../bench-data.ts";
import { type Contender, medianOf, metricOf, type Result, runContest } from "../contest.ts";
import type { Findings } from "../findings/findings.ts";
import type { PeerProcess } from "../peer-process.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { stoppedFit } from "./stopped-fit.ts";

/** Of PyTorch's speed, at least. */
const ASKED = 0.7;

export interface WholeFitsOptions {
  readonly quick: boolean;
  readonly seeds: number;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchWholeFits(options: WholeFitsOptions): Promise<void> {
  const { quick, peers } = options;
  const data = syntheticData(quick ? 1500 : 10_000, 28);
  await peers?.load(data);
  const pool = createPool(1);
  try {
    for (const threads of [1, 2].filter((count) => count <= availableParallelism())) {
      await compare(data, threads, pool, options);
    }
  } finally {
    await pool.close();
  }
}

async function compare(
  data: BenchData,
  threads: number,
  pool: ComputePool,
  { quick, seeds, peers, findings, print }: WholeFitsOptions,
): Promise<void> {
  const epochs = quick ? 4 : 64;
  const parameters = {
    ...{ epochs, batch_size: 256, hidden_width: 256, hidden_layers: 3, learning_rate: 0.04 },
    ...{ label_smoothing: 0, weight_decay: 0.02, dropout: 0.15, activation: "selu" },
    ...{ numeric_embedding: "periodic", periodic_sigma: 0.1 },
  };
  const helpers = threads > 1 ? { pool, count: threads - 1 } : null;
  const contenders: Contender[] = [stoppedFit(data, mlp, { parameters, helpers })];
  if (peers !== null) {
    contenders.push({
      name: "RealMLP, pytabkit",
      fit: (seed) =>
        peers.fit("realmlp", null, seed, { threads, parameters: { n_epochs: epochs } }),
    });
  }
  const results = await runContest(data, contenders, quick ? 1 : seeds);
  const what = `RealMLP's settings, ${epochs} epochs, ${data.train.length} × 28, threads: ${threads}`;
  print(`\n${what}\n${resultTable(data, results)}\n`);
  const [ours, ...others] = results;
  for (const other of others) {
    if (ours.failure !== null || other.failure !== null) continue;
    findings.compare({
      ...{ what: `${what}; asked for: ${ASKED}`, unit: "s, train", better: "smaller" },
      ...{ ours: secondsOf(ours), against: other.name, theirs: secondsOf(other) },
    });
    findings.compare({
      ...{ what, unit: `held-out ${metricOf(data)}`, better: "smaller" },
      ...{ ours: median(ours.scores), against: other.name, theirs: median(other.scores) },
    });
  }
}

const secondsOf = (result: Result): number => medianOf(result, (fit) => fit.trainSeconds);

function resultTable(data: BenchData, results: readonly Result[]): string {
  return textTable(
    ["", "train s", "predict s", `held-out ${metricOf(data)}`],
    results.map((result) => {
      if (result.failure !== null) return [result.name, `failed: ${result.failure}`];
      return [
        result.name,
        shortNumber(secondsOf(result)),
        shortNumber(medianOf(result, (fit) => fit.predictSeconds)),
        shortNumber(median(result.scores), 5),
      ];
    }),
  );
}
