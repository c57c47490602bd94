/** Sums of series of which some have a blank cell, where a blank says that there is nothing. */

import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Column, Table } from "../../data/table.ts";
import { forecastingFraming } from "../../tasks/forecasting/framing.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import { dynamicRegression } from "./family.ts";

const SHOPS = 4;
const DAYS = 120;
const random = new CounterRandom(deriveKey(2, "promotions"));
/** Each shop has promotions of its own. */
const rows = Array.from({ length: SHOPS * DAYS }, (_, i) => {
  const [shop, t] = [Math.floor(i / DAYS), i % DAYS];
  const promo = random.nextFloat() < 0.25;
  return { shop, t, promo, y: 100 + 20 * shop + (promo ? 40 : 0) + 3 * random.nextGaussian() };
});

function table(promo: Column, of = rows): Table {
  const numeric = (name: "t" | "y"): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(of, (row) => row[name]),
  });
  const shop: Column = {
    ...{ kind: "categorical", name: "shop", categories: ["a", "b", "c", "d"] },
    codes: Int32Array.from(of, (row) => row.shop),
  };
  return { rows: of.length, columns: [shop, numeric("t"), promo, numeric("y")] };
}

/** @param none what stands in rows without a promotion */
const marked = (none: number, of = rows): Column => ({
  kind: "numeric",
  name: "promo",
  values: Float64Array.from(of, ({ promo }) => (promo ? 1 : none)),
});
const named: Column = {
  ...{ kind: "categorical", name: "promo", categories: ["sale"] },
  codes: Int32Array.from(rows, ({ promo }) => (promo ? 0 : -1)),
};

const prepared = (promo: Column): PreparedRun =>
  prepareTable(
    table(promo),
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", seriesColumns: ["shop"] },
        ...{ horizon: 7, windowStep: 7, seasonLength: 1, knownColumns: ["promo"] },
        hierarchy: { levels: [[]] },
      },
      nCvSplits: 2,
    }),
  );

function forecasts(run: PreparedRun): number[] {
  const { train, valid } = run.folds[1];
  const model = dynamicRegression.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: train, validRows: valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    { rest: "theta", changes: "step" },
  );
  return [...model.predict(run.data, valid)];
}

it("are forecast as if what is blank had been written down", () => {
  const written = forecasts(prepared(marked(0)));
  // Four shops and their sum.
  expect(written).toHaveLength(7 * (SHOPS + 1));
  for (const promo of [marked(Number.NaN), named]) {
    for (const [i, value] of forecasts(prepared(promo)).entries()) {
      expect(Math.abs(value - written[i])).toBeLessThan(1);
    }
  }
});

it("say nothing in requests where their series differ", () => {
  const { savedFrame } = prepared(marked(Number.NaN));
  if (!savedFrame) throw new Error("Forecasts have a frame.");
  const blank = { y: Number.NaN };
  const of = [0, 1, 2, 3].flatMap((shop) =>
    [0, 1, 2].map((t) => ({
      ...blank,
      shop,
      t: DAYS + t,
      promo: t === 0 || (t === 1 && shop > 1),
    })),
  );
  const { frame } = forecastingFraming.read(table(marked(Number.NaN, of), of), savedFrame, {
    historyRows: 0,
  });
  if (frame.kind !== "series") throw new Error("Forecasts are of series.");
  const [untold, ...others] = frame.untold ?? [];
  expect(others).toEqual([]);
  expect(untold.name).toBe("promo");
  // Of the sum's steps to come the second alone: all have a promotion, some have, none has.
  const { offsets } = frame;
  expect([...untold.rows.subarray(offsets[SHOPS + 1] - 3)]).toEqual([0, 1, 0]);
  expect([...untold.rows.subarray(0, offsets[SHOPS])].every((row) => row === 0)).toBe(true);
});
