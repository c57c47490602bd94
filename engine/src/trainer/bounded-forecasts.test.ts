/** A run over sales that end: what is forecast, explained and scored of them lies where sales can. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import { modelFolder } from "../model/model-folder.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";

const STEPS = 60;
const HORIZON = 8;
const NO_ROWS = { rows: 0, columns: [] };

/** One that is sold ever less, one that is not, and what is earned by both, which may be a loss. */
function csv(): string {
  const random = new CounterRandom(deriveKey(3, "sales"));
  const lines = ["id,t,y"];
  for (let t = 0; t < STEPS; t++) {
    const season = [8, 2, -4, -6][t % 4];
    const noise = (): number => 3 * random.nextGaussian();
    const sold = [50 - 0.85 * t + season + noise(), 40 + season + noise()].map((each) =>
      Math.max(0, Math.round(each)),
    );
    const earned = 20 - 0.8 * t + season + noise();
    for (const [s, y] of [...sold, earned].entries()) lines.push(`s${s},${t},${y.toFixed(2)}`);
  }
  return lines.join("\n");
}

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-bounds-"));
  const path = join(folder, "data.csv");
  await writeFile(path, csv());
  ({ model } = await train(
    { path, format: "csv" },
    {
      task: {
        taskKind: "forecasting",
        labelColumn: "y",
        timeColumn: "t",
        seriesColumns: ["id"],
        horizon: HORIZON,
        seasonLength: 4,
      },
      hpoSpace: {
        models: [{ family: "theta", fixed: { season: "shortest" } }, { family: "dlinear" }],
      },
      nTrials: 2,
      metrics: ["mase", "coverage"],
    },
    { folder: join(folder, "run"), pool: sharedPool(1) },
  ));
});
afterAll(() => rm(folder, { recursive: true }));

test("sales are not forecast below 0, and earnings may be", () => {
  const { values } = model.predict(NO_ROWS);
  const [ending, steady, earned] = [0, 1, 2].map((s) =>
    values.subarray(s * HORIZON, (s + 1) * HORIZON),
  );
  expect(Math.min(...ending)).toBe(0);
  expect(Math.min(...steady)).toBeGreaterThan(0);
  expect(Math.max(...earned)).toBeLessThan(0);
});

test("every forecast lies in its intervals, whatever their coverage, and these where sales can", () => {
  for (let percent = 50; percent <= 99; percent++) {
    const { values, intervals, quantiles } = model.predict(NO_ROWS, { coverage: percent / 100 });
    const bounds = intervals?.bounds;
    if (!bounds) throw new Error("no intervals");
    for (const [i, value] of values.entries()) {
      expect(bounds.lower[i]).toBeLessThanOrEqual(value);
      expect(bounds.upper[i]).toBeGreaterThanOrEqual(value);
      if (i < 2 * HORIZON) expect(bounds.lower[i]).toBeGreaterThanOrEqual(0);
    }
    if (!quantiles) throw new Error("no quantiles");
    expect(Math.min(...quantiles.subarray(0, (2 * quantiles.length) / 3))).toBe(0);
  }
});

test("the notes of its run say what is held", () => {
  expect(model.document.card.notes).toContain(
    "Forecasts of 1 of 3 series are held at 0 or above: at the bound that was given or, without one, where the past values keep to it.",
  );
});

test("explanations add up to what is forecast, and what a bound adds is of the past", () => {
  const { values } = model.predict(NO_ROWS);
  const { predictions, contributions, baseValues, columns } = model.explain(NO_ROWS);
  for (const [i, [prediction]] of predictions.entries()) {
    expect(prediction).toBeCloseTo(values[i], 9);
    const sum = contributions[i][0].reduce((total, each) => total + each, baseValues[0]);
    expect(sum).toBeCloseTo(values[i], 6);
    const past = columns.indexOf("y");
    expect(contributions[i][0].filter((each, c) => c !== past && each !== 0)).toHaveLength(0);
  }
});

test("a history that was negative takes the bound away, a new series has none here, and a model read back has the same bits", async () => {
  const back = await loadModel(modelFolder(join(folder, "run", "model")));
  expect(back.predict(NO_ROWS).values).toEqual(model.predict(NO_ROWS).values);
  const history = (id: string, least: number) => ({
    rows: 12,
    columns: [
      { kind: "categorical" as const, name: "id", codes: new Int32Array(12), categories: [id] },
      {
        kind: "numeric" as const,
        name: "t",
        values: Float64Array.from({ length: 12 }, (_, t) => STEPS + t),
      },
      {
        kind: "numeric" as const,
        name: "y",
        values: Float64Array.from({ length: 12 }, (_, t) => Math.max(least, 30 - 3 * t)),
      },
    ],
  });
  const lowest = (id: string, least: number): number =>
    Math.min(...model.predict(history(id, least)).values);
  expect(lowest("s0", 0)).toBe(0);
  expect(lowest("s0", -9)).toBeLessThan(0);
  // Of these series one has been negative, and who knows which of them another one is like.
  expect(lowest("s9", 0)).toBeLessThan(0);
});
