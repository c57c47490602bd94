/** Quantiles of latencies against those of the sorted list. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { LatencyHistogram } from "./latency.ts";

it("knows nothing before the first", () => {
  expect(new LatencyHistogram().summary()).toBeNull();
});

it("gives the mean and the largest exactly, quantiles within 9 %", () => {
  const latencies = fc.array(fc.double({ min: 0.05, max: 1e6, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(latencies, (values) => {
      const histogram = new LatencyHistogram();
      for (const value of values) histogram.add(value);
      const summary = histogram.summary();
      const sorted = values.toSorted((a, b) => a - b);
      const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
      expect(summary?.max).toBe(sorted.at(-1));
      expect(summary?.mean).toBeCloseTo(values.reduce((sum, value) => sum + value) / values.length);
      for (const [found, share] of [
        [summary?.p50, 0.5],
        [summary?.p90, 0.9],
        [summary?.p95, 0.95],
        [summary?.p99, 0.99],
      ] as const) {
        expect(found).toBeGreaterThanOrEqual(exact(share) * (1 - 1e-9));
        expect(found).toBeLessThanOrEqual(exact(share) * 1.0906);
      }
    }),
  );
});

it("counts what is next to nothing, and what takes hours", () => {
  const histogram = new LatencyHistogram();
  histogram.add(0);
  histogram.add(1e9);
  expect(histogram.summary()).toMatchObject({ p50: 0.05, p99: 1e9, max: 1e9 });
});
