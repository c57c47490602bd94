import { expect, it } from "vitest";
import { type ColumnFacts, guessKind, guessLabel, type Options } from "./guess.ts";

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
  expect(guessed({ distinct: 2 })).toBe("binclass");
  expect(guessed({ distinct: 7, isWhole: true })).toBe("multiclass");
  expect(guessed({ distinct: 7 })).toBe("regression");
  expect(guessed({ kind: "categorical", distinct: 2 })).toBe("binclass");
  expect(guessed({ kind: "categorical", distinct: 40 })).toBe("multiclass");
});
