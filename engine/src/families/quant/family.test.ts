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

it("grows trees of values to their ends", () => {
  const run = prepareTable(
    {
      rows: ROWS,
      columns: [
        column("id", (sequence) => sequence),
        column("t", (_, step) => step),
        column("x", (sequence, step) => Math.sin(speed(sequence) * step)),
        column("speed", speed),
      ],
    },
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "sequence_regression", labelColumn: "speed" },
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
  for (const [row, value] of model.predict(data, trainRows).entries()) {
    expect(value).toBeCloseTo(target[row], 5);
  }
});
