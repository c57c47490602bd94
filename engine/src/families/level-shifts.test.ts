/** A series whose level has shifted is forecast at the level that it has now, by every family, and none beside it otherwise. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { NumericColumn } from "../data/table.ts";
import { runConfigSchema } from "../trainer/config/config.ts";
import { prepareTable } from "../trainer/plan/prepare.ts";
import { FAMILIES } from "./index.ts";

const STEPS = 160;
const HORIZON = 7;
const SHIFT = 100;
const WEEK = [0, 2, 5, 3, 1, -4, -6];
const draw = new CounterRandom(deriveKey(9, "level shifts"));
const rows = [0, 1].flatMap((series) =>
  Array.from({ length: STEPS }, (_, t) => {
    const promo = Number(draw.nextFloat() < 0.2);
    // The first one a week before its last window.
    const shift = series === 0 && t >= STEPS - HORIZON - 7 ? SHIFT : 0;
    const y = 50 + 0.1 * t + WEEK[t % 7] + 8 * promo + 0.5 * draw.nextGaussian() + shift;
    return { series, t, promo, y };
  }),
);
const column = (name: "series" | "t" | "promo" | "y"): NumericColumn => ({
  kind: "numeric",
  name,
  values: Float64Array.from(rows, (row) => row[name]),
});
const run = prepareTable(
  { rows: rows.length, columns: [column("series"), column("t"), column("promo"), column("y")] },
  runConfigSchema.parse({
    task: {
      ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: HORIZON },
      ...{ seriesColumns: ["series"], seasonLength: 7, knownColumns: ["promo"], windowStep: 7 },
    },
  }),
);
const last = run.folds[run.folds.length - 1];
const families = FAMILIES.filter(
  ({ id, reads }) => reads === "series" && id !== "harmonic_regression" && id !== "croston",
);

describe.each(families.map((family) => [family.id, family] as const))("%s", (_, family) => {
  it("forecasts from the level that the series has now", () => {
    const shape = {
      ...{ rows: rows.length, task: run.task, features: run.data.features },
      series: {
        ...{ count: 2, steps: STEPS, horizon: HORIZON, seasons: [7], zeros: 0 },
        ...{ known: 1 },
      },
    };
    const model = family.fit(
      {
        ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
        ...{ weights: run.weights, trainRows: last.train, validRows: last.valid },
        ...{ key: deriveKey(1, "fit"), monotone: {} },
      },
      family.defaults(shape),
    );
    for (const [i, value] of model.predict(run.data, last.valid).entries()) {
      // As far as promotions are, of families that do not read them.
      expect(Math.abs(value - run.target[last.valid[i]])).toBeLessThan(13);
    }
  });
});
