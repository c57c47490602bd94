/** The shader of histograms against sums row by row, of both widths of its groups. On SwiftShader. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIT_WORDS, fitWords, MOST_FITS } from "../../shaders/fits.ts";
import { featuresOfGroup, histogramShader, NO_FEATURE } from "../../shaders/histogram.ts";
import { CounterRandom, deriveKey } from "../random.ts";
import { runOnce } from "./testing/run-once.ts";
import { sharedDevice } from "./testing/shared-device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();
const device = sharedDevice();

const STRIDE = 16;

interface Nodes {
  /** Bins of each feature, the one of missing values among them. */
  readonly bins: readonly number[];
  /** Of the features, ascending. */
  readonly listed: readonly number[];
  readonly counts: readonly number[];
  readonly seed: number;
}

const nodes = fc
  .record({
    bins: fc.array(fc.constantFrom(1, 2, 17, 255, 256), { minLength: 1, maxLength: STRIDE }),
    drops: fc.array(fc.boolean(), { minLength: STRIDE, maxLength: STRIDE }),
    counts: fc.array(fc.constantFrom(0, 1, 255, 256, 257, 900), { minLength: 1, maxLength: 3 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
  })
  .map(({ drops, ...given }): Nodes => {
    const listed = given.bins.map((_, feature) => feature).filter((feature) => !drops[feature]);
    return { ...given, listed: listed.length > 0 ? listed : [0] };
  });

describe.skipIf(why !== null)(`histograms on a device (${why ?? "SwiftShader"})`, () => {
  it.each([8, 4] as const)("by groups of %d features are sums of rows", async (width) => {
    const on = await device();
    await fc.assert(
      fc.asyncProperty(nodes, async ({ bins, listed, counts, seed }) => {
        const random = new CounterRandom(deriveKey(seed, "histogram"));
        const next = (below: number): number => random.nextInteger(below);
        const total = counts.reduce((sum, count) => sum + count, 0);
        const dataRows = total + 5;
        const cells = Uint8Array.from({ length: STRIDE * dataRows }, (_, at) =>
          next(bins[at % STRIDE] ?? 256),
        );
        // Half of them as large as they can be: sums wrap around.
        const packed = Uint32Array.from({ length: 2 * dataRows }, () =>
          next(2) === 0 ? next(1000) : 0xffff_ffff - next(1000),
        );
        const rows = Uint32Array.from({ length: total + 3 }, () => next(dataRows));
        const slots = new Uint32Array(STRIDE).fill(NO_FEATURE);
        let entries = 0;
        for (const feature of listed) {
          slots[feature] = entries;
          entries += bins[feature]!;
        }
        const expected = new Uint32Array(2 * entries * counts.length);
        const ranges: number[] = [counts.length, 0];
        let first = 0;
        counts.forEach((count, node) => {
          ranges.push(first, count);
          for (const row of rows.subarray(first, first + count)) {
            for (const feature of listed) {
              const bin = cells[STRIDE * row + feature]!;
              const to = 2 * (node * entries + slots[feature]! + bin);
              for (const k of [0, 1]) expected[to + k]! += packed[2 * row + k]!;
            }
          }
          first += count;
        });
        const groups = [...new Set(listed.map((feature) => Math.floor(feature / width)))];
        const uniform = new Uint32Array(FIT_WORDS * MOST_FITS);
        const facts = { rowGroups: STRIDE / width, listedGroups: groups.length, entries };
        uniform.set(fitWords(facts));
        const found = await runOnce(on, {
          shader: histogramShader(width),
          uniform,
          inputs: [cells, packed, rows, slots, Uint32Array.from(groups), Uint32Array.from(ranges)],
          outputBytes: expected.byteLength,
          groups: [3],
        });
        expect(new Uint32Array(found)).toEqual(expected);
      }),
      { numRuns: 15, seed: 11 },
    );
  });

  it("has groups that fit into the least workgroup memory of any device", () => {
    expect([16_384, 32_768, 49_152].map(featuresOfGroup)).toEqual([4, 8, 8]);
  });
});
