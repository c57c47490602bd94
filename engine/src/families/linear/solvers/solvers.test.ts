import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Arena } from "../../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { Scratch } from "../../../compute/scratch.ts";
import { type CodedGroup, DenseColumns, DesignMatrix } from "../design-matrix.ts";
import { gramMatrix } from "../gram.ts";
import { solveAccelerated } from "./accelerated-proximal.ts";
import { solveSmooth } from "./lbfgs.ts";
import { solveLeastSquares } from "./least-squares.ts";
import { logisticLoss, type MarginLoss, multinomialLoss, squaredLoss } from "./losses.ts";
import { type Problem, type Solution, violation } from "./problem.ts";
import { solveProximal } from "./proximal-newton.ts";
import { sampledGram } from "./sampled-gram.ts";

const caseSchema = z.object({
  name: z.string(),
  rows: z.int(),
  x: z.array(z.number()),
  y: z.array(z.number()),
  weights: z.array(z.number()).nullable(),
  l1: z.number(),
  l2: z.number(),
  coefficients: z.array(z.array(z.number())),
  intercepts: z.array(z.number()),
});
type Case = z.infer<typeof caseSchema>;
const figures = z
  .object({
    regression: z.array(caseSchema),
    binclass: z.array(caseSchema),
    multiclass: z.array(caseSchema),
  })
  .parse(
    JSON.parse(readFileSync(new URL("../fixtures/sklearn_figures.json", import.meta.url), "utf8")),
  );

const scratch = new Scratch(Arena.create());
afterEach(() => scratch.release());

function designOf(
  rows: number,
  dense: readonly Float64Array[],
  groups: readonly CodedGroup[],
): DesignMatrix {
  return new DesignMatrix(DenseColumns.of(scratch, rows, dense), groups);
}

const logistic = (target: Float64Array, shares: Float64Array): MarginLoss =>
  logisticLoss(target, shares, scratch);

function toShares(weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Float64Array.from(weights, (weight) => weight / total);
}

function toProblem(given: Case, lossOf: (y: Float64Array, u: Float64Array) => MarginLoss): Problem {
  const columns = given.x.length / given.rows;
  const dense = Array.from({ length: columns }, (_, j) =>
    Float64Array.from({ length: given.rows }, (_, i) => given.x[i * columns + j]),
  );
  const shares = toShares(given.weights ?? new Array<number>(given.rows).fill(1));
  return {
    matrix: designOf(given.rows, dense, []),
    shares,
    loss: lossOf(Float64Array.from(given.y), shares),
    l1: given.l1,
    l2: given.l2,
    signs: null,
  };
}

function objective(problem: Problem, solution: Pick<Solution, "coefficients" | "intercepts">) {
  const { matrix, loss, l1, l2 } = problem;
  const margins = new Float64Array(matrix.rows * loss.outputs);
  for (let k = 0; k < loss.outputs; k++) {
    matrix.multiply(
      solution.coefficients.subarray(k * matrix.columns, (k + 1) * matrix.columns),
      solution.intercepts[k],
      margins.subarray(k * matrix.rows, (k + 1) * matrix.rows),
    );
  }
  let penalty = 0;
  for (const b of solution.coefficients) penalty += (l2 / 2) * b * b + l1 * Math.abs(b);
  return loss.evaluate(margins, null) + penalty;
}

function expectSame(problem: Problem, given: Case, solution: Solution): void {
  const expected = Float64Array.from(given.coefficients.flat());
  expect(solution.converged).toBe(true);
  for (let j = 0; j < expected.length; j++) {
    expect(Math.abs(solution.coefficients[j] - expected[j])).toBeLessThan(1e-5);
  }
  // Softmax margins are defined up to a constant; compare them centred.
  const centre = (values: readonly number[]): number[] => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => (values.length > 1 ? value - mean : value));
  };
  const intercepts = centre([...solution.intercepts]);
  centre(given.intercepts).forEach((intercept, k) => {
    expect(Math.abs(intercepts[k] - intercept)).toBeLessThan(1e-5);
  });
  const theirs = objective(problem, {
    coefficients: expected,
    intercepts: Float64Array.from(given.intercepts),
  });
  expect(objective(problem, solution)).toBeLessThanOrEqual(theirs + 1e-12);
}

