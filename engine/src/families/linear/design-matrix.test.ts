import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { DenseColumns, DesignMatrix } from "./design-matrix.ts";
import { gramMatrix } from "./gram.ts";
import { logisticLoss } from "./solvers/losses.ts";

const near = (actual: number, expected: number, size: number): void =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * (1 + size));

describe("products with a design of either precision", () => {
  it("are sums over its cells, over one block of rows and more", () => {
    const shape = fc.record({
      seed: fc.nat(),
      rows: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1000, max: 2100 })),
      columns: fc.integer({ min: 0, max: 9 }),
      isSingle: fc.boolean(),
    });
    fc.assert(
      fc.property(shape, ({ seed, rows, columns, isSingle }) => {
        withScratch(Arena.create(), (scratch) => {
          const random = new CounterRandom(deriveKey(seed, "design"));
          const draw = (count: number) =>
            Float64Array.from({ length: count }, () => random.nextGaussian());
          const plain = Array.from({ length: columns }, () => {
            const cells = draw(rows);
            return isSingle ? Float64Array.from(Float32Array.from(cells)) : cells;
          });
          const dense = new DenseColumns(scratch, rows, columns, isSingle);
          for (const cells of plain) {
            const pointer = dense.next();
            const { arena } = scratch;
            const room = isSingle
              ? arena.f32(pointer, dense.filledRows)
              : arena.f64(pointer, dense.filledRows);
            room.set(cells);
            room.fill(0, rows);
          }
          const matrix = new DesignMatrix(dense, []);
          // Zeros are left out of products, wherever they are.
          const b = draw(columns).map((value) => (value > 0.5 ? 0 : value));
          const margins = new Float64Array(rows);
          matrix.multiply(b, 0.25, margins);
          for (let i = 0; i < rows; i++) {
            const sum = plain.reduce((all, cells, j) => all + cells[i] * b[j], 0.25);
            near(margins[i], sum, 10);
          }
          const slopes = draw(rows);
          const sums = new Float64Array(columns);
          matrix.transposeMultiply(slopes, sums);
          const shares = slopes.map(Math.abs);
          const squares = matrix.weighedSquares(shares);
          const gram = gramMatrix(matrix, shares);
          for (const [j, cells] of plain.entries()) {
            near(
              sums[j],
              cells.reduce((all, x, i) => all + x * slopes[i], 0),
              rows,
            );
            near(
              squares[j],
              cells.reduce((all, x, i) => all + x * x * shares[i], 0),
              rows,
            );
            for (const [k, others] of plain.entries()) {
              const sum = cells.reduce((all, x, i) => all + x * others[i] * shares[i], 0);
              near(gram[j * columns + k], sum, rows);
            }
          }
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe("moments of a column", () => {
  /** In one pass each, of what has a cell. */
  function reference(cells: Float64Array, column: Float64Array, shares: Float64Array) {
    const own = [...column.keys()].filter((i) => Number.isFinite(cells[i]));
    const weight = own.reduce((sum, i) => sum + shares[i], 0);
    const mean = own.reduce((sum, i) => sum + shares[i] * column[i], 0) / weight;
    const variance = own.reduce((sum, i) => sum + shares[i] * (column[i] - mean) ** 2, 0) / weight;
    return { mean, deviation: Math.sqrt(variance) };
  }

  function momentsOf(cells: number[], column: number[], shares: number[]) {
    return withScratch(Arena.create(), (scratch) => {
      const { arena } = scratch;
      const out = scratch.allocate(16);
      kernelsOf(arena).columnMoments(
        scratch.f64(cells),
        scratch.f64(column),
        scratch.f64(shares),
        cells.length,
        out,
      );
      const [mean, deviation] = arena.f64(out, 2);
      return { mean, deviation };
    });
  }

  it("are those of two plain passes", () => {
    const row = fc.record({
      cell: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
      ),
      value: fc.double({ min: -1e3, max: 1e3, noNaN: true }),
      share: fc.oneof(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.constant(0)),
    });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 2, maxLength: 60 }),
        fc.constantFrom(1, 1e-200, 1e200),
        (rows, scale) => {
          const even = rows.slice(0, rows.length & ~1);
          const counts = even.filter(({ cell, share }) => Number.isFinite(cell) && share > 0);
          const distinct = new Set(counts.map(({ value }) => value));
          const [cells, column, shares] = [
            even.map(({ cell }) => cell),
            even.map(({ cell, value }) => (Number.isFinite(cell) ? value : Number.NaN)),
            even.map(({ share }) => share),
          ];
          const found = momentsOf(
            cells,
            column.map((value) => value * scale),
            shares,
          );
          if (distinct.size < 2) {
            expect(found.deviation).toBe(0);
            return;
          }
          const { mean, deviation } = reference(
            Float64Array.from(cells),
            Float64Array.from(column),
            Float64Array.from(shares),
          );
          near(found.mean / scale, mean, 1e3);
          near(found.deviation / scale, deviation, 1e3);
        },
      ),
    );
  });

  it("keep the digits of what hardly varies around a large number", () => {
    const column = [1e9, 1e9 + 1e-3, 1e9 - 1e-3, 1e9 + 2e-3];
    const shares = [0.25, 0.25, 0.25, 0.25];
    const { deviation } = momentsOf([0, 0, 0, 0], column, shares);
    const away = column.map((value) => value - 1e9);
    const mean = away.reduce((sum, value) => sum + value, 0) / 4;
    const variance = away.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;
    expect(deviation / Math.sqrt(variance)).toBeCloseTo(1, 6);
  });

  it("say of what overflows, or lies in one place, that it does not vary", () => {
    expect(momentsOf([0, 0], [3, 3], [0.5, 0.5])).toEqual({ mean: 0, deviation: 0 });
    expect(momentsOf([0, 0], [3, Number.POSITIVE_INFINITY], [0.5, 0.5]).deviation).toBe(0);
    expect(momentsOf([0, Number.NaN], [3, Number.NaN], [0.5, 0.5]).deviation).toBe(0);
    expect(momentsOf([0, 0], [3, 4], [1, 0]).deviation).toBe(0);
  });
});

describe("the logistic loss of margins", () => {
  it("is that of each row, and so are its slopes", () => {
    const row = fc.record({
      margin: fc.oneof(
        fc.double({ min: -40, max: 40, noNaN: true }),
        fc.constantFrom(-1e4, -720, 0, 720, 1e4),
      ),
      target: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 50 }), (rows) => {
        withScratch(Arena.create(), (scratch) => {
          const of = (name: "margin" | "target" | "share") =>
            Float64Array.from(rows, (each) => each[name]);
          const loss = logisticLoss(of("target"), of("share"), scratch);
          const slopes = new Float64Array(rows.length);
          const found = loss.evaluate(of("margin"), slopes);
          let expected = 0;
          for (const [i, { margin, target, share }] of rows.entries()) {
            const e = Math.exp(-Math.abs(margin));
            expected += share * (Math.log1p(e) + Math.max(margin, 0) - target * margin);
            const probability = margin >= 0 ? 1 / (1 + e) : e / (1 + e);
            near(slopes[i], share * (probability - target), 0);
          }
          near(found, expected, Math.abs(expected));
          expect(loss.evaluate(of("margin"), null)).toBe(found);
        });
      }),
    );
  });
});
