import { expect, it } from "vitest";
import type { Task } from "../../tasks/index.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { foldCount, foldsOfClasses } from "./plan-folds.ts";
import { prepareTable } from "./prepare.ts";

const binclass: Task = { kind: "binclass", classes: ["0", "1"] };

function folds(
  more: Omit<Partial<RunConfigInput>, "task"> & { readonly task?: object } = {},
  { rows = 500, columns = 10, rarest = 100 } = {},
): number | null {
  const task = { taskKind: "binclass" as const, labelColumn: "y", ...more.task };
  const config = runConfigSchema.parse({ timeBudgetS: 60, ...more, task });
  const target = Float64Array.from({ length: rows }, (_, row) => (row < rarest ? 1 : 0));
  return foldCount(config, { task: binclass, target, columns });
}

it("has eight folds of few rows where a time budget leaves them to the plan", () => {
  expect(folds()).toBe(8);
  expect(folds({ timeBudgetS: null })).toBe(5);
  expect(folds({}, { rows: 2001 })).toBe(5);
  // Too much for the budget.
  expect(folds({ timeBudgetS: 10 }, { columns: 300 })).toBe(5);
  expect(folds({ timeBudgetS: 60 }, { columns: 300 })).toBe(8);
});

it("has no more than the rarest class has rows, so that no class is left out for it", () => {
  expect(folds({}, { rarest: 6 })).toBe(6);
  expect(folds({}, { rarest: 5 })).toBe(5);
});

it("has those that were asked for, and usual ones where groups, times or a single model need them", () => {
  expect(folds({ nCvSplits: 3 })).toBe(3);
  expect(folds({ nCvSplits: null })).toBe(null);
  expect(folds({ ensemble: false })).toBe(5);
  expect(folds({ task: { timeColumn: "t" } })).toBe(5);
  expect(folds({ task: { groupColumn: "g" } })).toBe(5);
});

it("has fewer where classes of few rows would be left out, unless their number was asked for", () => {
  const of = (classCounts: readonly number[], more: Partial<RunConfigInput> = {}) =>
    foldsOfClasses(
      runConfigSchema.parse({ task: { taskKind: "multiclass", labelColumn: "y" }, ...more }),
      classCounts,
    );
  expect(of([4, 4, 4])).toBe(4);
  expect(of([2, 2, 9, 9])).toBe(2);
  expect(of([4, 20, 20])).toBe(4);
  expect(of([3, 4, 60, 60])).toBe(3);
  // A fiftieth is not worth fewer folds, and what is there once is in no two folds.
  expect(of([4, 100, 100])).toBe(5);
  // Fits of two folds learn from half of the rows, unless all of them are learned from in the end.
  expect(of([2, 2, 50, 50])).toBe(5);
  const task = { taskKind: "sequence_multiclass", labelColumn: "y", sequenceColumn: "s" } as const;
  expect(of([2, 2, 50, 50], { task })).toBe(2);
  expect(of([1, 1, 1, 1, 9, 9])).toBe(5);
  expect(of(Array.from({ length: 1000 }, () => 4))).toBe(5);
  expect(of([4, 4, 4], { nCvSplits: 5 })).toBe(5);
  expect(of([4, 4, 4], { rareClasses: "error" })).toBe(5);
  expect(folds({ timeBudgetS: null }, { rarest: 3 })).toBe(3);
});

it("keeps every class of a table of three rows of each", () => {
  const codes = Int32Array.from({ length: 15 }, (_, row) => row % 5);
  const table = {
    rows: codes.length,
    columns: [
      { kind: "numeric", name: "x", values: Float64Array.from(codes, (k, row) => k + row / 100) },
      { kind: "categorical", name: "y", codes, categories: ["a", "b", "c", "d", "e"] },
    ],
  } as const;
  const config = runConfigSchema.parse({ task: { taskKind: "multiclass", labelColumn: "y" } });
  const { task, folds, plan } = prepareTable(table, config);
  expect(task.classes).toHaveLength(5);
  expect(folds).toHaveLength(3);
  expect(plan.folds).toBe(3);
});
