/** Whole runs of students of sequences, small ones. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import {
  type RunConfig,
  type RunConfigInput,
  runConfigSchema,
  studentConfig,
} from "../trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../trainer/log/store.ts";
import { prepareRun } from "../trainer/plan/prepare.ts";
import { RunDriver } from "../trainer/run.ts";
import { modelFiles } from "../trainer/testing/dying-store.ts";
import { modelTeacher } from "./model-teacher.ts";
import type { Teacher, TeacherSamples } from "./teacher.ts";

const SEQUENCES = 40;
const cyclesOf = (s: number): number => 1 + (s % 3);
/** Waves of one to three cycles in 10 … 14 steps, their rows mixed; some steps are missing. */
const lines = Array.from({ length: SEQUENCES }, (_, s) =>
  Array.from({ length: 10 + (s % 5) }, (_step, t) => {
    const x = Math.sin((2 * Math.PI * cyclesOf(s) * t) / 12 + s) + ((s * 31 + t * 17) % 11) / 60;
    const cell = (s * 7 + t) % 19 === 0 ? "" : x.toFixed(4);
    return `w${s},${t},${cell},${s % 4 === 0 ? "old" : "new"},k${cyclesOf(s) % 2},c${s % 3},${cyclesOf(s)}`;
  }),
).flat();
const mixed = lines.map((_, i) => lines[(i * 29) % lines.length]);
const csv = ["run,at,x,site,two,three,value", ...mixed].join("\n");

const LABELS = {
  sequence_regression: "value",
  sequence_binclass: "two",
  sequence_multiclass: "three",
} as const;
type Kind = keyof typeof LABELS;

let folder: string;
let path: string;
let one: ComputePool;
let two: ComputePool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sequence-students-"));
  path = join(folder, "rows.csv");
  await writeFile(path, csv);
  one = sharedPool(1);
  two = sharedPool(2);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

function configOf(kind: Kind, families: readonly string[]): RunConfigInput {
  return {
    task: {
      taskKind: kind,
      labelColumn: LABELS[kind],
      sequenceColumn: "run",
      orderColumn: "at",
      ignoreColumns: Object.values(LABELS).filter((name) => name !== LABELS[kind]),
    },
    modelFamilies: [...families],
    nTrials: 1,
    nCvSplits: 2,
  };
}

interface Run {
  readonly model: Model;
  readonly store: MemoryRunStore;
}

async function run(config: RunConfig, pool: ComputePool, teacher?: Teacher): Promise<Run> {
  const store = new MemoryRunStore();
  const prepared = await prepareRun(
    { file: { path, format: "csv" }, config },
    pool,
    undefined,
    teacher && { teacher, store },
  );
  await new RunDriver({
    run: prepared,
    config,
    store,
    pool,
    ...(teacher && { teacher }),
  }).drive();
  return { store, model: await loadModel((name) => readModelFile(store, name)) };
}

const taught = (kind: Kind, families: readonly string[]): RunConfig =>
  runConfigSchema.parse(
    studentConfig({ ...configOf(kind, families), distill: { augmentedRows: 90 } }),
  );

describe.each(Object.keys(LABELS) as Kind[])("a student, %s", (kind) => {
  it("follows the model that teaches it, on any number of threads", async () => {
    const { model } = await run(runConfigSchema.parse(configOf(kind, ["minirocket"])), two);
    const asked: TeacherSamples[] = [];
    const inner = modelTeacher(model, "the teacher");
    const teacher: Teacher = {
      ...inner,
      predict(samples, signal) {
        asked.push(samples);
        return inner.predict(samples, signal);
      },
    };
    const config = taught(kind, ["interval_gbdt", "hydra"]);
    const student = await run(config, two, teacher);
    const { card } = student.model.document;
    expect(card.rows).toBe(SEQUENCES);
    expect(card.fidelity).toMatchObject({ rows: SEQUENCES, augmentedRows: 90 });
    expect(card.fidelity?.correlation).toBeGreaterThan(0.4);
    const [{ featureNames, rows }] = asked;
    expect([...featureNames].sort()).toEqual(["at", "run", "site", "x"]);
    expect(rows).toHaveLength(SEQUENCES + 90);
    for (const cells of rows) {
      expect(cells.every(Array.isArray)).toBe(true);
      expect(new Set(cells.map((cell) => (Array.isArray(cell) ? cell.length : 0))).size).toBe(1);
    }
    const again = await run(config, one, modelTeacher(model, "the teacher"));
    expect(modelFiles(again.store)).toEqual(modelFiles(student.store));
  });
});

it("a teacher of another kind is asked for whole sequences, as lists of steps", async () => {
  const teacher: Teacher = {
    name: "steps",
    // One sequence after another: answers come back in their order.
    batchRows: 7,
    predict: async ({ featureNames, rows }) =>
      Float64Array.from(rows, (cells) => {
        const x = cells[featureNames.indexOf("x")];
        if (!Array.isArray(x)) throw new Error("These are steps.");
        const turns = x.slice(1).filter((value, t) => Number(value) > 0 !== Number(x[t]) > 0);
        return turns.length;
      }),
  };
  const { model } = await run(taught("sequence_regression", ["interval_gbdt"]), two, teacher);
  expect(model.document.card.fidelity?.correlation).toBeGreaterThan(0.5);
});

it("a forecast is refused as a student's task, with the reason", async () => {
  const config = runConfigSchema.parse(
    studentConfig({
      task: { taskKind: "forecasting", labelColumn: "x", timeColumn: "at", horizon: 2 },
    }),
  );
  const never: Teacher = {
    name: "never asked",
    predict: () => Promise.reject(new Error("It is not asked.")),
  };
  await expect(run(config, one, never)).rejects.toMatchObject({
    path: ["distill"],
    message: expect.stringMatching(/cannot be learned .* where its history ends/),
  });
});
