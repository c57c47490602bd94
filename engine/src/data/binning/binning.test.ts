import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { FeatureBins } from "../encoded.ts";
import { assignBins } from "./assign-bins.ts";
import {
  fitBinning,
  fitFeatureBins,
  fitNumericBins,
  numericEdges,
  sampleRows,
} from "./fit-binning.ts";

const key = deriveKey(1, "binning");
const finite = fc.double({ noNaN: true, min: -1e300, max: 1e300 });
const value = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0, -0, 5e-324, 1e308, -1e308),
  fc.double({ noNaN: true }),
  finite.map((x) => Math.exp(x % 50)),
);

/** The contract in words: the first bin i with v ≤ eᵢ, else the last; NaN the one after. */
function naiveBin(v: number, { edges, valueBins }: FeatureBins): number {
  if (Number.isNaN(v)) return valueBins;
  const index = edges.findIndex((edge) => v <= edge);
  return index < 0 ? edges.length : index;
}

function bin(values: readonly number[], bins: FeatureBins, categories = 0): number[] {
  const out = new Uint8Array(values.length);
  assignBins(Float64Array.from(values), bins, categories, out);
  return [...out];
}

describe("numericEdges", () => {
  it("splits rows as LightGBM does", () => {
    const file = new URL("./fixtures/lightgbm_bins.json", import.meta.url);
    const cases: { max_bin: number; values: number[]; bins: number[] }[] = JSON.parse(
      readFileSync(file, "utf8"),
    );
    for (const { max_bin, values, bins } of cases) {
      // LightGBM spends its first bin on zeros, of which these columns have none.
      const edges = numericEdges(Float64Array.from(values).sort(), max_bin - 1, 3);
      const found = bin(values, { kind: "numeric", valueBins: edges.length + 1, edges });
      expect(found).toEqual(bins.map((theirs) => theirs - 1));
    }
  });

  it("separates every distinct value by midpoints where bins suffice", () => {
    expect([...numericEdges(Float64Array.of(1, 2, 2, 4, 8), 255, 1)]).toEqual([1.5, 3, 6]);
    expect([...numericEdges(Float64Array.of(1, 2, 2, 4, 8), 255, 3)]).toEqual([3]);
    expect([...numericEdges(Float64Array.of(3, 3, 3), 255, 3)]).toEqual([]);
    expect([...numericEdges(new Float64Array(0), 255, 3)]).toEqual([]);
  });

  it("gives ascending edges between values, within the number of bins, each bin with rows", () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 80 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (values, maxBins, minDataInBin) => {
          const sorted = Float64Array.from(values).sort();
          const edges = numericEdges(sorted.slice(), maxBins, minDataInBin);
          expect(edges.length).toBeLessThan(maxBins);
          const counts = new Array<number>(edges.length + 1).fill(0);
          const bins: FeatureBins = { kind: "numeric", valueBins: edges.length + 1, edges };
          for (const v of sorted) counts[naiveBin(v, bins)]++;
          for (let i = 1; i < edges.length; i++) expect(edges[i]).toBeGreaterThan(edges[i - 1]);
          if (edges.length > 0) expect(Math.min(...counts)).toBeGreaterThan(0);
          if (new Set(values).size <= maxBins) {
            for (const count of counts.slice(0, -1))
              expect(count).toBeGreaterThanOrEqual(minDataInBin);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("fitNumericBins", () => {
  it("gives few distinct values, which it does not sort, the edges of sorted ones", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(value, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat({ max: 12 }), { maxLength: 60 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (distinct, rows, maxBins, minDataInBin) => {
          // The last place is a missing cell.
          const values = Float64Array.from(rows, (place) => distinct[place] ?? Number.NaN);
          const sample = Uint32Array.from(rows.keys()).filter((row) => row % 3 !== 1);
          for (const taken of [null, sample]) {
            const { edges } = fitNumericBins(values, taken, { maxBins, minDataInBin });
            const picked = taken === null ? values : Float64Array.from(taken, (row) => values[row]);
            const present = picked.filter((each) => !Number.isNaN(each)).sort();
            expect(edges).toEqual(numericEdges(present, maxBins, minDataInBin));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("assignBins", () => {
  it("finds the bin that the contract says, for any edges and values", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(value, { maxLength: 40, comparator: (a, b) => a === b }),
        fc.array(fc.oneof(value, fc.constant(Number.NaN)), { maxLength: 40 }),
        (list, values) => {
          const edges = Float64Array.from(list).sort();
          const bins: FeatureBins = { kind: "numeric", valueBins: edges.length + 1, edges };
          const probes = [...values, ...edges];
          const expected = probes.map((v) => naiveBin(v, bins));
          expect(bin(probes, bins)).toEqual(expected);
          // Many values are looked up through a grid.
          const many = probes.length === 0 ? [] : new Array<typeof probes>(600).fill(probes).flat();
          expect(bin(many, bins)).toEqual(many.map((_, i) => expected[i % expected.length]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("puts rare and unseen categories together, and unseen ones with the missing where none share", () => {
    const bins = (valueBins: number): FeatureBins => ({
      kind: "categorical",
      valueBins,
      edges: new Float64Array(0),
    });
    const codes = [0, 1, 2, 3, 4, Number.NaN];
    expect(bin(codes, bins(3), 4)).toEqual([0, 1, 2, 2, 2, 3]);
    expect(bin(codes, bins(4), 4)).toEqual([0, 1, 2, 3, 4, 4]);
  });
});

describe("fitBinning", () => {
  const source = (columns: number[][]) => ({
    features: columns.map((_, i) => ({ kind: "numeric" as const, name: `f${i}`, column: `f${i}` })),
    rows: columns[0].length,
    *columns() {
      for (const column of columns) yield Float64Array.from(column);
    },
  });

  it("has 255 value bins and the missing one at most, whatever is asked", () => {
    const many = Array.from({ length: 5000 }, (_, i) => Math.sin(i));
    const [bins] = fitBinning(source([many]), { key, maxBins: 1000 });
    expect(bins.valueBins).toBe(255);
    const feature = {
      kind: "categorical" as const,
      name: "c",
      column: "c",
      categories: many.map(String),
    };
    expect(fitFeatureBins(feature, Float64Array.from(many), null, {}).valueBins).toBe(255);
  });

  it("has one value bin where all is missing", () => {
    const [bins] = fitBinning(source([[Number.NaN, Number.NaN]]), { key });
    expect(bins).toEqual({ kind: "numeric", valueBins: 1, edges: new Float64Array(0) });
    expect(bin([Number.NaN, 7, -7], bins)).toEqual([1, 0, 0]);
  });

  it("draws the same ascending sample for equal keys, close to uniform", () => {
    const sample = sampleRows(10_000, { key, sampleSize: 2000 });
    expect(sample).toEqual(sampleRows(10_000, { key, sampleSize: 2000 }));
    expect(sample).not.toEqual(sampleRows(10_000, { key: deriveKey(2), sampleSize: 2000 }));
    const rows = [...(sample ?? [])];
    expect(new Set(rows).size).toBe(2000);
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
    for (let part = 0; part < 4; part++) {
      const inPart = rows.filter((row) => Math.floor(row / 2500) === part).length;
      expect(Math.abs(inPart - 500)).toBeLessThan(80);
    }
    expect(sampleRows(100, { key })).toBeNull();
  });
});

it("transposes bins of any shape", () => {
  const arena = Arena.create();
  const { transposeBins } = kernelsOf(arena.handle());
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.array(fc.nat({ max: 39 }), { minLength: 1, maxLength: 40 })),
      (rows, features, listed) => {
        const list = listed?.map((f) => f % features) ?? null;
        const count = list?.length ?? features;
        const columnStride = Math.ceil(rows / 16) * 16;
        const rowStride = Math.ceil(count / 16) * 16;
        withScratch(arena, (scratch) => {
          const cells = Array.from({ length: columnStride * features }, (_, i) => (i * 7919) >> 3);
          const columns = scratch.u8(cells.map((cell) => cell & 255));
          const out = scratch.allocate(rows * rowStride + 16);
          arena.u8(out, rows * rowStride + 16).fill(99);
          const places = list === null ? 0 : scratch.u32(list);
          transposeBins(columns, columnStride, rows, places, count, out, rowStride);
          const expected = new Uint8Array(rows * rowStride + 16).fill(99);
          for (let row = 0; row < rows; row++) {
            for (let place = 0; place < rowStride; place++) {
              const f = list?.[place] ?? place;
              expected[row * rowStride + place] =
                place < count ? cells[f * columnStride + row]! & 255 : 0;
            }
          }
          expect(Buffer.compare(arena.u8(out, expected.length), expected)).toBe(0);
        });
      },
    ),
    { numRuns: 100 },
  );
});
