/** The engine as a program uses it: train on a file, load the model elsewhere, predict, explain. */

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probabilitiesOf } from "./ensemble/margins.ts";
import {
  ConfigError,
  DataError,
  loadModel,
  modelFolder,
  type RunConfigInput,
  readTableFromFile,
  type UploadedFile,
} from "./index.ts";
import { type TrainedRun, type TrainOptions, train } from "./train.ts";
import { createPool } from "./worker/pool.ts";

const fixture = (path: string): UploadedFile => ({
  path: fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url)),
  format: "csv",
});

const quick: Partial<RunConfigInput> = {
  hpoSpace: {
    models: [
      { family: "gbdt", fixed: { n_estimators: 40 } },
      { family: "extra_trees", fixed: { n_estimators: 60 } },
      { family: "linear" },
    ],
  },
  nTrials: 1,
  nCvSplits: 3,
};

const cases: [string, UploadedFile, RunConfigInput, string, (score: number) => boolean][] = [
  [
    "multiclass",
    fixture("car_evaluation/data.csv"),
    { ...quick, task: { taskKind: "multiclass", labelColumn: "class" }, metrics: ["accuracy"] },
    "accuracy",
    (score) => score > 0.95,
  ],
  [
    "binclass",
    fixture("breast_cancer_wdbc/data.csv"),
    { ...quick, task: { taskKind: "binclass", labelColumn: "diagnosis" }, metrics: ["roc_auc"] },
    "roc_auc",
    (score) => score > 0.985,
  ],
  [
    "regression",
    fixture("breast_cancer_wdbc/data.csv"),
    {
      ...quick,
      task: { taskKind: "regression", labelColumn: "mean_area", ignoreColumns: ["diagnosis"] },
      metrics: ["r2"],
    },
    "r2",
    (score) => score > 0.98,
  ],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "train-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(cases)("%s", (name, file, config, metric, good) => {
  let trained: TrainedRun;
  beforeAll(async () => {
    trained = await train(file, config, { folder: join(folder, name) });
  });

  it("scores well on rows that its members did not see", () => {
    expect(good(trained.state.selections[0].scores[metric] ?? Number.NaN)).toBe(true);
  });

  it("predicts the same when loaded from its files alone", async () => {
    const loaded = await loadModel(modelFolder(join(folder, name, "model")));
    const { table } = await readTableFromFile(file.path, file);
    expect(loaded.predict(table).values).toEqual(trained.model.predict(table).values);
  });

  it("refuses an option that there is none of, with the likest", () => {
    const { model } = trained;
    const rows = { rows: 0, columns: [] };
    const cover = { cover: 0.7 } as Parameters<typeof model.predict>[1];
    expect(() => model.predict(rows, cover)).toThrow(
      'predict has no option "cover"; the closest: "coverage"',
    );
    const segments = { segments: 4 } as Parameters<typeof model.explain>[1];
    expect(() => model.explain(rows, segments)).toThrow('explain has no option "segments"');
  });

  it("explains: base and contributions add up to the prediction", async () => {
    const { table } = await readTableFromFile(file.path, { ...file, maxRows: 25 });
    const { values, outputs } = trained.model.predict(table);
    const explanation = trained.model.explain(table);
    const isOfMargins = explanation.space === "logit" || explanation.space === "log_softmax";
    for (let row = 0; row < table.rows; row++) {
      const sums = Float64Array.from({ length: outputs }, (_, k) =>
        explanation.contributions[row][k].reduce(
          (total, value) => total + value,
          explanation.baseValues[k],
        ),
      );
      // A blend explains in the space that it adds up in.
      const said = isOfMargins ? probabilitiesOf(sums, outputs) : sums;
      for (let k = 0; k < outputs; k++) {
        expect(Math.abs(sums[k] - explanation.predictions[row][k])).toBeLessThan(1e-6);
        expect(Math.abs(said[k] - values[row * outputs + k])).toBeLessThan(1e-6);
      }
    }
  });
});

it("runs in threads that are kept as in its own, and leaves them to the next", async () => {
  const pool = createPool(1);
  const [, cars, config] = cases[0];
  const few = { ...config, hpoSpace: { models: [{ family: "linear" }] } };
  const scores = (run: TrainedRun) => run.state.selections.map((each) => each.scores);
  const own = await train(cars, few, { threads: 1 });
  try {
    for (let run = 0; run < 2; run++) {
      expect(scores(await train(cars, few, { pool }))).toEqual(scores(own));
    }
  } finally {
    await pool.close();
  }
});

