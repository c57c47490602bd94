/** Statistics of categories against the slow sums of the analysis of variance, and what noise leaves of them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { slowVarianceRatio } from "../../data/testing/variance-ratio.ts";
import { categoryStatistics, type StatisticsInput } from "./category-statistics.ts";

const KEY = deriveKey(4, "statistics");

function drawn(rows: number, categories: number, effect: number, seed: number): StatisticsInput {
  const random = new CounterRandom(deriveKey(seed, "labels"));
  const effects = Float64Array.from({ length: categories }, () => random.nextGaussian());
  const codes = Float64Array.from({ length: rows }, () => random.nextInteger(categories));
  const target = codes.map((code) => 3 + 5 * (effect * effects[code] + random.nextGaussian()));
  return { codes, categories, target, width: 1, weights: null };
}

describe("statistics of categories", () => {
  it("shrink means by the variances within and between", () => {
    const property = fc.property(fc.integer({ min: 1, max: 1000 }), (seed) => {
      const input = drawn(300, 12, 0.8, seed);
      const columns = categoryStatistics(input, KEY);
      const values = Array.from(input.target);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const deviation = Math.sqrt(
        values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length,
      );
      const groups = Array.from({ length: 12 }, (_, code) =>
        values.filter((_value, row) => input.codes[row] === code),
      );
      const ratio = slowVarianceRatio(groups.filter(({ length }) => length > 0));
      expect(columns.length).toBe(1);
      groups.forEach((group, code) => {
        const sum = group.reduce((total, value) => total + (value - mean) / deviation, 0);
        expect(columns[0].table[code]).toBeCloseTo(sum / (group.length + ratio), 8);
      });
      expect(columns[0].table[12]).toBe(0);
    });
    fc.assert(property, { numRuns: 20 });
  });

  it("say of a row what the rows of its category in other folds say", () => {
    const input = drawn(200, 3, 1, 2);
    const [{ table, outOfFold }] = categoryStatistics(input, KEY);
    const values = Array.from(input.target);
    const mean = values.reduce((sum, value) => sum + value, 0) / 200;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 200;
    const centred = values.map((value) => (value - mean) / Math.sqrt(variance));
    for (let code = 0; code < 3; code++) {
      const own = [...centred.keys()].filter((row) => input.codes[row] === code);
      const sum = own.reduce((total, row) => total + centred[row], 0);
      const ratio = sum / table[code] - own.length;
      // Rows of one fold are told the same.
      const told = new Set(own.map((row) => outOfFold[row]));
      expect(told.size).toBe(5);
      for (const value of told) {
        const others = own.filter((row) => outOfFold[row] !== value);
        const expected = others.reduce((total, row) => total + centred[row], 0);
        expect(value).toBeCloseTo(expected / (others.length + ratio), 6);
      }
    }
  });

  it("leave next to nothing of noise", () => {
    for (let seed = 0; seed < 20; seed++) {
      for (const { table } of categoryStatistics(drawn(1600, 400, 0, seed), KEY)) {
        const size = Math.sqrt(table.reduce((sum, value) => sum + value * value, 0) / table.length);
        expect(size).toBeLessThan(0.15);
      }
    }
  });

  it("leave rows of weight 0 out", () => {
    const input = drawn(60, 4, 1, 9);
    const weights = Float64Array.from({ length: 60 }, (_, row) => row % 3);
    const [weighed] = categoryStatistics({ ...input, weights }, KEY);
    const target = input.target.map((value, row) => (weights[row] === 0 ? value + 1e6 : value));
    const [moved] = categoryStatistics({ ...input, weights, target }, KEY);
    expect(moved.table).toEqual(weighed.table);
    const [plain] = categoryStatistics(input, KEY);
    expect(plain.table).not.toEqual(weighed.table);
  });

  it.each([
    ["equal weights", null],
    ["weights that binary fractions cannot say", (row: number) => 0.1 + 0.3 * (row % 2)],
  ])(
    "say nothing of categories without other rows, where labels are alike within each: %s",
    (_, weigh) => {
      // Categories 0 to 39 have one row each, 40 to 59 four; 60 has none, and 61 is the unknown one.
      const codes = Float64Array.from({ length: 120 }, (_, row) =>
        row < 40 ? row : 40 + Math.floor((row - 40) / 4),
      );
      for (const one of [1, 0.7]) {
        const input = {
          ...{ codes, categories: 61, width: 1, target: codes.map((code) => (code % 2) * one) },
          weights: weigh && Float64Array.from(codes.keys(), weigh),
        };
        const [{ table, outOfFold }] = categoryStatistics(input, KEY);
        expect(table.slice(60)).toEqual([0, 0]);
        expect([...outOfFold.subarray(0, 40)]).toEqual(new Array(40).fill(0));
        expect(table.slice(0, 60).every((value, code) => value * ((code % 2) - 0.5) > 0)).toBe(
          true,
        );
        expect(outOfFold.every((value) => Number.isFinite(value))).toBe(true);
      }
    },
  );

  it("have a column for each class that categories tell apart", () => {
    const codes = Float64Array.from({ length: 90 }, (_, row) => row % 3);
    const target = new Float64Array(90 * 3);
    codes.forEach((code, row) => {
      target[row * 3 + (row < 80 ? code : (code + 1) % 3)] = 1;
    });
    const input = { codes, categories: 3, target, width: 3, weights: null };
    expect(categoryStatistics(input, KEY).length).toBe(3);
  });
});
