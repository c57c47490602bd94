import fc from "fast-check";
import { expect, it } from "vitest";
import { countedValues } from "./counted-values.ts";

/** What is counted, the slow way; 0 and -0 are one value. */
function reference(values: readonly number[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const value of values) {
    if (!Number.isNaN(value)) counts.set(value + 0, (counts.get(value + 0) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

function counted(values: Float64Array, sample: Uint32Array | null): [number, number][] {
  const { distinct, counts, size } = countedValues(values, sample);
  return Array.from({ length: size }, (_, i) => [distinct[i] + 0, counts[i]]);
}

/** Columns are of one kind, and now and then one cell is of another. */
const KINDS = {
  few: fc.constantFrom(0, 1, -0, 2.5),
  integers: fc.integer({ min: -500, max: 500 }),
  "wide integers": fc.integer(),
  decimals: fc.integer({ min: -200_000, max: 200_000 }).map((value) => value / 100),
  "many decimals": fc.integer({ min: -9_000_000, max: 9_000_000 }).map((value) => value / 100_000),
  singles: fc.float({ noNaN: true }),
  doubles: fc.double({ noNaN: true }),
  "large integers": fc.integer({ min: 0, max: 2000 }).map((value) => 2 ** 53 + 2 * value),
  huge: fc.integer({ min: 0, max: 9 }).map((value) => value * 1e300),
} as const;
const odd = fc.constantFrom(
  ...[Number.NaN, -0, 0, 0.1, 1 / 3, 2 ** 32, -(2 ** 31), 1e15 + 0.5, 1e308, 5e-324],
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
);

it.each(Object.entries(KINDS))("counts %s as a map does", (_, kind) => {
  fc.assert(
    fc.property(
      fc.array(kind, { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(5000), odd), { maxLength: 3 }),
      // Beside the sizes from which on numbers are sorted by their bits.
      fc.constantFrom(1, 40, 2047, 2048, 4500),
      fc.boolean(),
      (cells, oddCells, rows, isSampled) => {
        const values = Float64Array.from(
          { length: rows },
          (__, i) => cells[(i * 7) % cells.length],
        );
        for (const [at, value] of oddCells) if (at < rows) values[at] = value;
        const sample = isSampled
          ? Uint32Array.from({ length: Math.ceil(rows / 3) }, (__, i) => 3 * i)
          : null;
        const looked = sample === null ? [...values] : Array.from(sample, (row) => values[row]);
        expect(counted(values, sample)).toEqual(reference(looked));
      },
    ),
    { numRuns: 60 },
  );
});

it("counts a column of as many values as rows, whose cells are all of one kind", () => {
  const rows = 10_000;
  for (const step of [1, 0.01, 400_000, Math.fround(0.1), 1 / 3]) {
    const values = Float64Array.from({ length: rows }, (_, i) => ((i * 7919) % rows) * step - 50);
    expect(counted(values, null)).toEqual(reference([...values]));
  }
});

it("has nothing to count where all is missing", () => {
  expect(counted(new Float64Array(3000).fill(Number.NaN), null)).toEqual([]);
  expect(counted(new Float64Array(0), null)).toEqual([]);
});
