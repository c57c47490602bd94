import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Feature } from "../data/encoded.ts";
import type { Explanation } from "../families/family.ts";
import { explainBlend, softmax, toProbability } from "./blend-explanation.ts";

const features: Feature[] = [
  { kind: "numeric", name: "a", column: "a" },
  { kind: "numeric", name: "b.month", column: "b" },
  { kind: "numeric", name: "b.hour", column: "b" },
];

/** A random explanation whose contributions add up to its margins. */
function explanations(space: Explanation["space"], outputs: number): fc.Arbitrary<Explanation> {
  const number = fc.double({ min: -6, max: 6, noNaN: true });
  return fc.integer({ min: 1, max: 4 }).chain((rows) =>
    fc
      .record({
        base: fc.array(number, { minLength: outputs, maxLength: outputs }),
        parts: fc.array(number, { minLength: rows * 3 * outputs, maxLength: rows * 3 * outputs }),
      })
      .map(({ base, parts }) => {
        const margins = new Float64Array(rows * outputs);
        for (let row = 0; row < rows; row++) {
          for (let k = 0; k < outputs; k++) {
            margins[row * outputs + k] = base[k];
            for (let f = 0; f < 3; f++) {
              margins[row * outputs + k] += parts[(row * 3 + f) * outputs + k];
            }
          }
        }
        return {
          space,
          baseValues: Float64Array.from(base),
          contributions: Float64Array.from(parts),
          margins,
        };
      }),
  );
}

function expectSums(explanation: Explanation, outputs: number): void {
  for (let row = 0; row < explanation.margins.length / outputs; row++) {
    for (let k = 0; k < outputs; k++) {
      let sum = explanation.baseValues[k];
      for (let f = 0; f < 3; f++) sum += explanation.contributions[(row * 3 + f) * outputs + k];
      expect(sum).toBeCloseTo(explanation.margins[row * outputs + k], 9);
    }
  }
}

describe("toProbability", () => {
  it("adds up to the probability of a logistic margin", () => {
    fc.assert(
      fc.property(explanations("logit", 1), (explanation) => {
        const carried = toProbability(explanation, 3);
        expectSums(carried, 1);
        expect(carried.margins[0]).toBeCloseTo(1 / (1 + Math.exp(-explanation.margins[0])), 12);
      }),
    );
  });

  it("adds up to the softmax of margins", () => {
    fc.assert(
      fc.property(explanations("log_softmax", 3), (explanation) => {
        const carried = toProbability(explanation, 3);
        expectSums(carried, 3);
        const expected = softmax(explanation.margins.subarray(0, 3));
        for (let k = 0; k < 3; k++) expect(carried.margins[k]).toBeCloseTo(expected[k], 12);
      }),
    );
  });
});

describe("explainBlend", () => {
  it("is the weighted sum for regression, by column", () => {
    const one: Explanation = {
      space: "identity",
      baseValues: Float64Array.of(10),
      contributions: Float64Array.of(1, 2, 3),
      margins: Float64Array.of(16),
    };
    const other: Explanation = {
      space: "identity",
      baseValues: Float64Array.of(20),
      contributions: Float64Array.of(-1, 0, 1),
      margins: Float64Array.of(20),
    };
    const blend = explainBlend({ kind: "regression", classes: [] }, features, [
      { weight: 0.75, explanation: one },
      { weight: 0.25, explanation: other },
    ]);
    expect(blend.space).toBe("identity");
    expect(blend.columns).toEqual(["a", "b"]);
    expect(blend.baseValues).toEqual([12.5]);
    expect(blend.predictions).toEqual([[17]]);
    expect(blend.contributions[0][0]).toEqual(Float64Array.of(0.5, 4));
  });

  it("keeps a single classifier in its margin space", () => {
    const explanation: Explanation = {
      space: "logit",
      baseValues: Float64Array.of(0.5),
      contributions: Float64Array.of(1, -2, 0.25),
      margins: Float64Array.of(-0.25),
    };
    const blend = explainBlend({ kind: "binclass", classes: ["n", "y"] }, features, [
      { weight: 1, explanation },
    ]);
    expect(blend.space).toBe("logit");
    expect(blend.predictions).toEqual([[-0.25]]);
  });

  it("carries a blend of classifiers into probabilities", () => {
    fc.assert(
      fc.property(explanations("logit", 1), explanations("logit", 1), (one, other) => {
        const rows = Math.min(one.margins.length, other.margins.length);
        const cut = (explanation: Explanation): Explanation => ({
          ...explanation,
          contributions: explanation.contributions.subarray(0, rows * 3),
          margins: explanation.margins.subarray(0, rows),
        });
        const blend = explainBlend({ kind: "binclass", classes: ["n", "y"] }, features, [
          { weight: 0.5, explanation: cut(one) },
          { weight: 0.5, explanation: cut(other) },
        ]);
        expect(blend.space).toBe("probability");
        for (let row = 0; row < rows; row++) {
          const sum = blend.contributions[row][0].reduce((a, b) => a + b, blend.baseValues[0]);
          expect(sum).toBeCloseTo(blend.predictions[row][0], 9);
        }
      }),
    );
  });
});
