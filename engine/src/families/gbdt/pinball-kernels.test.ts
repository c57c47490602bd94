/** The pinball kernels and renewed leaves beside loops that do the same one row at a time. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { withScratch } from "../../compute/scratch.ts";
import { pinballLoss } from "../../metrics/quantile-rows.ts";
import type { Task } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { allRows, fit } from "./testing/fit.ts";

const number = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
const level = fc.integer({ min: 1, max: 99 }).map((n) => n / 100);
const row = fc.record({ score: number, target: number, weight: fc.integer({ min: 0, max: 4 }) });

describe("the pinball kernels", () => {
  it("are the loss and its slope, row by row", () => {
    const arena = Arena.create();
    const kernels = kernelsOf(arena);
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 40 }),
        level,
        fc.boolean(),
        (rows, tau, weighted) =>
          withScratch(arena, (scratch) => {
            const taken = Uint32Array.from(rows.keys()).filter((i) => i % 3 !== 1);
            const gradients = scratch.allocate(rows.length * 8);
            const sums = scratch.allocate(16);
            const of = [
              scratch.u32(taken),
              taken.length,
              scratch.f64(rows.map(({ score }) => score)),
              scratch.f64(rows.map(({ target }) => target)),
              weighted ? scratch.f64(rows.map(({ weight }) => weight)) : 0,
            ] as const;
            kernels.pinballGradients(...of, tau, gradients, sums);
            const pairs = arena.f32(gradients, rows.length * 2);
            let [size, total, loss] = [0, 0, 0];
            for (const i of taken) {
              const { score, target, weight } = rows[i];
              const w = weighted ? weight : 1;
              const slope = Math.fround((score >= target ? 1 - tau : -tau) * w);
              expect([pairs[2 * i], pairs[2 * i + 1]]).toEqual([slope, w]);
              size += Math.abs(slope);
              total += w;
              loss += w * pinballLoss(target, score, tau);
            }
            const [gradientSum, hessianSum] = arena.f64(sums, 2);
            expect(gradientSum).toBeCloseTo(size, 9);
            expect(hessianSum).toBe(total);
            expect(kernels.pinballLoss(...of, tau)).toBeCloseTo(loss, 9);
          }),
      ),
    );
  });
});

describe("renewed leaves", () => {
  it("have the least loss of all constants, for each row of a full tree", () => {
    const cell = fc.record({
      bin: fc.integer({ min: 0, max: 3 }),
      y: fc.integer({ min: -30, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 4, maxLength: 40 }), level, (cells, tau) => {
        const task: Task = { kind: "quantile_regression", classes: [], quantiles: [tau] };
        const bins = cells.map(({ bin }) => bin);
        const target = cells.map(({ y }) => y);
        const data = encodeBins([{ kind: "numeric", valueBins: 4, bins }]);
        const parameters = { n_estimators: 1, learning_rate: 1, num_leaves: 2 };
        const values = fit(task, data, target, parameters).predict(data, allRows(cells.length));
        // Rows of one prediction are one leaf, or leaves of equal values.
        for (const value of new Set(values)) {
          const own = target.filter((_, i) => values[i] === value);
          const lossOf = (q: number): number =>
            own.reduce((sum, y) => sum + pinballLoss(y, q, tau), 0);
          const least = Math.min(...own.map(lossOf));
          expect(lossOf(value)).toBeLessThanOrEqual(least + 1e-4 * own.length);
        }
      }),
      { numRuns: 60 },
    );
  });
});
