/** Gains, thresholds and residuals in groups, beside scikit-learn's figures of the same rows. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { BinaryScores } from "../../metrics/one-vs-rest.ts";
import { gains } from "./gains.ts";
import { residualGroups } from "./residual-groups.ts";
import { countedFrom, type ScoreCuts, scoreCuts, shortestBetween } from "./score-cuts.ts";
import { nearestPlace, tenthEnds } from "./tenths.ts";
import { thresholdTable } from "./threshold-table.ts";

const numbers = z.array(z.number());
const best = z.object({ value: z.number(), rows: z.number(), apart: z.number() });
const peer = z
  .object({
    label: numbers,
    score: numbers,
    weight: numbers,
    cuts: z.array(
      z.object({
        rows: z.number(),
        flagged: z.number(),
        precision: z.number(),
        recall: z.number(),
        fpr: z.number(),
        f1: z.number(),
      }),
    ),
    best: z.record(z.string(), best),
    residuals: z.object({ actual: numbers, predicted: numbers, groups: z.array(numbers) }),
  })
  .parse(
    JSON.parse(readFileSync(new URL("./fixtures/scikit-learn.json", import.meta.url), "utf8")),
  );

const binary = {
  positive: Uint8Array.from(peer.label),
  scores: Float64Array.from(peer.score),
  weights: Float64Array.from(peer.weight),
};

/** Fails the test where there are none. */
function cutsOf(rows: BinaryScores): ScoreCuts {
  const cuts = scoreCuts(rows);
  if (!cuts) throw new Error("the rows are of one class");
  return cuts;
}

/** Scores with many ties, and both classes. */
const someRows = fc
  .array(fc.tuple(fc.nat(20), fc.boolean(), fc.nat(3)), { minLength: 2, maxLength: 200 })
  .map((rows) => ({
    positive: Uint8Array.from([1, 0, ...rows.map(([, isOf]) => (isOf ? 1 : 0))]),
    scores: Float64Array.from([0.5, 0.5, ...rows.map(([score]) => score / 20)]),
    weights: Float64Array.from([1, 1, ...rows.map(([, , weight]) => weight)]),
  }));

describe("cuts", () => {
  test("have the rows, shares, precision, recall and F1 of scikit-learn", () => {
    const { cuts, total } = cutsOf(binary);
    const all = total.positives + total.negatives;
    expect(cuts.map(({ rows }) => rows)).toEqual(peer.cuts.map(({ rows }) => rows));
    for (const [at, { positives, negatives }] of cuts.entries()) {
      const own = peer.cuts[at];
      expect((positives + negatives) / all).toBeCloseTo(own.flagged, 12);
      expect(positives / total.positives).toBeCloseTo(own.recall, 12);
      expect(negatives / total.negatives).toBeCloseTo(own.fpr, 12);
    }
  });

  test("are had again by their thresholds", () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        for (const cut of cutsOf(rows).cuts) {
          expect(countedFrom(rows, cut.threshold)).toEqual({
            positives: cut.positives,
            negatives: cut.negatives,
            rows: cut.rows,
          });
        }
      }),
    );
  });

  test("of many rows are thinned and keep all rows", () => {
    const count = 50_000;
    const scores = Float64Array.from({ length: count }, (_, i) => ((i * 7919) % count) / count);
    const positive = Uint8Array.from(scores, (score, i) => (score > (i % 10) / 10 ? 1 : 0));
    const { cuts } = cutsOf({ positive, scores, weights: null });
    expect(cuts.length).toBeLessThanOrEqual(2001);
    expect(cuts.at(-1)?.rows).toBe(count);
  });

  test("need both classes", () => {
    const scores = Float64Array.of(0.2, 0.4);
    expect(scoreCuts({ positive: Uint8Array.of(1, 1), scores, weights: null })).toBeNull();
    expect(
      scoreCuts({ positive: Uint8Array.of(1, 0), scores, weights: Float64Array.of(1, 0) }),
    ).toBeNull();
  });
});

test("the shortest decimal between two numbers parts them, and none is shorter", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, share, (a, b) => {
      fc.pre(a !== b);
      const [low, high] = a < b ? [a, b] : [b, a];
      const found = shortestBetween(low, high);
      expect(found).toBeGreaterThan(low);
      expect(found).toBeLessThanOrEqual(high);
      const digits = String(found).split(".")[1]?.length ?? 0;
      if (digits > 1 && !String(found).includes("e")) {
        const power = 10 ** (digits - 1);
        const shorter = Math.floor(high * power) / power;
        expect(shorter <= low || shorter > high).toBe(true);
      }
    }),
  );
  expect(shortestBetween(0.4391, 0.4412)).toBe(0.44);
  expect(shortestBetween(0.0000123, 0.0000124)).toBe(0.0000124);
});

