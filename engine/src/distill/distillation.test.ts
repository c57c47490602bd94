/** Whole runs of students, small ones. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { readTable } from "../data/readers/read-table.ts";
import type { Table } from "../data/table.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import type { Task } from "../tasks/index.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import {
  type RunConfig,
  type RunConfigInput,
  runConfigSchema,
  studentConfig,
} from "../trainer/config/config.ts";
import { ConfigError, RunCancelledError } from "../trainer/config/errors.ts";
import { MemoryRunStore, readModelFile } from "../trainer/log/store.ts";
import { prepareRun } from "../trainer/plan/prepare.ts";
import { RunDriver } from "../trainer/run.ts";
import { modelTeacher } from "./model-teacher.ts";
import { type Teacher, TeacherError, type TeacherSamples } from "./teacher.ts";

let folder: string;
let one: ComputePool;
let two: ComputePool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillation-"));
  one = sharedPool(1);
  two = sharedPool(2);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const random = new CounterRandom(deriveKey(1, "distillation"));
const lines = Array.from({ length: 240 }, (_, i) => {
  const [x, z] = [random.nextGaussian(), random.nextGaussian()];
  const colour = ["red", "green", "blue"][random.nextInteger(3)];
  const signal = Math.sin(3 * x) + (colour === "red" ? z : -z);
  const noisy = signal + 0.5 * random.nextGaussian();
  const size = noisy < -0.7 ? "small" : noisy < 0.7 ? "middle" : "large";
  const gap = i % 17 === 0 ? "" : z.toFixed(4);
  return [
    x.toFixed(4),
    gap,
    colour,
    `g${i % 12}`,
    signal.toFixed(4),
    noisy > 0 ? "yes" : "no",
    size,
  ].join(",");
});
const csv = `x,z,colour,group,value,sign,size\n${lines.join("\n")}\n`;

const LABELS = { regression: "value", binclass: "sign", multiclass: "size" } as const;

function configOf(kind: keyof typeof LABELS, more: Partial<RunConfigInput> = {}): RunConfig {
  const labelColumn = LABELS[kind];
  const ignoreColumns = ["group", ...Object.values(LABELS)].filter((name) => name !== labelColumn);
  return runConfigSchema.parse(
    studentConfig({
      task: { taskKind: kind, labelColumn, ignoreColumns },
      modelFamilies: ["gbdt"],
      hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 20, learning_rate: 0.3 } }] },
      nTrials: 2,
      nTrialsPerStep: 2,
      nCvSplits: 3,
      distill: { augmentedRows: 800 },
      ...more,
    }),
  );
}

/** Knows the signal, and counts how often it is asked. */
class Oracle implements Teacher {
  readonly name = "oracle";
  readonly batchRows = 400;
  rows = 0;

  async predict({ task, featureNames, rows }: TeacherSamples): Promise<Float64Array> {
    this.rows += rows.length;
    const at = (name: string): number => featureNames.indexOf(name);
    return Float64Array.from(
      rows.flatMap((cells) => {
        const [x, z] = [Number(cells[at("x")]), Number(cells[at("z")] ?? 0)];
        const signal = Math.sin(3 * x) + (cells[at("colour")] === "red" ? z : -z);
        const above = (cut: number): number => 1 / (1 + Math.exp((cut - signal) * 4));
        if (task.kind === "regression") return [signal];
        if (task.kind === "binclass") return [above(0)];
        const shares: Record<string, number> = {
          small: 1 - above(-0.7),
          middle: above(-0.7) - above(0.7),
          large: above(0.7),
        };
        return task.classes.map((label) => shares[label]);
      }),
    );
  }
}

async function file(): Promise<string> {
  const path = join(folder, "rows.csv");
  await writeFile(path, csv);
  return path;
}

