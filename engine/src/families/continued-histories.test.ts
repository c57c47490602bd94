/** What every family of forecasts keeps to when a history is not the one that it was fitted to, to the bit. */

import { expect, test } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Column, Table } from "../data/table.ts";
import type { Parameters } from "../search/space.ts";
import { runConfigSchema } from "../trainer/config/config.ts";
import { prepareTable } from "../trainer/plan/prepare.ts";
import type { PreparedRun } from "../trainer/plan/prepared.ts";
import type { DataShape, Family, FittedModel } from "./family.ts";
import { FAMILIES } from "./index.ts";

const STEPS = 140;
const SEASON = [0, 12, 20, 8, -6, -22, -12];
const HORIZON = 7;

/** A level that stands still, a line, a wandering level, one whose season grows with it, and rare demand. */
function series(): Table {
  const random = new CounterRandom(deriveKey(8, "continued"));
  let level = 130;
  const of: readonly ((t: number, index: number, noise: number) => number)[] = [
    (_, index, noise) => 130 + index + 4 * noise,
    (t, index, noise) => 60 + 0.5 * t + index + 4 * noise,
    (_, index, noise) => {
      level += 3 * noise;
      return level + index;
    },
    (t, index, noise) => (100 + 0.6 * t) * (1 + index / 60) * (1 + 0.04 * noise),
    (t, _, noise) => (t % 3 === 0 || noise > 1 ? 5 + Math.abs(noise) : 0),
  ];
  const rows = of.flatMap((value, id) =>
    Array.from({ length: STEPS }, (_, t) => {
      const promo = Number(random.nextFloat() < 0.25);
      return { id, t, promo, y: value(t, SEASON[t % 7], random.nextGaussian()) };
    }),
  );
  const numeric = (name: "t" | "y" | "promo"): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(rows, (row) => row[name]),
  });
  return {
    rows: rows.length,
    columns: [
      {
        kind: "categorical",
        name: "id",
        codes: Int32Array.from(rows, ({ id }) => id),
        categories: ["still", "line", "walk", "growing", "rare"],
      },
      ...(["t", "promo", "y"] as const).map(numeric),
    ],
  };
}

const families = FAMILIES.filter(({ reads }) => reads === "series");
const run = prepareTable(
  series(),
  runConfigSchema.parse({
    task: {
      ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", seriesColumns: ["id"] },
      ...{ horizon: HORIZON, windowStep: HORIZON, seasonLength: 7, knownColumns: ["promo"] },
    },
    modelFamilies: families.map(({ id }) => id),
    nCvSplits: 2,
  }),
);
const [fold] = run.folds.toSorted((a, b) => b.train.length - a.train.length);

function shapeOf({ data, task, plan }: PreparedRun): DataShape {
  const of = { count: 5, steps: STEPS, horizon: HORIZON, seasons: [7], zeros: 0.1, known: 1 };
  return { rows: plan.rows, task, features: data.features, series: of };
}

