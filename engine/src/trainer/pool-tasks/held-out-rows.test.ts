import { describe, expect, it } from "vitest";
import { packModel } from "../../model/packed.ts";
import { runConfigSchema } from "../config/config.ts";
import { prepareTable } from "../plan/prepare.ts";
import { packSelection, unpackLabels } from "./fold-artifact.ts";
import { packHeldOutRows, unpackHeldOutRows } from "./held-out-rows.ts";

const ROWS = 90;
const codes = Int32Array.from({ length: ROWS }, (_, row) => (row * 7) % 3);

const table = {
  rows: ROWS,
  columns: [
    { kind: "numeric", name: "x", values: Float64Array.from(codes, (k, row) => k + row / 100) },
    { kind: "categorical", name: "class", codes, categories: ["a", "b", "c"] },
  ],
} as const;

describe("held-out rows", () => {
  it.each([
    ["multiclass", "class", (row: number) => codes[row]],
    ["regression", "x", (row: number) => codes[row] + row / 100],
  ] as const)("of %s are read as they were written", (taskKind, labelColumn, truth) => {
    const config = runConfigSchema.parse({ task: { taskKind, labelColumn }, nCvSplits: 3 });
    const run = prepareTable(table, config);
    const { rows, target, weights, fold } = unpackHeldOutRows(packHeldOutRows(run));
    expect([...rows].sort((a, b) => a - b)).toEqual([...table.columns[0].values.keys()]);
    expect([...target]).toEqual([...rows].map(truth));
    expect(weights).toBeNull();
    for (const [number, { valid }] of run.folds.entries()) {
      expect([...rows].filter((_, i) => fold[i] === number)).toEqual([...valid]);
    }
  });

  it("of runs before numbers were kept in few bytes are read", () => {
    const tensors = {
      rows: Uint32Array.of(4, 7),
      target: Float64Array.of(1, 0),
      weights: Float64Array.of(1, 2),
      fold: Uint32Array.of(0, 1),
    };
    expect(unpackHeldOutRows(packModel({ header: {}, tensors }))).toEqual(tensors);
    const { rows } = tensors;
    expect(() => unpackHeldOutRows(packModel({ header: {}, tensors: { rows } }))).toThrow(
      "no rows",
    );
  });
});

it("labels of a selection are read as they were written, now and before", () => {
  const [predictions, labels] = [Float64Array.of(0.2, 0.7), Float64Array.of(0, 1)];
  const packed = packSelection({ predictions, labels, bySeries: null });
  const before = packModel({ header: { kind: "predictions" }, tensors: { predictions, labels } });
  for (const each of [packed, before]) expect(unpackLabels(each, "it")).toEqual(labels);
  const none = packSelection({ predictions, labels: null, bySeries: null });
  expect(unpackLabels(none, "it")).toBeNull();
});
