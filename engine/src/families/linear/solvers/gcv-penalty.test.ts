import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { gcvPenalty } from "./gcv-penalty.ts";

interface Rows {
  readonly x: readonly number[][];
  readonly y: readonly number[];
  /** Summing to 1. */
  readonly shares: readonly number[];
}

/** Columns of which some repeat others, beside a number that they say more or less of. */
function drawn(seed: number, rows: number, columns: number, noise: number): Rows {
  const random = new CounterRandom(deriveKey(seed, "gcv"));
  const x = Array.from({ length: rows }, () => {
    const row = Array.from({ length: columns }, () => random.nextGaussian());
    for (let j = 2; j < columns; j += 3) row[j] = row[j - 1] + 0.01 * row[j];
    return row;
  });
  const weights = x.map(() => 0.5 + random.nextFloat());
  const total = weights.reduce((sum, each) => sum + each, 0);
  return {
    x,
    y: x.map((row) => 3 + row[0] - 2 * (row[1] ?? 0) + noise * random.nextGaussian()),
    shares: weights.map((each) => each / total),
  };
}

function equationsOf({ x, y, shares }: Rows) {
  const mean = (of: (i: number) => number): number =>
    shares.reduce((sum, share, i) => sum + share * of(i), 0);
  const means = x[0].map((_, j) => mean((i) => x[i][j]));
  const centre = mean((i) => y[i]);
  const product = (a: (i: number) => number, b: (i: number) => number): number =>
    mean((i) => a(i) * b(i));
  const cell = (j: number) => (i: number) => x[i][j] - means[j];
  const target = (i: number): number => y[i] - centre;
  return {
    gram: Float64Array.from(
      means.flatMap((_, j) => means.map((_, k) => product(cell(j), cell(k)))),
    ),
    moment: Float64Array.from(means, (_, j) => product(cell(j), target)),
    variance: product(target, target),
    rows: 1 / shares.reduce((sum, share) => sum + share * share, 0),
  };
}

/** Of A x = b, by elimination with pivots. */
function solved(a: readonly number[][], b: readonly number[]): number[] {
  const rows = a.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < rows.length; k++) {
    const pivot = rows.slice(k).reduce((best, row, i) => {
      return Math.abs(row[k]) > Math.abs(rows[best][k]) ? k + i : best;
    }, k);
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < rows.length; i++) {
      if (i === k) continue;
      const factor = rows[i][k] / rows[k][k];
      rows[i] = rows[i].map((cell, j) => cell - factor * rows[k][j]);
    }
  }
  return rows.map((row, k) => row[rows.length] / row[k]);
}

/** By residuals row by row, and the trace of the matrix that makes predictions of targets, column by column. */
function slowScore({ x, y, shares }: Rows, penalty: number): number {
  const equations = equationsOf({ x, y, shares });
  const size = equations.moment.length;
  const a = Array.from({ length: size }, (_, i) =>
    Array.from(
      equations.gram.subarray(i * size, (i + 1) * size),
      (cell, j) => cell + (i === j ? penalty : 0),
    ),
  );
  const b = solved(a, [...equations.moment]);
  const mean = (of: (i: number) => number): number =>
    shares.reduce((sum, share, i) => sum + share * of(i), 0);
  const means = x[0].map((_, j) => mean((i) => x[i][j]));
  const centre = mean((i) => y[i]);
  const residuals = mean((i) => {
    const fitted = b.reduce((sum, each, j) => sum + each * (x[i][j] - means[j]), centre);
    return (y[i] - fitted) ** 2;
  });
  let freedom = 0;
  for (let j = 0; j < size; j++) {
    const column = Array.from({ length: size }, (_, i) => equations.gram[i * size + j]);
    freedom += solved(a, column)[j];
  }
  return residuals / (1 - (1.4 * (1 + freedom)) / equations.rows) ** 2;
}

describe("the penalty of least generalised cross-validation", () => {
  it("scores as near to the least as it says, and no larger one does", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 60 }),
        fc.constantFrom(0.1, 1, 5),
        (seed, columns, more, noise) => {
          const rows = drawn(seed, 3 * columns + 8 + more, columns, noise);
          const { penalty: found, unexplained } = gcvPenalty(equationsOf(rows));
          const scale = equationsOf(rows).gram.filter((_, at) => at % (columns + 1) === 0);
          const variance = scale.reduce((sum, each) => sum + each, 0) / columns;
          const penalties = Array.from({ length: 40 }, (_, k) => variance * 10 ** (2 - k / 4));
          const scores = penalties.map((penalty) => slowScore(rows, penalty));
          const least = Math.min(...scores);
          const score = slowScore(rows, found);
          expect(score).toBeLessThan(1.0021 * least);
          expect(unexplained).toBeCloseTo(score / equationsOf(rows).variance, 6);
          for (const [k, penalty] of penalties.entries()) {
            if (penalty > 1.01 * found) expect(scores[k]).toBeGreaterThan(1.0019 * least);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is next to nothing where columns say all, and large where they say nothing", () => {
    const exact = gcvPenalty(equationsOf(drawn(1, 60, 4, 0)));
    expect(exact.penalty).toBeLessThan(1e-6);
    expect(exact.unexplained).toBeLessThan(1e-6);
    const { x, shares } = drawn(2, 60, 4, 0);
    const random = new CounterRandom(deriveKey(3, "noise"));
    const noise = { x, shares, y: x.map(() => random.nextGaussian()) };
    const none = gcvPenalty(equationsOf(noise));
    expect(none.penalty).toBeGreaterThan(1);
    expect(none.unexplained).toBeGreaterThan(0.9);
  });

  it("is a number of constant columns, of a constant target and of none but one column", () => {
    const constant = {
      gram: new Float64Array(9),
      moment: new Float64Array(3),
      variance: 1,
      rows: 9,
    };
    for (const equations of [
      constant,
      { ...constant, gram: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), variance: 0 },
      { gram: Float64Array.of(2), moment: Float64Array.of(1), variance: 1, rows: 3 },
      { gram: Float64Array.of(2), moment: Float64Array.of(1), variance: 1, rows: 1 },
    ]) {
      const { penalty, unexplained } = gcvPenalty(equations);
      expect(penalty > 0 && Number.isFinite(penalty)).toBe(true);
      expect(unexplained >= 0 && Number.isFinite(unexplained)).toBe(true);
    }
  });
});
