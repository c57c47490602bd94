import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { estimatedMean } from "./estimated-mean.ts";

/** Autocovariances from many weights of past noise; the mean by the inverse of their matrix. */
function byCovariances(values: readonly number[], ar: readonly number[], ma: readonly number[]) {
  const n = values.length;
  const psi = [1];
  for (let k = 1; k < 2000; k++) {
    psi.push((ma[k - 1] ?? 0) + ar.reduce((sum, phi, j) => sum + phi * (psi[k - 1 - j] ?? 0), 0));
  }
  const gamma = values.map((_, lag) =>
    psi.reduce((sum, weight, k) => sum + weight * (psi[k + lag] ?? 0), 0),
  );
  const rows = values.map((value, i) => [
    ...values.map((_, j) => gamma[Math.abs(i - j)]),
    1,
    value,
  ]);
  for (let k = 0; k < n; k++) {
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      rows[i] = rows[i].map((cell, j) => cell - factor * rows[k][j]);
    }
  }
  // Of the factored matrix: sums of products of what the elimination left.
  const sum = (a: number, b: number): number =>
    rows.reduce((all, row, k) => all + (row[a] * row[b]) / row[k], 0);
  return sum(n, n + 1) / sum(n, n);
}

it.each([
  [[], []],
  [[0.7], []],
  [[], [0.5]],
  [[0.5, -0.3], [0.4]],
  [
    [0.2, 0, 0, 0.6],
    [-0.3, 0.2],
  ],
])("is that of generalised least squares: ar %j, ma %j", (ar, ma) => {
  const random = new CounterRandom(deriveKey(3, "mean"));
  for (const n of [1, 2, 5, 40]) {
    for (const level of [0, 10, 1e7]) {
      const values = Array.from({ length: n }, () => level + random.nextGaussian());
      const [phi, theta] = [Float64Array.from(ar), Float64Array.from(ma)];
      const mean = estimatedMean(Float64Array.from(values), phi, theta);
      expect(mean).toBeCloseTo(byCovariances(values, ar, ma), 5);
    }
  }
});

it("is null of a process that cannot be filtered", () => {
  expect(estimatedMean(Float64Array.of(1, 2, 3), Float64Array.of(1), Float64Array.of())).toBeNull();
});
