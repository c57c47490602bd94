import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileColumn } from "./profile.ts";

describe("profileColumn", () => {
  it("summarises numbers", () => {
    const values = Float64Array.of(4, Number.NaN, 1, 2, 2, Number.POSITIVE_INFINITY);
    const { summary, ...rest } = profileColumn({ kind: "numeric", name: "n", values });
    expect(rest).toEqual({
      implausible: [expect.objectContaining({ kind: "infinite", count: 1 })],
      name: "n",
      kind: "numeric",
      count: 6,
      missing: 1,
      distinct: 4,
      distinctIsEstimate: false,
      infinite: 1,
      top: [],
    });
    expect(summary).toMatchObject({ min: 1, max: 4, mean: 2.25 });
    expect(summary?.std).toBeCloseTo(1.2583057392, 9);
    expect(summary?.quantiles.find(({ q }) => q === 0.5)?.value).toBe(2);
    expect(summary?.quantiles.find(({ q }) => q === 0.75)?.value).toBe(2.5);
  });

  it("counts every finite value in its histogram, in the right bin", () => {
    const numbers = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (list) => {
        const values = Float64Array.from(list);
        const { summary } = profileColumn({ kind: "numeric", name: "n", values });
        const { edges, counts } = summary?.histogram ?? { edges: [], counts: [] };
        expect(edges[0]).toBe(Math.min(...list) + 0);
        if (!list.every(Number.isInteger)) expect(edges.at(-1)).toBe(Math.max(...list) + 0);
        for (const [bin, count] of counts.entries()) {
          const last = bin === counts.length - 1;
          const inside = list.filter((v) => v >= edges[bin] && (last || v < edges[bin + 1]));
          expect(count).toBe(inside.length);
        }
      }),
    );
  });

  it("counts as many whole numbers in each bin", () => {
    const values = fc.array(fc.integer({ min: -600, max: 399 }), { minLength: 2 });
    fc.assert(
      fc.property(values, (list) => {
        const profile = profileColumn({
          kind: "numeric",
          name: "n",
          values: Float64Array.from(list),
        });
        const { edges, counts } = profile.summary?.histogram ?? expect.fail("no summary");
        const [least, most] = [Math.min(...list), Math.max(...list)];
        if (least === most) return;
        const width = edges[1] - edges[0];
        expect(counts.length).toBeLessThanOrEqual(20);
        expect(edges).toEqual(counts.map((_, i) => least + i * width).concat(edges.at(-1) ?? 0));
        expect(Number.isInteger(width)).toBe(true);
        // No bin more than are needed, and the greatest is in the last.
        expect((edges.at(-1) ?? 0) - most).toBeLessThanOrEqual(width);
        expect((edges.at(-1) ?? 0) - most).toBeGreaterThan(0);
        for (const [bin, count] of counts.entries()) {
          expect(count).toBe(list.filter((v) => v >= edges[bin] && v < edges[bin + 1]).length);
        }
      }),
    );
    const ages = Float64Array.from({ length: 740 }, (_, i) => 17 + (i % 74));
    const profile = profileColumn({ kind: "numeric", name: "age", values: ages });
    expect(new Set(profile.summary?.histogram.counts.slice(0, -1))).toEqual(new Set([40]));
  });

  it("is finite for all doubles, and the same of scaled ones", () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 2 });
    fc.assert(
      fc.property(numbers, (list) => {
        const values = Float64Array.from(list);
        const { summary } = profileColumn({ kind: "numeric", name: "n", values });
        const { mean, std, quantiles, histogram } = summary ?? expect.fail("no summary");
        const told = [mean, std, ...quantiles.map(({ value }) => value), ...histogram.edges];
        expect(told.filter((number) => !Number.isFinite(number))).toEqual([]);
        expect(histogram.counts.reduce((a, b) => a + b)).toBe(list.length);
      }),
    );
    for (const scale of [2 ** 1000, 2 ** -1000]) {
      const values = Float64Array.of(1, 2, 4, 9).map((value) => value * scale);
      const { summary } = profileColumn({ kind: "numeric", name: "n", values });
      expect((summary?.mean ?? 0) / scale).toBe(4);
      expect((summary?.std ?? 0) / scale).toBeCloseTo(Math.sqrt(38 / 3), 12);
    }
  });

  it("keeps the digits of times", () => {
    const start = Date.UTC(2024, 0, 1);
    const values = Float64Array.from({ length: 1001 }, (_, i) => start + i);
    const { summary } = profileColumn({ kind: "timestamp", name: "t", values });
    expect(summary?.mean).toBe(start + 500);
    expect(summary?.std).toBeCloseTo(Math.sqrt((1001 * 1002) / 12), 6);
  });

  it("lists the most frequent booleans, categories and texts", () => {
    const codes = Int32Array.of(0, 1, 1, -1, 2, 2);
    const column = {
      kind: "categorical" as const,
      name: "c",
      codes,
      categories: ["x", "z", "y", "w"],
    };
    expect(profileColumn(column)).toMatchObject({
      missing: 1,
      distinct: 3,
      top: [
        { value: "y", count: 2 },
        { value: "z", count: 2 },
        { value: "x", count: 1 },
      ],
    });
    const bits = Uint8Array.of(1, 255, 1, 0);
    expect(profileColumn({ kind: "boolean", name: "b", values: bits })).toMatchObject({
      missing: 1,
      distinct: 2,
      top: [
        { value: "true", count: 2 },
        { value: "false", count: 1 },
      ],
    });
    expect(profileColumn({ kind: "text", name: "t", values: ["p", null, "p"] })).toMatchObject({
      missing: 1,
      distinct: 1,
      distinctIsEstimate: false,
    });
  });

  it("estimates the distinct texts of a great column within a tenth, and says so", () => {
    const values = Array.from({ length: 300_000 }, (_, i) => `text number ${i % 250_000}`);
    const profile = profileColumn({ kind: "text", name: "t", values });
    expect(profile.distinctIsEstimate).toBe(true);
    expect(profile.missing).toBe(0);
    expect(Math.abs(profile.distinct / 250_000 - 1)).toBeLessThan(0.1);
  });
});
