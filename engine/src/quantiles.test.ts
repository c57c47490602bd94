/** A run of quantiles: search, folds, a blend, its report, its answers and explanations. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "./compute/random.ts";
import {
  loadModel,
  modelFolder,
  type RunConfigInput,
  readTableFromFile,
  reportSchema,
  type UploadedFile,
} from "./index.ts";
import { type TrainedRun, train } from "./train.ts";

const ROWS = 600;
const LEVELS = [0.1, 0.5, 0.9];

let folder: string;
let file: UploadedFile;
let trained: TrainedRun;
const config: RunConfigInput = {
  task: { taskKind: "quantile_regression", labelColumn: "y" },
  hpoSpace: {
    models: [{ family: "gbdt", fixed: { n_estimators: 40 } }, { family: "linear" }],
  },
  metrics: ["quantile_loss", "coverage_error"],
  nTrials: 2,
  nCvSplits: 3,
  stacking: true,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quantiles-"));
  const random = new CounterRandom(deriveKey(8, "table"));
  const lines = Array.from({ length: ROWS }, () => {
    const [a, b] = [random.nextFloat() * 10, random.nextInteger(4)];
    // The spread follows a, which a mean would not show; the step is for trees, the rest for lines.
    const y = 50 + 3 * b + (a > 5 ? 20 : 0) + (0.2 + a) * random.nextGaussian();
    return [a.toFixed(4), "pqrs"[b], y.toFixed(4)];
  });
  const path = join(folder, "rows.csv");
  await writeFile(path, ["a,b,y", ...lines.map((cells) => cells.join(","))].join("\n"));
  file = { path, format: "csv" };
  trained = await train(file, config, { folder: join(folder, "run") });
});
afterAll(() => rm(folder, { recursive: true }));

it("blends trials, and holds as many rows as the levels say", () => {
  const [selection] = trained.state.selections;
  expect(selection.members.length).toBeGreaterThan(1);
  expect(selection).toMatchObject({ kind: "ensemble", layer: null, threshold: null });
  expect(selection.notes).toEqual([expect.stringMatching(/No stacking layer is tried/)]);
  expect(selection.scores["coverage_error"]).toBeLessThan(0.05);
  expect(selection.scores["pinball"]).toBeLessThan(1.6);
});

it("predicts ascending quantiles, the same from its files alone", async () => {
  const { table } = await readTableFromFile(file.path, file);
  const { values, outputs, intervals, warnings } = trained.model.predict(table);
  expect({ outputs, intervals, warnings }).toEqual({ outputs: 3, intervals: null, warnings: [] });
  for (let i = 0; i < values.length; i++) {
    if (i % 3 > 0) expect(values[i]).toBeGreaterThanOrEqual(values[i - 1]);
  }
  const spreadBy = (low: number, high: number): number => {
    const column = table.columns.find(({ name }) => name === "a");
    const widths = Array.from({ length: table.rows }, (_, row) => row)
      .filter(
        (row) =>
          column?.kind === "numeric" && column.values[row] >= low && column.values[row] < high,
      )
      .map((row) => values[row * 3 + 2] - values[row * 3]);
    return widths.reduce((sum, width) => sum + width, 0) / widths.length;
  };
  expect(spreadBy(8, 10)).toBeGreaterThan(2.5 * spreadBy(0, 2));
  const loaded = await loadModel(modelFolder(join(folder, "run", "model")));
  expect(loaded.predict(table).values).toEqual(values);
  expect(loaded.document.task).toEqual({
    kind: "quantile_regression",
    classes: [],
    quantiles: LEVELS,
  });
  expect(loaded.document.conformal).toBeNull();
  expect(loaded.predict(table, { coverage: 0.8 }).warnings).toEqual([
    expect.stringMatching(/no intervals or sets/),
  ]);
});

it("explains the median", async () => {
  const { table } = await readTableFromFile(file.path, { ...file, maxRows: 40 });
  const { values } = trained.model.predict(table);
  const { baseValues, contributions, predictions, space } = trained.model.explain(table);
  expect(space).toBe("identity");
  for (let row = 0; row < table.rows; row++) {
    const [parts] = contributions[row];
    expect(contributions[row]).toHaveLength(1);
    const sum = parts.reduce((total, value) => total + value, baseValues[0]);
    expect(sum).toBeCloseTo(predictions[row][0], 6);
    expect(sum).toBeCloseTo(values[row * 3 + 1], 6);
  }
});

it("reports each level's calibration, beside quantiles of all rows", async () => {
  const report = reportSchema.parse(
    JSON.parse(await readFile(join(folder, "run", "report", "report.json"), "utf8")),
  );
  expect(report.quantiles?.levels.map(({ level }) => level)).toEqual(LEVELS);
  for (const { level, observed } of report.quantiles?.levels ?? []) {
    expect(Math.abs(observed - level)).toBeLessThan(0.05);
  }
  expect(report.quantiles?.outer?.nominal).toBeCloseTo(0.8, 12);
  expect(report.residuals?.rows).toBe(ROWS);
  expect(report.baseline["pinball"].answer).toBe("the quantiles of all rows");
  expect(report.baseline["pinball"].score).toBeGreaterThan(
    report.models[0].scores["pinball"] ?? Number.POSITIVE_INFINITY,
  );
  expect(report.uncertainty).toBeUndefined();
  const page = await readFile(join(folder, "run", "report", "report.html"), "utf8");
  expect(page).toContain("Calibration of quantiles");
});

it("keeps its bytes whatever the number of workers", async () => {
  const winner: RunConfigInput = { ...config, ensemble: false, nTrials: 1, nCvSplits: null };
  const once = await train(file, winner, { threads: 1 });
  const twice = await train(file, winner, { threads: 2 });
  expect(once.model.document.files).toEqual(twice.model.document.files);
  expect(once.model.document.kind).toBe("winner");
});

it("is not learned from a teacher", async () => {
  const teacher = { name: "t", predict: async () => new Float64Array() };
  await expect(train(file, config, { teacher })).rejects.toMatchObject({
    name: "ConfigError",
    message: expect.stringMatching(/cannot be learned from a teacher/),
  });
});

it("refuses levels for another kind, and a sweep goes over its metrics", async () => {
  const task: RunConfigInput["task"] = {
    taskKind: "regression",
    labelColumn: "y",
    quantiles: [0.5],
  };
  await expect(train(file, { ...config, task })).rejects.toThrow(
    /only quantile_regression and forecasting have it/,
  );
  const hpoSpace = { models: [{ family: "linear" }] };
  const { models } = await train(file, { ...config, hpoSpace, gridSize: 2, nCvSplits: null });
  expect(models.length).toBeGreaterThan(0);
});
