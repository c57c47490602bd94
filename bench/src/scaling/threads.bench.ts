/**
 * One fit with helpers beside the same fit alone, in turns: the least wall time of each, and the processor
 * time of all threads. The models must be equal, byte for byte.
 */

import { createHash } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import process from "node:process";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import type { EncodedData } from "../../../engine/src/data/encoded.ts";
import { extraTrees } from "../../../engine/src/families/extra_trees/family.ts";
import type { Family, FitContext, FittedModel } from "../../../engine/src/families/family.ts";
import { gbdt } from "../../../engine/src/families/gbdt/family.ts";
import { randomForest } from "../../../engine/src/families/random_forest/family.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, encodeBenchData, syntheticData } from "../bench-data.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { helpedFit } from "../helped-fit.ts";
import { shortNumber, textTable } from "../text-table.ts";

const COLUMNS = 28;
/** How much sooner two threads are through. */
const TWO_THREADS_ASKED = 1.8;

export interface ThreadsOptions {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Case {
  readonly name: string;
  readonly rows: number;
  readonly family: Family;
  readonly parameters: Parameters;
}

function casesOf(quick: boolean): readonly Case[] {
  const boosting = { learning_rate: 0.1, early_stopping_rounds: 0 };
  const plain = { ...boosting, feature_fraction: 1, bagging_fraction: 1 };
  const large = { ...plain, num_leaves: 255, n_estimators: quick ? 5 : 100 };
  const medium = {
    ...{ ...boosting, num_leaves: 31, n_estimators: quick ? 20 : 200 },
    bagging_fraction: 0.8,
  };
  const forest = { n_estimators: quick ? 20 : 50 };
  const [more, fewer] = quick ? [100_000, 50_000] : [1_000_000, 200_000];
  const trees = quick ? 20_000 : 200_000;
  return [
    { name: "255 leaves", rows: more, family: gbdt, parameters: large },
    { name: "31 leaves, bagged", rows: fewer, family: gbdt, parameters: medium },
    { name: "random forest", rows: trees, family: randomForest, parameters: forest },
    { name: "extra trees", rows: trees, family: extraTrees, parameters: forest },
  ];
}

export async function benchThreads({ quick, findings, print }: ThreadsOptions): Promise<void> {
  const most = availableParallelism();
  const counts = [1, 2, 4, 8, 16].filter((count) => count <= most);
  const pool = createPool(Math.max(1, most - 1));
  const rows: string[][] = [];
  try {
    for (const { name, rows: length, family, parameters } of casesOf(quick)) {
      const data = syntheticData(length, COLUMNS);
      const encoded = encodeBenchData(data);
      const turns = new Map(counts.map((count): [number, Turn[]] => [count, []]));
      // Threads start, and load what they run, in a turn that does not count.
      for (let turn = -1; turn < (quick ? 1 : 5); turn++) {
        for (const [count, taken] of turns) {
          const measured = await fitWith(count - 1, pool, data, encoded, (context) =>
            family.fit(context, parameters),
          );
          if (turn >= 0) taken.push(measured);
        }
      }
      const all = [...turns.values()].flat();
      if (new Set(all.map(({ model }) => model)).size > 1) {
        throw new Error("The models of different numbers of threads are not equal.");
      }
      const least = (count: number, of: "wall" | "processor"): number =>
        Math.min(...(turns.get(count) ?? []).map((turn) => turn[of]));
      for (const count of counts) {
        const times = least(1, "wall") / least(count, "wall");
        rows.push([
          `${name}, ${length} × ${COLUMNS}`,
          String(count),
          shortNumber(least(count, "wall")),
          shortNumber(times, 3),
          shortNumber(least(count, "processor")),
          shortNumber(least(count, "processor") / least(1, "processor"), 3),
        ]);
        if (count !== 2) continue;
        findings.compare({
          ...{ what: `${name}, two threads over one`, unit: "times as fast", better: "larger" },
          ...{ ours: times, against: ASKED_FOR, theirs: TWO_THREADS_ASKED },
        });
      }
    }
  } finally {
    await pool.close();
  }
  print(
    `\nOne fit, least of several turns; load ${loadavg()[0].toFixed(1)} on ${most} cores\n${textTable(
      ["", "threads", "seconds", "times as fast", "processor s", "of one's"],
      rows,
    )}\n`,
  );
}

interface Turn {
  readonly wall: number;
  readonly processor: number;
  /** What the fit came to, as a digest. */
  readonly model: string;
}

async function fitWith(
  helpers: number,
  pool: ComputePool,
  { task, target, train }: BenchData,
  data: EncodedData,
  fit: (context: FitContext) => FittedModel,
): Promise<Turn> {
  const [model, wall, processor] = await helpedFit({ pool, count: helpers }, data.arena, (crew) => {
    const before = process.cpuUsage();
    const begun = performance.now();
    const fitted = fit({
      ...{ task, data, target, softTarget: null, weights: null, trainRows: train, validRows: null },
      ...{ key: deriveKey(0, "bench"), monotone: {}, crew },
    });
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(before);
    return [fitted, seconds, (user + system) / 1e6] as const;
  });
  const digest = createHash("sha256");
  for (const { buffer, byteOffset, byteLength } of Object.values(model.save().tensors)) {
    digest.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return { wall, processor, model: digest.digest("hex") };
}
