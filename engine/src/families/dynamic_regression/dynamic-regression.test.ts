/** Regression on known columns: what it finds in few steps, what it leaves alone, and what it says of it. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Column, Table } from "../../data/table.ts";
import { packModel, unpackModel } from "../../model/packed.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import type { Family, FitContext, FittedModel } from "../family.ts";
import { theta } from "../theta/family.ts";
import { dynamicRegression } from "./family.ts";

const HORIZON = 6;

interface Sold {
  readonly steps: number;
  readonly seed?: number;
  /** What a promotion adds, and a step's noise. */
  readonly effect?: number;
  readonly shops?: number;
}

/** A season of four steps, and promotions on a quarter of the days; a second column says nothing. */
function sold({ steps, seed = 1, effect = 30, shops = 1 }: Sold): Table {
  const random = new CounterRandom(deriveKey(seed, "sold"));
  const rows = Array.from({ length: shops * steps }, (_, i) => {
    const [shop, t] = [Math.floor(i / steps), i % steps];
    const promo = Number(random.nextFloat() < 0.25);
    const level = 50 * (shop + 1);
    return {
      ...{ shop, t, promo },
      other: random.nextGaussian(),
      kind: Math.floor(3 * random.nextFloat()),
      y: level + [0, 6, -2, -4][t % 4] + (shop + 1) * (effect * promo + 2 * random.nextGaussian()),
    };
  });
  const numeric = (name: "t" | "promo" | "other" | "y"): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(rows, (row) => row[name]),
  });
  const categorical = (name: "shop" | "kind"): Column => ({
    kind: "categorical",
    name,
    codes: Int32Array.from(rows, (row) => row[name]),
    categories: ["a", "b", "c"],
  });
  return {
    rows: rows.length,
    columns: [
      categorical("shop"),
      numeric("t"),
      numeric("promo"),
      numeric("other"),
      categorical("kind"),
      numeric("y"),
    ],
  };
}

function prepared(table: Table, knownColumns: readonly string[]): PreparedRun {
  const ignored = ["promo", "other", "kind"].filter((name) => !knownColumns.includes(name));
  return prepareTable(
    table,
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", seriesColumns: ["shop"] },
        ...{ horizon: HORIZON, seasonLength: 4, knownColumns, ignoreColumns: ignored },
      },
      nCvSplits: 2,
    }),
  );
}

function contextOf(run: PreparedRun, fold = 1): FitContext {
  const { train, valid } = run.folds[fold];
  return {
    ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
    ...{ weights: run.weights, trainRows: train, validRows: valid },
    ...{ key: deriveKey(1, "fit"), monotone: {} },
  };
}

const shapeOf = (run: PreparedRun) => ({
  ...{ rows: run.plan.rows, task: run.task, features: run.data.features },
  series: { count: 1, steps: run.plan.rows, horizon: HORIZON, seasons: [4], zeros: 0, known: 1 },
});

function fitted(family: Family, run: PreparedRun, more: object = {}): FittedModel {
  return family.fit(contextOf(run), { ...family.defaults(shapeOf(run)), ...more });
}

function errorOf(model: FittedModel, run: PreparedRun): number {
  const { valid } = run.folds[1];
  const forecasts = model.predict(run.data, valid);
  return (
    valid.reduce((sum, row, i) => sum + Math.abs(run.target[row] - forecasts[i]), 0) / valid.length
  );
}

const SEEDS = [1, 2, 3, 4, 5, 6];
const meanError = (family: Family, steps: number, known: readonly string[]): number =>
  SEEDS.reduce((sum, seed) => {
    const run = prepared(sold({ steps, seed }), known);
    return sum + errorOf(fitted(family, run), run) / SEEDS.length;
  }, 0);

describe.each([60, 120])("%i steps", (steps) => {
  it("are enough to know what promotions add", () => {
    const alone = meanError(theta, steps, ["promo"]);
    expect(meanError(dynamicRegression, steps, ["promo"])).toBeLessThan(0.3 * alone);
    // Nor do columns that say nothing take it away.
    expect(meanError(dynamicRegression, steps, ["promo", "other", "kind"])).toBeLessThan(
      0.4 * alone,
    );
  });

  it("lose little by columns that say nothing", () => {
    const alone = meanError(theta, steps, []);
    expect(meanError(dynamicRegression, steps, ["other", "kind"])).toBeLessThan(1.15 * alone);
    expect(meanError(dynamicRegression, steps, [])).toBeCloseTo(alone, 9);
  });
});

