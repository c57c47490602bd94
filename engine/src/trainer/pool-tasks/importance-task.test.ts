import { expect, it } from "vitest";
import { familyById } from "../../families/index.ts";
import { runConfigSchema } from "../config/config.ts";
import { prepareTable } from "../plan/prepare.ts";
import { fitFold } from "./fit-task.ts";
import { importance } from "./importance-task.ts";

const STEPS = 80;

/** Two series that follow a column that is known in advance. */
function preparedSeries() {
  const rows = 2 * STEPS;
  const numbers = (of: (row: number) => number) =>
    Float64Array.from({ length: rows }, (_, i) => of(i));
  const promoted = numbers((row) => Number((row * 7) % 5 === 0));
  const columns = [
    { kind: "numeric", name: "step", values: numbers((row) => row % STEPS) },
    {
      kind: "categorical",
      name: "shop",
      codes: Int32Array.from({ length: rows }, (_, row) => Math.floor(row / STEPS)),
      categories: ["north", "south"],
    },
    { kind: "numeric", name: "promoted", values: promoted },
    { kind: "numeric", name: "sold", values: numbers((row) => 20 + (row % 3) + 9 * promoted[row]) },
  ] as const;
  const config = runConfigSchema.parse({
    task: {
      ...{ taskKind: "forecasting", labelColumn: "sold", timeColumn: "step", horizon: 4 },
      ...{ seriesColumns: ["shop"], knownColumns: ["promoted"] },
    },
  });
  return prepareTable({ rows, columns }, config);
}

function importanceOf(id: string, seconds?: number) {
  const run = preparedSeries();
  const family = familyById(id);
  if (!family) throw new Error(`There is no family ${id}.`);
  const series = { count: 2, steps: STEPS, horizon: 4, seasons: [], zeros: 0, known: 1 };
  const shape = { rows: 2 * STEPS, task: run.task, features: run.data.features, series };
  const parameters = family.defaults(shape);
  const folds = run.folds.map((_, fold) => {
    const fit = fitFold({
      run,
      family: id,
      parameters,
      trial: 0,
      fold,
      randomState: 0,
      bounds: {},
    });
    return [{ family: id, weight: 1, bySeries: null, calibration: null, packed: fit.model }];
  });
  const input = { run, folds, layer: null, threshold: null, randomState: 0, rows: 1000 };
  return importance({ ...input, ...(seconds === undefined ? {} : { seconds }) });
}

const shareOf = ({ permutation }: ReturnType<typeof importance>, column: string) =>
  permutation.find((each) => each.column === column)?.importance;

it("asks no model of series whose columns none of them reads, whatever the time", () => {
  for (const seconds of [undefined, 0]) {
    const found = importanceOf("theta", seconds);
    expect(found.cut).toBeNull();
    expect(found.gain[0]).toEqual({ column: "sold", importance: 1 });
    for (const column of ["step", "shop", "promoted"]) expect(shareOf(found, column)).toBe(0);
    expect(shareOf(found, "sold")).toBeUndefined();
  }
});

it("shuffles the columns that forecasts read, and none where there is no time", () => {
  const found = importanceOf("lag_gbdt");
  expect(found.cut).toBeNull();
  expect(shareOf(found, "promoted")).toBeGreaterThan(0.1);
  expect(importanceOf("lag_gbdt", 1e-6)).toMatchObject({
    permutation: [],
    cut: { columns: 0 },
  });
});
