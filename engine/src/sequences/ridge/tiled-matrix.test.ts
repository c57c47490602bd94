import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { FeatureScaler } from "./feature-scaler.ts";
import { ScaledRows } from "./scaled-rows.ts";
import { factorCholesky, gramOf, placeOf, type TiledMatrix, tiledMatrix } from "./tiled-matrix.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena.handle());
const random = new CounterRandom(deriveKey(3, "tiled matrices"));

/** Diagonally dominant, symmetric. */
function positiveMatrix(matrix: TiledMatrix): number[][] {
  const size = matrix.rows;
  const rows = Array.from({ length: size }, () => Array<number>(size).fill(0));
  for (let i = 0; i < size; i++) {
    for (let k = 0; k <= i; k++) {
      rows[i][k] = i === k ? size : random.nextGaussian();
      rows[k][i] = rows[i][k];
      matrix.values[placeOf(size, i, k)] = rows[i][k];
    }
  }
  return rows;
}

describe("tiled matrices", () => {
  // Within a panel of 128 columns, at its end, and across three with some beside each other.
  it.each([4, 8, 128, 132, 300])("factor and solve (%i rows)", (size) => {
    withScratch(arena, (scratch) => {
      const factor = tiledMatrix(scratch, size, size);
      const matrix = positiveMatrix(factor);
      expect(factorCholesky(kernels, factor)).toBe(true);
      const at = (i: number, k: number) => factor.values[placeOf(size, i, k)];
      for (const [i, k] of [
        [0, 0],
        [size - 1, 0],
        [size - 1, size - 1],
        [size >> 1, size >> 2],
      ]) {
        let sum = 0;
        for (let j = 0; j <= Math.min(i, k); j++) sum += at(i, j) * at(k, j);
        expect(sum).toBeCloseTo(matrix[i][k], 9);
      }
      const right = tiledMatrix(scratch, 4, size);
      const known = Float64Array.from({ length: size }, () => random.nextGaussian());
      for (let i = 0; i < size; i++) right.values[placeOf(size, 2, i)] = known[i];
      kernels.solveRows(right.pointer, 1, factor.pointer, size, -1);
      kernels.solveRowsBack(right.pointer, 1, factor.pointer, size);
      for (let i = 0; i < size; i++) {
        let sum = 0;
        for (let k = 0; k < size; k++) sum += matrix[i][k] * right.values[placeOf(size, 2, k)];
        expect(sum).toBeCloseTo(known[i], 9);
      }
    });
  });

  it("give the diagonal of an inverse from any rows of the identity", () => {
    withScratch(arena, (scratch) => {
      const size = 264;
      const factor = tiledMatrix(scratch, size, size);
      positiveMatrix(factor);
      factorCholesky(kernels, factor);
      const whole = tiledMatrix(scratch, 4, size);
      const squares = scratch.allocate(8 * 64);
      for (const start of [0, 64, 200]) {
        const some = tiledMatrix(scratch, 64, size);
        for (let i = 0; i < 64; i++) some.values[placeOf(size, i, start + i)] = 1;
        kernels.solveRows(some.pointer, 16, factor.pointer, size, start);
        kernels.rowSquares(some.pointer, 16, size, squares);
        for (const i of [0, 3, 17, 63]) {
          whole.values.fill(0);
          whole.values[placeOf(size, 0, start + i)] = 1;
          kernels.solveRows(whole.pointer, 1, factor.pointer, size, -1);
          kernels.solveRowsBack(whole.pointer, 1, factor.pointer, size);
          const expected = whole.values[placeOf(size, 0, start + i)];
          expect(arena.f64(squares, 64)[i]).toBeCloseTo(expected, 12);
        }
      }
    });
  });

  it("say where a matrix is not positive definite", () => {
    withScratch(arena, (scratch) => {
      const matrix = tiledMatrix(scratch, 8, 8);
      for (let i = 0; i < 8; i++) matrix.values[placeOf(8, i, i)] = i === 6 ? -1 : 1;
      expect(factorCholesky(kernels, matrix)).toBe(false);
      matrix.values[placeOf(8, 0, 0)] = Number.NaN;
      expect(factorCholesky(kernels, matrix)).toBe(false);
    });
  });

  it.each(["rows", "columns"] as const)("hold products of all %s", (by) => {
    withScratch(arena, (scratch) => {
      const [count, columns] = by === "rows" ? [270, 300] : [300, 270];
      const values = Float32Array.from({ length: count * columns }, () => random.nextGaussian());
      const matrix = { rows: count, columns, values };
      const rows = Uint32Array.from({ length: count }, (_, i) => i);
      const scaler = FeatureScaler.fit("standard", matrix, rows);
      const data = new ScaledRows([{ matrix, scaler }], rows, null);
      const gram = gramOf(scratch, data, by);
      const lines = Array.from(rows, (_, i) => {
        const line = new Float64Array(columns);
        data.read(i, line);
        return line;
      });
      for (const [i, k] of [
        [0, 0],
        [269, 0],
        [269, 269],
        [263, 255],
        [130, 70],
        [9, 2],
      ]) {
        let sum = 0;
        if (by === "rows") for (let c = 0; c < columns; c++) sum += lines[i][c] * lines[k][c];
        else for (const line of lines) sum += line[i] * line[k];
        expect(gram.values[placeOf(gram.columns, i, k)]).toBeCloseTo(sum, 3);
      }
    });
  });
});
