/** Columns of series that are not read are named, with what would read them. */

import { expect, it } from "vitest";
import type { Column, Table } from "../../data/table.ts";
import { runConfigSchema } from "../config/config.ts";
import { prepareTable } from "./prepare.ts";
import { unreadByModel, unweighedByModel } from "./unread-columns.ts";

const numeric = (name: string, rows: number, of: (t: number) => number): Column => ({
  kind: "numeric",
  name,
  values: Float64Array.from({ length: rows }, (_, t) => of(t)),
});

function warningsOf(steps: number, config: object, task: object = {}): string[] {
  const table: Table = {
    rows: steps,
    columns: [
      numeric("t", steps, (t) => t),
      numeric("promo", steps, (t) => Number((t * 7) % 5 === 0)),
      numeric("visits", steps, (t) => (t * 37) % 11),
      numeric("y", steps, (t) => t % 6),
    ],
  };
  const { plan } = prepareTable(
    table,
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: 4 },
        ...{ knownColumns: ["promo"], ...task },
      },
      ...config,
    }),
  );
  return plan.warnings.filter((warning) => warning.startsWith("None of the families"));
}

it("are those of few steps that families of lags alone read", () => {
  expect(warningsOf(60, {})).toEqual([
    'None of the families of this run reads "visits", known of the past: forecasts are made without it. Families that do were left out: lag_gbdt (Fewer than 200 steps in all are too few to learn lags from.)',
  ]);
  expect(warningsOf(200, {})).toEqual([]);
});

it("are those that no family reads which was asked for", () => {
  expect(warningsOf(200, { modelFamilies: ["theta", "ets"] })).toEqual([
    'None of the families of this run reads "promo", known in advance: forecasts are made without it. Families that do: dynamic_regression, lag_gbdt.',
    'None of the families of this run reads "visits", known of the past: forecasts are made without it. Families that do: lag_gbdt.',
  ]);
  expect(
    warningsOf(
      200,
      { modelFamilies: ["theta"] },
      { ignoreColumns: ["visits"], knownColumns: null },
    ),
  ).toHaveLength(1);
  expect(warningsOf(200, { modelFamilies: ["theta", "lag_gbdt"] })).toEqual([]);
});

it("are those of a model whose members read none, though others that do were tried", () => {
  const plan = {
    matrix: ["theta", "lag_gbdt"].map((family) => ({
      family,
      reason: "",
      space: {},
      fixed: {},
      portfolio: [],
    })),
  };
  const all = new Set(plan.matrix.map(({ family }) => family));
  expect(unreadByModel(["promo"], ["theta"], all, plan)).toEqual([
    expect.stringMatching(
      /^None of the model's members reads "promo", known in advance: .*scored worse/,
    ),
  ]);
  expect(unreadByModel(["promo"], ["theta"], new Set(["theta"]), plan)).toEqual([
    expect.stringMatching(/known in advance: no trial of a family that does was run to its end/),
  ]);
  expect(unreadByModel(["promo"], ["theta", "lag_gbdt"], all, plan)).toEqual([]);
  expect(unreadByModel([], ["theta"], all, plan)).toEqual([]);
  // Of which the run was warned before.
  expect(unreadByModel(["promo"], ["theta"], all, { matrix: plan.matrix.slice(0, 1) })).toEqual([]);
});

it("are those that a member reads and had too few steps to weigh", () => {
  const unweighed = { family: "dynamic_regression", facts: [{ terms: 3, unestimated_terms: 3 }] };
  const weighed = { family: "dynamic_regression", facts: [{ terms: 3 }] };
  const theta = { family: "theta", facts: [{}] };
  expect(unweighedByModel(["promo", "price"], [unweighed, theta])).toEqual([
    'What "promo", "price", known in advance, add could not be estimated: there are too few steps for so many columns and categories. Forecasts are made without them. Give more steps, or fewer columns known in advance.',
  ]);
  expect(unweighedByModel(["promo"], [unweighed, weighed])).toEqual([
    expect.stringMatching(
      /"promo", known in advance, adds .* Members of the family dynamic_regression forecast without it\./,
    ),
  ]);
  expect(unweighedByModel(["promo"], [weighed, theta])).toEqual([]);
  // Some folds weighed them.
  const facts = [...unweighed.facts, ...weighed.facts];
  expect(unweighedByModel(["promo"], [{ ...unweighed, facts }])).toEqual([]);
});

it("names the first few of many", () => {
  const unweighed = { family: "dynamic_regression", facts: [{ terms: 9, unestimated_terms: 9 }] };
  const names = Array.from({ length: 300 }, (_, i) => `x${i}`);
  expect(unweighedByModel(names, [unweighed])).toEqual([
    expect.stringMatching(
      /^What "x0", "x1", "x2", "x3", "x4" and 295 more, known in advance, add could/,
    ),
  ]);
  expect(unweighedByModel(names.slice(0, 5), [unweighed])).toEqual([
    expect.stringMatching(/^What "x0", "x1", "x2", "x3", "x4", known in advance/),
  ]);
});
