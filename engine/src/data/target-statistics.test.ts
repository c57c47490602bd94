import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../compute/random.ts";
import {
  fitTargetStatistics,
  orderedTargetStatistics,
  type TargetStatisticsInput,
  targetOrder,
} from "./target-statistics.ts";

const key = deriveKey(5, "statistics");

const orderOf = ({ rows }: TargetStatisticsInput, own = key): Uint32Array =>
  targetOrder(rows.length, own);

const inputs: fc.Arbitrary<TargetStatisticsInput> = fc
  .array(
    fc.record({
      code: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(Number.NaN)),
      y: fc.integer({ min: -4, max: 4 }),
      w: fc.integer({ min: 0, max: 3 }),
      used: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((cells) => ({
    codes: Float64Array.from(cells, ({ code }) => code),
    categories: 4,
    target: Float64Array.from(cells, ({ y }) => y),
    weights: Float64Array.from(cells, ({ w }) => w),
    rows: Uint32Array.from([...cells.keys()].filter((row) => cells[row].used)),
    smoothing: 2,
  }));

/** The formula over a list of rows. */
function mean(input: TargetStatisticsInput, rows: readonly number[], code: number, prior: number) {
  let sum = input.smoothing * prior;
  let weight = input.smoothing;
  for (const row of rows) {
    if (!Object.is(input.codes[row], code)) continue;
    const w = input.weights?.[row] ?? 1;
    sum += w * input.target[row];
    weight += w;
  }
  return sum / weight;
}

function priorOf(input: TargetStatisticsInput, rows: readonly number[]): number {
  const weight = rows.reduce((sum, row) => sum + (input.weights?.[row] ?? 1), 0);
  const sum = rows.reduce((s, row) => s + (input.weights?.[row] ?? 1) * input.target[row], 0);
  return weight > 0 ? sum / weight : 0;
}

describe("target statistics", () => {
  it("are smoothed means of the rows fitted on, missing cells being a category", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const rows = [...input.rows];
        const statistics = fitTargetStatistics(input);
        const prior = priorOf(input, rows);
        expect(statistics.prior).toBeCloseTo(prior, 12);
        for (const [code, found] of statistics.means.entries()) {
          const cell = code === input.categories ? Number.NaN : code;
          expect(found).toBeCloseTo(mean(input, rows, cell, prior), 12);
        }
      }),
    );
  });

  it("never let a row see its own target", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (input, pick) => {
        if (input.rows.length < 2) return;
        const place = pick % input.rows.length;
        const target = input.target.slice();
        target[input.rows[place]] += 100;
        const free = { ...input, smoothing: 1e-9 };
        const ordered = orderedTargetStatistics(free, orderOf(free));
        const moved = orderedTargetStatistics({ ...free, target }, orderOf(free));
        const prior = priorOf(input, [...input.rows]);
        if (Math.abs(ordered[place] - prior) > 1e-6) {
          expect(moved[place]).toBeCloseTo(ordered[place], 5);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("in order, sum up to what a walk over the permutation gives", () => {
    const input: TargetStatisticsInput = {
      codes: Float64Array.of(0, 0, 0, 0),
      categories: 1,
      target: Float64Array.of(1, 1, 1, 1),
      weights: null,
      rows: Uint32Array.of(0, 1, 2, 3),
      smoothing: 1,
    };
    expect([...orderedTargetStatistics(input, orderOf(input))]).toEqual([1, 1, 1, 1]);
    const spread = { ...input, target: Float64Array.of(8, 0, 0, 0), smoothing: 0 };
    const found = [...orderedTargetStatistics(spread, orderOf(spread))];
    // The first of the order has no history and gets the prior, 2; rows after row 0 see its 8.
    expect(found.filter((value) => value === 2).length).toBeGreaterThanOrEqual(1);
    for (const value of found) expect([0, 2, 8, 4, 8 / 3]).toContain(value);
  });

  it("are the same for equal keys and differ for others", () => {
    const rows = Uint32Array.from({ length: 50 }, (_, i) => i);
    const input: TargetStatisticsInput = {
      codes: Float64Array.from(rows, (row) => row % 3),
      categories: 3,
      target: Float64Array.from(rows, (row) => row * row),
      weights: null,
      rows,
      smoothing: 1,
    };
    expect(orderedTargetStatistics(input, orderOf(input))).toEqual(
      orderedTargetStatistics(input, orderOf(input)),
    );
    expect(orderedTargetStatistics(input, orderOf(input))).not.toEqual(
      orderedTargetStatistics(input, orderOf(input, deriveKey(6))),
    );
  });
});
