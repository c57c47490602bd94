import { expect, it } from "vitest";
import { type ColumnFacts, guessKind, guessLabel, guessSteps, type Options } from "./guess.ts";

const column = (name: string, more: Partial<ColumnFacts> = {}): ColumnFacts => ({
  name,
  kind: "numeric",
  distinct: 50,
  missing: 0,
  isWhole: false,
  top: [],
  range: [0, 1],
  ...more,
});

const kind = (task_kind: "regression" | "binclass" | "multiclass" | "forecasting") => ({
  task_kind,
  title: task_kind,
  target:
    task_kind === "regression" || task_kind === "forecasting"
      ? ("value" as const)
      : ("class" as const),
  least_classes: null,
  most_classes: task_kind === "binclass" ? 2 : task_kind === "multiclass" ? 1000 : null,
  row: task_kind === "forecasting" ? ("series" as const) : ("row" as const),
  fields: [],
  required: [],
  metrics: [],
  families: [],
  n_cv_splits: 5,
  teachable: true,
});

const options: Options = {
  task_kinds: [kind("forecasting"), kind("regression"), kind("binclass"), kind("multiclass")],
  metrics: [],
  families: [],
  presets: [],
};

it("takes a column that is named like a label, else the last that could be one", () => {
  const [a, b] = [column("a"), column("b")];
  const time = column("t", { kind: "timestamp" });
  expect(guessLabel([a, column("Target"), b])).toBe("Target");
  expect(guessLabel([a, b, column("constant", { distinct: 1 }), time])).toBe("b");
  expect(guessLabel([time])).toBe("");
});

it("takes the kind from the label's values", () => {
  const guessed = (more: Partial<ColumnFacts>) => guessKind(options, column("y", more))?.task_kind;
  expect(guessed({})).toBe("regression");
  const top = ["No", "yes", "YES ", " no"].map((value) => ({ value, count: 9 }));
  expect(guessed({ kind: "categorical", distinct: 4, top })).toBe("binclass");
  expect(guessed({ kind: "categorical", distinct: 9, top })).toBe("multiclass");
  expect(guessed({ distinct: 2 })).toBe("binclass");
  expect(guessed({ distinct: 7, isWhole: true })).toBe("multiclass");
  expect(guessed({ distinct: 7 })).toBe("regression");
  expect(guessed({ kind: "categorical", distinct: 2 })).toBe("binclass");
  expect(guessed({ kind: "categorical", distinct: 40 })).toBe("multiclass");
});

it("takes rows that follow each other in time for series, told apart by the finest name", () => {
  const month = column("month", { kind: "timestamp", distinct: 120, range: null });
  const shop = column("shop", { kind: "text", distinct: 20 });
  const state = column("state", { kind: "categorical", distinct: 4 });
  const sold = column("sold");
  const ofShops = guessSteps([shop, month, sold, state], 2_000, sold);
  expect(ofShops).toEqual({ row: "series", name: "shop", order: "month" });
  expect(guessKind(options, sold, ofShops)?.task_kind).toBe("forecasting");
  expect(guessSteps([month, sold], 120, sold)).toMatchObject({ row: "series", name: "" });
  // Several rows at one time, a number beside them, times of anything that happens.
  expect(guessSteps([month, sold], 500, sold)).toBeNull();
  expect(guessSteps([month, sold, column("price")], 120, sold)).toBeNull();
  expect(guessSteps([shop, month, sold], 300, sold)).toBeNull();
});

it("takes numbered rows with one label a name for sequences", () => {
  const run = column("run", { kind: "categorical", distinct: 40 });
  // Quantiles lie between whole numbers.
  const at = column("at", { isWhole: false, distinct: 100, range: [0, 99] });
  const label = column("label", { kind: "categorical", distinct: 4 });
  const found = guessSteps([run, at, column("x"), label], 3_600, label);
  expect(found).toEqual({ row: "sequences", name: "run", order: "at" });
  expect(guessSteps([run, at, label], 100_000, label)).toBeNull();
  expect(guessSteps([run, at, label], 3_600, { ...label, distinct: 3_000 })).toBeNull();
  const age = { ...at, range: [18, 117] as const };
  expect(guessSteps([run, age, label], 3_600, label)).toBeNull();
});

it("takes rows that are numbered from first to last for rows", () => {
  const number = column("PassengerId", { distinct: 891, range: [1, 891] });
  const sex = column("Sex", { kind: "categorical", distinct: 2 });
  const label = column("Survived", { distinct: 2, isWhole: true });
  expect(guessSteps([number, label, sex], 891, label)).toBeNull();
  // Nor are two halves of a table two sequences.
  const half = column("at", { distinct: 450, range: [0, 449] });
  expect(guessSteps([half, label, sex], 891, label)).toBeNull();
  const visit = column("visit", { distinct: 100, range: [0, 99] });
  const person = column("person", { kind: "text", distinct: 12 });
  expect(guessSteps([visit, person, label], 1_100, label)).toMatchObject({ row: "sequences" });
});
