/** Rows in every shape that `predict` and `explain` take are the same rows. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as arrow from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import type { FeatureSchema } from "../data/feature-schema.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import { DataError, type Table } from "../data/table.ts";
import { type ModelRows, tableOf } from "./given-rows.ts";
import { loadModel } from "./load.ts";
import type { Model } from "./model.ts";
import { modelFolder } from "./model-folder.ts";

const folder = fileURLToPath(new URL("./fixtures/version-1", import.meta.url));
const A = [0, 9.25, null, 3];
const B = [0, 1.83, 2, null];
const C = ["x", "y", null, "unseen"];

let model: Model;
let table: Table;
beforeAll(async () => {
  model = await loadModel(modelFolder(folder));
  ({ table } = await readTableFromFile(join(folder, "rows.csv"), { format: "csv", maxRows: 2 }));
});

const records = A.map((a, i) => ({ a, b: B[i], c: C[i] }));
const shapes: [string, ModelRows][] = [
  ["columns", { a: A, b: B, c: C }],
  ["typed columns", { a: Float64Array.from(A, (a) => a ?? Number.NaN), b: B, c: C }],
  ["names and cells", { columns: ["c", "b", "a"], data: A.map((a, i) => [C[i], B[i], a]) }],
  [
    "an Arrow table",
    new arrow.Table({
      a: arrow.vectorFromArray(A, new arrow.Float64()),
      b: arrow.vectorFromArray(B, new arrow.Float32()),
      c: arrow.vectorFromArray(C, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
    }),
  ],
];

describe.each(shapes)("%s", (_, rows) => {
  it("are predicted and explained as records are", () => {
    const tolerance = 1e-6; // float32
    const expected = model.predict(records).values;
    const { values } = model.predict(rows);
    expect(values.length).toBe(4);
    for (const [i, value] of values.entries()) {
      expect(Math.abs(value - expected[i])).toBeLessThan(tolerance);
    }
    expect(model.explain(rows).contributions.length).toBe(4);
  });
});

it("takes records as a table that was read", () => {
  expect(model.predict(records.slice(0, 2)).values).toEqual(model.predict(table).values);
});

it("reads Arrow's dates and times as times", () => {
  const times = [new Date(0), new Date(86_400_000)];
  const given = new arrow.Table({
    t: arrow.vectorFromArray(times, new arrow.TimestampMicrosecond()),
    d: arrow.vectorFromArray(times, new arrow.DateDay()),
    n: arrow.vectorFromArray([1n, 2n], new arrow.Int64()),
  });
  const time = { kind: "timestamp", origin: 0, parts: ["elapsed_days"] } as const;
  const schema: FeatureSchema = {
    columns: [
      { ...time, name: "t" },
      { ...time, name: "d" },
      { kind: "numeric", name: "n" },
    ],
    dropped: [],
    notes: [],
  };
  const read = tableOf(given, schema, "predict");
  expect(read.warnings).toEqual([]);
  expect(read.table.columns.map((column) => "values" in column && [...column.values])).toEqual([
    [0, 86_400_000],
    [0, 86_400_000],
    [1, 2],
  ]);
});

it("names the row and the column of a value that cannot be", () => {
  const wrong = { a: [1, "many"], b: [1, 2], c: ["x", "y"] };
  expect(() => model.predict(wrong)).toThrow(DataError);
  expect(() => model.predict(wrong)).toThrow(/Instance 1.*"?a"?/);
  expect(() => model.predict([])).toThrow("no instances");
});
