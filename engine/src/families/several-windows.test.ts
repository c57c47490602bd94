/** A fit forecasts several windows, of each by all that lies before it, and by nothing that comes later. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { EncodedData } from "../data/encoded.ts";
import type { SeriesFrame } from "../data/frame.ts";
import type { NumericColumn } from "../data/table.ts";
import { runConfigSchema } from "../trainer/config/config.ts";
import { prepareTable } from "../trainer/plan/prepare.ts";
import type { PreparedRun } from "../trainer/plan/prepared.ts";
import type { FittedModel } from "./family.ts";
import { FAMILIES } from "./index.ts";

const STEPS = 160;
const HORIZON = 5;
const random = new CounterRandom(deriveKey(9, "several windows"));
const WEEK = [0, 12, 20, 8, -6, -22, -12];

function prepared(): PreparedRun {
  const rows = [0, 1].flatMap((series) =>
    Array.from({ length: STEPS }, (_, t) => {
      const promo = Number(random.nextFloat() < 0.2);
      const noise = 4 * random.nextGaussian();
      return {
        series,
        t,
        promo,
        y: 100 + series * 60 + 0.5 * t + WEEK[t % 7] + 30 * promo + noise,
      };
    }),
  );
  const column = (name: "series" | "t" | "promo" | "y"): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from(rows, (row) => row[name]),
  });
  return prepareTable(
    { rows: rows.length, columns: [column("series"), column("t"), column("promo"), column("y")] },
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: HORIZON },
        ...{ seriesColumns: ["series"], seasonLength: 7, knownColumns: ["promo"] },
      },
    }),
  );
}

const run = prepared();
const frameOf = ({ frame }: EncodedData): SeriesFrame => {
  if (frame?.kind !== "series") throw new Error("Forecasts are of series.");
  return frame;
};
const frame = frameOf(run.data);
const [{ train, valid }] = run.folds;
/** Of one series, one window. */
const windows = Array.from({ length: valid.length / HORIZON }, (_, i) =>
  valid.slice(i * HORIZON, (i + 1) * HORIZON),
);

it("are those of a run whose folds nobody asked for", () => {
  expect(run.folds).toHaveLength(3);
  // 0.3 × 160 steps / (3 fits × 5 steps)
  expect(windows).toHaveLength(2 * 3);
});

const families = FAMILIES.filter(
  ({ id, reads }) => reads === "series" && id !== "harmonic_regression",
);

describe.each(families.map((family) => [family.id, family] as const))("%s", (_, family) => {
  const shape = {
    ...{ rows: frame.target.length, task: run.task, features: run.data.features },
    series: {
      ...{ count: 2, steps: STEPS, horizon: HORIZON, seasons: frame.seasons, zeros: 0 },
      ...{ known: 1 },
    },
  };
  const model: FittedModel = family.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: train, validRows: valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    family.defaults(shape),
  );
  const together = model.predict(run.data, valid);

  it("says of each window what it says of that one alone, without what follows it", () => {
    for (const [i, window] of windows.entries()) {
      const series = window[0] < frame.offsets[1] ? 0 : 1;
      // Of its series nothing is known from there on.
      const target = frame.target.map((value, row) =>
        row >= window[0] && row < frame.offsets[series + 1] ? Number.NaN : value,
      );
      const alone = model.predict({ ...run.data, frame: { ...frame, target } }, window);
      const found = together.slice(i * HORIZON, (i + 1) * HORIZON);
      for (const [h, value] of alone.entries()) expect(found[h]).toBeCloseTo(value, 9);
      expect(found.every(Number.isFinite)).toBe(true);
    }
  });

  it("reads what lies between its fit and the window", () => {
    const [first, last] = [valid[0], windows[2][0]];
    const target = frame.target.map((value, row) =>
      row >= first && row < last ? value + 1000 : value,
    );
    const changed = model.predict({ ...run.data, frame: { ...frame, target } }, valid);
    const moved = (window: number): number => {
      let sum = 0;
      for (let h = 0; h < HORIZON; h++) {
        sum += Math.abs(changed[window * HORIZON + h] - together[window * HORIZON + h]) / HORIZON;
      }
      return sum;
    };
    expect(moved(0)).toBe(0);
    expect(moved(2)).toBeGreaterThan(0.1);
    expect(moved(3)).toBe(0);
  });
});