describe("gains", () => {
  test("lie on scikit-learn's shares", () => {
    const { groups, curve } = gains(cutsOf(binary));
    expect(groups.length).toBeGreaterThan(7);
    let rows = 0;
    for (const group of groups) {
      rows += group.rows;
      const own = peer.cuts.find((cut) => cut.rows === rows);
      expect(group.share).toBeCloseTo(own?.flagged ?? Number.NaN, 12);
      expect(group.gain).toBeCloseTo(own?.recall ?? Number.NaN, 12);
    }
    expect(curve[0]).toEqual([0, 0]);
    expect(curve.at(-1)).toEqual([1, expect.closeTo(1, 12)]);
  });

  test("have every row in one group, and a mean lift of 1", () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const { groups } = gains(cutsOf(rows));
        expect(groups.reduce((sum, group) => sum + group.rows, 0)).toBe(rows.scores.length);
        const mean = groups.reduce(
          (sum, { lift, share }, at) => sum + lift * (share - (groups[at - 1]?.share ?? 0)),
          0,
        );
        expect(mean).toBeCloseTo(1, 9);
        expect(groups.at(-1)).toMatchObject({ share: expect.closeTo(1), gain: expect.closeTo(1) });
      }),
    );
  });

  test("of one score are one group", () => {
    const scores = new Float64Array(50).fill(0.3);
    const positive = Uint8Array.from(scores, (_, i) => (i % 5 === 0 ? 1 : 0));
    const { groups } = gains(cutsOf({ positive, scores, weights: null }));
    expect(groups).toEqual([
      expect.objectContaining({ rows: 50, lift: 1, share: 1, gain: 1, rate: 0.2 }),
    ]);
  });
});

describe("thresholds", () => {
  test("do what scikit-learn says of the same rows", () => {
    const { thresholds } = thresholdTable(binary, cutsOf(binary), 0.5);
    expect(thresholds.length).toBeGreaterThan(12);
    expect(thresholds.some(({ threshold }) => threshold === 0.5)).toBe(true);
    for (const row of thresholds) {
      const own = peer.cuts.find(({ rows }) => rows === row.rows);
      expect(row.flagged).toBeCloseTo(own?.flagged ?? Number.NaN, 12);
      expect(row.precision).toBeCloseTo(own?.precision ?? Number.NaN, 12);
      expect(row.recall).toBeCloseTo(own?.recall ?? Number.NaN, 12);
      expect(row.falsePositiveRate).toBeCloseTo(own?.fpr ?? Number.NaN, 12);
      expect(row.f1).toBeCloseTo(own?.f1 ?? Number.NaN, 12);
    }
  });

  test("that are best are the best of all, and are measured without the row as well", () => {
    const { best: found, costs } = thresholdTable(binary, cutsOf(binary), 0.5);
    for (const { by, rows, value, apart } of found) {
      expect({ rows, value, apart }).toEqual({
        rows: peer.best[by].rows,
        value: expect.closeTo(peer.best[by].value, 10),
        apart: expect.closeTo(peer.best[by].apart, 10),
      });
    }
    for (const missCost of [0.2, 1, 5]) {
      const own = peer.best[`cost ${missCost}`];
      const cost = costs.find((each) => each.missCost === missCost);
      expect(cost?.cost).toBeCloseTo(-own.apart, 10);
      const flagged = cost?.threshold == null ? 0 : countedFrom(binary, cost.threshold).rows;
      expect(flagged).toBe(own.rows);
    }
  });

  test("of noise are no better than a constant answer, where they were chosen without the row", () => {
    const random = new CounterRandom(deriveKey(1, "noise"));
    const scores = Float64Array.from({ length: 4000 }, () => random.nextFloat());
    const positive = Uint8Array.from(scores, () => (random.nextFloat() < 0.3 ? 1 : 0));
    const noise = { positive, scores, weights: null };
    const { best: found, costs } = thresholdTable(noise, cutsOf(noise), 0.5);
    const youden = found.find(({ by }) => by === "youden");
    expect(Math.abs(youden?.apart ?? 1)).toBeLessThan(0.05);
    for (const { cost, constantCost } of costs) {
      expect(cost).toBeGreaterThan(0.97 * constantCost);
    }
  });
});

test("tenths end at the nearest places, each once, the last at the end", () => {
  const shares = fc
    .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 })
    .map((sizes) => {
      const total = sizes.reduce((sum, size) => sum + size, 0);
      let before = 0;
      return sizes.map((size) => {
        before += size;
        return before / total;
      });
    });
  fc.assert(
    fc.property(shares, fc.double({ min: 0, max: 1, noNaN: true }), (ascending, wanted) => {
      const nearest = Math.min(...ascending.map((share) => Math.abs(share - wanted)));
      expect(Math.abs(ascending[nearestPlace(ascending, wanted)] - wanted)).toBe(nearest);
      const ends = tenthEnds(ascending);
      expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
      expect(ends.at(-1)).toBe(ascending.length - 1);
      expect(ends.length).toBeLessThanOrEqual(10);
    }),
  );
});

describe("residuals by prediction", () => {
  const { actual, predicted, groups } = peer.residuals;

  test("are NumPy's", () => {
    const found = residualGroups(Float64Array.from(actual), Float64Array.from(predicted));
    expect(found.map(({ rows }) => rows)).toEqual(new Array(10).fill(actual.length / 10));
    const figures = found.map((group) => [
      group.predicted,
      group.actual,
      group.low,
      group.median,
      group.high,
    ]);
    for (const [at, own] of groups.entries()) {
      expect(figures[at]).toEqual(own.map((value) => expect.closeTo(value, 10)));
    }
  });

  test("leave equal predictions together", () => {
    const found = residualGroups(Float64Array.of(1, 2, 3, 4), Float64Array.of(7, 7, 7, 7));
    expect(found).toEqual([
      {
        rows: 4,
        predicted: 7,
        actual: 2.5,
        low: expect.closeTo(-5.7),
        median: -4.5,
        high: expect.closeTo(-3.3),
      },
    ]);
  });
});
