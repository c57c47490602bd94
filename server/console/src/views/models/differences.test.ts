import { expect, it } from "vitest";
import { differencesOf } from "./differences.ts";

it("names what differs, member by member", () => {
  const one = { same: [1, { a: 2 }], metrics: ["rmse"], deep: { folds: 3, gone: true } };
  const other = { same: [1, { a: 2 }], metrics: ["rmse", "mae"], deep: { folds: 5 }, none: null };
  expect(differencesOf(one, other)).toEqual([
    { name: "metrics", one: "rmse", other: "rmse, mae" },
    { name: "deep.folds", one: "3", other: "5" },
    { name: "deep.gone", one: "true", other: "–" },
  ]);
  expect(differencesOf(one, one)).toEqual([]);
});

it("names the members of what one alone has", () => {
  expect(differencesOf({ distill: { teacherWeight: 0.75 } }, { distill: null })).toEqual([
    { name: "distill.teacher_weight", one: "0.75", other: "–" },
  ]);
  expect(differencesOf({ folds: { count: 3 } }, { folds: 5 })).toEqual([
    { name: "folds", one: '{"count":3}', other: "5" },
  ]);
});

it("names settings as requests do", () => {
  const one = { timeBudgetS: 40, task: { labelColumn: "price" }, hpoSpace: { n_estimators: 5 } };
  const other = { timeBudgetS: 60, task: { labelColumn: "rent" }, hpoSpace: { n_estimators: 9 } };
  expect(differencesOf(one, other).map(({ name }) => name)).toEqual([
    "time_budget_s",
    "task.label_column",
    "hpo_space.n_estimators",
  ]);
});
