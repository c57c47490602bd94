import fc from "fast-check";
import { expect, test } from "vitest";
import { CURVE_POINTS, learningCurve } from "./learning-curve.ts";

test("a short curve is kept whole", () => {
  expect(learningCurve("log_loss", [3, 2, 1, 2])).toEqual({
    loss: "log_loss",
    iterations: [1, 2, 3, 4],
    values: [3, 2, 1, 2],
  });
  expect(learningCurve("log_loss", [7]).iterations).toEqual([1]);
});

test("a long curve keeps its first, best and last iterations, in order and at their places", () => {
  const losses = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), {
    minLength: 1,
    maxLength: 700,
  });
  fc.assert(
    fc.property(losses, (all) => {
      const { iterations, values } = learningCurve("squared_error", all);
      expect(iterations.length).toBeLessThanOrEqual(CURVE_POINTS);
      expect(iterations[0]).toBe(1);
      expect(iterations.at(-1)).toBe(all.length);
      expect(iterations).toContain(all.indexOf(Math.min(...all)) + 1);
      expect(iterations).toEqual([...new Set(iterations)].sort((a, b) => a - b));
      for (const [place, iteration] of iterations.entries()) {
        expect(values[place]).toBeCloseTo(all[iteration - 1], -Math.log10(all[iteration - 1]) + 4);
      }
    }),
  );
});
