/**
 * From a file and a configuration to a prepared run: reads the table, checks all that was asked
 * of it, plans, and encodes the rows into shared memory.
 */

import type { ComputePool } from "../compute/pool.ts";
import type { ReadTableOptions } from "../data/readers/read-table.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import type { Table } from "../data/table.ts";
import { weighClasses } from "./class-weights.ts";
import type { RunConfig } from "./config.ts";
import { encodeRun } from "./encode-run.ts";
import { ConfigError, RunCancelledError } from "./errors.ts";
import type { RunPlan } from "./events.ts";
import { planTable } from "./plan.ts";
import type { PreparedRun } from "./prepared.ts";
import { prepareStudent, type Teaching } from "./teach.ts";

/** A table in a file, and how to read it. */
export interface TableFile
  extends Pick<ReadTableOptions, "format" | "kinds" | "columns" | "limits"> {
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

/**
 * Reads, plans and encodes in the pool.
 *
 * @param teaching for a run whose config has `distill`: its teacher, which is asked here
 * @throws DataError, ConfigError, TeacherError, RunCancelledError, and what the teacher throws
 */
export async function prepareRun(
  input: PlanInput,
  pool: ComputePool,
  signal?: AbortSignal,
  teaching?: Teaching,
): Promise<PreparedRun> {
  try {
    if (teaching) {
      return await prepareStudent(input, pool, teaching, signal ?? new AbortController().signal);
    }
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
  if (config.distill) {
    throw new ConfigError(["distill"], "A run with `distill` learns from a teacher; give it one.");
  }
  return weighClasses(encodeRun(planTable(table, config, readWarnings), table, config), config);
}
