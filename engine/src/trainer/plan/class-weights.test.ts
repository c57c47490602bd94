import { describe, expect, it } from "vitest";
import type { Table } from "../../data/table.ts";
import type { Task } from "../../tasks/index.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { classFactors } from "./class-weights.ts";
import { prepareTable } from "./prepare.ts";

const task: Task = { kind: "multiclass", classes: ["a", "b", "c"] };
const target = Float64Array.from([0, 0, 0, 0, 0, 0, 1, 1, 1, 2]);

describe("the factor of a class", () => {
  it("is what was given, or 1", () => {
    expect(classFactors({ c: 5, a: 0.5 }, task, target, null)).toEqual([0.5, 1, 5]);
  });

  it("balanced is scikit-learn's: rows / (classes × rows of the class)", () => {
    // compute_class_weight("balanced", classes=[0, 1, 2], y=target)
    const expected = [0.5555555555555556, 1.1111111111111112, 3.3333333333333335];
    for (const [k, factor] of classFactors("balanced", task, target, null).entries()) {
      expect(factor).toBeCloseTo(expected[k] ?? 0, 12);
    }
  });

  it("balanced takes a row of weight k for k rows, and gives every class the same total", () => {
    const weights = Float64Array.from([1, 2, 3, 1, 0, 1, 2, 2, 2, 7]);
    const factors = classFactors("balanced", task, target, weights);
    const totals = [0, 0, 0];
    for (const [row, k] of target.entries()) {
      totals[k] = (totals[k] ?? 0) + (weights[row] ?? 0) * (factors[k] ?? 0);
    }
    for (const total of totals) expect(total).toBeCloseTo(21 / 3, 12);
    const copies = Float64Array.from(
      [...target].flatMap((k, row) => Array<number>(weights[row] ?? 0).fill(k)),
    );
    expect(classFactors("balanced", task, copies, null)).toEqual(factors);
  });
});

describe("a run with class weights", () => {
  const rows = 60;
  const table: Table = {
    rows,
    columns: [
      { kind: "numeric", name: "x", values: Float64Array.from({ length: rows }, (_, i) => i % 7) },
      { kind: "numeric", name: "w", values: Float64Array.from({ length: rows }, (_, i) => i % 3) },
      {
        kind: "categorical",
        name: "y",
        codes: Int32Array.from({ length: rows }, (_, i) => Number(i % 5 === 0)),
        categories: ["no", "yes"],
      },
    ],
  };
  const prepared = (more: Partial<RunConfigInput>) =>
    prepareTable(
      table,
      runConfigSchema.parse({
        task: { taskKind: "binclass", labelColumn: "y", weightColumn: "w" },
        modelFamilies: ["linear"],
        ...more,
      }),
    );

  it("multiplies the weights of fits and leaves those of metrics", () => {
    const plain = prepared({});
    const weighed = prepared({ classWeight: { yes: 4 } });
    expect(plain.fitWeights).toEqual(plain.weights);
    expect(weighed.weights).toEqual(plain.weights);
    for (let row = 0; row < rows; row++) {
      expect(weighed.fitWeights?.[row]).toBe((row % 3) * (row % 5 === 0 ? 4 : 1));
    }
  });

  it.each<[string, RunConfigInput["classWeight"], readonly string[], RegExp]>([
    ["of a class that is not there", { maybe: 2 }, ["classWeight", "maybe"], /'no', 'yes'/],
    ["that leave one class", { no: 0 }, ["classWeight"], /At least two/],
  ])("weights %s are refused", (_, classWeight, path, message) => {
    let fault: unknown;
    try {
      prepared({ classWeight });
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(ConfigError);
    if (fault instanceof ConfigError) expect(fault.path).toEqual(path);
    expect(String(fault)).toMatch(message);
  });
});
