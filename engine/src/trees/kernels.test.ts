import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { Crew } from "../compute/crew.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { philox4x32 } from "../compute/random.ts";
import { Scratch, withScratch } from "../compute/scratch.ts";
import { rowMajorOf } from "../data/encoded.ts";
import { ARGUMENTS, DRAW_BAG } from "../kernels/assembly/crew/crew-layout.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { encodeBins, randomColumns } from "./testing/random-bins.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena.handle());

/** Distance in units of the last place of `expected`. */
function ulps(value: number, expected: number): number {
  const step = 2 ** (Math.floor(Math.log2(Math.abs(expected))) - 52);
  return Math.abs(value - expected) / step;
}

describe("kernels", () => {
  it("are made once a memory", () => {
    expect(kernelsOf(arena)).toBe(kernels);
    expect(kernelsOf(Arena.create())).not.toBe(kernels);
  });

  it("compute exp and log to the last places", () => {
    fc.assert(
      fc.property(fc.double({ min: -700, max: 700, noNaN: true }), (x) => {
        expect(ulps(kernels.exp(x), Math.exp(x))).toBeLessThanOrEqual(4);
      }),
      { numRuns: 2000, seed: 1 },
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (x) => {
        fc.pre(Math.abs(x - 1) > 1e-3);
        expect(ulps(kernels.log(x), Math.log(x))).toBeLessThanOrEqual(4);
      }),
      { numRuns: 2000, seed: 2 },
    );
    expect(kernels.exp(0)).toBe(1);
    expect(kernels.exp(-800)).toBe(0);
    expect(kernels.log(1)).toBe(0);
    expect(kernels.log(1 + 2 ** -30)).toBeCloseTo(Math.log1p(2 ** -30), 22);
  });

  it("draw rows by the counters of compute/random.ts", () => {
    const scratch = new Scratch(arena);
    const rows = Uint32Array.from({ length: 3000 }, (_, i) => i * 3 + (i % 2));
    const drawn = scratch.allocate(rows.length * 4);
    const rest = scratch.allocate(rows.length * 4);
    const key = { low: 0xdeadbeef, high: 0x12345678 };
    const threshold = Math.round(0.7 * 65536);
    const list = scratch.u32(rows);
    const count = kernels.sampleRows(list, rows.length, threshold, key.low, key.high, drawn, rest);
    const block = new Uint32Array(4);
    const expected = rows.filter((row) => {
      philox4x32(Uint32Array.of(row >>> 3, 0, 3, 0), key, block);
      return ((block[(row & 7) >> 1] >>> (16 * (row & 1))) & 0xffff) < threshold;
    });
    expect(arena.u32(drawn, count)).toEqual(expected);
    const inside = new Set(expected);
    expect(arena.u32(rest, rows.length - count)).toEqual(rows.filter((row) => !inside.has(row)));
    expect(count / rows.length).toBeCloseTo(0.7, 1);
    scratch.release();
  });

  it("draw long lists by parts as they draw them whole", () => {
    withScratch(arena, (scratch) => {
      const crew = new Crew(scratch, 0, null);
      const rows = Uint32Array.from({ length: 20_000 }, (_, i) => i * 2 + (i % 2));
      const lists = () => [scratch.allocate(rows.length * 4), scratch.allocate(rows.length * 4)];
      const [drawn, rest] = lists();
      const [partly, left] = lists();
      const list = scratch.u32(rows);
      const counted = kernels.sampleRows(list, rows.length, 40_000, 5, 6, drawn, rest);
      const told = [list, rows.length, 40_000, 5, 6, partly, left];
      arena.u32(crew.block + ARGUMENTS, told.length).set(told);
      expect(kernels.drawRows(crew.block, DRAW_BAG)).toBe(counted);
      expect(arena.u32(partly, counted)).toEqual(arena.u32(drawn, counted));
      const others = rows.length - counted;
      expect(arena.u32(left, others)).toEqual(arena.u32(rest, others));
    });
  });

  it("sum histograms as a loop over rows does", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 70 }),
        (seed, rows, features) => {
          const columns = randomColumns(seed, rows, features, { missing: true });
          const data = encodeBins(columns, arena);
          const binned = data.binned!;
          const scratch = new Scratch(arena);
          const listed = [...columns.keys()].filter((f) => (seed + f * f) % 4 !== 0);
          fc.pre(listed.length > 0);
          const some = [...Array(rows).keys()].filter((row) => (row * 7 + seed) % 5 !== 0);
          const offsets = new Uint32Array(features + 1);
          let entries = 0;
          for (const f of listed) {
            offsets[f] = entries;
            entries += columns[f].valueBins + 1;
          }
          const expected = new BigInt64Array(entries);
          const packed = BigInt64Array.from(
            { length: rows },
            (_, row) => (BigInt(((row * 37) % 2001) - 1000) << 32n) + BigInt(row % 50),
          );
          for (const row of some) {
            for (const f of listed) expected[offsets[f] + columns[f].bins[row]] += packed[row];
          }
          const block = scratch.allocate(layout.BYTES);
          const gradients = scratch.allocate(rows * 8);
          const histogram = scratch.allocate(entries * 8);
          const words: [number, number][] = [
            [layout.ROW_MAJOR, rowMajorOf(binned)],
            [layout.ROW_STRIDE, binned.rowStride],
            [layout.PACKED, gradients],
            [layout.OFFSETS, scratch.u32(offsets)],
            [layout.FEATURE_LIST, scratch.i32(listed)],
            [layout.FEATURE_COUNT, listed.length],
            [layout.VALUE_BINS, scratch.i32(columns.map(({ valueBins }) => valueBins))],
            [layout.BLOCK, scratch.allocate(16 * (binned.rowStride + 8))],
            [layout.BLOCK_ROWS, 16],
            [layout.HISTOGRAM_ENTRIES, entries],
          ];
          const list = scratch.u32(some);
          arena.i64(gradients, rows).set(packed);
          const view = arena.i32(block, layout.BYTES / 4).fill(0);
          for (const [offset, value] of words) view[offset / 4] = value;
          kernels.buildHistogram(block, list, some.length, histogram);
          expect(arena.i64(histogram, entries)).toEqual(expected);
          expect(kernels.addsUp(block, histogram)).toBe(1);
          const entry = seed % entries;
          for (const wrong of [1n, 1n << 32n]) {
            arena.i64(histogram, entries)[entry]! += wrong;
            // Nothing is beside a single feature that it could be told by.
            expect(kernels.addsUp(block, histogram)).toBe(listed.length > 1 ? 0 : 1);
            arena.i64(histogram, entries)[entry]! -= wrong;
          }
          const half = scratch.allocate(entries * 8);
          kernels.buildHistogram(block, list, some.length >> 1, half);
          const left = arena.i64(half, entries).slice();
          kernels.subtractHistogram(block, histogram, half);
          expect(arena.i64(histogram, entries)).toEqual(expected.map((sum, i) => sum - left[i]));
          scratch.release();
          arena.free(rowMajorOf(binned), rows * binned.rowStride);
          arena.free(binned.columnMajor, features * binned.columnStride);
        },
      ),
      { numRuns: 60, seed: 4 },
    );
  });
});
