/** What the kernels bin, beside the obvious way: all values sorted, and each compared with the edges. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { assignBins } from "./assign-bins.ts";
import { ColumnBinner } from "./column-binner.ts";
import { fitNumericBins } from "./fit-binning.ts";

/** By a uniform and a normal number. */
const KINDS: Readonly<Record<string, (uniform: number, normal: number) => number>> = {
  normal: (_, z) => z,
  singles: (_, z) => Math.fround(z),
  lognormal: (_, z) => Math.exp(2 * z),
  cauchy: (u) => Math.tan(Math.PI * (u - 0.5)),
  "a few values": (u) => Math.floor(7 * u) / 3,
  "as many values as bins": (u) => Math.floor(256 * u),
  "some more": (u) => Math.floor(700 * u),
  "many integers": (_, z) => Math.round(1e6 * z),
  "mostly one value": (u, z) => (u < 0.7 ? 0 : z),
  "several heavy values": (u, z) => (u < 0.6 ? Math.round(z) : z),
  "mostly missing": (u, z) => (u < 0.9 ? Number.NaN : z),
  "all missing": () => Number.NaN,
  constant: () => -3.25,
  "next to each other": (u) => 1 + Math.floor(3000 * u) * 2 ** -52,
  denormal: (u) => Math.floor(3000 * u) * 5e-324,
  "of all magnitudes": (u, z) => z * 10 ** Math.floor(400 * u - 200),
  "clusters far apart": (u, z) => Math.floor(3 * u) * 1e9 + z * 1e-6,
  huge: (u) => 2 * (u - 0.5) * 1.7e308,
};
const odd = fc.constantFrom(
  ...[Number.NaN, -0, 0, 0.1, 2 ** 53, 1e200, -1e200, 1.7e308, -1.7e308, 5e-324],
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
);

const arena = Arena.create();

function binned(values: Float64Array, edges: Float64Array, binner: ColumnBinner): Uint8Array {
  const out = arena.allocate(values.length + 1);
  arena.u8(out, values.length + 1).fill(99);
  binner.assign(values, { kind: "numeric", valueBins: edges.length + 1, edges }, out);
  const found = arena.u8(out, values.length + 1).slice();
  arena.free(out, values.length + 1);
  expect(found[values.length]).toBe(99);
  return found.subarray(0, values.length);
}

function expected(values: Float64Array, edges: Float64Array): Uint8Array {
  const out = new Uint8Array(values.length);
  assignBins(values, { kind: "numeric", valueBins: edges.length + 1, edges }, 0, out);
  return out;
}

describe.each(Object.entries(KINDS))("columns of %s", (_, kind) => {
  it("have the edges and bins of sorted ones", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(2047, 2048, 4999, 20_001),
        fc.array(fc.tuple(fc.nat(20_000), odd), { maxLength: 3 }),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(2, 20, 255),
        fc.integer({ min: 1, max: 40 }),
        (seed, rows, oddCells, isSampled, isInArena, maxBins, minDataInBin) => {
          const random = new CounterRandom(deriveKey(seed, "column"));
          const column = Float64Array.from({ length: rows }, () =>
            kind(random.nextFloat(), random.nextGaussian()),
          );
          for (const [at, value] of oddCells) if (at < rows) column[at] = value;
          const sample = isSampled
            ? Uint32Array.from({ length: Math.ceil(rows / 2) }, (__, i) => 2 * i)
            : null;
          const place = arena.allocate(8 * rows);
          const inside = arena.f64(place, rows);
          inside.set(column);
          const values = isInArena ? inside : column;
          const binner = new ColumnBinner(arena, sample?.length ?? rows);
          const options = { maxBins, minDataInBin };
          const { edges, valueBins } = binner.fit(values, sample, options);
          const sorted = fitNumericBins(column, sample, options).edges;
          expect(edges.map((edge) => edge + 0)).toEqual(sorted.map((edge) => edge + 0));
          expect(valueBins).toBe(edges.length + 1);
          expect(binned(values, edges, binner)).toEqual(expected(column, edges));
          // Neither of them changes what it reads.
          expect(inside).toEqual(column);
          binner.release();
          arena.free(place, 8 * rows);
          expect(arena.liveBytes).toBe(0);
        },
      ),
      { numRuns: 8 },
    );
  });
});

it("finds values among any edges", () => {
  const value = fc.oneof(odd, fc.double(), fc.integer({ min: -9, max: 9 }));
  const binner = new ColumnBinner(arena, 0);
  fc.assert(
    fc.property(
      fc.uniqueArray(
        value.filter((each) => each < Number.POSITIVE_INFINITY),
        { maxLength: 254, comparator: (a, b) => a === b },
      ),
      fc.array(value, { minLength: 1, maxLength: 40 }),
      (list, probes) => {
        const edges = Float64Array.from(list).sort();
        const cells = [...probes, ...list];
        const values = Float64Array.from({ length: 2049 }, (_, i) => cells[i % cells.length]);
        expect(binned(values, edges, binner)).toEqual(expected(values, edges));
      },
    ),
  );
  binner.release();
});

it("bins without kernels where they have no room", () => {
  const full = Arena.create(2 ** 21);
  const values = Float64Array.from({ length: 50_000 }, (_, i) => Math.sin(i));
  const out = full.allocate(values.length);
  const binner = new ColumnBinner(full, values.length);
  const bins = binner.fit(values, null, {});
  expect(bins).toEqual(fitNumericBins(values, null, {}));
  binner.assign(values, bins, out);
  expect(full.u8(out, values.length)).toEqual(expected(values, bins.edges));
});