async function run(
  config: RunConfig,
  teacher: Teacher,
  pool: ComputePool = two,
  store = new MemoryRunStore(),
): Promise<{ model: Model; store: MemoryRunStore; driver: RunDriver }> {
  const input = { file: { path: await file(), format: "csv" as const }, config };
  const prepared = await prepareRun(input, pool, undefined, { teacher, store });
  const driver = new RunDriver({ run: prepared, config, store, pool, teacher });
  await driver.drive();
  return { model: await loadModel((path) => readModelFile(store, path)), store, driver };
}

function modelBytes(store: MemoryRunStore): Record<string, string> {
  return Object.fromEntries(
    [...store.artifacts]
      .filter(([name]) => name.startsWith("model/"))
      .map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]),
  );
}

async function table(): Promise<Table> {
  return (await readTable([new TextEncoder().encode(csv)], { format: "csv" })).table;
}

describe.each(["regression", "binclass", "multiclass"] as const)("a student, %s", (kind) => {
  it("follows its teacher, says how truly, and is the same on any number of threads", async () => {
    const teacher = new Oracle();
    const config = configOf(kind);
    const { model, store, driver } = await run(config, teacher);
    const { card } = model.document;
    expect(driver.plan.rows).toBe(240);
    expect(driver.plan.teaching).toMatchObject({ teacher: "oracle", augmentedRows: 800 });
    expect(card.rows).toBe(240);
    expect(card.fidelity).toMatchObject({ teacher: "oracle", rows: 240, augmentedRows: 800 });
    expect(card.fidelity?.correlation).toBeGreaterThan(0.8);
    if (kind !== "regression") expect(card.fidelity?.agreement).toBeGreaterThan(0.75);
    expect(card.fidelity?.lift?.share).toBeGreaterThan(0.5);
    expect(card.fidelity?.lift?.low).toBeLessThan(card.fidelity?.lift?.share ?? 0);
    const [speed] = driver.state.speeds;
    expect(speed?.rows).toBe(240);
    expect(speed?.studentSeconds).toBeGreaterThan(0);
    // 1,040 rows taught; the sample is asked again to be timed.
    expect(teacher.rows).toBe(1040 + 3 * 240);

    const again = await run(config, new Oracle(), one);
    expect(modelBytes(again.store)).toEqual(modelBytes(store));
  });
});

