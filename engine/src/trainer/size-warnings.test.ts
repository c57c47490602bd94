import { describe, expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import { perfectScoreWarnings } from "./leakage/perfect-score.ts";
import { sizeWarnings } from "./size-warnings.ts";

const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };
const rowsOf = (no: number, yes: number) =>
  Float64Array.from({ length: no + yes }, (_, i) => (i < no ? 0 : 1));

describe("what the size of the data means", () => {
  it.each([
    ["ten rows", rowsOf(5, 5), 3, [/only 10 rows.*10 % of accuracy.*55 to 100 %/]],
    [
      "60 rows of 2,000 features",
      rowsOf(30, 30),
      2000,
      [/only 60 rows/, /2000 features for 60 rows/],
    ],
    ["1 % positives", rowsOf(990, 10), 5, [/10 of 1000 rows \(1\.0 %\) are "yes".*99\.0 %/]],
    ["nothing to say", rowsOf(300, 300), 20, []],
  ])("%s", (_, target, features, patterns) => {
    const warnings = sizeWarnings({ task: binclass, target, features, scored: target.length });
    expect(warnings).toHaveLength(patterns.length);
    for (const [at, pattern] of patterns.entries()) expect(warnings[at]).toMatch(pattern);
  });
});

it("calls rows that are made of several what they are", () => {
  const called = ["sequences", "sequence"] as const;
  const given = { task: binclass, target: rowsOf(5, 5), features: 30, scored: 10, called };
  const told = sizeWarnings(given).join(" ");
  expect(told).toMatch(
    /only 10 sequences.*one sequence more or less.*30 features for 10 sequences/,
  );
  expect(told).not.toMatch(/\brows?\b/);
});

describe("a near perfect score", () => {
  it.each([
    [{ roc_auc: 0.9999 }, true],
    [{ roc_auc: 0.99, accuracy: 0.98 }, false],
    [{ log_loss: 0.001 }, true],
    [{ rmse: 0.001 }, true],
    [{ rmse: 0.2, r2: null }, false],
  ])("%j", (scores, warned) => {
    expect(perfectScoreWarnings(scores, rowsOf(50, 50))).toHaveLength(warned ? 1 : 0);
  });
});