it("weighs columns once for series of any size", () => {
  const run = prepared(sold({ steps: 20, shops: 3 }), ["promo"]);
  const alone = errorOf(fitted(theta, run), run);
  expect(errorOf(fitted(dynamicRegression, run), run)).toBeLessThan(0.5 * alone);
});

it("explains by column, and relies on what adds most", () => {
  const table = sold({ steps: 80, seed: 2 });
  const run = prepared(table, ["promo", "other"]);
  const model = fitted(dynamicRegression, run);
  const { valid } = run.folds[1];
  const names = run.data.features.map(({ name }) => name);
  const [promo, other] = [names.indexOf("promo"), names.indexOf("other")];
  const importance = model.importance();
  expect(importance[promo]).toBeGreaterThan(5 * importance[other]);
  const { contributions } = model.explain(run.data, valid);
  const width = names.length + 1;
  const days = table.columns.find(({ name }) => name === "promo");
  for (const [i, row] of valid.entries()) {
    const isPromoted = days?.kind === "numeric" && days.values[row] === 1;
    const effect = contributions[i * width + promo];
    expect(isPromoted ? effect : -effect).toBeGreaterThan(isPromoted ? 15 : 3);
  }
});

it("knows of the training data what a request leaves out", () => {
  const run = prepared(sold({ steps: 60 }), ["promo"]);
  const model = fitted(dynamicRegression, run, { rest: "ets" });
  const { train, valid } = run.folds[1];
  const expected = [...model.predict(run.data, valid)];
  const { frame } = run.data;
  if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
  // As a request: nothing of the columns before the origin, and no value behind it.
  const table = sold({ steps: 60 });
  const blank = table.columns.map((column) =>
    column.name === "promo" && column.kind === "numeric"
      ? {
          ...column,
          values: column.values.map((value, t) => (t < train.length ? Number.NaN : value)),
        }
      : column,
  );
  const asked = prepared({ ...table, columns: blank }, ["promo"]);
  const loaded = dynamicRegression.load(unpackModel(packModel(model.save()), "the model"), {
    ...{ task: run.task, features: run.data.features, bins: null },
  });
  expect([...loaded.predict(asked.data, valid)]).toEqual(expected);
  // Of a series that training did not have nothing is known but what is sent.
  const unknown = { ...run.data, frame: { ...frame, ids: Int32Array.of(-1) } };
  expect(loaded.predict(unknown, valid).every(Number.isFinite)).toBe(true);
  const shifted = { ...asked.data, frame: { ...frame, since: Int32Array.of(-60) } };
  expect([...loaded.predict(shifted, valid)]).not.toEqual(expected);
});

it.each(["theta", "ets"])("%s counts the level once, whatever that of many columns is", (rest) => {
  const [steps, width] = [140, 12];
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const numeric = (name: string, values: readonly number[]): Column => ({
    ...{ kind: "numeric", name, values: Float64Array.from(values) },
  });
  const made = (level: number): Table => {
    const random = new CounterRandom(deriveKey(4, "many"));
    const rows = Array.from({ length: steps }, () => names.map(() => random.nextGaussian()));
    const y = rows.map((row) => row.reduce((sum, x) => sum + 5 * x, 200 + random.nextGaussian()));
    const columns = names.map((name, j) => {
      const values = rows.map((row) => row[j] + level);
      return numeric(name, values);
    });
    const shop: Column = {
      ...{ kind: "categorical", name: "shop", categories: ["a"], codes: new Int32Array(steps) },
    };
    return {
      rows: steps,
      columns: [shop, numeric("t", [...y.keys()]), ...columns, numeric("y", y)],
    };
  };
  for (const level of [0, 1000]) {
    const run = prepared(made(level), names);
    const model = fitted(dynamicRegression, run, { rest, changes: "step" });
    const { train, valid } = run.folds[1];
    const { frame } = run.data;
    if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
    for (const last of [1, 2, 3, 10]) {
      const from = train.length - last;
      const target = frame.target.map((value, row) => (row < from ? Number.NaN : value));
      const forecasts = model.predict({ ...run.data, frame: { ...frame, target } }, valid);
      for (const [i, value] of forecasts.entries()) {
        expect(Math.abs(value - run.target[valid[i]])).toBeLessThan(8);
      }
    }
  }
});