describe("a student's run", () => {
  it("goes on with the answers that it has", async () => {
    const config = configOf("binclass");
    const whole = await run(config, new Oracle());
    const half = new Oracle();
    const store = new MemoryRunStore();
    const failing: Teacher = {
      name: "oracle",
      batchRows: 400,
      predict: (samples) =>
        half.rows < 400
          ? half.predict(samples)
          : Promise.reject(new TeacherError("it fell asleep")),
    };
    await expect(run(config, failing, two, store)).rejects.toThrow(/fell asleep/);
    const rest = new Oracle();
    const { store: done } = await run(config, rest, two, store);
    expect(rest.rows).toBe(1040 - 400 + 3 * 240);
    expect(modelBytes(done)).toEqual(modelBytes(whole.store));
  });

  it("begins anew where the teacher answers otherwise", async () => {
    const config = configOf("regression", { nTrials: 1 });
    const { store } = await run(config, new Oracle());
    const other = new Oracle();
    const shifted: Teacher = {
      name: "another",
      predict: async (samples) => (await other.predict(samples)).map((value) => value + 10),
    };
    const { model } = await run(config, shifted, two, store);
    expect(model.document.card.fidelity?.teacher).toBe("another");
    // A quarter of a label is the true one.
    const values = model.predict(await table()).values;
    expect(values.reduce((sum, value) => sum + value, 0) / 240).toBeGreaterThan(5);
  });

  it("keeps groups and augmented rows apart from the rows it is scored on", async () => {
    const config = configOf("binclass", { nTrials: 1 });
    const grouped = { ...config, task: { ...config.task, groupColumn: "group" } };
    const input = { file: { path: await file(), format: "csv" as const }, config: grouped };
    const teaching = { teacher: new Oracle(), store: new MemoryRunStore() };
    const prepared = await prepareRun(input, two, undefined, teaching);
    expect(prepared.data.rows).toBe(1040);
    for (const { train, valid } of prepared.folds) {
      expect(valid.every((row) => row < 240)).toBe(true);
      expect([...train]).toEqual([...train].sort((a, b) => a - b));
      const learned = new Set([...train].filter((row) => row < 240).map((row) => row % 12));
      expect(valid.some((row) => learned.has(row % 12))).toBe(false);
      expect(train.length).toBeGreaterThan(240);
    }
  });

  it("distils a model of this engine into one of its own", async () => {
    const parsed = configOf("multiclass");
    const { model } = await run(parsed, new Oracle());
    const student = await run(configOf("multiclass", { nTrials: 1 }), modelTeacher(model, "first"));
    const { fidelity } = student.model.document.card;
    expect(fidelity?.agreement).toBeGreaterThan(0.65);
    expect(fidelity?.teacherBytes).toBeGreaterThan(1000);
  });

  it.each<[string, Partial<Teacher>, RegExp]>([
    ["a wrong count", { predict: async () => new Float64Array(7) }, /7 numbers for 400 rows/],
    [
      "no number",
      { predict: async ({ rows }) => new Float64Array(rows.length).fill(Number.NaN) },
      /NaN in row 1\./,
    ],
    [
      "no probability",
      { predict: async ({ rows }) => Float64Array.from(rows, (_, i) => (i === 4 ? 1.5 : 0.5)) },
      /1.5 in row 5, which is not a probability/,
    ],
    ["an unknown column", { columns: ["x", "weight"] }, /reads "weight", which the data do not/],
    ["the label", { columns: ["x", "sign"] }, /reads "sign", the label/],
  ])("ends with a clear error for a teacher of %s", async (_, fault, message) => {
    const teacher: Teacher = {
      name: "oracle",
      batchRows: 400,
      predict: (samples) => new Oracle().predict(samples),
      ...fault,
    };
    const failure = run(configOf("binclass"), teacher);
    await expect(failure).rejects.toThrow(TeacherError);
    await expect(failure).rejects.toThrow(message);
  });

  it("needs a teacher, and settings where there is one", async () => {
    const path = await file();
    const config = configOf("binclass");
    const input = { file: { path, format: "csv" as const }, config };
    await expect(prepareRun(input, two)).rejects.toThrow(ConfigError);
    const { distill: _, ...plain } = config;
    const teaching = { teacher: new Oracle(), store: new MemoryRunStore() };
    await expect(prepareRun({ ...input, config: plain }, two, undefined, teaching)).rejects.toThrow(
      /settings of `distill`/,
    );
  });

  it("stops asking when it is cancelled", async () => {
    const abort = new AbortController();
    const teacher: Teacher = {
      name: "slow",
      async predict(_, signal) {
        abort.abort();
        signal.throwIfAborted();
        return new Float64Array();
      },
    };
    const input = {
      file: { path: await file(), format: "csv" as const },
      config: configOf("binclass"),
    };
    const teaching = { teacher, store: new MemoryRunStore() };
    await expect(prepareRun(input, two, abort.signal, teaching)).rejects.toThrow(RunCancelledError);
  });

  it("searches families that predict fast, unless others are asked for", async () => {
    const task: Task["kind"] = "binclass";
    const { modelFamilies: _, hpoSpace: __, ...open } = configOf(task);
    const input = { file: { path: await file(), format: "csv" as const }, config: open };
    const teaching = { teacher: new Oracle(), store: new MemoryRunStore() };
    const { plan } = await prepareRun(input, two, undefined, teaching);
    expect(plan.matrix.map(({ family }) => family)).toEqual(["gbdt", "linear", "mlp"]);
    expect(plan.leftOut.map(({ reason }) => reason)).toContain(
      "It predicts slowly, and a student is to be fast.",
    );
    expect(open.ensemble).toBe(false);
    expect(studentConfig({ task: open.task, ensemble: true }).ensemble).toBe(true);
  });
});
