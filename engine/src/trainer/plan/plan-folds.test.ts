import { expect, it } from "vitest";
import type { Task } from "../../tasks/index.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { foldCount } from "./plan-folds.ts";

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