describe("trees over lags as what forecasts the rest", () => {
  const STEPS = 240;
  /** Demand bends at a temperature that wanders, and what a holiday adds is linear. */
  function demand(seed: number): Table {
    const random = new CounterRandom(deriveKey(seed, "demand"));
    let warm = 0;
    const rows = Array.from({ length: STEPS }, (_, t) => {
      warm = 0.9 * warm + random.nextGaussian();
      const promo = Number(random.nextFloat() < 0.1);
      const y = 60 + [0, 6, -2, -4][t % 4] + 16 * Math.abs(warm) + 30 * promo;
      return { t, promo, other: warm, y: y + random.nextGaussian() };
    });
    const numeric = (name: "t" | "promo" | "other" | "y"): Column => ({
      ...{ kind: "numeric", name, values: Float64Array.from(rows, (row) => row[name]) },
    });
    const codes = new Int32Array(STEPS);
    return {
      rows: STEPS,
      columns: [
        { kind: "categorical", name: "shop", codes, categories: ["a"] },
        ...(["t", "promo", "other", "y"] as const).map(numeric),
      ],
    };
  }
  const run = prepared(demand(1), ["promo", "other"]);
  const { valid } = run.folds[1];
  const names = run.data.features.map(({ name }) => name);

  it("bend what columns add, where a line cannot", () => {
    const [trees, line] = ["lag_gbdt", "theta"].map((rest) =>
      [1, 2, 3].reduce((sum, seed) => {
        const own = prepared(demand(seed), ["promo", "other"]);
        return sum + errorOf(fitted(dynamicRegression, own, { rest }), own);
      }, 0),
    );
    expect(trees).toBeLessThan(0.8 * line);
  });

  it("are read back to the bit, and explain what they say", () => {
    const model = fitted(dynamicRegression, run, { rest: "lag_gbdt" });
    const forecasts = model.predict(run.data, valid);
    const loaded = dynamicRegression.load(unpackModel(packModel(model.save()), "the model"), {
      ...{ task: run.task, features: run.data.features, bins: null },
    });
    expect([...loaded.predict(run.data, valid)]).toEqual([...forecasts]);
    const { baseValues, contributions, margins } = model.explain(run.data, valid);
    const width = names.length + 1;
    for (const [i, forecast] of forecasts.entries()) {
      const own = contributions.subarray(i * width, (i + 1) * width);
      expect(own.reduce((sum, each) => sum + each, baseValues[0])).toBeCloseTo(forecast, 6);
      expect(margins[i]).toBeCloseTo(forecast, 9);
    }
    const importance = model.importance();
    expect(importance.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
    // What bends says nothing to a line, but to trees.
    const line = fitted(dynamicRegression, run).importance();
    const other = names.indexOf("other");
    expect(importance[other]).toBeGreaterThan(1.5 * line[other]);
  });

  it("are tried second where steps are many enough for them, and else not at all", () => {
    const restsOf = (steps: number) => {
      const shape = shapeOf(run);
      const points = dynamicRegression.portfolio({ ...shape, series: { ...shape.series, steps } });
      return points.map(({ rest }) => rest);
    };
    expect(restsOf(240)[1]).toBe("lag_gbdt");
    expect(restsOf(120)).not.toContain("lag_gbdt");
  });
});

it("is left out where no column is known in advance, or steps are too few", () => {
  const shape = shapeOf(prepared(sold({ steps: 60 }), ["promo"]));
  const suits = (more: object) =>
    dynamicRegression.suits({ ...shape, series: { ...shape.series, ...more } }).use;
  expect(suits({ steps: 60 })).toBe(true);
  expect(suits({ steps: 60, known: 0 })).toBe(false);
  expect(suits({ steps: 20 })).toBe(false);
  expect(suits({ steps: 20, count: 3 })).toBe(true);
});
