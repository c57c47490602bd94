/**
 * Preparing a student's run: the table is planned and perturbed in a worker, the teacher is asked
 * from here, and a worker makes the run of what it answered.
 */

import { createHash } from "node:crypto";
import type { ComputePool } from "../../compute/pool.ts";
import { deriveKey } from "../../compute/random.ts";
import { takeSequences } from "../../data/frame.ts";
import { shown } from "../../data/shown.ts";
import type { Column, Table } from "../../data/table.ts";
import { stackTables, takeRows } from "../../data/table-rows.ts";
import { type AnswerStore, askTeacher, TEACHER } from "../../distill/ask-teacher.ts";
import { augment } from "../../distill/augment.ts";
import { augmentSequences, type SequenceSteps } from "../../distill/augment-sequences.ts";
import { studentLabels } from "../../distill/labels.ts";
import { packSamples, questionSize, samplesOf } from "../../distill/samples.ts";
import { augmentedRowCount, type DistillSettings } from "../../distill/settings.ts";
import { type Teacher, TeacherError } from "../../distill/teacher.ts";
import { takeGroups } from "../../tasks/grouped-rows.ts";
import { taskType } from "../../tasks/index.ts";
import type { Fold } from "../../validation/fold.ts";
import type { RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { weighClasses } from "./class-weights.ts";
import { encodeRun } from "./encode-run.ts";
import { type PlannedTable, planTable } from "./plan.ts";
import { filterRows } from "./plan-rows.ts";
import { type PreparedRun, sharedCopy, sharedRows } from "./prepared.ts";
import { type PlanInput, readRunTable } from "./run-table.ts";

/** Rows as the teacher sees them, as JSON, for measuring its time against its students'. */
export const SAMPLE = `${TEACHER}sample`;
const SAMPLE_ROWS = 1000;

/** Who teaches, and where its answers are kept: the run's own store. */
export interface Teaching {
  readonly teacher: Teacher;
  readonly store: AnswerStore;
}

/** @throws DataError, ConfigError, TeacherError, or the signal's reason */
export async function prepareStudent(
  input: PlanInput,
  pool: ComputePool,
  { teacher, store }: Teaching,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const columns = teacher.columns ?? null;
  const transferSet = await pool.run<TransferSetInput, TransferSet>(
    "prepareTransferSet",
    { ...input, teacher: teacher.name, columns },
    { signal },
  );
  const { task } = transferSet.planned;
  const { steps } = transferSet;
  const own = steps
    ? steps.table.columns.map(({ name }) => name)
    : transferSet.planned.schema.columns.map(({ name }) => name);
  const table = takeRows(steps?.table ?? transferSet.table, columns ?? own, null);
  const offsets = steps?.offsets ?? null;
  const answers = await askTeacher({ teacher, task, table, offsets, store, signal });
  const rows = questionSize(0, transferSet.planned.target.length, SAMPLE_ROWS, offsets);
  const sample = samplesOf(task, table, 0, rows, offsets);
  await store.putArtifact(SAMPLE, packSamples(sample));
  const taught: StudentInput = {
    config: input.config,
    transferSet,
    answers,
    teacher: { name: teacher.name, bytes: teacher.bytes ?? null },
  };
  return pool.run<StudentInput, PreparedRun>("prepareFromTransferSet", taught, { signal });
}

export interface TransferSetInput extends PlanInput {
  readonly teacher: string;
  /** What the teacher must see; null = the student's features. */
  readonly columns: readonly string[] | null;
}

/** What the teacher is asked: the transfer set of Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", 2015. */
export interface TransferSet {
  readonly planned: PlannedTable;
  /** The run's rows and the augmented ones below, in the columns that teacher or student read. */
  readonly table: Table;
  /** The two rows each augmented row was made of, one pair after another. */
  readonly parents: Uint32Array;
  /** Of rows that are sequences: their steps, as a teacher sees them; else null. */
  readonly steps: SequenceSteps | null;
}

/** The task that a worker runs to make what the teacher is asked. */
export async function prepareTransferSet(input: TransferSetInput): Promise<TransferSet> {
  const { config, columns, teacher } = input;
  const { table, warnings } = await readRunTable(input);
  const wanted = columns === null ? null : { names: columns, teacher };
  return transferSetOf(table, config, wanted, warnings);
}

/** Columns that a teacher must see. */
interface Wanted {
  readonly names: readonly string[];
  readonly teacher: string;
}

/** @throws DataError, ConfigError, TeacherError */
export function transferSetOf(
  table: Table,
  config: RunConfig,
  wanted: Wanted | null,
  readWarnings: readonly string[] = [],
): TransferSet {
  const settings = settingsOf(config);
  const { table: _, ...planned } = planTable(table, config, readWarnings);
  if (planned.framing) return transferSetOfSequences(table, config, planned, wanted);
  const own = planned.schema.columns.map(({ name }) => name);
  const names = wanted ? [...new Set([...wanted.names, ...own])] : own;
  if (wanted) requireColumns(table, config, wanted.names, wanted.teacher);
  const rows = takeRows(table, names, planned.rows);
  const { table: augmented, parents } = augment(rows, {
    ...settings,
    rows: augmentedRowCount(settings, rows.rows),
    key: deriveKey(config.randomState, "augment"),
  });
  return { planned, table: stackTables(rows, augmented), parents, steps: null };
}

/** Augmented sequences lie below those of the data, and all are framed as a request to predict is. */
function transferSetOfSequences(
  given: Table,
  config: RunConfig,
  planned: PlannedTable,
  wanted: Wanted | null,
): TransferSet {
  const settings = settingsOf(config);
  const { framing } = taskType(config.task.taskKind);
  if (!framing?.steps || !planned.framing) throw new TypeError("Only sequences have steps.");
  const { id, ...all } = framing.steps(given, config.task, filterRows(given, config));
  if (wanted) requireColumns(given, config, wanted.names, wanted.teacher);
  const names = [
    ...new Set([...planned.plan.columns.map(({ name }) => name), ...(wanted?.names ?? [])]),
  ];
  const { rows, offsets } = takeGroups(all, planned.rows);
  const kept = new Set([id, ...(config.task.orderColumn ? [config.task.orderColumn] : [])]);
  const own = takeRows(given, names, rows);
  const count = offsets.length - 1;
  const augmented = augmentSequences({ table: own, offsets }, kept, {
    ...settings,
    rows: augmentedRowCount(settings, count, rows.length / count),
    key: deriveKey(config.randomState, "augment"),
  });
  const places = joinedOffsets(offsets, augmented.offsets);
  const stacked = stackTables(own, augmented.table);
  const long: Table = {
    rows: stacked.rows,
    columns: stacked.columns.map((column) =>
      column.name === id ? numbersOfGroups(id, places) : column,
    ),
  };
  const { table, frame } = framing.read(long, planned.framing.saved);
  if (frame.kind !== "sequences") throw new TypeError("Only sequences have steps.");
  const sequences = Uint32Array.from({ length: frame.count }, (_, i) => i);
  return {
    // Over memory that threads share.
    planned: {
      ...planned,
      framing: { ...planned.framing, frame: takeSequences(frame, sequences) },
    },
    table,
    parents: augmented.parents,
    steps: { table: long, offsets: places },
  };
}

/** A name of its own for each sequence, also for augmented ones. */
function numbersOfGroups(name: string, offsets: Uint32Array): Column {
  const codes = new Int32Array(offsets[offsets.length - 1]);
  const categories = Array.from({ length: offsets.length - 1 }, (_, g) => String(g));
  for (const g of categories.keys()) codes.fill(g, offsets[g], offsets[g + 1]);
  return { kind: "categorical", name, codes, categories };
}

function joinedOffsets(above: Uint32Array, below: Uint32Array): Uint32Array {
  const end = above[above.length - 1];
  return Uint32Array.from([...above, ...below.subarray(1).map((place) => place + end)]);
}

function settingsOf(config: RunConfig): DistillSettings {
  if (config.distill) return config.distill;
  throw new ConfigError(["distill"], "A run with a teacher needs the settings of `distill`.");
}

function requireColumns(
  table: Table,
  config: RunConfig,
  names: readonly string[],
  teacher: string,
): void {
  const there = new Set(table.columns.map(({ name }) => name));
  const absent = names.filter((name) => !there.has(name));
  if (absent.length > 0) {
    throw new TeacherError(
      `The teacher ${teacher} reads ${absent.slice(0, 10).map(shown).join(", ")}, which the data do not have.`,
    );
  }
  if (names.includes(config.task.labelColumn)) {
    throw new TeacherError(
      `The teacher ${teacher} reads ${shown(config.task.labelColumn)}, the label of this run.`,
    );
  }
}

export interface StudentInput {
  readonly config: RunConfig;
  readonly transferSet: TransferSet;
  readonly answers: Float64Array;
  readonly teacher: { readonly name: string; readonly bytes: number | null };
}

const MAY_FLATTER =
  "The teacher may have been trained on the rows that this run's models are scored on. If it was, their out-of-fold scores are better than on new rows, and intervals and sets narrower; probabilities and the threshold are left as the student has them.";

/** The task that a worker runs to make a run of what the teacher answered. */
export function prepareFromTransferSet({
  config,
  transferSet,
  answers,
  teacher,
}: StudentInput): PreparedRun {
  const { planned, table, parents } = transferSet;
  const { task } = planned;
  const { teacherWeight } = settingsOf(config);
  const labels = studentLabels(task, planned.target, answers, teacherWeight);
  const own = planned.target.length;
  const folds = planned.folds.map((fold) => withAugmented(fold, own, parents));
  const target = sharedCopy(labels.target);
  const sha256 = createHash("sha256").update(new Uint8Array(answers.buffer)).digest("hex");
  const run: PreparedRun = {
    ...encodeRun(
      {
        ...planned,
        folds,
        rows: null,
        weights: planned.weights ? inherited(planned.weights, parents) : null,
        plan: {
          ...planned.plan,
          warnings: [...planned.plan.warnings, MAY_FLATTER],
          teaching: { teacher: teacher.name, augmentedRows: parents.length / 2, sha256 },
        },
      },
      table,
      config,
    ),
    tableRows: planned.rows && sharedRows(planned.rows),
    target,
    fitTarget: labels.fitTarget === labels.target ? target : sharedCopy(labels.fitTarget),
    softTarget: labels.softTarget ? sharedCopy(labels.softTarget) : null,
    taught: {
      teacher: teacher.name,
      teacherBytes: teacher.bytes,
      answers: sharedCopy(answers.slice(0, (answers.length / table.rows) * own)),
    },
  };
  return weighClasses(run, config);
}

/** A fold learns an augmented row only where it learns both rows it was made of. */
export function withAugmented(fold: Fold, own: number, parents: Uint32Array): Fold {
  const learned = new Uint8Array(own);
  for (const row of fold.train) learned[row] = 1;
  const train = [...fold.train];
  for (let i = 0; i < parents.length; i += 2) {
    if (learned[parents[i]] && learned[parents[i + 1]]) train.push(own + i / 2);
  }
  return { ...fold, train: Uint32Array.from(train) };
}

/** An augmented row weighs what the row weighs that it began as. */
function inherited(weights: Float64Array, parents: Uint32Array): Float64Array {
  const all = new Float64Array(weights.length + parents.length / 2);
  all.set(weights);
  for (let i = 0; i < parents.length; i += 2) all[weights.length + i / 2] = weights[parents[i]];
  return all;
}