describe("optima of scikit-learn", () => {
  it.each(figures.regression)("regression: $name", (given) => {
    const problem = toProblem(given, squaredLoss);
    expectSame(problem, given, solveLeastSquares(problem, Float64Array.from(given.y)));
    if (given.l1 === 0) expectSame(problem, given, solveSmooth(problem, { tolerance: 1e-18 }));
    if (!given.name.includes("collinear")) {
      expectSame(problem, given, solveProximal(problem, { tolerance: 1e-9, maxIterations: 500 }));
    }
  });

  it.each(figures.binclass)("binclass: $name", (given) => {
    const problem = toProblem(given, logistic);
    if (given.l1 === 0) expectSame(problem, given, solveSmooth(problem));
    if (!given.name.includes("collinear")) expectSame(problem, given, solveProximal(problem));
    expectSame(problem, given, solveAccelerated(problem, { tolerance: 1e-9, maxIterations: 2000 }));
  });

  it.each(figures.multiclass)("multiclass: $name", (given) => {
    const classes = given.intercepts.length;
    const problem = toProblem(given, (y, u) => multinomialLoss(y, u, classes));
    if (given.l1 === 0) expectSame(problem, given, solveSmooth(problem));
    expectSame(problem, given, solveProximal(problem));
    expectSame(problem, given, solveAccelerated(problem, { tolerance: 1e-9, maxIterations: 2000 }));
  });
});

/** A random design with dense columns and groups, and the same as plain columns. */
function randomDesign(
  random: CounterRandom,
  fewestRows = 1,
  mostRows = 600,
): { matrix: DesignMatrix; plain: Float64Array[] } {
  const rows = fewestRows + random.nextInteger(mostRows - fewestRows);
  const dense = Array.from({ length: random.nextInteger(9) }, () =>
    Float64Array.from({ length: rows }, () => random.nextGaussian()),
  );
  const groups = Array.from({ length: random.nextInteger(4) }, () => {
    const levels = 1 + random.nextInteger(5);
    return {
      levels,
      codes: Int32Array.from({ length: rows }, () => random.nextInteger(levels + 1) - 1),
    };
  });
  const plain = [
    ...dense,
    ...groups.flatMap(({ levels, codes }) =>
      Array.from({ length: levels }, (_, level) =>
        Float64Array.from(codes, (code) => (code === level ? 1 : 0)),
      ),
    ),
  ];
  return { matrix: designOf(rows, dense, groups), plain };
}

describe("design matrix", () => {
  it("multiplies as plain columns do", () => {
    for (let round = 0; round < 60; round++) {
      const random = new CounterRandom(deriveKey(round, "design"));
      const { matrix, plain } = randomDesign(random);
      expect(matrix.columns).toBe(plain.length);
      const weights = Float64Array.from({ length: matrix.rows }, () => random.nextFloat());
      const gram = gramMatrix(matrix, weights);
      const moments = new Float64Array(plain.length);
      matrix.transposeMultiply(weights, moments);
      const b = Float64Array.from(plain, () => random.nextGaussian());
      const margins = new Float64Array(matrix.rows);
      matrix.multiply(b, 0.5, margins);
      plain.forEach((x, i) => {
        plain.forEach((y, j) => {
          const sum = x.reduce((total, value, r) => total + value * y[r] * weights[r], 0);
          expect(gram[i * plain.length + j]).toBeCloseTo(sum, 9);
        });
        expect(moments[i]).toBeCloseTo(
          x.reduce((total, value, r) => total + value * weights[r], 0),
          9,
        );
      });
      margins.forEach((margin, r) => {
        expect(margin).toBeCloseTo(
          plain.reduce((total, x, j) => total + x[r] * b[j], 0.5),
          9,
        );
      });
    }
  });
});

