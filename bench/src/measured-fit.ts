/**
 * Trains gbdt on synthetic columns of which one is held at a time, in a process of its own, and writes its
 * seconds and its peak memory as JSON (`MeasuredFit`).
 */

import process from "node:process";
import { Arena } from "../../engine/src/compute/arena.ts";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { binsToFit } from "../../engine/src/data/binning/column-binner.ts";
import { encodeFeatures } from "../../engine/src/data/encode.ts";
import { fitFeatureSchema } from "../../engine/src/data/fit-feature-schema.ts";
import { ColumnCache } from "../../engine/src/data/stored/column-cache.ts";
import type { Column, Table } from "../../engine/src/data/table.ts";
import { gbdt } from "../../engine/src/families/gbdt/family.ts";
import { syntheticColumn } from "./bench-data.ts";

const [rows, features, rounds] = process.argv.slice(2).map(Number);
const margin = new Float64Array(rows);
const cache = new ColumnCache(0);
const table: Table = {
  rows,
  columns: Array.from({ length: features }, (_, f): Column => {
    const read = cache.cells(() => ({ cells: syntheticColumn(rows, f), bytes: 8 * rows }));
    return {
      kind: "numeric",
      name: `x${f}`,
      get values() {
        return read();
      },
    };
  }),
};
for (const [f, column] of table.columns.entries()) {
  const values = column.kind === "numeric" ? column.values : margin;
  for (let i = 0; i < rows; i++) margin[i] += Math.sin((1 + (f % 3)) * values[i]) / (1 + f);
}
const begun = performance.now();
const data = encodeFeatures(fitFeatureSchema(table), table, Arena.create(), {
  bins: binsToFit({ key: deriveKey(0, "bench", "binning") }, rows),
  values: false,
});
const binSeconds = (performance.now() - begun) / 1000;
for (let i = 0; i < rows; i++) margin[i] = margin[i] > 0 ? 1 : 0;
const encodedPeak = process.resourceUsage().maxRSS * 1024;
const encodedAt = performance.now();
const model = gbdt.fit(
  {
    task: { kind: "binclass", classes: ["0", "1"] },
    data,
    target: margin,
    softTarget: null,
    weights: null,
    trainRows: Uint32Array.from({ length: rows }, (_, i) => i),
    validRows: null,
    key: deriveKey(0, "bench"),
    monotone: {},
  },
  { n_estimators: rounds, early_stopping_rounds: 0, learning_rate: 0.1, num_leaves: 255 },
);
const trainSeconds = (performance.now() - encodedAt) / 1000;
const binned = data.binned;
if (binned === null) throw new Error("The rows were not binned.");
process.stdout.write(
  JSON.stringify({
    peak: process.resourceUsage().maxRSS * 1024,
    encodedPeak,
    binSeconds,
    trainSeconds,
    binned: rows * binned.rowStride + features * binned.columnStride,
    rounds: model.facts["rounds"],
  }),
);
