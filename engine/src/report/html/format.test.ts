import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { percents, score, seconds, weightTexts } from "./format.ts";

const numberOf = (text: string): number => Number(text.replace("\u00a0%", ""));

describe("parts of a whole", () => {
  it("add up to 100 %, each within a digit of what it is", () => {
    const parts = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        parts.filter((all) => all.some((part) => part > 0)),
        fc.integer({ min: 0, max: 2 }),
        (all, digits) => {
          const total = all.reduce((sum, part) => sum + part, 0);
          const shares = all.map((part) => part / total);
          const shown = percents(shares, digits).map(numberOf);
          expect(shown.reduce((sum, each) => sum + each, 0)).toBeCloseTo(100, 6);
          for (const [place, share] of shares.entries()) {
            expect(Math.abs(shown[place] - 100 * share)).toBeLessThan(10 ** -digits + 1e-9);
          }
        },
      ),
    );
  });

  it("give what is left to those that lost most", () => {
    expect(percents([1 / 3, 1 / 3, 1 / 3], 0)).toEqual(["34\u00a0%", "33\u00a0%", "33\u00a0%"]);
    expect(percents([0.145, 0.145, 0.71], 0)).toEqual(["15\u00a0%", "14\u00a0%", "71\u00a0%"]);
    expect(percents([0.335, 0.335, 0.33], 0).map(numberOf)).toEqual([34, 33, 33]);
  });
});

it("weights of a stacking layer are no parts of a whole", () => {
  expect(weightTexts([0.5649, 0.4622], true)).toEqual(["0.5649", "0.4622"]);
  expect(weightTexts([0.5649, 0.4351], false)).toEqual(["56.5\u00a0%", "43.5\u00a0%"]);
});

it("large scores are read in groups, as other figures are", () => {
  expect([22183.27, -15882.1, 1234.56, 0.44675, 12.3456].map(score)).toEqual([
    "22,183.3",
    "−15,882.1",
    "1234.6",
    "0.4467",
    "12.346",
  ]);
});

describe("times", () => {
  it("have minutes and seconds below 60, and are never shorter by more than half of what they count in", () => {
    fc.assert(
      fc.property(fc.double({ min: 10, max: 1e6, noNaN: true }), (value) => {
        const text = seconds(value);
        const parts = [...text.matchAll(/(\d+) (s|min|h)/g)].map(([, count, unit]) => ({
          count: Number(count),
          unit,
        }));
        for (const { count, unit } of parts) if (unit !== "h") expect(count).toBeLessThan(60);
        const of: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };
        const told = parts.reduce((sum, { count, unit }) => sum + count * of[unit], 0);
        expect(Math.abs(told - value)).toBeLessThanOrEqual(value < 3599.5 ? 0.5 : 30.5);
      }),
      { examples: [[7170], [3599.6], [59.7]] },
    );
  });
});
