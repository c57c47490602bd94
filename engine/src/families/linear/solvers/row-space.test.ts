import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Arena } from "../../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { Scratch } from "../../../compute/scratch.ts";
import { DenseColumns, DesignMatrix } from "../design-matrix.ts";
import { solveSmooth } from "./lbfgs.ts";
import { logisticLoss, type MarginLoss, multinomialLoss, squaredLoss } from "./losses.ts";
import type { Problem, Solution } from "./problem.ts";
import { rowSpaceOf } from "./row-space.ts";

const scratch = new Scratch(Arena.create());
afterEach(() => scratch.release());

const LOSSES: Readonly<Record<string, (y: Float64Array, shares: Float64Array) => MarginLoss>> = {
  squared: (y, shares) => squaredLoss(y, shares),
  logistic: (y, shares) =>
    logisticLoss(
      y.map((value) => (value > 1 ? 1 : 0)),
      shares,
      scratch,
    ),
  multinomial: (y, shares) => multinomialLoss(y, shares, 3),
};

/** Of few rows, some of them twice, with numbers and levels. */
function designOf(seed: number, rows: number, columns: number, levels: number) {
  const random = new CounterRandom(deriveKey(seed, "row space"));
  const twin = (i: number): number => (i % 5 === 4 ? i - 1 : i);
  const copied = <T extends Float64Array | Int32Array>(cells: T): T =>
    cells.forEach((_, i) => {
      cells[i] = cells[twin(i)];
    }) ?? cells;
  const dense = Array.from({ length: columns }, () =>
    copied(Float64Array.from({ length: rows }, () => random.nextGaussian())),
  );
  const codes = copied(Int32Array.from({ length: rows }, () => random.nextInteger(levels + 1) - 1));
  const shares = Float64Array.from({ length: rows }, () => 0.2 + random.nextFloat());
  const total = shares.reduce((sum, share) => sum + share, 0);
  return {
    matrix: new DesignMatrix(DenseColumns.of(scratch, rows, dense), [{ codes, levels }]),
    shares: shares.map((share) => share / total),
    target: Float64Array.from({ length: rows }, () => random.nextInteger(3)),
  };
}

function objective({ matrix, loss, l2 }: Problem, { coefficients, intercepts }: Solution): number {
  const { rows, columns } = matrix;
  const margins = new Float64Array(rows * loss.outputs);
  intercepts.forEach((intercept, k) => {
    const own = coefficients.subarray(k * columns, (k + 1) * columns);
    matrix.multiply(own, intercept, margins.subarray(k * rows, (k + 1) * rows));
  });
  const squares = coefficients.reduce((sum, value) => sum + value * value, 0);
  return loss.evaluate(margins, null) + (l2 / 2) * squares;
}

describe("the space that rows span", () => {
  it.each(Object.keys(LOSSES))("has the solution of all columns: %s", (name) => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 2, max: 24 }),
        // More than are turned at a time, too.
        fc.oneof(fc.integer({ min: 35, max: 60 }), fc.constant(1100)),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(1e-3, 0.1, 3),
        (seed, rows, columns, levels, l2) => {
          const { matrix, shares, target } = designOf(seed, rows, columns, levels);
          const given = { matrix, shares, l1: 0, l2, signs: null };
          const room = rowSpaceOf(scratch, given);
          if (room === null) throw new Error("These are far more columns than rows.");
          expect(room.matrix.columns).toBe(rows);
          const loss = LOSSES[name](target, shares);
          const found = room.lift(solveSmooth({ ...given, matrix: room.matrix, loss }));
          const wanted = solveSmooth({ ...given, loss });
          expect(found.coefficients.length).toBe(wanted.coefficients.length);
          const least = objective({ ...given, loss }, wanted);
          expect(objective({ ...given, loss }, found)).toBeLessThan(least + 1e-9 + 1e-6 * least);
          // Of more columns the other solver has no factor, and ends a little above the least.
          if (columns > 100) return;
          found.coefficients.forEach((value, j) => {
            expect(value).toBeCloseTo(wanted.coefficients[j], 4);
          });
          found.intercepts.forEach((value, k) => {
            expect(value).toBeCloseTo(wanted.intercepts[k], 4);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it("is not used where it would change the problem or save nothing", () => {
    const { matrix } = designOf(1, 20, 50, 3);
    const given = { matrix, l1: 0, signs: null };
    expect(rowSpaceOf(scratch, { ...given, l1: 0.1 })).toBeNull();
    expect(rowSpaceOf(scratch, { ...given, signs: new Int8Array(53).fill(1) })).toBeNull();
    expect(rowSpaceOf(scratch, { ...given, matrix: designOf(1, 45, 50, 3).matrix })).toBeNull();
  });
});
