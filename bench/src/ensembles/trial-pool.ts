/** A finished search on a sample of a data set, and what its trials' fits say of held-out rows. */

import { join } from "node:path";
import { Arena } from "../../../engine/src/compute/arena.ts";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { encodeFeatures } from "../../../engine/src/data/encode.ts";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { type CrossFit, crossFits, type LabelledRows } from "../../../engine/src/ensemble/index.ts";
import { familyById } from "../../../engine/src/families/index.ts";
import { unpackModel } from "../../../engine/src/model/packed.ts";
import { outputCount, type Task } from "../../../engine/src/tasks/index.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import {
  FITS,
  fitArtifact,
  predictionsArtifact,
  unpackPredictions,
} from "../../../engine/src/trainer/pool-tasks/fold-artifact.ts";
import { outOfFoldRows } from "../../../engine/src/trainer/pool-tasks/select.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { readFolder } from "../bench-data.ts";

export interface PooledTrial {
  readonly family: string;
  readonly outOfFold: Float64Array;
  /** Of the held-out rows, one a fold's fit. */
  readonly heldOut: readonly Float64Array[];
}

export interface TrialPool {
  readonly task: Task;
  readonly learned: LabelledRows;
  readonly folds: readonly CrossFit[];
  readonly heldOut: LabelledRows;
  readonly trials: readonly PooledTrial[];
}

/** Keeps the fits that a run drops when it ends. */
class KeepingStore extends MemoryRunStore {
  override async deleteArtifacts(prefix: string): Promise<void> {
    if (prefix !== FITS) await super.deleteArtifacts(prefix);
  }
}

const FOLDS = 5;

export interface PoolOptions {
  readonly folder: string;
  readonly name: string;
  /** To learn from, at most. */
  readonly rows: number;
  /** A family. */
  readonly trials: number;
  /** Absent: trees and linear models. */
  readonly families?: readonly string[];
  readonly seed: number;
  readonly pool: ComputePool;
}

export async function poolOfTrials(options: PoolOptions): Promise<TrialPool> {
  const { folder, name, rows, trials, seed, pool } = options;
  const data = await readFolder(join(folder, name), 5 * rows);
  // Rows were drawn in random order before they were sorted, so that every so many is a sample.
  const train = thinned(data.train, rows);
  const test = thinned(data.test, 5000);
  const features = data.schema.columns.map((column) => column.name);
  const names = [...features, data.label];
  const config = runConfigSchema.parse({
    task: { taskKind: data.task.kind, labelColumn: data.label },
    modelFamilies: options.families ?? ["gbdt", "random_forest", "extra_trees", "linear"],
    nTrials: trials,
    nCvSplits: FOLDS,
    pruning: false,
    randomState: seed,
  });
  const run = prepareTable(takeRows(data.table, names, train), config);
  const store = new KeepingStore();
  const state = await new RunDriver({ run, config, store, pool }).drive();
  const encoded = encodeFeatures(run.schema, takeRows(data.table, names, test), Arena.create(), {
    bins: run.data.binned?.bins ?? null,
    values: true,
  });
  const pooled: PooledTrial[] = [];
  for (const trial of state.trials.filter((each) => each.state === "finished")) {
    const family = familyById(trial.family);
    if (!family) throw new Error(`There is no model family ${trial.family}.`);
    const parts: Float64Array[] = [];
    const heldOut: Float64Array[] = [];
    for (let fold = 0; fold < FOLDS; fold++) {
      const at = predictionsArtifact(trial.number, fold);
      parts.push(unpackPredictions(await store.getArtifact(at), at));
      const packed = await store.getArtifact(fitArtifact(trial.number, fold));
      const model = family.load(unpackModel(packed, "a fold's fit"), {
        task: run.task,
        features: run.data.features,
        bins: family.reads === "bins" ? (run.data.binned?.bins ?? null) : null,
      });
      heldOut.push(model.predict(encoded, null));
    }
    pooled.push({ family: trial.family, outOfFold: concatenated(parts), heldOut });
  }
  const outputs = outputCount(run.task);
  const classes = run.task.classes;
  return {
    task: run.task,
    learned: {
      target: Float64Array.from(outOfFoldRows(run), (row) => run.target[row]),
      weights: null,
      outputs,
    },
    folds: crossFits(run.folds.map(({ valid }) => valid.length)),
    heldOut: {
      // The sample may know fewer classes than the whole; rows of others weigh nothing.
      target: Float64Array.from(test, (row) =>
        classes.length > 0 ? Math.max(0, known(row)) : data.target[row],
      ),
      weights:
        classes.length > 0 ? Float64Array.from(test, (row) => (known(row) >= 0 ? 1 : 0)) : null,
      outputs,
    },
    trials: pooled,
  };

  function known(row: number): number {
    return classes.indexOf(data.task.classes[data.target[row]]);
  }
}

function thinned(rows: Uint32Array, most: number): Uint32Array {
  if (rows.length <= most) return rows;
  return Uint32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]);
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
