/** Runs over series that hardly tell anything: of two or four steps, constant, at rest at the end. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Model } from "../model/model.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";

const NO_ROWS = { rows: 0, columns: [] };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-still-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function trained(
  series: Readonly<Record<string, readonly number[]>>,
  horizon: number,
): Promise<Model> {
  const path = join(folder, "data.csv");
  const lines = Object.entries(series).flatMap(([id, values]) =>
    values.map((value, t) => `${id},${t},${value}`),
  );
  await writeFile(path, ["id,t,y", ...lines].join("\n"));
  const { model } = await train(
    { path, format: "csv" },
    {
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", seriesColumns: ["id"] },
        ...{ horizon, seasonLength: 7 },
      },
      modelFamilies: ["seasonal_naive", "theta"],
      nTrials: 1,
    },
    { pool: sharedPool(1) },
  );
  return model;
}

test.each([
  ["two", [3, 4]],
  ["four", [3, 4, 5, 6]],
])("a series of %s steps is forecast one step ahead", async (_, values) => {
  const model = await trained({ a: values }, 1);
  const { values: forecasts, intervals } = model.predict(NO_ROWS);
  expect(forecasts).toHaveLength(1);
  expect(forecasts[0]).toBeGreaterThan(2);
  expect(forecasts[0]).toBeLessThan(9);
  expect(Number.isFinite(intervals?.bounds?.lower[0])).toBe(true);
});

test("series that stand still have intervals that say so, beside others that do not", async () => {
  const random = new CounterRandom(deriveKey(5, "still"));
  const moving = (t: number): number =>
    50 + [6, 2, -4, 0, 3, -5, -2][t % 7] + random.nextGaussian();
  const of = (count: number, value: (t: number) => number): number[] =>
    Array.from({ length: count }, (_, t) => value(t));
  const model = await trained(
    {
      moving: of(160, moving),
      constant: of(160, () => 5),
      zero: of(160, () => 0),
      rested: of(160, (t) => (t < 60 ? moving(t) : 44)),
    },
    14,
  );
  const { values, intervals } = model.predict(NO_ROWS);
  const { lower, upper } = intervals?.bounds ?? { lower: values, upper: values };
  const widths = [0, 1, 2, 3].map((s) =>
    Math.max(...Array.from({ length: 14 }, (_, h) => upper[14 * s + h] - lower[14 * s + h])),
  );
  const [ofMoving, ofConstant, ofZero, ofRested] = widths;
  expect(values[14]).toBeCloseTo(5, 9);
  expect(lower[14]).toBeLessThanOrEqual(5);
  expect(upper[14]).toBeGreaterThanOrEqual(5);
  expect(ofConstant).toBeLessThan(0.3 * 5);
  expect(ofZero).toBeLessThan(0.3);
  expect(ofRested).toBeLessThan(0.4 * ofMoving);
  expect(ofRested).toBeGreaterThan(0);
});

test("constant series alone are forecast without a warning that a constant is as good", async () => {
  const model = await trained(
    { a: new Array<number>(60).fill(5), b: new Array<number>(60).fill(7) },
    6,
  );
  expect(model.document.card.warnings.join()).not.toMatch(/no better than/);
});

test("no rows ask for the steps behind the training data, as they do in requests", async () => {
  const model = await trained({ a: [1, 2, 3, 4, 5, 6, 7, 8], b: [2, 2, 2, 3, 2, 2, 2, 3] }, 2);
  const { values, keys } = model.predict(NO_ROWS, { horizon: 1 });
  expect(values).toHaveLength(2);
  for (const none of [{}, []]) {
    expect(model.predict(none, { horizon: 1 })).toMatchObject({ values, keys });
    expect(model.explain(none, { horizon: 1 }).contributions).toHaveLength(2);
  }
  expect(() => model.predict(new Map() as never)).toThrow("an object without members");
});
