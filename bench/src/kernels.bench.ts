/** What the kernels' main steps cost: binning, growing, moving rows, predicting, explaining. */

import { Bench } from "tinybench";
import { Arena } from "../../engine/src/compute/arena.ts";
import { kernelsOf } from "../../engine/src/compute/kernels.ts";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { ColumnBinner } from "../../engine/src/data/binning/column-binner.ts";
import type { EncodedData } from "../../engine/src/data/encoded.ts";
import type { Family } from "../../engine/src/families/family.ts";
import { gbdt } from "../../engine/src/families/gbdt/family.ts";
import { linear } from "../../engine/src/families/linear/family.ts";
import type { Parameters } from "../../engine/src/search/space.ts";
import { type BenchData, encodeBenchData, syntheticData } from "./bench-data.ts";

const FEATURES = 28;

function fitOn(family: Family, data: BenchData, encoded: EncodedData, parameters: Parameters) {
  const { task, target, train } = data;
  return family.fit(
    {
      task,
      data: encoded,
      target,
      softTarget: null,
      weights: null,
      trainRows: train,
      validRows: null,
      key: deriveKey(0, "bench"),
      monotone: {},
    },
    parameters,
  );
}

export async function benchKernels(quick: boolean): Promise<Bench> {
  const rows = quick ? 20_000 : 200_000;
  const data = syntheticData(rows, FEATURES);
  const encoded = encodeBenchData(data, true);
  const bench = new Bench({
    name: `kernels, ${rows} × ${FEATURES}`,
    time: quick ? 100 : 1000,
    iterations: quick ? 2 : 5,
    warmupTime: 0,
    warmupIterations: 1,
  });
  const column = data.table.columns[0];
  const arena = Arena.attach(encoded.arena);
  if (column.kind === "numeric") {
    const { values } = column;
    const binner = new ColumnBinner(arena, values.length);
    const bins = binner.fit(values, null, {});
    const out = arena.allocate(values.length);
    bench.add("fit the bins of one column", () => {
      binner.fit(values, null, {});
    });
    bench.add("bin one column", () => binner.assign(values, bins, out));
  }

  const kernels = kernelsOf(encoded.arena);
  const scores = arena.allocate(rows * 8);
  const targets = arena.allocate(rows * 8);
  const gradients = arena.allocate(rows * 16);
  const sums = arena.allocate(64);
  const list = arena.allocate(rows * 4);
  arena.f64(scores, rows).fill(0.1);
  arena.f64(targets, rows).set(data.target.subarray(0, rows));
  arena.u32(list, rows).set(data.train);
  bench.add("logistic gradients of all rows", () => {
    kernels.logisticGradients(list, rows, scores, targets, 0, gradients, sums);
  });

  const tree = { early_stopping_rounds: 0, feature_fraction: 1, bagging_fraction: 1 };
  for (const leaves of [2, 31, 255]) {
    bench.add(`boost one tree of ${leaves} leaves: histograms, partition, splits`, () => {
      fitOn(gbdt, data, encoded, { ...tree, n_estimators: 1, num_leaves: leaves });
    });
  }
  const model = fitOn(gbdt, data, encoded, { ...tree, n_estimators: 100, num_leaves: 31 });
  const some = Uint32Array.from({ length: quick ? 100 : 1000 }, (_, i) => i);
  bench.add("predict all rows, 100 trees of 31 leaves", () => {
    model.predict(encoded, null);
  });
  bench.add(`TreeSHAP of ${some.length} rows, 100 trees of 31 leaves`, () => {
    model.explain(encoded, some);
  });
  const shape = { rows, task: data.task, features: encoded.features };
  bench.add("linear: fit logistic regression", () => {
    fitOn(linear, data, encoded, { ...linear.defaults(shape), numeric_transform: "none" });
  });
  await bench.run();
  return bench;
}
