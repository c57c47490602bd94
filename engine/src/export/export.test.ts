/**
 * Exported models answer as they did before they left: ONNX Runtime's and LightGBM's answers, recorded with
 * the very bytes that are exported here (`testing/record.ts`).
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DOCUMENT_PATH } from "../model/document.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import { modelFolder } from "../model/model-folder.ts";
import { sha256 } from "../model/sha256.ts";
import { hasClasses } from "../tasks/index.ts";
import { exportLightGbm } from "./lightgbm/export-lightgbm.ts";
import { exportOnnx } from "./onnx/export-onnx.ts";
import { askedTable, CASES } from "./testing/cases.ts";

const recordedSchema = z.array(
  z.object({
    name: z.string(),
    files: z.record(z.string(), z.string()),
    onnx: z.string(),
    lightgbm: z.string().nullable(),
    answers: z.object({
      labels: z.array(z.string()).nullable(),
      values: z.array(z.array(z.number())),
      lightgbm: z.array(z.array(z.number())).nullable(),
    }),
  }),
);
type Recorded = z.infer<typeof recordedSchema>[number];

const fixtures = new URL("./fixtures/models.json", import.meta.url);
const recorded = recordedSchema.parse(JSON.parse(readFileSync(fixtures, "utf8")));

/** @param change of the document's text */
const loaded = ({ files }: Recorded, change = (text: string) => text): Promise<Model> =>
  loadModel(async (path) => {
    const bytes = Buffer.from(files[path], "base64");
    return path === DOCUMENT_PATH ? Buffer.from(change(bytes.toString())) : bytes;
  });

const named = (name: string): Recorded => {
  const found = recorded.find((one) => one.name === name);
  if (!found) throw new Error(`No model "${name}" was recorded.`);
  return found;
};

/** One list a row: values, or each class's probability. */
function predictedBy(model: Model): { values: number[][]; labels: string[] | null } {
  const predictions = model.predict(askedTable());
  const { task } = model.document;
  const { values, outputs } = predictions;
  const rows = Array.from({ length: values.length / outputs }, (_, row) => {
    const own = [...values.subarray(row * outputs, (row + 1) * outputs)];
    return hasClasses(task) && outputs === 1 ? [1 - own[0], own[0]] : own;
  });
  const labels = hasClasses(task)
    ? Array.from(model.decide(predictions), (place) => task.classes[place])
    : null;
  return { values: rows, labels };
}

function expectClose(
  found: readonly (readonly number[])[],
  expected: typeof found,
  within = 1e-9,
): void {
  expect(found.length).toBe(expected.length);
  for (const [row, values] of expected.entries()) {
    for (const [k, value] of values.entries()) {
      expect(Math.abs(found[row][k] - value)).toBeLessThanOrEqual(
        within * Math.max(1, Math.abs(value)),
      );
    }
  }
}

it("covers every case", () => {
  expect(recorded.map(({ name }) => name)).toEqual(CASES.map(({ name }) => name));
});

it.each(recorded.map((one) => [one.name, one] as const))("ONNX Runtime: %s", async (_, one) => {
  const model = await loaded(one);
  expect(sha256(exportOnnx(model))).toBe(one.onnx);
  const { values, labels } = predictedBy(model);
  const within = CASES.find(({ name }) => name === one.name)?.within;
  expectClose(values, one.answers.values, within);
  expect(labels).toEqual(one.answers.labels);
});

const texts = recorded.filter(({ lightgbm }) => lightgbm !== null);

it("has texts of each kind of task", () => {
  expect(texts.map(({ name }) => name)).toEqual([
    "gbdt regression without times",
    "gbdt binclass without times",
    "gbdt multiclass without times",
    "gbdt with a bin a number",
    "oblivious without times",
    "gam binclass",
    "gam multiclass",
    "gam of many categories",
    ...["gbdt", "oblivious"].flatMap((family) =>
      ["regression", "binclass", "multiclass"].map((kind) => `${family} ${kind} of streets`),
    ),
    "gbdt with a temperature",
  ]);
});

it.each(texts.map((one) => [one.name, one] as const))("LightGBM: %s", async (_, one) => {
  const model = await loaded(one);
  expect(sha256(new TextEncoder().encode(exportLightGbm(model)))).toBe(one.lightgbm);
  // Of two classes LightGBM says the second one's probability.
  const values = predictedBy(model).values.map((row) => (row.length === 2 ? row.slice(1) : row));
  expectClose(values, one.answers.lightgbm ?? []);
});

describe("what a format cannot say is refused by name", () => {
  const refusalOf = async (
    name: string,
    change?: (text: string) => string,
    form: (model: Model) => unknown = exportLightGbm,
  ): Promise<string> => {
    const model = await loaded(named(name), change);
    try {
      form(model);
    } catch (fault) {
      expect(fault).toMatchObject({ name: "ExportError" });
      return String(fault);
    }
    throw new Error("It was exported.");
  };

  it.each<[string, string, RegExp]>([
    ["blends", "blend binclass", /blends \d+ members \(.*gbdt.*\).*ensemble: false/],
    ["families without margins of trees", "linear binclass", /family linear/],
    ["shares of classes", "random_forest multiclass", /family random_forest/],
    ["times", "gbdt regression", /"day\.\w+".*timestamp column "day"/],
    ["times under sums of shapes", "gam regression", /"day\.\w+".*timestamp column "day"/],
    ["quantiles", "gbdt quantiles", /3 quantiles/],
  ])("LightGBM: %s", async (_, name, words) => {
    expect(await refusalOf(name)).toMatch(words);
  });

  it("LightGBM: isotonic curves, and temperatures over a cut", async () => {
    const curves = '{"kind":"isotonic","curves":[{"x":[0,1],"y":[0.1,0.9]}]}';
    const name = "gbdt binclass without times";
    const isotonic = (text: string) =>
      text.replace('"calibration":null', `"calibration":${curves}`);
    expect(await refusalOf(name, isotonic)).toMatch(/isotonic/);
  });

  it("ONNX: what is predicted from several rows", async () => {
    const sequences = (text: string): string =>
      text.replace('"task":{"kind":"regression"', '"task":{"kind":"sequence_regression"');
    const words = await refusalOf("linear none", sequences, exportOnnx);
    expect(words).toMatch(/sequence_regression.*several rows/);
  });
});

it("exports models of earlier versions", async () => {
  const folder = fileURLToPath(new URL("../model/fixtures/version-1", import.meta.url));
  const bytes = exportOnnx(await loadModel(modelFolder(folder)));
  expect(bytes).toEqual(exportOnnx(await loadModel(modelFolder(folder))));
});
