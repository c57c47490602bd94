import { describe, expect, it } from "vitest";
import type { Task } from "../../tasks/index.ts";
import { perfectScoreWarnings } from "./leakage/perfect-score.ts";
import { sizeWarnings } from "./size-warnings.ts";

const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };
const rowsOf = (no: number, yes: number) =>
  Float64Array.from({ length: no + yes }, (_, i) => (i < no ? 0 : 1));

function scoredRun(task: Task, target: Float64Array, weights: Float64Array | null = null) {
  const rows = target.length;
  const of = (parity: number): Uint32Array =>
    Uint32Array.from({ length: rows }, (_, row) => row).filter((row) => row % 2 === parity);
  const folds = [0, 1].map((valid) => ({ train: of(1 - valid), valid: of(valid) }));
  return { plan: { metrics: [], rows }, task, target, weights, folds };
}

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
    [
      "1 % negatives",
      rowsOf(10, 990),
      5,
      [
        /10 of 1000 rows \(1\.0 %\) are "no".*roc_auc or balanced_accuracy, or .*f1 with "no" as the `positiveClass`/,
      ],
    ],
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
    const run = scoredRun(binclass, rowsOf(50, 50));
    expect(perfectScoreWarnings(scores, run)).toHaveLength(warned ? 1 : 0);
  });

  it("is one that a constant answer is far from", () => {
    // 2 of 1000 rows are of the other class: always "yes" has an accuracy of .998 and an f1 of .999.
    const run = scoredRun(binclass, rowsOf(2, 998));
    expect(perfectScoreWarnings({ accuracy: 0.999, f1: 0.9994 }, run)).toEqual([]);
    expect(perfectScoreWarnings({ accuracy: 1, f1: 1 }, run)).toHaveLength(1);
  });

  it("is one by errors that a constant answer is far from, where that is not perfect itself", () => {
    const run = scoredRun({ kind: "regression", classes: [] }, rowsOf(50, 50));
    expect(perfectScoreWarnings({ mae: 0.1 }, run)).toEqual([]);
    expect(perfectScoreWarnings({ mae: 0.001 }, run)).toHaveLength(1);
    const regular = scoredRun({ kind: "regression", classes: [] }, rowsOf(0, 100));
    expect(perfectScoreWarnings({ mae: 0 }, regular)).toEqual([]);
  });

  it("is one of the rows that weigh something", () => {
    const target = Float64Array.from({ length: 90 }, (_, row) => (row < 60 ? row % 2 : 999));
    const weights = target.map((value) => (value === 999 ? 0 : 1));
    const run = scoredRun({ kind: "regression", classes: [] }, target, weights);
    expect(perfectScoreWarnings({ rmse: 0.2 }, run)).toEqual([]);
    expect(perfectScoreWarnings({ rmse: 0.01 }, run)).toHaveLength(1);
  });
});
