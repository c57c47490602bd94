/** A model directory that version 1 wrote loads, predicts and explains as it did then. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readTableFromFile } from "../data/readers/read-table.ts";
import { parseModelDocument } from "./document.ts";
import { loadModel } from "./load.ts";
import { modelFolder } from "./model-folder.ts";

const folder = fileURLToPath(new URL("./fixtures/version-1", import.meta.url));
const expectedSchema = z.object({
  values: z.array(z.number()),
  space: z.string(),
  baseValues: z.array(z.number()),
  contributions: z.array(z.array(z.array(z.number()))),
});

it("loads, predicts and explains as before", async () => {
  const expected = expectedSchema.parse(
    JSON.parse(await readFile(join(folder, "expected.json"), "utf8")),
  );
  const model = await loadModel(modelFolder(folder));
  const { table } = await readTableFromFile(join(folder, "rows.csv"), {
    format: "csv",
    maxRows: 6,
  });
  const { bytes } = model;
  expect(bytes).toBeGreaterThan(model.document.files.reduce((sum, file) => sum + file.bytes, 0));
  const predictions = model.predict(table);
  // Rows are held while they are predicted alone.
  expect(model.bytes).toBe(bytes);
  expect([...predictions.values]).toEqual(expected.values);
  expect([...model.decide(predictions)]).toEqual(expected.values.map((p) => (p >= 0.5 ? 1 : 0)));
  const explanation = model.explain(table);
  expect(explanation.space).toBe(expected.space);
  expect(explanation.baseValues[0]).toBeCloseTo(expected.baseValues[0], 12);
  for (const [row, classes] of explanation.contributions.entries()) {
    for (const [column, value] of classes[0].entries()) {
      expect(value).toBeCloseTo(expected.contributions[row][0][column], 9);
    }
  }
  expect(model.document).toMatchObject({ version: 2, layer: null, threshold: 0.5 });
});

it("holds nothing once it is disposed of, and says so", async () => {
  const [model, other] = await Promise.all([
    loadModel(modelFolder(folder)),
    loadModel(modelFolder(folder)),
  ]);
  const { table } = await readTableFromFile(join(folder, "rows.csv"), { format: "csv" });
  const expected = other.predict(table).values;
  model.dispose();
  model.dispose();
  expect(model.bytes).toBe(0);
  for (const use of [
    () => model.predict(table),
    () => model.explain(table),
    () => model.explainOverTime(table, 2),
    () => model.inputs,
  ]) {
    expect(use).toThrow("The model was disposed of: load it again.");
  }
  expect(model.document.version).toBe(2);
  expect(other.predict(table).values).toEqual(expected);
});

describe("what is no rows", () => {
  const columns = [{ kind: "numeric", name: "a", values: Float64Array.of(1, 2) }];
  it.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /given undefined.*records.*columns.*Arrow/],
    ["null", null, /given null/],
    ["a path", "rows.csv", /given a string/],
    ["a record", { a: 1, b: 2 }, /member "?a"? is not a list/],
    ["numbers", Float64Array.of(1, 2), /2 numbers without a column/],
    ["a reading", { table: { rows: 2, columns }, warnings: [] }, /reading\.table/],
    ["a promise", Promise.resolve(), /promise.*[Aa]wait/],
    ["an empty object", {}, /without members/],
    ["unequal columns", { a: [1, 2], b: [1] }, /"?b"? has 1 values, "?a"? 2/],
    ["a matrix as a table", { columns: ["a"], rows: 1 }, /number 0 is not a column/],
    ["columns too short", { rows: 3, columns }, /3 rows, of which column number 0 has 2/],
  ])("%s is refused with how to make one", async (_, given, message) => {
    const model = await loadModel(modelFolder(folder));
    for (const method of ["predict", "explain"] as const) {
      const call = () => Reflect.apply(model[method], model, [given]);
      expect(call).toThrow(TypeError);
      expect(call).toThrow(message);
      expect(call).toThrow(`model.${method} takes rows`);
    }
  });
});

describe("a damaged document of version 2", () => {
  const changes: [string, (document: Record<string, unknown>) => unknown, RegExp][] = [
    [
      "a layer of another shape",
      (d) => ({ ...d, layer: { intercepts: [0, 1] } }),
      /2 intercepts for 1/,
    ],
    [
      "no threshold",
      (d) => ({ ...d, threshold: null }),
      /only a task of two classes has a threshold/,
    ],
    ["a threshold of 2", (d) => ({ ...d, threshold: 2 }), /threshold/],
    ["a scale of 0", calibrated({ kind: "temperature", scale: 0, bias: 0 }), /members.*scale/],
    ["an unknown calibration", calibrated({ kind: "beta" }), /members.*calibration/],
    [
      "knots without values",
      calibrated({ kind: "isotonic", curves: [{ x: [0, 1], y: [0.5] }] }),
      /one y per knot/,
    ],
    [
      "knots that do not rise",
      calibrated({ kind: "isotonic", curves: [{ x: [0.5, 0.1], y: [0.1, 0.5] }] }),
      /must be strictly increasing/,
    ],
    [
      "a curve too many",
      calibrated({ kind: "isotonic", curves: Array(2).fill({ x: [0, 1], y: [0.1, 0.5] }) }),
      /2 curves for 1 outputs/,
    ],
  ];
  it.each(changes)("with %s is refused", async (_, change, message) => {
    const { document } = await loadModel(modelFolder(folder));
    const bytes = new TextEncoder().encode(JSON.stringify(change({ ...document })));
    expect(() => parseModelDocument(bytes)).toThrow(message);
  });

  function calibrated(calibration: unknown) {
    return (document: Record<string, unknown>): unknown => ({
      ...document,
      members: z
        .array(z.looseObject({}))
        .parse(document["members"])
        .map((member) => ({ ...member, calibration })),
    });
  }
});
