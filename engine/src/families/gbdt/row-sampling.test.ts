/** Rows drawn by their gradients, beside a loop over them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { Crew } from "../../compute/crew.ts";
import { CounterRandom, deriveKey, philox4x32, type RandomKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { encodeBins, randomColumns } from "../../trees/testing/random-bins.ts";
import { boost } from "./booster.ts";
import { resolveParameters } from "./parameters.ts";
import { type oneSideProbabilities, RowSampling } from "./row-sampling.ts";
import { type GradientSums, RowWork } from "./row-work.ts";
import { allRows, contextOf, REGRESSION } from "./testing/fit.ts";

const arena = Arena.create();
const RATE = 0.5;

type Rates = Parameters<typeof oneSideProbabilities>[2] & {
  readonly data_sample_strategy: "goss" | "mvs";
  readonly bagging_fraction: number;
};

/** The upper bits of a size as a float, of which the level is made. */
function levelOf(size: number): number {
  return new Uint32Array(new Float32Array([size]).buffer)[0] >>> 15;
}

/** The size amid a level. */
function amid(level: number): number {
  const found = new Float32Array(Uint32Array.of((level << 15) | (1 << 14)).buffer)[0];
  return Number.isFinite(found) ? found : 0;
}

function drawOf(row: number, key: RandomKey): number {
  const block = new Uint32Array(4);
  philox4x32(Uint32Array.of(row >>> 3, 0, 3, 0), key, block);
  return (block[(row & 7) >> 1] >>> (16 * (row & 1))) & 0xffff;
}

/** One draw of rows with such gradients (f32 pairs, one a row of the data). */
function drawn(
  scratch: Scratch,
  pairs: Float32Array,
  rows: Uint32Array,
  valid: Uint32Array | null,
  rates: Rates,
  sums: GradientSums,
  key: RandomKey,
) {
  const gradients = scratch.allocate(4 * pairs.length);
  arena.f32(gradients, pairs.length).set(pairs);
  const state = {
    ...{ rows: pairs.length / 2, outputs: 1, scores: 0, targets: 0, weights: 0 },
    ...{ gradients, packed: 0, logSums: 0 },
  };
  const work = new RowWork(scratch, new Crew(scratch, 0, null), state, pairs.length / 2);
  const list = (each: Uint32Array) => ({ pointer: scratch.u32(each), count: each.length });
  const sampling = new RowSampling(
    scratch,
    work,
    { ...rates, learning_rate: RATE },
    list(rows),
    valid && { rows: valid, list: list(valid) },
  );
  const found = sampling.drawByGradient(2, sums, key);
  if (found === null) return null;
  const read = ({ pointer, count }: { pointer: number; count: number }) =>
    arena.u32(pointer, count).slice();
  return {
    learned: read(found.rows.learned),
    followers: read(found.rows.followers),
    sums: found.sums,
    pairs: arena.f32(gradients, pairs.length).slice(),
    first: sampling.drawByGradient(1, sums, key),
  };
}

const rates: fc.Arbitrary<Rates> = fc.record({
  data_sample_strategy: fc.constantFrom("goss", "mvs"),
  bagging_fraction: fc.constantFrom(0.05, 0.3, 0.9),
  top_rate: fc.constantFrom(0, 0.1, 0.3, 0.8),
  other_rate: fc.constantFrom(0.01, 0.05, 0.1),
});
const slope = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.25, 1e-30, 1e15),
  fc.float({ min: -4, max: 4, noNaN: true }),
);

/** Of sizes: 2¹⁶ times the probability of each, by sorting them. */
function thresholds(sizes: readonly number[], rates: Rates): number[] {
  const levels = sizes.map(levelOf);
  const wordOf = (chance: number): number =>
    Math.round(65536 * Math.min(1, Math.max(2 ** -10, chance)));
  const sorted = levels.toSorted((a, b) => b - a);
  if (rates.data_sample_strategy === "goss") {
    const wanted = rates.top_rate * sizes.length;
    // The first level at which there would be more rows than are wanted.
    const level = sorted.find((each) => sorted.filter((l) => l >= each).length > wanted)!;
    const above = sorted.filter((each) => each > level).length;
    const share = (wanted - above) / sorted.filter((each) => each === level).length;
    const others = rates.other_rate / (1 - rates.top_rate);
    return levels.map((each) =>
      each > level ? 65536 : wordOf(each < level ? others : share + (1 - share) * others),
    );
  }
  // The more rows are certain, the fewer are left for those in proportion: as few as there can be.
  const wanted = rates.bagging_fraction * sizes.length;
  for (const least of [Number.POSITIVE_INFINITY, ...new Set(sorted)]) {
    const certain = levels.filter((each) => each >= least).length;
    const others = levels.filter((each) => each < least).map(amid);
    const factor = (wanted - certain) / others.reduce((sum, size) => sum + size, 0);
    if (others.length > 0 && Math.max(...others) * factor > 1) continue;
    return levels.map((each) => (each >= least ? 65536 : wordOf(amid(each) * factor)));
  }
  return levels.map(() => 65536);
}

