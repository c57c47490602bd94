/** Known columns with cells that are blank: on ordinary days, or as gaps. */

import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Column } from "../../data/table.ts";
import { packModel, unpackModel } from "../../model/packed.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import type { FittedModel } from "../family.ts";
import { dynamicRegression } from "./family.ts";

const HORIZON = 10;
const NONE = Number.NaN;

function prepared(y: readonly number[], columns: readonly Column[]): PreparedRun {
  const numeric = (name: string, values: Iterable<number>): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(values),
  });
  return prepareTable(
    { rows: y.length, columns: [numeric("t", y.keys()), numeric("y", y), ...columns] },
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: HORIZON },
        ...{ seasonLength: 1, windowStep: HORIZON, knownColumns: columns.map(({ name }) => name) },
      },
      nCvSplits: 2,
    }),
  );
}

function fitted(run: PreparedRun): FittedModel {
  const { train, valid } = run.folds[1];
  return dynamicRegression.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: train, validRows: valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    { rest: "ets", changes: "step" },
  );
}

const forecasts = (run: PreparedRun, model = fitted(run)): number[] => [
  ...model.predict(run.data, run.folds[1].valid),
];

const DAYS = 100;
const random = new CounterRandom(deriveKey(1, "events"));
const events = Array.from({ length: DAYS }, (_, i) => (i % 9 === 3 ? 0 : i % 14 === 5 ? 1 : -1));
const sold = events.map(
  (event) => 100 + (event === 0 ? 40 : event === 1 ? -60 : 0) + random.nextGaussian(),
);
const categories = ["sale", "closed"];
const textual = (codes: readonly number[], all: readonly string[]): Column => ({
  ...{ kind: "categorical", name: "event", codes: Int32Array.from(codes), categories: [...all] },
});

it("take a blank category for none of the others, as if it had a name", () => {
  const blank = prepared(sold, [textual(events, categories)]);
  const named = prepared(sold, [
    textual(
      events.map((code) => (code < 0 ? 2 : code)),
      [...categories, "none"],
    ),
  ]);
  const [found, expected] = [forecasts(blank), forecasts(named)];
  for (const [i, value] of found.entries()) {
    expect(Math.abs(value - expected[i])).toBeLessThan(1);
    expect(Math.abs(value - sold[DAYS - HORIZON + i])).toBeLessThan(5);
  }
  const model = fitted(blank);
  const loaded = dynamicRegression.load(unpackModel(packModel(model.save()), "the model"), {
    ...{ task: blank.task, features: blank.data.features, bins: null },
  });
  expect(forecasts(blank, loaded)).toEqual(found);
});

it("take a number or a mark that most rows lack for nothing on the others", () => {
  const onSale = (value: (day: number) => number): number[] =>
    events.map((event, day) => (event === 0 ? value(day) : NONE));
  const discounts = onSale((day) => 20 + (day % 2) * 10);
  const y = discounts.map((off) => (Number.isNaN(off) ? 100 : 120 + off) + random.nextGaussian());
  const discounted = prepared(y, [
    { kind: "numeric", name: "discount", values: Float64Array.from(discounts) },
  ]);
  const marked = prepared(sold, [
    { kind: "boolean", name: "sale", values: Uint8Array.from(events, (e) => (e === 0 ? 1 : 255)) },
    {
      kind: "numeric",
      name: "closed",
      values: Float64Array.from(events, (e) => (e === 1 ? 1 : NONE)),
    },
  ]);
  for (const [run, values] of [
    [discounted, y],
    [marked, sold],
  ] as const) {
    for (const [i, value] of forecasts(run).entries()) {
      expect(Math.abs(value - values[DAYS - HORIZON + i])).toBeLessThan(6);
    }
  }
});

/** Two of the columns add ten a unit; a tenth of the cells before the last fold is not there. */
function gapped(steps: number, width: number): PreparedRun {
  const draw = new CounterRandom(deriveKey(3, "gaps"));
  const values = Array.from({ length: width }, () =>
    Array.from({ length: steps }, () => draw.nextGaussian()),
  );
  const y = values[0].map((x, t) => 100 + 10 * (x + values[1][t]) + 2 * draw.nextGaussian());
  return prepared(
    y,
    values.map((of, j) => ({
      kind: "numeric",
      name: `x${j}`,
      values: Float64Array.from(of, (x, t) =>
        t < steps - HORIZON && draw.nextFloat() < 0.1 ? NONE : x,
      ),
    })),
  );
}

it("learn from rows with gaps what the other columns add", () => {
  const run = gapped(140, 12);
  const { valid } = run.folds[1];
  const model = fitted(run);
  expect(model.facts).not.toHaveProperty("unestimated_terms");
  const error = forecasts(run, model).reduce(
    (sum, value, i) => sum + Math.abs(value - run.target[valid[i]]) / valid.length,
    0,
  );
  expect(error).toBeLessThan(3.5);
});

it("say where there are too few steps to know what any column adds", () => {
  const model = fitted(gapped(40, 40));
  expect(model.facts).toMatchObject({ terms: 40, unestimated_terms: 40 });
  const loaded = dynamicRegression.load(unpackModel(packModel(model.save()), "the model"), {
    ...{ task: gapped(40, 40).task, features: gapped(40, 40).data.features, bins: null },
  });
  expect(loaded.facts).toEqual(model.facts);
});
