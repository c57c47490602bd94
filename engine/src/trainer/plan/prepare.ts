/**
 * From a file and a configuration to a prepared run: reads the table, checks all that was asked
 * of it, plans, and encodes the rows into shared memory.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Arena } from "../../compute/arena.ts";
import { newDesk, waitedSeconds } from "../../compute/crew-desk.ts";
import type { ComputePool } from "../../compute/pool.ts";
import { frequentTokens, varyingTextParts } from "../../data/expansion/text.ts";
import { TIMESTAMP_PARTS } from "../../data/expansion/timestamp.ts";
import type { Table } from "../../data/table.ts";
import { takeCells } from "../../data/table-rows.ts";
import { taskType } from "../../tasks/index.ts";
import { contentionSince, type ThreadTime, threadTime } from "../clock/contention.ts";
import type { RunConfig } from "../config/config.ts";
import { ConfigError, RunCancelledError } from "../config/errors.ts";
import type { RunPlan } from "../log/events.ts";
import { foldEvents } from "../log/state.ts";
import type { RunStore } from "../log/store.ts";
import { affordableRows } from "./affordable-rows.ts";
import { weighClasses } from "./class-weights.ts";
import { evenlySpaced } from "./data-profile.ts";
import { encodeRun } from "./encode-run.ts";
import { planTable } from "./plan.ts";
import { leastFolds } from "./plan-folds.ts";
import type { PreparedRun } from "./prepared.ts";
import { type Helped, type PlanInput, readRunTable, type TableFile } from "./run-table.ts";
import { prepareStudent, type Teaching } from "./teach.ts";

/** The task that a worker runs to say what a run would do. */
export async function planFile(input: PlanInput): Promise<RunPlan> {
  const { table, warnings } = await readRunTable(input);
  return planTable(table, input.config, warnings).plan;
}

/** The task that a worker runs to prepare a run. */
export async function prepareFile(input: PlanInput): Promise<PreparedRun> {
  const { config, spent, helped = null } = input;
  const begun = threadTime();
  const { table, warnings } = await readRunTable(input);
  const rowsAllowed = spent ? rowsWithin(table, config, spent, begun) : config.rowsAllowed;
  const run = prepareTable(table, { ...config, rowsAllowed }, warnings, helped);
  const waited = helped ? waitedSeconds(helped.desk) : 0;
  return { ...run, contention: contentionSince(begun, waited) };
}

/** What the clock allows, or what the configuration does. */
function rowsWithin(
  table: Table,
  config: RunConfig,
  { seconds, threads }: NonNullable<PlanInput["spent"]>,
  begun: ThreadTime,
): number | null {
  const { timeBudgetS, trialsAllowed, rowsAllowed, task } = config;
  if (rowsAllowed != null) return rowsAllowed;
  if (timeBudgetS == null || trialsAllowed != null) return null;
  const reading = (performance.now() - begun.wall) / 1000;
  const type = taskType(task.taskKind);
  // Rows of sequences are counted when they are framed; steps of series are all needed.
  if (type.framing !== null) return null;
  const allowed = affordableRows({
    rows: table.rows,
    ...featuresToBe(table, task.labelColumn),
    outputs: type.outputsBefore(type.traits(task), () => distinctLabels(table, task.labelColumn)),
    folds: leastFolds(config) ?? 1,
    threads,
    contention: contentionSince(begun),
    seconds: timeBudgetS - seconds - reading,
  });
  return allowed < table.rows ? allowed : null;
}

const LOOKED_AT_TEXTS = 500;

/** How many features a table's columns will about make, and how long the texts of a row are. */
function featuresToBe(
  table: Table,
  label: string,
): { readonly columns: number; readonly characters: number } {
  let [columns, characters] = [0, 0];
  for (const column of table.columns) {
    if (column.name === label) continue;
    if (column.kind === "text") {
      const texts = takeCells(column, evenlySpaced(table.rows, LOOKED_AT_TEXTS));
      if (texts.kind !== "text") continue;
      columns += varyingTextParts(texts.values, null).length;
      columns += frequentTokens(texts.values, null).length;
      const length = texts.values.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      characters += length / Math.max(1, texts.values.length);
    } else columns += column.kind === "timestamp" ? TIMESTAMP_PARTS.length : 1;
  }
  return { columns, characters };
}

const MOST_LABELS = 1000;

function distinctLabels(table: Table, label: string): number {
  const column = table.columns.find(({ name }) => name === label);
  if (column === undefined) return 1;
  if (column.kind === "categorical") return Math.min(MOST_LABELS, column.categories.length);
  const seen = new Set<unknown>();
  for (const value of column.values) {
    seen.add(value);
    if (seen.size === MOST_LABELS) break;
  }
  return seen.size;
}

/**
 * The configuration for going on with a run that its store may have begun: the rows are those of the
 * log, whatever the clock says now.
 */
export async function continuedConfig(config: RunConfig, store: RunStore): Promise<RunConfig> {
  if (config.timeBudgetS == null || config.rowsAllowed != null) return config;
  const { plan } = foldEvents(await store.readEvents());
  return plan ? { ...config, rowsAllowed: plan.rows } : config;
}

/** Of a file: the columns of a larger one are not all held, but read again from a file of their own. */
const HELD_FILE_BYTES = 32 * 2 ** 20;

/** Whether the file's columns would take much memory beside what is made of them. One that is not there is told of by its reading. */
function isLarge({ path, format }: TableFile): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return format !== "stored" && size > HELD_FILE_BYTES;
}

/**
 * Reads, plans and encodes in the pool.
 *
 * @param input with `spent`, as many rows are used as the time budget allows
 * @param teaching for a run whose config has `distill`: its teacher, which is asked here
 * @throws DataError, ConfigError, TeacherError, RunCancelledError, and what the teacher throws
 */
export async function prepareRun(
  input: PlanInput,
  pool: ComputePool,
  signal?: AbortSignal,
  teaching?: Teaching,
): Promise<PreparedRun> {
  const folder = isLarge(input.file) ? mkdtempSync(join(tmpdir(), "distillery-table-")) : null;
  try {
    const spooled = folder === null ? input : { ...input, spool: join(folder, "table.arrow") };
    if (teaching) {
      return await prepareStudent(spooled, pool, teaching, signal ?? new AbortController().signal);
    }
    const helped =
      pool.threads > 1 ? { arena: Arena.create().handle(), desk: newDesk() } : undefined;
    return await pool.run<PlanInput, PreparedRun>(
      "prepare",
      { ...spooled, ...(helped && { helped }) },
      {
        ...(signal && { signal }),
        ...(helped && { crew: { name: "helpBinning", ...helped } }),
      },
    );
  } catch (error) {
    if (signal?.aborted) throw new RunCancelledError("The run was cancelled.");
    throw error;
  } finally {
    // Here, since a thread that is stopped leaves its files.
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws DataError, ConfigError */
export function prepareTable(
  table: Table,
  config: RunConfig,
  readWarnings: readonly string[] = [],
  helped: Helped | null = null,
): PreparedRun {
  if (config.distill) {
    throw new ConfigError(["distill"], "A run with `distill` learns from a teacher; give it one.");
  }
  const planned = planTable(table, config, readWarnings);
  return weighClasses(encodeRun(planned, planned.table, config, helped), config);
}
