import { describe, expect, it } from "vitest";
import type { SearchSpace } from "../../search/space.ts";
import fixture from "../search/pruning.fixture.json" with { type: "json" };
import { CostModel } from "./cost-model.ts";

const unit = { type: "float", low: 0, high: 1 } as const;
const space: SearchSpace = { a: unit, b: unit, c: unit };
const named = ([a, b, c]: readonly number[]) => ({ a, b, c });

describe("CostModel", () => {
  it("has scikit-learn's ridge regression of the logarithm", () => {
    const { inputs, seconds, asked, expected } = fixture.cost;
    const model = new CostModel([space]);
    inputs.forEach((each, i) => {
      model.observe(0, named(each), seconds[i]);
    });
    asked.forEach((each, i) => {
      expect(model.predict(0, named(each))?.expected).toBeCloseTo(expected[i], 10);
    });
  });

  it("knows nothing of a row without folds, and the mean of one fold", () => {
    const model = new CostModel([space, space]);
    model.observe(1, named([0.5, 0.5, 0.5]), 4);
    expect(model.predict(0, named([0, 0, 0]))).toBeNull();
    expect(model.predict(1, named([1, 0, 1]))?.expected).toBeCloseTo(4, 12);
  });

  it("learns powers of parameters, those on a log scale and those that are not active", () => {
    const trees: SearchSpace = {
      rounds: { type: "int", low: 10, high: 1000, log: true },
      leaves: { type: "int", low: 4, high: 256, log: true },
      kind: { type: "categorical", choices: ["plain", "slow"] },
      rate: { type: "float", low: 0, high: 1, when: { parameter: "kind", values: ["slow"] } },
    };
    const cost = (rounds: number, leaves: number, kind: string) =>
      1e-4 * rounds * Math.sqrt(leaves) * (kind === "slow" ? 3 : 1);
    const model = new CostModel([trees]);
    for (const rounds of [10, 40, 160, 640]) {
      for (const leaves of [4, 30, 200]) {
        for (const kind of ["plain", "slow"]) {
          const rate = kind === "slow" ? { rate: 0.5 } : {};
          model.observe(0, { rounds, leaves, kind, ...rate }, cost(rounds, leaves, kind));
        }
      }
    }
    const ratio = (rounds: number, leaves: number, kind: string) =>
      (model.predict(0, { rounds, leaves, kind })?.expected ?? 0) / cost(rounds, leaves, kind);
    for (const rounds of [20, 900]) {
      expect(ratio(rounds, 100, "plain")).toBeGreaterThan(0.8);
      expect(ratio(rounds, 100, "plain")).toBeLessThan(1.25);
    }
  });

  it("bounds the estimate, wider the worse it fits", () => {
    const [smooth, rough] = [1, 10].map((factor) => {
      const model = new CostModel([space]);
      for (let i = 0; i < 10; i++) {
        model.observe(0, named([i / 10, 0, 0]), i % 2 === 0 ? 1 : factor);
      }
      const estimate = model.predict(0, named([0.5, 0, 0]));
      expect(estimate?.low).toBeLessThan(estimate?.expected ?? 0);
      expect(estimate?.expected).toBeLessThan(estimate?.high ?? 0);
      return (estimate?.high ?? 0) / (estimate?.low ?? 1);
    });
    expect(rough).toBeGreaterThan(3 * smooth);
  });

  it("passes over costs that are no costs", () => {
    const model = new CostModel([space]);
    for (const cost of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      model.observe(0, named([0, 0, 0]), cost);
    }
    expect(model.predict(0, named([0, 0, 0]))).toBeNull();
  });
});
