/** Boosting of quantiles: against peers, and what renewed leaves must keep. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { lowerQuantile } from "../../data/weighted-quantile.ts";
import { pinballOfLevel } from "../../metrics/quantile-rows.ts";
import type { Task } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { allRows, fit } from "./testing/fit.ts";

const LEVELS = [0.1, 0.5, 0.9];
const TASK: Task = { kind: "quantile_regression", classes: [], quantiles: LEVELS };

const peer = z.object({ lightgbm: z.number(), sklearn: z.number() });
const fixture = z
  .object({
    columns: z.array(z.array(z.number())),
    target: z.array(z.number()),
    train_rows: z.int(),
    rounds: z.int(),
    levels: z.object({ "0.1": peer, "0.5": peer, "0.9": peer }),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL("./fixtures/lightgbm_quantiles.json", import.meta.url), "utf8"),
    ),
  );

/** Columns of whole numbers as their own bins. */
const numericBins = (columns: readonly (readonly number[])[]) =>
  encodeBins(
    columns.map((bins) => ({ kind: "numeric" as const, valueBins: Math.max(...bins) + 1, bins })),
  );

describe("gbdt of quantiles", () => {
  it("is as good as LightGBM and scikit-learn on held-out rows", () => {
    const { columns, target, train_rows: trainRows, rounds, levels } = fixture;
    const data = numericBins(columns);
    const model = fit(
      TASK,
      data,
      target,
      { n_estimators: rounds, learning_rate: 0.1, num_leaves: 8, min_data_in_leaf: 20 },
      { trainRows: allRows(trainRows) },
    );
    const held = Uint32Array.from({ length: target.length - trainRows }, (_, i) => trainRows + i);
    const rows = {
      target: Float64Array.from(held, (row) => target[row]),
      predictions: model.predict(data, held),
      outputs: 3,
      weights: null,
    };
    for (const [place, level] of (["0.1", "0.5", "0.9"] as const).entries()) {
      const ours = pinballOfLevel(rows, place, Number(level));
      expect(ours, level).toBeLessThan(1.03 * levels[level].lightgbm);
      expect(ours, level).toBeLessThan(1.03 * levels[level].sklearn);
    }
  });

  it("starts from the quantiles of all rows, by their weights", () => {
    const data = numericBins([[0, 0, 0, 0, 0, 0]]);
    const target = [1, 2, 3, 4, 5, 6];
    const weights = Float64Array.of(1, 1, 1, 1, 1, 15);
    const [low, middle, high] = fit(TASK, data, target, {}, { weights }).predict(data, null);
    const expected = LEVELS.map((level) =>
      lowerQuantile(Float64Array.from(target), weights, level),
    );
    expect([low, middle, high]).toEqual(expected);
  });

  it("gives leaves the quantile of their rows, and rows ascending quantiles", () => {
    const random = new CounterRandom(deriveKey(4, "quantiles"));
    const bins = Array.from({ length: 200 }, (_, i) => Number(i >= 100));
    const target = bins.map((bin) => 100 * bin + random.nextGaussian());
    const data = numericBins([bins]);
    const parameters = { n_estimators: 1, learning_rate: 1, num_leaves: 2, min_data_in_leaf: 20 };
    const model = fit(TASK, data, target, parameters);
    const predictions = model.predict(data, Uint32Array.of(0, 199));
    for (const [row, half] of [target.slice(0, 100), target.slice(100)].entries()) {
      for (const [k, level] of LEVELS.entries()) {
        const own = lowerQuantile(Float64Array.from(half), null, level);
        expect(predictions[row * 3 + k]).toBeCloseTo(own, 5);
      }
    }
  });

  it("keeps monotone constraints with renewed leaves", () => {
    const random = new CounterRandom(deriveKey(5, "quantiles"));
    const draw = (most: number): number[] =>
      Array.from({ length: 600 }, () => random.nextInteger(most));
    const [a, b] = [draw(20), draw(6)];
    // Falls here and there where it should rise, and spreads by b.
    const target = a.map((x, i) => x + 6 * Math.sin(x) + (1 + b[i]) * random.nextGaussian());
    const grid = Array.from({ length: 20 * 6 }, (_, i) => ({ x: i % 20, z: Math.floor(i / 20) }));
    const data = numericBins([
      [...a, ...grid.map(({ x }) => x)],
      [...b, ...grid.map(({ z }) => z)],
    ]);
    const all = [...target, ...grid.map(() => 0)];
    const context = { trainRows: allRows(600), monotone: { [data.features[0].name]: 1 as const } };
    const parameters = { n_estimators: 30, num_leaves: 16, min_data_in_leaf: 5 };
    const rows = Uint32Array.from(grid.keys(), (i) => 600 + i);
    const predict = (changes: object) =>
      fit(TASK, data, all, parameters, { ...context, ...changes }).predict(data, rows);
    const falls = (values: Float64Array): number =>
      grid.filter(
        ({ x }, i) =>
          x > 0 && LEVELS.some((_, k) => values[i * 3 + k] < values[(i - 1) * 3 + k] - 1e-9),
      ).length;
    expect(falls(predict({}))).toBe(0);
    expect(falls(predict({ monotone: {} }))).toBeGreaterThan(0);
  });

  it("stops early where held-out rows gain no more", () => {
    const random = new CounterRandom(deriveKey(6, "quantiles"));
    const bins = Array.from({ length: 400 }, () => random.nextInteger(30));
    const target = bins.map(() => random.nextGaussian());
    const model = fit(
      TASK,
      numericBins([bins]),
      target,
      { n_estimators: 500, early_stopping_rounds: 10 },
      {
        trainRows: allRows(300),
        validRows: Uint32Array.from({ length: 100 }, (_, i) => 300 + i),
      },
    );
    expect(model.facts["rounds"]).toBeLessThan(100);
    expect(model.curve?.loss).toBe("pinball");
  });
});
