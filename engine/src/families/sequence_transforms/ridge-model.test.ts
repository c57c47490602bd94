import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import { minirocket } from "../minirocket/family.ts";

const STEPS = 30;

/** Each class is a wave of its own frequency, which anybody can tell. */
function waves(count: number, classes: number): Table {
  const random = new CounterRandom(deriveKey(classes, "waves"));
  const column = (name: string, value: (s: number, t: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: count * STEPS }, (_, row) =>
      value(Math.floor(row / STEPS), row % STEPS),
    ),
  });
  return {
    rows: count * STEPS,
    columns: [
      column("id", (s) => s),
      column("t", (_, t) => t),
      column("a", (s, t) => Math.sin(t * (0.2 + (s % classes))) + 0.05 * random.nextGaussian()),
      column("y", (s) => s % classes),
    ],
  };
}

it.each([
  ["sequence_binclass", 2],
  ["sequence_multiclass", 3],
] as const)(
  "is no surer of a class than few sequences allow, though all are right: %s",
  (taskKind, classes) => {
    const [learned, asked] = [12, 48];
    const config = runConfigSchema.parse({
      task: { taskKind, labelColumn: "y", sequenceColumn: "id", orderColumn: "t" },
      nCvSplits: 2,
    });
    const { data, task, target } = prepareTable(waves(learned + asked, classes), config);
    const model = minirocket.fit(
      {
        ...{ data, task, target, softTarget: null, weights: null, validRows: null, monotone: {} },
        trainRows: Uint32Array.from({ length: learned }, (_, row) => row),
        key: deriveKey(0, "fit"),
      },
      { features: 1000, scaling: "none" },
    );
    const rows = Uint32Array.from({ length: asked }, (_, row) => learned + row);
    const predictions = model.predict(data, rows);
    const ofTruth = [...rows].map((row, i) => {
      if (classes > 2) return predictions[i * classes + target[row]];
      return target[row] === 1 ? predictions[i] : 1 - predictions[i];
    });
    for (const probability of ofTruth) expect(probability).toBeGreaterThan(0.5);
    // As if one more than the twelve had been wrong.
    const mean = ofTruth.reduce((sum, each) => sum + each, 0) / asked;
    expect(mean).toBeGreaterThan(0.8);
    expect(mean).toBeLessThan(0.98);
  },
);

// Six of six classes have one sequence alone, or three of them.
it.each([6, 9])("learns from classes of one sequence, of %s in all", (learned) => {
  const [classes, asked] = [6, 36];
  const config = runConfigSchema.parse({
    task: {
      ...{ taskKind: "sequence_multiclass", labelColumn: "y" },
      ...{ sequenceColumn: "id", orderColumn: "t" },
    },
    nCvSplits: 2,
  });
  const { data, task, target } = prepareTable(waves(36 + asked, classes), config);
  const model = minirocket.fit(
    {
      ...{ data, task, target, softTarget: null, weights: null, validRows: null, monotone: {} },
      trainRows: Uint32Array.from({ length: learned }, (_, row) => row),
      key: deriveKey(0, "fit"),
    },
    { features: 1000, scaling: "none" },
  );
  const rows = Uint32Array.from({ length: asked }, (_, row) => 36 + row);
  const predictions = model.predict(data, rows);
  let loss = 0;
  for (const [i, row] of rows.entries()) {
    const own = predictions.subarray(i * classes, (i + 1) * classes);
    expect(own.indexOf(Math.max(...own))).toBe(target[row]);
    loss -= Math.log(own[target[row]]) / asked;
  }
  // Of six classes without a word on any it is 1.79.
  expect(loss).toBeLessThan(0.8);
});
