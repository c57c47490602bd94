/** Products by kernels against those of the matrix and the loss themselves. */

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Arena } from "../../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { Scratch, withScratch } from "../../../compute/scratch.ts";
import { DenseColumns, DesignMatrix } from "../design-matrix.ts";
import { solveAccelerated } from "./accelerated-proximal.ts";
import { arrangeColumns } from "./coded-columns.ts";
import { solveSmooth } from "./lbfgs.ts";
import { multinomialLoss, softMultinomialLoss } from "./losses.ts";
import { type MultinomialLabels, multinomialProducts } from "./multinomial-products.ts";
import type { Problem } from "./problem.ts";
import { heapProducts } from "./products.ts";

const designs = new Scratch(Arena.create());
afterEach(() => designs.release());

interface Shape {
  readonly seed: number;
  readonly rows: number;
  readonly classes: number;
  readonly dense: number;
  /** Of a feature with few different numbers: columns that they make. */
  readonly coded: number;
  readonly levels: readonly number[];
  readonly soft: boolean;
}

const shapes = fc.record({
  seed: fc.nat(),
  rows: fc.integer({ min: 3, max: 90 }),
  classes: fc.integer({ min: 3, max: 9 }),
  dense: fc.integer({ min: 0, max: 5 }),
  coded: fc.integer({ min: 0, max: 3 }),
  levels: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
  soft: fc.boolean(),
});

function problemOf(shape: Shape): { problem: Problem; labels: MultinomialLabels } {
  const { rows, classes, soft } = shape;
  const random = new CounterRandom(deriveKey(shape.seed, "products"));
  const numbers = (of: (row: number) => number) =>
    Float64Array.from({ length: rows }, (_, i) => of(i));
  const shares = numbers(() => random.nextFloat() + 0.1);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const few = numbers(() => random.nextInteger(5));
  const groups = shape.levels.map((levels) => ({
    levels,
    codes: Int32Array.from({ length: rows }, () => random.nextInteger(levels + 1) - 1),
  }));
  const dense = [
    ...Array.from({ length: shape.dense }, () => numbers(() => random.nextGaussian())),
    ...Array.from({ length: shape.coded }, (_, c) => numbers((i) => Math.sin(few[i] * (c + 1)))),
    // One that a group tells.
    ...groups.slice(0, 1).map(({ codes }) => numbers((i) => Math.cos(codes[i]))),
  ];
  if (dense.length + groups.length === 0) dense.push(numbers(() => random.nextGaussian()));
  const target = soft
    ? Float64Array.from({ length: rows * classes }, () => random.nextFloat())
    : numbers(() => random.nextInteger(classes));
  for (let i = 0; soft && i < rows; i++) {
    const own = target.subarray(i * classes, (i + 1) * classes);
    const sum = own.reduce((all, share) => all + share, 0);
    for (let k = 0; k < classes; k++) own[k] /= sum;
  }
  const ofOne = shares.map((share) => share / total);
  const loss = (soft ? softMultinomialLoss : multinomialLoss)(target, ofOne, classes);
  const matrix = new DesignMatrix(DenseColumns.of(designs, rows, dense), groups);
  return {
    problem: { matrix, shares: ofOne, loss, l1: 0, l2: 0.01, signs: null },
    labels: { target, soft },
  };
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(actual[i] - expected[i])).toBeLessThan(1e-9 * (1 + Math.abs(expected[i])));
  }
}

describe("products by kernels", () => {
  it("are those of the matrix and the loss", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { problem, labels } = problemOf(shape);
        const { rows, columns } = problem.matrix;
        const random = new CounterRandom(deriveKey(shape.seed, "parameters"));
        // Margins of hundreds now and then: nothing may overflow.
        const size = shape.seed % 3 === 0 ? 300 : 1;
        const parameters = Float64Array.from(
          { length: shape.classes * (columns + 1) },
          () => size * random.nextGaussian(),
        );
        const heap = heapProducts(problem);
        const arena = Arena.create();
        const before = arena.liveBytes;
        withScratch(arena, (scratch) => {
          const products = multinomialProducts(scratch, problem, labels);
          const outcome = [heap, products].map((each) => {
            const [margins, slopes] = [each.room(), each.room()];
            const gradient = new Float64Array(parameters.length);
            each.toMargins(parameters, margins);
            const loss = each.evaluate(margins, slopes);
            expect(each.evaluate(margins, null)).toBe(loss);
            each.toGradient(slopes, gradient);
            const image = parameters.slice();
            each.applyInverse(image);
            return { loss, gradient, image, means: each.means };
          });
          const [slow, fast] = outcome;
          expectClose([fast.loss], [slow.loss]);
          expectClose(fast.gradient, slow.gradient);
          expectClose(fast.image, slow.image);
          expectClose(fast.means, slow.means);
        });
        expect(arena.liveBytes).toBe(before);
        const { coded, dense } = arrangeColumns(problem.matrix);
        const told = coded.flatMap(({ columns: each }) => each.map(({ column }) => column));
        expect([...told, ...dense].sort((a, b) => a - b)).toEqual(
          Array.from({ length: problem.matrix.denseColumns }, (_, column) => column),
        );
        if (shape.coded > 1 && rows > 24) expect(dense.length).toBe(shape.dense);
        for (const { ones, columns } of coded)
          expect(columns.length > 1 || ones !== null).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("lead to the same solution", () => {
    const { problem, labels } = problemOf({
      ...{ seed: 5, rows: 400, classes: 7, dense: 4, coded: 3, levels: [9], soft: false },
    });
    const options = { tolerance: 1e-16 };
    const slow = solveSmooth(problem, options);
    const fast = withScratch(Arena.create(), (scratch) =>
      solveSmooth(problem, {
        ...options,
        products: multinomialProducts(scratch, problem, labels),
      }),
    );
    expect(fast.converged).toBe(true);
    fast.coefficients.forEach((value, j) => {
      expect(Math.abs(value - slow.coefficients[j])).toBeLessThan(1e-6);
    });
  });

  it("lead to the same solution with a penalty of sizes", () => {
    const { problem, labels } = problemOf({
      ...{ seed: 8, rows: 300, classes: 5, dense: 4, coded: 3, levels: [9], soft: false },
    });
    const sparse = { ...problem, l1: 0.004 };
    const options = { tolerance: 1e-9, maxIterations: 2000 };
    const slow = solveAccelerated(sparse, options);
    const fast = withScratch(Arena.create(), (scratch) =>
      solveAccelerated(sparse, {
        ...options,
        products: multinomialProducts(scratch, sparse, labels),
      }),
    );
    expect(fast.converged).toBe(true);
    expect(fast.coefficients.filter((value) => value === 0).length).toBeGreaterThan(5);
    fast.coefficients.forEach((value, j) => {
      expect(Math.abs(value - slow.coefficients[j])).toBeLessThan(1e-6);
    });
  });

  it("take the diagonal where columns are too many to factor", () => {
    const { problem, labels } = problemOf({
      ...{ seed: 6, rows: 60, classes: 3, dense: 1, coded: 0, levels: [700], soft: false },
    });
    const vector = Float64Array.from({ length: 3 * (problem.matrix.columns + 1) }, (_, i) => i % 7);
    const slow = vector.slice();
    heapProducts(problem).applyInverse(slow);
    withScratch(Arena.create(), (scratch) =>
      multinomialProducts(scratch, problem, labels).applyInverse(vector),
    );
    expectClose(vector, slow);
  });
});
