/**
 * From a file and a configuration to a prepared run: reads the table, checks all that was asked
 * of it, plans, and encodes the rows into shared memory. Equal inputs give equal bytes.
 */

import { Arena } from "../compute/arena.ts";
import type { ComputePool } from "../compute/pool.ts";
import { deriveKey } from "../compute/random.ts";
import { fitBinning } from "../data/binning/fit-binning.ts";
import { encodeFeatures, fitBinningOfValues, rebin } from "../data/encode.ts";
import type { EncodedData } from "../data/encoded.ts";
import { featureColumns } from "../data/feature-columns.ts";
import type { ReadTableOptions } from "../data/readers/read-table.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import type { Table } from "../data/table.ts";
import { familyById } from "../families/index.ts";
import type { Fold } from "../validation/fold.ts";
import type { RunConfig } from "./config.ts";
import { RunCancelledError } from "./errors.ts";
import type { RunPlan } from "./events.ts";
import { type PlannedTable, planTable } from "./plan.ts";
import { type PreparedRun, sharedCopy, sharedRows } from "./prepared.ts";

/** A table in a file, and how to read it. */
export interface TableFile extends Pick<ReadTableOptions, "format" | "kinds" | "columns"> {
  readonly path: string;
}

export interface PlanInput {
  readonly file: TableFile;
  readonly config: RunConfig;
}

/** The task that a worker runs to say what a run would do. */
export async function planFile({ file, config }: PlanInput): Promise<RunPlan> {
  const { table, warnings } = await readTableFromFile(file.path, file);
  return planTable(
    table,
    config,
    warnings.map(({ message }) => message),
  ).plan;
}

/** The task that a worker runs to prepare a run. */
export async function prepareFile({ file, config }: PlanInput): Promise<PreparedRun> {
  const { table, warnings } = await readTableFromFile(file.path, file);
  return prepareTable(
    table,
    config,
    warnings.map(({ message }) => message),
  );
}

/** @throws DataError, ConfigError, RunCancelledError */
export async function prepareRun(
  input: PlanInput,
  pool: ComputePool,
  signal?: AbortSignal,
): Promise<PreparedRun> {
  try {
    return await pool.run<PlanInput, PreparedRun>("prepare", input, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw new RunCancelledError("The run was cancelled.");
    throw error;
  }
}

/** @throws DataError, ConfigError */
export function prepareTable(
  table: Table,
  config: RunConfig,
  readWarnings: readonly string[] = [],
): PreparedRun {
  const planned = planTable(table, config, readWarnings);
  const families = planned.plan.matrix.flatMap(({ family }) => familyById(family) ?? []);
  const needsBins = families.some(({ reads }) => reads === "bins");
  const needsValues = families.some(({ reads }) => reads === "values");
  const strict = config.strictFolds && needsBins;
  const data = encode(table, planned, config, {
    bins: needsBins,
    values: needsValues || strict,
  });
  return {
    plan: planned.plan,
    task: planned.task,
    schema: planned.schema,
    data,
    foldData: strict
      ? planned.folds.map((fold, index) => rebinned(data, fold, index, config))
      : null,
    target: sharedCopy(planned.target),
    weights: planned.weights ? sharedCopy(planned.weights) : null,
    folds: planned.folds.map(({ train, valid }) => ({
      train: sharedRows(train),
      valid: sharedRows(valid),
    })),
    monotone: planned.monotone,
  };
}

function encode(
  table: Table,
  planned: PlannedTable,
  config: RunConfig,
  form: { readonly bins: boolean; readonly values: boolean },
): EncodedData {
  const bins = form.bins
    ? fitBinning(featureColumns(planned.schema, table, planned.rows), {
        key: deriveKey(config.randomState, "binning"),
      })
    : null;
  return encodeFeatures(planned.schema, table, Arena.create(), {
    bins,
    values: form.values,
    rows: planned.rows,
  });
}

/** The fold's own bins: fitted on its training rows alone. */
function rebinned(data: EncodedData, fold: Fold, index: number, config: RunConfig): EncodedData {
  const key = deriveKey(config.randomState, "binning", index);
  return rebin(data, fitBinningOfValues(data, fold.train, { key }));
}
