/** Trains gbdt on streamed synthetic columns, and writes its own peak memory as JSON. */

import process from "node:process";
import { Arena } from "../../engine/src/compute/arena.ts";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { binStreamedColumns } from "../../engine/src/data/encode.ts";
import type { Column } from "../../engine/src/data/table.ts";
import { gbdt } from "../../engine/src/families/gbdt/family.ts";
import { syntheticColumn } from "./bench-data.ts";

const [rows, features, rounds] = process.argv.slice(2).map(Number);
/** Held while labels are made of them: an eighth of 28 columns would hide what is measured. */
const margin = new Float64Array(rows);

function* columns(): Generator<Column> {
  for (let f = 0; f < features; f++) {
    const values = syntheticColumn(rows, f);
    for (let i = 0; i < rows; i++) margin[i] += Math.sin((1 + (f % 3)) * values[i]) / (1 + f);
    yield { kind: "numeric", name: `x${f}`, values };
  }
}

const { data } = await binStreamedColumns(columns(), {
  arena: Arena.create(),
  rows,
  binning: { key: deriveKey(0, "bench", "binning") },
});
for (let i = 0; i < rows; i++) margin[i] = margin[i] > 0 ? 1 : 0;
const encodedPeak = process.resourceUsage().maxRSS * 1024;
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
const binned = data.binned;
if (binned === null) throw new Error("The rows were not binned.");
process.stdout.write(
  JSON.stringify({
    peak: process.resourceUsage().maxRSS * 1024,
    encodedPeak,
    binned: rows * binned.rowStride + features * binned.columnStride,
    rounds: model.facts["rounds"],
  }),
);
