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
import { RowSampling } from "./row-sampling.ts";
import { RowWork } from "./row-work.ts";
import { allRows, contextOf, REGRESSION } from "./testing/fit.ts";

const arena = Arena.create();
const RATE = 0.5;

/** The upper bits of |g × h| as a float, of which the level is made. */
function levelOf(g: number, h: number): number {
  const size = new Float32Array([Math.abs(g * h)]);
  return new Uint32Array(size.buffer)[0] >>> 15;
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
  rates: { readonly top_rate: number; readonly other_rate: number },
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
    {
      ...{ data_sample_strategy: "goss", bagging_fraction: 0.5, learning_rate: RATE },
      ...rates,
    },
    list(rows),
    valid && { rows: valid, list: list(valid) },
  );
  const found = sampling.drawByGradient(2, key);
  if (found === null) return null;
  const read = ({ pointer, count }: { pointer: number; count: number }) =>
    arena.u32(pointer, count).slice();
  return {
    learned: read(found.rows.learned),
    followers: read(found.rows.followers),
    sums: found.sums,
    pairs: arena.f32(gradients, pairs.length).slice(),
    first: sampling.drawByGradient(1, key),
  };
}

const rates = fc.record({
  top_rate: fc.constantFrom(0, 0.1, 0.3, 0.8),
  other_rate: fc.constantFrom(0.01, 0.05, 0.1),
});
const slope = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.25, 1e-30, 1e30),
  fc.float({ min: -4, max: 4, noNaN: true }),
);

describe("rows drawn by their gradients", () => {
  it("are those of a loop over all, multiplied by what they stand for", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(slope, slope), { minLength: 1, maxLength: 300 }),
        fc.nat(3),
        fc.boolean(),
        rates,
        fc.nat(),
        (given, left, validated, rate, seed) =>
          withScratch(arena, (scratch) => {
            const key = deriveKey(seed, "goss");
            const pairs = Float32Array.from(given.flatMap(([g, h]) => [g, Math.abs(h)]));
            const isLearned = (row: number) => left === 0 || row % (left + 1) !== left;
            const all = Uint32Array.from(given.keys());
            const rows = all.filter(isLearned);
            const valid = validated ? all.filter((row) => !isLearned(row)) : null;
            fc.pre(rows.length > 0 && valid?.length !== 0);
            const found = drawn(scratch, pairs, rows, valid, rate, key);

            const levels = Array.from(all, (row) => levelOf(pairs[2 * row], pairs[2 * row + 1]));
            const sorted = Array.from(rows, (row) => levels[row]).sort((a, b) => b - a);
            const wanted = rate.top_rate * rows.length;
            // The first level at which there would be more rows than are wanted.
            const level = sorted.find((each) => sorted.filter((l) => l >= each).length > wanted)!;
            const above = sorted.filter((each) => each > level).length;
            const share = (wanted - above) / sorted.filter((each) => each === level).length;
            const others = rate.other_rate / (1 - rate.top_rate);
            const thresholdOf = (row: number): number => {
              if (levels[row] > level) return 65536;
              const chance = levels[row] < level ? others : share + (1 - share) * others;
              return Math.round(65536 * chance);
            };
            const taken = rows.filter((row) => drawOf(row, key) < thresholdOf(row));
            if (taken.length === 0) {
              expect(found).toBeNull();
              return;
            }
            expect(found?.first).toBeNull();
            expect(found?.learned).toEqual(taken);
            const rest = rows.filter((row) => !taken.includes(row));
            expect(found?.followers).toEqual(Uint32Array.from([...rest, ...(valid ?? [])]));
            const expected = pairs.slice();
            let [gradient, hessian] = [0, 0];
            for (const row of taken) {
              const factor = 65536 / thresholdOf(row);
              expected[2 * row] *= factor;
              expected[2 * row + 1] *= factor;
              gradient += Math.abs(expected[2 * row]);
              hessian += expected[2 * row + 1];
            }
            expect(found?.pairs).toEqual(expected);
            expect(found?.sums).toEqual({ gradient, hessian });
          }),
      ),
      { numRuns: 300 },
    );
  });

  it("stand for all rows: their sums are those of all, on average, also of rows in many parts", () => {
    const random = new CounterRandom(deriveKey(1, "rows"));
    const rows = 150_000;
    const pairs = Float32Array.from({ length: 2 * rows }, (_, i) =>
      i % 2 === 0 ? random.nextGaussian() : 1,
    );
    const whole = { gradient: 0, hessian: 0 };
    for (let i = 0; i < pairs.length; i += 2) {
      whole.gradient += Math.abs(pairs[i]);
      whole.hessian += pairs[i + 1];
    }
    withScratch(arena, (scratch) => {
      const rate = { top_rate: 0.2, other_rate: 0.1 };
      const found = drawn(scratch, pairs, allRows(rows), null, rate, deriveKey(7, "goss"))!;
      // Five standard errors.
      expect(Math.abs(found.learned.length / rows - 0.3)).toBeLessThan(0.004);
      expect(Math.abs(found.sums.gradient / whole.gradient - 1)).toBeLessThan(0.02);
      expect(Math.abs(found.sums.hessian / whole.hessian - 1)).toBeLessThan(0.03);
      // The largest are there, as they were.
      const kept = new Set(found.learned);
      for (let row = 0; row < rows; row++) {
        if (Math.abs(pairs[2 * row]) < 1.3) continue;
        expect(kept.has(row)).toBe(true);
        expect(found.pairs[2 * row]).toBe(pairs[2 * row]);
      }
    });
  });

  it("let a fit learn nearly what it learns from all rows", () => {
    const rows = 6000;
    const columns = randomColumns(5, rows, 6, { missing: true });
    const random = new CounterRandom(deriveKey(5, "noise"));
    const target = Float64Array.from(
      { length: rows },
      (_, row) =>
        Math.sin(columns[0].bins[row] / 20) + columns[1].bins[row] / 60 + random.nextGaussian() / 2,
    );
    const context = contextOf(REGRESSION, encodeBins(columns), target, {
      trainRows: allRows(rows).filter((row) => row % 3 !== 0),
      validRows: allRows(rows).filter((row) => row % 3 === 0),
    });
    const shape = { rows, task: REGRESSION, features: context.data.features };
    const lossOf = (data_sample_strategy: string): number =>
      boost(
        context,
        resolveParameters(
          { data_sample_strategy, n_estimators: 150, learning_rate: 0.1, bagging_fraction: 1 },
          shape,
        ),
      ).validationLoss!;
    const [all, some] = [lossOf("bagging"), lossOf("goss")];
    expect(some).not.toBe(all);
    expect(some).toBeLessThan(1.1 * all);
  });

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