describe("a damaged model directory", () => {
  const damage: [string, string, (bytes: Uint8Array) => Uint8Array, RegExp][] = [
    ["a flipped byte of a member", "member-000.dsm", flip, /member-000\.dsm is damaged/],
    ["a flipped byte of the edges", "encoder-0.dsm", flip, /encoder-0\.dsm is damaged/],
    ["a truncated document", "model.json", (bytes) => bytes.subarray(0, 500), /damaged/],
    [
      "a newer format",
      "model.json",
      (bytes) => Buffer.from(Buffer.from(bytes).toString().replace('"version": 2', '"version": 9')),
      /format 9.*Update Distillery/,
    ],
    [
      "another file",
      "model.json",
      () => Buffer.from('{"format": "something-else"}'),
      /does not describe a Distillery model/,
    ],
  ];
  it.each(damage)("%s is a clear error", async (_, path, change, message) => {
    const copy = await mkdtemp(join(folder, "damaged-"));
    await cp(join(folder, "binclass", "model"), copy, { recursive: true });
    await writeFile(join(copy, path), change(await readFile(join(copy, path))));
    await expect(loadModel(modelFolder(copy))).rejects.toThrow(message);
  });

  it("a missing file is a clear error", async () => {
    const copy = await mkdtemp(join(folder, "damaged-"));
    await cp(join(folder, "binclass", "model"), copy, { recursive: true });
    await rm(join(copy, "member-001.dsm"));
    await expect(loadModel(modelFolder(copy))).rejects.toThrow(
      /member-001\.dsm cannot be read \(ENOENT\)\.$/,
    );
    await expect(loadModel(modelFolder(join(folder, "binclass")))).rejects.toThrow(
      "model.json cannot be read (ENOENT); the folder is that of a run, whose model lies in model/.",
    );
  });

  function flip(bytes: Uint8Array): Uint8Array {
    const changed = bytes.slice();
    changed[changed.length - 1] ^= 1;
    return changed;
  }
});

describe("what a program gives that is not what it should be", () => {
  const file = fixture("car_evaluation/data.csv");
  const task = { taskKind: "multiclass", labelColumn: "class" };
  // Programs without types say anything.
  const trained = (source: unknown, config: unknown) =>
    train(source as UploadedFile, config as RunConfigInput);

  it.each<[string, unknown, (string | number)[], RegExp]>([
    ["nothing", undefined, [], /^The configuration is no object: give/],
    ["no task", {}, ["task"], /^task: .*expected object/],
    ["a misspelt member", { task, ntrials: 3 }, [], /no member "ntrials"; the closest: "nTrials"/],
    ["a text for a number", { task, nTrials: "3" }, ["nTrials"], /^nTrials: .*expected number/],
    [
      "several faults",
      { task: { ...task, ignoreColumns: [1] }, coverage: 2 },
      ["task", "ignoreColumns", 0],
      /^task\.ignoreColumns\[0\]: .*expected string.*; coverage: .*<=0\.99/,
    ],
  ])("is a ConfigError of %s", async (_, config, path, message) => {
    const error = await trained(file, config).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ path, message: expect.stringMatching(message) });
  });

  it.each<[unknown, string]>([
    [{ thread: 2 }, 'train has no option "thread"; the closest: "threads"'],
    [{ folder: "" }, "The option `folder` is empty"],
    [{ folder: 5 }, "The option `folder` is 5: give a folder's path"],
    [{ folder: null }, "The option `folder` is null"],
    [{ threads: 0 }, "The option `threads` is 0: give a whole number from 1"],
    [{ threads: Number.NaN }, "The option `threads` is NaN"],
    [{ threads: "2" }, 'The option `threads` is "2"'],
    [{ signal: new AbortController() }, "The option `signal` is an object: give an AbortSignal"],
    [{ onEvent: "log" }, 'The option `onEvent` is "log": give a function'],
    [{ pool: {} }, "The option `pool` is an object: give what `createPool` makes"],
    [{ teacher: () => 1 }, "The option `teacher` is a function: give a teacher"],
    [{ devices: { device: "tpu" } }, "The option `devices` is an object: give an object whose"],
    [{ name: 5 }, "The option `name` is 5: give the report's title"],
    ["run", 'The options of train are "run": give an object, or none'],
  ])("is an option: %j", async (options, message) => {
    const told = train(file, { task } as RunConfigInput, options as TrainOptions);
    await expect(told).rejects.toThrow(message);
  });

  it("is a folder of the run's own", async () => {
    const known = join(folder, "a-file");
    await writeFile(known, "");
    const config = { task } as RunConfigInput;
    await expect(train(file, config, { folder: known })).rejects.toThrow("which is a file");
    const below = { folder: join(known, "run") };
    await expect(train(file, config, below)).rejects.toThrow(
      "give a folder that can be written to",
    );
    const own = { folder: join(folder, "own"), signal: AbortSignal.abort() };
    const ended = expect(train(file, config, own)).rejects.toThrow("The run was cancelled");
    await expect(train(file, config, own)).rejects.toThrow("Another run is at work in the folder");
    await ended;
    await expect(train(file, config, own)).rejects.toThrow("The run was cancelled");
  });

  it("is a model's folder", async () => {
    const nothing = undefined as unknown as string;
    expect(() => modelFolder(nothing)).toThrow("modelFolder takes the path of a model's folder");
    const path = "houses-run/model" as unknown as Parameters<typeof loadModel>[0];
    await expect(loadModel(path)).rejects.toThrow(
      "loadModel takes what reads the files of a model",
    );
  });

  it("is a file", async () => {
    await expect(trained("data.csv", { task })).rejects.toThrow('{ path: "houses.csv"');
    await expect(trained({ path: file.path }, { task })).rejects.toThrow(
      "The file's `format` is undefined: give one of csv, parquet, arrow, ndjson",
    );
    const nowhere = { path: join(folder, "nowhere.csv"), format: "csv" };
    await expect(trained(nowhere, { task })).rejects.toThrow(DataError);
    await expect(trained(nowhere, { task })).rejects.toThrow(
      /^There is no file ".*nowhere\.csv"\.$/,
    );
    const source = { path: folder, format: "csv" };
    await expect(trained(source, { task })).rejects.toThrow(
      `${JSON.stringify(folder)} is a folder`,
    );
  });
});