/** Proximal gradient descent with a small fixed step: slow, and obviously right. */
function reference(problem: Problem, plain: readonly Float64Array[], steps: number) {
  const { loss, l1, l2, signs, matrix } = problem;
  const { rows, columns } = matrix;
  const b = new Float64Array(loss.outputs * columns);
  const a = loss.constant.slice();
  const margins = new Float64Array(rows * loss.outputs);
  const slopes = new Float64Array(rows * loss.outputs);
  let norm = 1;
  for (let i = 0; i < rows; i++) {
    let square = 1;
    for (const x of plain) square += x[i] * x[i];
    norm = Math.max(norm, square);
  }
  const step = 1 / (norm + l2);
  for (let s = 0; s < steps; s++) {
    for (let k = 0; k < loss.outputs; k++) {
      for (let i = 0; i < rows; i++) {
        let margin = a[k];
        for (let j = 0; j < columns; j++) margin += plain[j][i] * b[k * columns + j];
        margins[k * rows + i] = margin;
      }
    }
    loss.evaluate(margins, slopes);
    for (let k = 0; k < loss.outputs; k++) {
      for (let i = 0; i < rows; i++) a[k] -= step * slopes[k * rows + i];
      for (let j = 0; j < columns; j++) {
        const at = k * columns + j;
        let slope = l2 * b[at];
        for (let i = 0; i < rows; i++) slope += plain[j][i] * slopes[k * rows + i];
        const moved = b[at] - step * slope;
        const shrunk = Math.sign(moved) * Math.max(0, Math.abs(moved) - step * l1);
        const sign = signs?.[j] ?? 0;
        b[at] = shrunk * sign < 0 ? 0 : shrunk;
      }
    }
  }
  return { coefficients: b, intercepts: a };
}

describe("solvers against proximal gradient descent", () => {
  it.each(["squared", "logistic", "multinomial"])("%s", (kind) => {
    for (let round = 0; round < 18; round++) {
      const random = new CounterRandom(deriveKey(round, "solver", kind));
      const { matrix, plain } = randomDesign(random, 20, 120);
      const shares = toShares(Array.from({ length: matrix.rows }, () => 0.1 + random.nextFloat()));
      const classes = kind === "multinomial" ? 3 : 2;
      const target = Float64Array.from({ length: matrix.rows }, (_, i) =>
        kind === "squared"
          ? random.nextGaussian() + (plain[0]?.[i] ?? 0)
          : random.nextInteger(classes),
      );
      const loss =
        kind === "squared"
          ? squaredLoss(target, shares)
          : kind === "logistic"
            ? logistic(target, shares)
            : multinomialLoss(target, shares, classes);
      const l1 = round % 3 === 0 ? 0 : 0.01 + 0.05 * random.nextFloat();
      const signed = round % 3 === 1;
      const signs = signed
        ? Int8Array.from(plain, (_, j) => (j < matrix.denseColumns ? random.nextInteger(3) - 1 : 0))
        : null;
      const problem: Problem = { matrix, shares, loss, l1, l2: 0.05, signs };
      const slow = objective(problem, reference(problem, plain, 3000));
      const found = [
        solveProximal(problem),
        solveAccelerated(problem, { tolerance: 1e-9, maxIterations: 2000 }),
      ];
      if (kind === "squared") found.push(solveLeastSquares(problem, target));
      if (l1 === 0 && !signs) found.push(solveSmooth(problem));
      for (const solution of found) {
        expect(solution.converged).toBe(true);
        expect(objective(problem, solution)).toBeLessThanOrEqual(slow + 1e-9);
        expect(objective(problem, solution)).toBeGreaterThan(slow - 1e-3);
        solution.coefficients.forEach((b, at) => {
          expect(b * (signs?.[at % matrix.columns] ?? 0)).toBeGreaterThanOrEqual(0);
        });
      }
    }
  });
});