const fitted = (family: Family, parameters: Parameters, data = run.data): FittedModel =>
  family.fit(
    {
      ...{ task: run.task, data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: fold.train, validRows: fold.valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    parameters,
  );

/** The forecasts where values are others. @param change of the value `t` steps after the first */
function forecasts(
  model: FittedModel,
  change: (value: number, t: number, spread: number) => number,
): Float64Array {
  const { frame } = run.data;
  if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
  const target = frame.target.map((value, row) => {
    const s = Math.floor(row / STEPS);
    return change(value, row % STEPS, spreadOf(s));
  });
  for (const row of fold.valid) target[row] = Number.NaN;
  return model.predict({ ...run.data, frame: { ...frame, target } }, fold.valid);
}

function spreadOf(s: number): number {
  const own = run.target.subarray(s * STEPS, (s + 1) * STEPS);
  const mean = own.reduce((sum, value) => sum + value / STEPS, 0);
  return Math.sqrt(own.reduce((sum, value) => sum + (value - mean) ** 2 / STEPS, 0));
}

/** The furthest that forecasts of any series are apart, in spreads of that series. */
function furthest(a: Float64Array, b: Float64Array): number {
  return Math.max(
    ...a.map((value, i) => Math.abs(value - b[i]) / spreadOf(Math.floor(fold.valid[i] / STEPS))),
  );
}

interface Tolerances {
  /** Of forecasts from the last 60 %, and from a history whose first value is another. */
  readonly part: number;
  readonly first: number;
  /** From 3 y + 100, less 100, through 3; and from 3 y, through 3. Null: other forecasts are right. */
  readonly affine: number | null;
  readonly scale: number | null;
}

/** In spreads of the series. */
function tolerancesOf(id: string, { season, method, decomposition, rest }: Parameters): Tolerances {
  switch (id) {
    case "seasonal_naive":
      // The mean change from the first value to the last is that of the history.
      return { part: method === "drift" ? 0.15 : 1e-9, first: 0.01, affine: 1e-9, scale: 1e-9 };
    case "theta":
      // Its line and its season are those of the history; indices that are ratios change with what is added to all values.
      return {
        ...{ part: 0.35, first: 0.01, scale: 1e-9 },
        affine: decomposition === "multiplicative" ? 0.25 : 1e-9,
      };
    case "ets":
      // The growing series is of ratios, whose season is drawn to the fitted one.
      return season === "all"
        ? { part: 0.05, first: 0.02, affine: 0.02, scale: 0.02 }
        : { part: 0.2, first: 0.02, affine: 0.15, scale: 0.03 };
    case "arima":
      // The level of what is not differenced is the history's; the drift of what is, is drawn to the fitted one.
      return { part: 0.25, first: 0.02, affine: 0.1, scale: 0.1 };
    case "harmonic_regression":
      // Of steps that have no year it is the model of the rest.
      return { part: 0.35, first: 0.02, affine: 0.25, scale: 0.1 };
    case "croston":
      // A value of 0 is no demand, one of 100 is.
      return { part: 0.05, first: 0.01, affine: null, scale: 1e-9 };
    case "dlinear":
      return { part: 0.03, first: 0.01, affine: 1e-6, scale: 1e-6 };
    case "lag_gbdt":
      // A little more or less in the unit, and another leaf.
      return { part: 1, first: 0.2, affine: 1e-6, scale: 1e-6 };
    case "dynamic_regression":
      // What a column adds keeps the size that it had in training; trees as above.
      return rest === "lag_gbdt"
        ? { part: 1, first: 0.2, affine: 0.25, scale: 0.25 }
        : { part: 0.35, first: 0.02, affine: 0.25, scale: 0.25 };
    default:
      throw new Error(`Say what is to be expected of ${id}.`);
  }
}

const cases = families.flatMap((family) =>
  family
    .portfolio(shapeOf(run))
    .map((parameters) => [family.id, JSON.stringify(parameters), family, parameters] as const),
);

test.each(cases)("%s, %s, goes on from other histories", (id, _, family, parameters) => {
  const { part, first, affine, scale } = tolerancesOf(id, parameters);
  const model = fitted(family, parameters);
  const own = forecasts(model, (value) => value);
  const late = forecasts(model, (value, t) => (t < 0.4 * STEPS ? Number.NaN : value));
  expect(furthest(late, own)).toBeLessThan(part);
  const changed = forecasts(model, (value, t, spread) => value + (t === 0 ? 0.1 * spread : 0));
  expect(furthest(changed, own)).toBeLessThan(first);
  const other = forecasts(model, (value) => 3 * value + 100).map((value) => (value - 100) / 3);
  if (affine !== null) expect(furthest(other, own)).toBeLessThan(affine);
  const larger = forecasts(model, (value) => 3 * value).map((value) => value / 3);
  if (scale !== null) expect(furthest(larger, own)).toBeLessThan(scale);
});

const local = families.filter(({ id }) => ["theta", "ets", "seasonal_naive"].includes(id));

test.each(local.map((family) => [family.id, family] as const))(
  "%s answers a single value by a value of its size",
  (id, family) => {
    const model = fitted(family, family.defaults(shapeOf(run)));
    const last = STEPS - HORIZON - 1;
    const own = forecasts(model, (value) => value);
    const one = forecasts(model, (value, t) => (t < last ? Number.NaN : value));
    // Seasons are those of the fit, wherever in them the value lies.
    expect(furthest(one, own)).toBeLessThan(id === "seasonal_naive" ? 3 : 1.5);
  },
);

test("steps are counted from the first value that was known in training", () => {
  const { frame } = run.data;
  if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
  const unknown = 3;
  const target = frame.target.slice().fill(Number.NaN, 0, unknown);
  const data = { ...run.data, frame: { ...frame, target } };
  const [ets] = families.filter(({ id }) => id === "ets");
  const model = fitted(ets, ets.defaults(shapeOf(run)), data);
  const saved = model.save();
  expect(saved.header).toMatchObject({ leads: [unknown, 0, 0, 0, 0] });
  const loaded = ets.load(saved, { task: run.task, features: run.data.features, bins: null });
  const own = loaded.predict(data, fold.valid);
  for (const from of [STEPS - HORIZON - 5, STEPS - HORIZON - 4]) {
    const late = target.map((value, row) => (row % STEPS < from ? Number.NaN : value));
    const asked = loaded.predict({ ...data, frame: { ...frame, target: late } }, fold.valid);
    expect(furthest(asked.subarray(0, HORIZON), own.subarray(0, HORIZON))).toBeLessThan(0.7);
  }
});

test("lags of former versions are measured as they were learned", () => {
  const [lags] = families.filter(({ id }) => id === "lag_gbdt");
  const saved = fitted(lags, lags.defaults(shapeOf(run))).save();
  const { header } = saved;
  const shape = z.object({ shape: z.record(z.string(), z.unknown()) }).parse(header).shape;
  const { scaleOf, ...former } = shape;
  expect(scaleOf).toBe("known");
  const context = { task: run.task, features: run.data.features, bins: null };
  const [now, then] = [shape, former].map((each) =>
    lags.load({ ...saved, header: { ...z.looseObject({}).parse(header), shape: each } }, context),
  );
  const whole = (value: number): number => value;
  expect(forecasts(then, whole)).toEqual(forecasts(now, whole));
  const late = (value: number, t: number): number => (t < 60 ? Number.NaN : value);
  expect(forecasts(then, late)).not.toEqual(forecasts(now, late));
});
