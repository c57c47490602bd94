import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { fitStacking, stack } from "./stacking.ts";

const array = z.array(z.number()).transform((values) => Float64Array.from(values));
const { stacking: fixture } = z
  .object({
    stacking: z.object({
      prior: z.array(z.number()),
      two: z.object({ margins: z.array(array), y: array, w: array, x: array }),
      many: z.object({ margins: z.array(array), y: array, x: array }),
      regression: z.object({ values: z.array(array), y: array, x: array }),
    }),
  })
  .parse(JSON.parse(readFileSync(new URL("./fixtures/calibration.json", import.meta.url), "utf8")));

describe("fitStacking finds SciPy's minimum", () => {
  const { prior, two, many, regression } = fixture;
  it.each([
    ["two classes, weighted rows", two.margins, two.y, two.w, 1, true, two.x],
    ["three classes", many.margins, many.y, null, 3, true, many.x],
    ["values", regression.values, regression.y, null, 1, false, regression.x],
  ])("%s", (_, margins, target, weights, outputs, isClass, x) => {
    const rows = { target, weights, outputs };
    const layer = fitStacking({ margins, rows, isClass, prior });
    for (const [j, weight] of layer.weights.entries()) {
      expect(weight).toBeGreaterThanOrEqual(0);
      expect(weight).toBeCloseTo(x[j], 4);
    }
    if (outputs === 1) expect(layer.intercepts[0]).toBeCloseTo(x[4], 3);
    else expect(layer.intercepts).toEqual([0, 0, 0]);
    // The bounds matter here: at least one of the peer's weights lies on its bound.
    if (outputs === 1) expect(Math.min(...x.subarray(0, 4))).toBeCloseTo(0, 6);
  });
});

describe("stack", () => {
  it("adds weighted margins to the intercepts", () => {
    const layer = { weights: [2, 0, 0.5], intercepts: [0.1] };
    const margins = [Float64Array.of(1, -1), Float64Array.of(Number.NaN, 0), Float64Array.of(4, 2)];
    const stacked = stack(layer, margins);
    expect(stacked[0]).toBeCloseTo(4.1, 12);
    expect(stacked[1]).toBeCloseTo(-0.9, 12);
  });

  it("many rows are thinned for the fit, and find the same", () => {
    const random = new CounterRandom(deriveKey(3, "ensemble"));
    const rows = 60_000;
    const margins = [0, 1].map(() =>
      Float64Array.from({ length: rows }, () => 2 * random.nextGaussian()),
    );
    const target = Float64Array.from({ length: rows }, (_, i) =>
      random.nextFloat() < 1 / (1 + Math.exp(-margins[0][i] - 0.5 * margins[1][i] - 0.2)) ? 1 : 0,
    );
    const layer = fitStacking({
      margins,
      rows: { target, weights: null, outputs: 1 },
      isClass: true,
      prior: [0.5, 0.5],
    });
    expect(Math.abs(layer.weights[0] - 1)).toBeLessThan(0.06);
    expect(Math.abs(layer.weights[1] - 0.5)).toBeLessThan(0.06);
    expect(Math.abs(layer.intercepts[0] - 0.2)).toBeLessThan(0.06);
  });
});