describe("rows drawn by their gradients", () => {
  it("are those of a loop over all, multiplied by what they stand for", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(slope, slope), { minLength: 1, maxLength: 200 }),
        fc.nat(3),
        fc.boolean(),
        rates,
        fc.nat(),
        (given, left, validated, rate, seed) =>
          withScratch(arena, (scratch) => {
            const key = deriveKey(seed, "rows");
            const pairs = Float32Array.from(given.flatMap(([g, h]) => [g, Math.abs(h)]));
            const isLearned = (row: number) => left === 0 || row % (left + 1) !== left;
            const all = Uint32Array.from(given.keys());
            const rows = all.filter(isLearned);
            const valid = validated ? all.filter((row) => !isLearned(row)) : null;
            fc.pre(rows.length > 0 && valid?.length !== 0);
            const whole = { gradient: 2, hessian: 1 };
            const found = drawn(scratch, pairs, rows, valid, rate, whole, key);

            const sizes = Array.from(rows, (row) => {
              const [g, h] = [pairs[2 * row], pairs[2 * row + 1]];
              // λ is a tenth of (2 / 1)².
              return rate.data_sample_strategy === "goss"
                ? Math.abs(g * h)
                : Math.sqrt(g * g + 0.1 * 4 * h * h);
            });
            const wanted = thresholds(sizes, rate);
            const taken = rows.filter((row, i) => drawOf(row, key) < wanted[i]);
            if (taken.length === 0) {
              expect(found).toBeNull();
              return;
            }
            expect(found?.first).toBeNull();
            expect(found?.learned).toEqual(taken);
            const rest = rows.filter((row) => !taken.includes(row));
            expect(found?.followers).toEqual(Uint32Array.from([...rest, ...(valid ?? [])]));
            const expected = pairs.slice();
            const sums = { gradient: 0, hessian: 0 };
            for (const row of taken) {
              const factor = 65536 / wanted[rows.indexOf(row)];
              expected[2 * row] *= factor;
              expected[2 * row + 1] *= factor;
              sums.gradient += Math.abs(expected[2 * row]);
              sums.hessian += expected[2 * row + 1];
            }
            expect(found?.pairs).toEqual(expected);
            expect(found?.sums).toEqual(sums);
          }),
      ),
      { numRuns: 300 },
    );
  });

  it.each(["goss", "mvs"] as const)("stand for all rows, in many parts (%s)", (strategy) => {
    const random = new CounterRandom(deriveKey(1, "rows"));
    const rows = 150_000;
    const pairs = Float32Array.from({ length: 2 * rows }, (_, i) =>
      i % 2 === 0 ? random.nextGaussian() : 1,
    );
    const whole = { gradient: 0, hessian: rows };
    for (let i = 0; i < pairs.length; i += 2) whole.gradient += Math.abs(pairs[i]);
    withScratch(arena, (scratch) => {
      const rate = { data_sample_strategy: strategy, bagging_fraction: 0.3 };
      const given = { ...rate, top_rate: 0.2, other_rate: 0.1 };
      const key = deriveKey(7, "rows");
      const found = drawn(scratch, pairs, allRows(rows), null, given, whole, key)!;
      // Five standard errors.
      expect(Math.abs(found.learned.length / rows - 0.3)).toBeLessThan(0.006);
      expect(Math.abs(found.sums.gradient / whole.gradient - 1)).toBeLessThan(0.02);
      expect(Math.abs(found.sums.hessian / whole.hessian - 1)).toBeLessThan(0.03);
      // The largest are there, as they were.
      const kept = new Set(found.learned);
      const large = allRows(rows).filter((row) => Math.abs(pairs[2 * row]) > 3);
      expect(large.length).toBeGreaterThan(300);
      for (const row of large) {
        expect(kept.has(row)).toBe(true);
        expect(found.pairs[2 * row]).toBe(pairs[2 * row]);
      }
    });
  });

  it.each(["goss", "mvs"])(
    "let a fit learn nearly what it learns from all rows (%s)",
    (strategy) => {
      const rows = 6000;
      const columns = randomColumns(5, rows, 6, { missing: true });
      const random = new CounterRandom(deriveKey(5, "noise"));
      const target = Float64Array.from(
        { length: rows },
        (_, row) =>
          Math.sin(columns[0].bins[row] / 20) +
          columns[1].bins[row] / 60 +
          random.nextGaussian() / 2,
      );
      const context = contextOf(REGRESSION, encodeBins(columns), target, {
        trainRows: allRows(rows).filter((row) => row % 3 !== 0),
        validRows: allRows(rows).filter((row) => row % 3 === 0),
      });
      const shape = { rows, task: REGRESSION, features: context.data.features };
      const lossOf = (data_sample_strategy: string, bagging_fraction: number): number =>
        boost(
          context,
          resolveParameters(
            { data_sample_strategy, n_estimators: 150, learning_rate: 0.1, bagging_fraction },
            shape,
          ),
        ).validationLoss!;
      const [all, some] = [lossOf("bagging", 1), lossOf(strategy, 0.3)];
      expect(some).not.toBe(all);
      expect(some).toBeLessThan(1.1 * all);
    },
  );

  it("cannot be more than all of them, nor those of quantiles", () => {
    const shape = { rows: 10, task: REGRESSION, features: [] };
    const goss = { data_sample_strategy: "goss" };
    expect(() => resolveParameters({ ...goss, top_rate: 0.7, other_rate: 0.4 }, shape)).toThrow(
      'gbdt parameters "top_rate" (0.7) and "other_rate" (0.4) are shares of the same rows: together they can be 1 at most.',
    );
    const quantiles = { kind: "quantile_regression", classes: [], quantiles: [0.5] } as const;
    expect(() => resolveParameters(goss, { ...shape, task: quantiles })).toThrow(
      /"data_sample_strategy" cannot be "goss" for quantiles/,
    );
    expect(resolveParameters({ ...goss, top_rate: 0.7, other_rate: 0.3 }, shape)).toMatchObject(
      goss,
    );
  });
});
