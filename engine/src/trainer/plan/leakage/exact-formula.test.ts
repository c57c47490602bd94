import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import type { Column } from "../../../data/table.ts";
import { FormulaSearch } from "./exact-formula.ts";

const numeric = (name: string, values: Float64Array): Column => ({ kind: "numeric", name, values });

function drawn(
  seed: number,
  rows: number,
  columns: number,
  make: (random: CounterRandom) => number,
) {
  const random = new CounterRandom(deriveKey(seed, "formula"));
  return Array.from({ length: columns }, () =>
    Float64Array.from({ length: rows }, () => make(random)),
  );
}

const skewed = (random: CounterRandom): number => Math.exp(2 * random.nextGaussian());
/** As amounts in a file: of two decimals. */
const amount = (random: CounterRandom): number => Math.round(100 * skewed(random)) / 100;

function search(columns: readonly Float64Array[], target: Float64Array) {
  const found = new FormulaSearch(null, target, null);
  for (const [j, values] of columns.entries()) found.add(numeric(`x${j}`, values));
  return found.found();
}

describe("a label that is computed from columns", () => {
  it("is found as the sum that it is, among columns that have no part in it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 2, max: 5 }),
        fc.integer({ min: 0, max: 6 }),
        fc.constantFrom(0, 12.5, -300),
        (seed, parts, others, constant) => {
          const columns = drawn(seed, 300, parts + others, amount);
          const coefficients = Array.from({ length: parts }, (_, j) => [1, -1, 0.5, 2, 1][j]);
          const target = columns[0].map((_, i) =>
            coefficients.reduce((sum, b, j) => sum + b * columns[j][i], constant),
          );
          const found = search(columns, target);
          expect(found).toMatchObject({ kind: "sum", rows: 300, fillsGaps: false });
          expect(found?.terms).toEqual(
            coefficients.map((coefficient, j) => ({ column: `x${j}`, coefficient })),
          );
          expect(found?.constant).toBeCloseTo(constant, 6);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("is found as a product of powers, where all are above 0", () => {
    const columns = drawn(3, 200, 4, skewed);
    const target = columns[0].map((a, i) => (0.25 * a * columns[1][i]) / columns[2][i] ** 2);
    expect(search(columns, target)).toEqual({
      kind: "product",
      terms: [
        { column: "x0", coefficient: 1 },
        { column: "x1", coefficient: 1 },
        { column: "x2", coefficient: -2 },
      ],
      constant: 0.25,
      rows: 200,
      fillsGaps: false,
    });
  });

  it("counts empty cells as 0, and says so", () => {
    const [a, b] = drawn(4, 120, 2, amount);
    const gaps = b.map((value, i) => (i % 4 === 0 ? Number.NaN : value));
    const target = a.map((value, i) => value + (i % 4 === 0 ? 0 : b[i]));
    expect(search([a, gaps], target)).toMatchObject({ kind: "sum", fillsGaps: true });
  });

  it("is none with noise in its last digits, of one column, of few rows or values, or of columns that are alike", () => {
    const [a, b, noise] = drawn(5, 200, 3, amount);
    const sum = a.map((value, i) => value + b[i]);
    expect(search([a, b], sum)).not.toBeNull();
    expect(
      search(
        [a, b],
        sum.map((value, i) => value + 1e-5 * noise[i]),
      ),
    ).toBeNull();
    expect(search([a, noise], b)).toBeNull();
    expect(
      search(
        [a, b],
        a.map((value) => 2 * value + 1),
      ),
    ).toBeNull();
    const few = (values: Float64Array) => values.subarray(0, 29);
    expect(search([few(a), few(b)], few(sum))).toBeNull();
    const signs = (values: Float64Array) => values.map((value) => (value > 1 ? 1 : 0));
    const [s, t] = [signs(a), signs(b)];
    expect(
      search(
        [s, t],
        s.map((value, i) => value + t[i]),
      ),
    ).toBeNull();
    expect(search([a, a.slice(), a.map((value) => value * 3)], sum)).toBeNull();
    expect(search([], sum)).toBeNull();
    expect(search([a.map(() => 1), b.map(() => Number.POSITIVE_INFINITY)], sum)).toBeNull();
  });

  it("is looked for in rows that count alone", () => {
    const [a, b] = drawn(6, 400, 2, amount);
    const target = a.map((value, i) => (i % 2 === 0 ? value + b[i] : 7));
    const weights = a.map((_, i) => (i % 2 === 0 ? 1 : 0));
    const found = new FormulaSearch(null, target, weights);
    found.add(numeric("a", a));
    found.add(numeric("b", b));
    expect(found.found()).toMatchObject({ kind: "sum", rows: 200 });
    const rows = Uint32Array.from({ length: 200 }, (_, i) => 2 * i);
    const ofRows = new FormulaSearch(
      rows,
      Float64Array.from(rows, (row) => target[row]),
      null,
    );
    ofRows.add(numeric("a", a));
    ofRows.add(numeric("b", b));
    expect(ofRows.found()).toMatchObject({ kind: "sum", rows: 200 });
  });
});
