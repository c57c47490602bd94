/** One data set cut for a comparison of teacher and student, and the runs on it. */

import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import type { Table } from "../../../engine/src/data/table.ts";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { askTeacher } from "../../../engine/src/distill/ask-teacher.ts";
import type { Teacher } from "../../../engine/src/distill/teacher.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import type { Model } from "../../../engine/src/model/model.ts";
import { type RunConfigInput, runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import type { PreparedRun } from "../../../engine/src/trainer/plan/prepared.ts";
import {
  prepareFromTransferSet,
  type TransferSet,
  transferSetOf,
} from "../../../engine/src/trainer/plan/teach.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import type { BenchData } from "../bench-data.ts";

export interface Subject {
  readonly name: string;
  readonly task: RunConfigInput["task"];
  readonly train: Table;
  readonly test: Table;
  readonly testTarget: Float64Array;
}

/** At most so many rows of each side, drawn by a fixed seed. */
export function subjectOf(data: BenchData, most: number): Subject {
  const ignored = data.schema.dropped.filter(({ reason }) => reason === "excluded");
  const names = data.table.columns.map(({ name }) => name);
  const train = drawn(data.train, most, "train");
  const test = drawn(data.test, most, "test");
  return {
    name: data.name,
    task: {
      taskKind: data.task.kind,
      labelColumn: data.label,
      ignoreColumns: ignored.map(({ name }) => name).filter((name) => name !== data.label),
    },
    train: takeRows(data.table, names, train),
    test: takeRows(data.table, names, test),
    testTarget: Float64Array.from(test, (row) => data.target[row]),
  };
}

function drawn(rows: Uint32Array, most: number, side: string): Uint32Array {
  if (rows.length <= most) return rows;
  const random = new CounterRandom(deriveKey(0, "bench", "distillation", side));
  return random.shuffle(rows.slice()).slice(0, most).sort();
}

/** A run over the training rows to its model. */
export async function trainOn(
  subject: Subject,
  config: Omit<RunConfigInput, "task">,
  pool: ComputePool,
): Promise<Model> {
  const parsed = runConfigSchema.parse({ ...config, task: subject.task });
  return modelOf(prepareTable(subject.train, parsed), parsed, pool);
}

async function modelOf(
  run: PreparedRun,
  config: ReturnType<typeof runConfigSchema.parse>,
  pool: ComputePool,
): Promise<Model> {
  const store = new MemoryRunStore();
  await new RunDriver({ run, config, store, pool }).drive();
  return loadModel((path) => readModelFile(store, path));
}

export interface Lessons {
  readonly transferSet: TransferSet;
  readonly answers: Float64Array;
}

/** The augmented rows and what the teacher answers. */
export async function teach(
  subject: Subject,
  teacher: Teacher,
  config: Omit<RunConfigInput, "task">,
): Promise<Lessons> {
  const parsed = runConfigSchema.parse({ ...config, task: subject.task });
  const wanted = { names: teacher.columns ?? [], teacher: teacher.name };
  const transferSet = transferSetOf(subject.train, parsed, wanted);
  const answers = await askTeacher({
    teacher,
    task: transferSet.planned.task,
    table: takeRows(transferSet.table, wanted.names, null),
    store: new MemoryRunStore(),
    signal: new AbortController().signal,
  });
  return { transferSet, answers };
}

export async function trainStudent(
  subject: Subject,
  { transferSet, answers }: Lessons,
  config: Omit<RunConfigInput, "task">,
  pool: ComputePool,
): Promise<Model> {
  const parsed = runConfigSchema.parse({ ...config, task: subject.task });
  const teacher = { name: "teacher", bytes: null };
  return modelOf(
    prepareFromTransferSet({ config: parsed, transferSet, answers, teacher }),
    parsed,
    pool,
  );
}