describe("hard problems", () => {
  it("ends on classes that a line separates, under a tiny penalty", () => {
    const x = Float64Array.from({ length: 200 }, (_, i) => (i - 99.5) / 58);
    const y = x.map((value) => (value > 0 ? 1 : 0));
    const shares = toShares(new Array<number>(200).fill(1));
    const matrix = designOf(200, [x], []);
    const problem = { matrix, shares, loss: logistic(y, shares), l1: 0, l2: 1e-8, signs: null };
    const smooth = solveSmooth(problem);
    expect(smooth.converged).toBe(true);
    // By symmetry the intercept is 0, so a fine grid over the slope holds the optimum.
    let best = Number.POSITIVE_INFINITY;
    for (let b = 1; b < 3000; b += 0.5) {
      const at = { coefficients: Float64Array.of(b), intercepts: Float64Array.of(0) };
      best = Math.min(best, objective(problem, at));
    }
    expect(objective(problem, smooth)).toBeLessThanOrEqual(best);
    const sparse = solveProximal({ ...problem, l1: 1e-6 });
    expect(sparse.coefficients[0]).toBeGreaterThan(10);
  });

  it("does not stop where every slope is small: many rare levels, a faint signal", () => {
    const random = new CounterRandom(deriveKey(3, "faint"));
    const rows = 4000;
    const codes = Int32Array.from({ length: rows }, () =>
      Math.floor(200 * random.nextFloat() * random.nextFloat()),
    );
    const x = Float64Array.from({ length: rows }, () => random.nextGaussian());
    const effects = Float64Array.from({ length: 200 }, () => random.nextGaussian());
    const y = x.map((value, i) =>
      random.nextFloat() < 1 / (1 + Math.exp(3 - effects[codes[i]] - 0.1 * value)) ? 1 : 0,
    );
    const shares = toShares(new Array<number>(rows).fill(1));
    const matrix = designOf(rows, [x], [{ codes, levels: 200 }]);
    const problem = { matrix, shares, loss: logistic(y, shares), l1: 0, l2: 1e-4, signs: null };
    const exact = objective(problem, solveSmooth(problem));
    expect(objective(problem, solveAccelerated(problem))).toBeLessThan(exact + 1e-7);
    for (const l1 of [1e-5, 1e-4]) {
      const sparse = { ...problem, l1 };
      const slow = solveProximal(sparse, { tolerance: 1e-9, maxIterations: 500 });
      const found = objective(sparse, solveAccelerated(sparse));
      expect(found).toBeLessThan(objective(sparse, slow) + 1e-7);
    }
  });

  it("gives every column its curvature, however rare in the rows that are sampled", () => {
    const rows = 30_000;
    const random = new CounterRandom(deriveKey(4, "rare"));
    const x = Float64Array.from({ length: rows }, () => random.nextFloat());
    const dense = Array.from({ length: 120 }, () => x);
    // The second level is only in rows that an even stride leaves out.
    const codes = Int32Array.from({ length: rows }, (_, i) => (i === 7 || i === 901 ? 1 : 0));
    const matrix = designOf(rows, dense, [{ codes, levels: 2 }]);
    const shares = new Float64Array(rows).fill(1 / rows);
    const means = new Float64Array(matrix.columns);
    matrix.transposeMultiply(shares, means);
    const gram = sampledGram(matrix, shares, means);
    const rare = 2 / rows;
    const last = matrix.columns - 1;
    expect(gram[last * matrix.columns + last - 1]).toBeCloseTo(0, 12);
    expect(gram[last * (matrix.columns + 1)]).toBeCloseTo(rare - rare * rare, 12);
    expect(gram[0]).toBeGreaterThan(0.08);
  });

  it("gives equal columns equal weight, and solves where nothing is penalised", () => {
    const random = new CounterRandom(deriveKey(1, "equal"));
    const x = Float64Array.from({ length: 100 }, () => random.nextGaussian());
    const y = x.map((value) => 2 * value + 1);
    const shares = toShares(new Array<number>(100).fill(1));
    const matrix = designOf(100, [x, x.slice()], []);
    for (const l2 of [1e-10, 0]) {
      const problem = { matrix, shares, loss: squaredLoss(y, shares), l1: 0, l2, signs: null };
      const { coefficients, intercepts } = solveLeastSquares(problem, y);
      expect(coefficients[0]).toBeCloseTo(1, 5);
      expect(coefficients[1]).toBeCloseTo(1, 5);
      expect(intercepts[0]).toBeCloseTo(1, 5);
    }
  });

  it("reaches the lasso's optimality conditions on nearly collinear columns", () => {
    const random = new CounterRandom(deriveKey(2, "collinear"));
    const base = Float64Array.from({ length: 300 }, () => random.nextGaussian());
    const dense = Array.from({ length: 20 }, () =>
      base.map((value) => value + 1e-3 * random.nextGaussian()),
    );
    const y = base.map((value) => value + 0.1 * random.nextGaussian());
    const shares = toShares(new Array<number>(300).fill(1));
    const matrix = designOf(300, dense, []);
    const loss = squaredLoss(y, shares);
    const problem = { matrix, shares, loss, l1: 1e-4, l2: 1e-6, signs: null };
    const solution = solveLeastSquares(problem, y);
    const margins = new Float64Array(300);
    matrix.multiply(solution.coefficients, solution.intercepts[0], margins);
    const slopes = new Float64Array(300);
    loss.evaluate(margins, slopes);
    const gradient = new Float64Array(20);
    matrix.transposeMultiply(slopes, gradient);
    gradient.forEach((slope, j) => {
      const b = solution.coefficients[j];
      expect(violation(slope + 1e-6 * b, b, 1e-4, 0)).toBeLessThan(1e-8);
    });
  });
});
