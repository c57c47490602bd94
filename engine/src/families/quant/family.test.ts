import { expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import { quant } from "./family.ts";

const SEQUENCES = 30;
const STEPS = 24;
const ROWS = SEQUENCES * STEPS;

/** Waves, each of a speed of its own, which is the label. */
const speed = (sequence: number): number => 1 + ((sequence * 7) % SEQUENCES) / 10;

const column = (name: string, of: (sequence: number, step: number) => number) =>
  ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: ROWS }, (_, row) =>
      of(Math.floor(row / STEPS), row % STEPS),
    ),
  }) as const;

function fittedOn(label: "speed" | "fast") {
  const run = prepareTable(
    {
      rows: ROWS,
      columns: [
        column("id", (sequence) => sequence),
        column("t", (_, step) => step),
        column("x", (sequence, step) => Math.sin(speed(sequence) * step)),
        column("speed", speed),
        column("fast", (sequence) => Number(speed(sequence) > 2.4)),
      ],
    },
    runConfigSchema.parse({
      task: {
        ...{ taskKind: label === "speed" ? "sequence_regression" : "sequence_binclass" },
        ...{ labelColumn: label, ignoreColumns: [label === "speed" ? "fast" : "speed"] },
        ...{ sequenceColumn: "id", orderColumn: "t" },
      },
      nCvSplits: 2,
    }),
  );
  const { task, data, target, weights, plan, folds } = run;
  const trainRows = Uint32Array.from({ length: plan.rows }, (_, row) => row);
  const shape = { rows: plan.rows, task, features: data.features };
  const model = quant.fit(
    {
      ...{ task, data, target, softTarget: null, weights, trainRows, validRows: folds[0].valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    { ...quant.defaults(shape), trees: 20 },
  );
  return { learned: model.predict(data, trainRows), target };
}

it.each(["speed", "fast"] as const)("grows trees to their ends: %s", (label) => {
  const { learned, target } = fittedOn(label);
  for (const [row, value] of learned.entries()) expect(value).toBeCloseTo(target[row], 5);
});
