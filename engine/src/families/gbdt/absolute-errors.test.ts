/** Boosting of absolute errors: against peers, a slow reference, and where it is offered. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { lowerQuantile } from "../../data/weighted-quantile.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { oblivious } from "../oblivious/family.ts";
import { gbdt } from "./family.ts";
import { allRows, BINCLASS, contextOf, fit, REGRESSION } from "./testing/fit.ts";

const peer = z.object({ lightgbm: z.number(), sklearn: z.number() });
const fixture = z
  .object({
    columns: z.array(z.array(z.number())),
    target: z.array(z.number()),
    train_rows: z.int(),
    rounds: z.int(),
    levels: z.object({ "0.5": peer }),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL("./fixtures/lightgbm_quantiles.json", import.meta.url), "utf8"),
    ),
  );
const bins = (columns: readonly (readonly number[])[]) =>
  encodeBins(
    columns.map((each) => ({
      kind: "numeric" as const,
      valueBins: Math.max(...each) + 1,
      bins: each,
    })),
  );
const ABSOLUTE = { objective: "absolute" };

describe("boosted trees of absolute errors", () => {
  it("are as good as LightGBM and scikit-learn on held-out rows, whose median has half the error as its loss", () => {
    const { columns, target, train_rows: trainRows, rounds, levels } = fixture;
    const data = bins(columns);
    const model = fit(
      REGRESSION,
      data,
      target,
      {
        ...ABSOLUTE,
        n_estimators: rounds,
        learning_rate: 0.1,
        num_leaves: 8,
        min_data_in_leaf: 20,
      },
      { trainRows: allRows(trainRows) },
    );
    const held = Uint32Array.from({ length: target.length - trainRows }, (_, i) => trainRows + i);
    const values = model.predict(data, held);
    const sum = held.reduce((all, row, i) => all + Math.abs(target[row] - values[i]), 0);
    const ours = sum / held.length / 2;
    expect(ours).toBeLessThan(1.03 * levels["0.5"].lightgbm);
    expect(ours).toBeLessThan(1.03 * levels["0.5"].sklearn);
  });

  it.each([
    [gbdt, { min_data_in_leaf: 1, feature_fraction: 1, bagging_fraction: 1, num_leaves: 2 }],
    [oblivious, { depth: 1 }],
  ])("have weighted medians of residuals as leaves, $0.id", (family, own) => {
    const side = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
    const target = [0, 1, 2, 3, 90, 10, 20, 21, 22, 500];
    const weights = Float64Array.of(1, 1, 1, 1, 9, 9, 1, 1, 1, 1);
    const data = bins([side]);
    const context = { ...contextOf(REGRESSION, data, target), weights };
    const model = family.fit(context, { ...own, ...ABSOLUTE, n_estimators: 1, learning_rate: 0.5 });
    const medianOf = (rows: number[], from: number): number =>
      lowerQuantile(
        Float64Array.from(rows, (row) => target[row] - from),
        Float64Array.from(rows, (row) => weights[row]),
        0.5,
      );
    const start = medianOf([...target.keys()], 0);
    const values = model.predict(data, null);
    for (const [row, value] of values.entries()) {
      const leaf = [...side.keys()].filter((other) => side[other] === side[row]);
      expect(value).toBeCloseTo(start + 0.5 * medianOf(leaf, start), 4);
    }
  });

  it("stop by the mean absolute error of the validation rows", () => {
    const data = bins([[0, 0, 0, 1, 1, 1, 0, 1]]);
    const target = [1, 1, 1, 5, 5, 5, 2, 9];
    const changes = { trainRows: allRows(6), validRows: Uint32Array.of(6, 7) };
    const given = { ...ABSOLUTE, early_stopping_rounds: 5, n_estimators: 40, learning_rate: 1 };
    const { facts } = fit(REGRESSION, data, target, given, changes);
    expect(facts["validation_loss"]).toBeCloseTo((1 + 4) / 2, 6);
  });

  it.each([gbdt, oblivious])("are searched where medians are asked for alone: $id", (family) => {
    const features = [{ name: "x", column: "x", kind: "numeric" as const }];
    const shape = { rows: 1000, task: REGRESSION, features };
    expect(family.searchSpace(shape)).not.toHaveProperty("objective");
    expect(family.defaults(shape)).not.toHaveProperty("objective");
    const asked = { ...shape, seeksMedians: true };
    expect(family.searchSpace(asked)).toHaveProperty("objective");
    const objectives = family.portfolio(asked).map(({ objective }) => objective);
    expect(objectives.indexOf("absolute")).toBe(2);
    expect(objectives.filter((each) => each === "absolute")).toHaveLength(1);
  });

  it("are refused for classes, and for rows drawn by the size of their gradients", () => {
    const data = bins([[0, 1, 0, 1]]);
    const target = [0, 1, 0, 1];
    for (const family of [gbdt, oblivious]) {
      const fitted = () => family.fit(contextOf(BINCLASS, data, target), ABSOLUTE);
      expect(fitted).toThrow(
        `${family.id} parameter "objective" cannot be "absolute" for binclass`,
      );
    }
    const drawn = { ...ABSOLUTE, data_sample_strategy: "goss" };
    expect(() => fit(REGRESSION, data, target, drawn)).toThrow(
      'cannot be "goss" for absolute errors',
    );
  });
});
