import fc from "fast-check";
import { expect, it } from "vitest";
import { pinballLoss } from "../../../metrics/quantile-rows.ts";
import { smoothedPinball } from "./quantile.ts";

const number = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
const rows = fc.array(fc.record({ target: number, margin: number }), {
  minLength: 1,
  maxLength: 12,
});
const level = fc.integer({ min: 1, max: 99 }).map((n) => n / 100);
const width = fc.constantFrom(0.05, 0.5, 2);

it("slopes and curvatures are those of the smoothed loss, which lies little above the pinball loss", () => {
  fc.assert(
    fc.property(rows, level, width, (given, tau, h) => {
      const count = given.length;
      const target = Float64Array.from(given, (each) => each.target);
      const shares = new Float64Array(count).fill(1 / count);
      const margins = Float64Array.from(given, (each) => each.margin);
      const loss = smoothedPinball(target, shares, tau, h, 0);
      const slopes = new Float64Array(count);
      const value = loss.evaluate(margins, slopes);
      const curvatures = new Float64Array(count);
      loss.curvature(margins, 0, curvatures);
      const step = 1e-4 * h;
      const at = (i: number, moved: number, out: Float64Array | null): number => {
        const other = margins.slice();
        other[i] += moved;
        return loss.evaluate(other, out);
      };
      const [below, above] = [new Float64Array(count), new Float64Array(count)];
      for (let i = 0; i < count; i++) {
        const difference = at(i, step, above) - at(i, -step, below);
        expect(difference / (2 * step)).toBeCloseTo(slopes[i], 5);
        expect((above[i] - below[i]) / (2 * step)).toBeCloseTo(curvatures[i], 4);
      }
      const exact = given.reduce(
        (sum, { target: y, margin }) => sum + pinballLoss(y, margin, tau),
        0,
      );
      expect(value - exact / count).toBeGreaterThanOrEqual(-1e-12);
      expect(value - exact / count).toBeLessThanOrEqual(h * Math.LN2 + 1e-12);
    }),
  );
});
