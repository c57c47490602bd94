import { describe, expect, it } from "vitest";
import { factorCholesky, solveCholesky, solveCholeskyRows } from "./cholesky.ts";
import { CounterRandom, deriveKey } from "./random.ts";

const random = new CounterRandom(deriveKey(0, "cholesky"));
const drawn = (count: number): Float64Array =>
  Float64Array.from({ length: count }, () => random.nextGaussian());

/** Positive definite: products of random rows. */
function system(size: number): Float64Array {
  const rows = Array.from({ length: size }, () => drawn(size + 3));
  return Float64Array.from({ length: size * size }, (_, at) =>
    rows[Math.floor(at / size)].reduce((sum, x, k) => sum + x * rows[at % size][k], 0),
  );
}

describe.each([1, 2, 3, 4, 5, 7, 8, 11, 40])("systems of %i", (size) => {
  const a = system(size);
  const factor = a.slice();

  it("are the product of their factor with itself", () => {
    expect(factorCholesky(factor, size)).toBe(true);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k <= j; k++) sum += factor[i * size + k] * factor[j * size + k];
        expect(sum).toBeCloseTo(a[i * size + j], 9);
      }
    }
  });

  it.each([1, 4, 6])("are solved for %i right sides as for each alone", (count) => {
    const rows = drawn(count * size);
    const alone = rows.slice();
    for (let row = 0; row < count; row++) {
      solveCholesky(factor, size, alone.subarray(row * size, (row + 1) * size));
    }
    solveCholeskyRows(factor, size, rows);
    expect(rows).toEqual(alone);
  });

  it("are refused where they are not positive definite, in whichever row", () => {
    for (let row = 0; row < size; row++) {
      const spoilt = a.slice();
      spoilt[row * size + row] = -1;
      expect(factorCholesky(spoilt, size)).toBe(false);
    }
  });
});
