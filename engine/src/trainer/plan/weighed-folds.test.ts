import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowNumbers } from "../../compute/row-lists.ts";
import { DataError, type Table } from "../../data/table.ts";
import { runConfigSchema } from "../config/config.ts";
import { planTable } from "./plan.ts";
import { checkWeighedFolds } from "./weighed-folds.ts";

const ROWS = 40;

function table(weights: (row: number) => number, labels: (row: number) => number): Table {
  const column = (name: string, of: (row: number) => number) =>
    ({
      kind: "numeric",
      name,
      values: Float64Array.from({ length: ROWS }, (_, i) => of(i)),
    }) as const;
  return {
    rows: ROWS,
    columns: [column("x", (i) => i), column("w", weights), column("y", labels)],
  };
}

function plan(weights: (row: number) => number) {
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y", weightColumn: "w" },
    nCvSplits: 5,
  });
  return planTable(
    table(weights, (i) => i % 9),
    config,
    [],
  );
}

describe("rows that weigh something", () => {
  it.each([1, 2])("are refused before the search where they are %i", (count) => {
    const planned = () => plan((row) => Number(row < count));
    expect(planned).toThrow(DataError);
    expect(planned).toThrow(
      new RegExp(
        `The weight "w" is above 0 in ${count} of 40 rows, and fold \\d of 5 would learn from [01] of them; at least 2 are needed\\.`,
      ),
    );
  });

  it("suffice where every fold learns from some", () => {
    expect(plan((row) => Number(row % 8 === 0)).folds.length).toBe(5);
  });

  it("are counted fold by fold, whatever the folds are", () => {
    const made = fc.record({
      weights: fc.array(fc.constantFrom(0, 0, 1, 0.5), { minLength: 4, maxLength: 12 }),
      cut: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(made, ({ weights: given, cut }) => {
        const weights = Float64Array.from(given);
        const rows = rowNumbers(weights.length);
        const folds = [rows.slice(cut), rows.slice(0, cut)].map((train) => ({
          train,
          valid: rows.filter((row) => !train.includes(row)),
        }));
        const fewest = Math.min(
          ...folds.map(({ train }) => [...train].filter((row) => weights[row] > 0).length),
        );
        const check = () =>
          checkWeighedFolds({
            table: table(
              () => 1,
              (i) => i,
            ),
            weightColumn: "w",
            weights,
            folds,
          });
        if (fewest < 2) expect(check).toThrow(DataError);
        else expect(check).not.toThrow();
      }),
    );
  });
});
