import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Feature } from "../data/encoded.ts";
import { type Calibration, type CombinationLayer, Combiner } from "../ensemble/index.ts";
import type { Explanation } from "../families/family.ts";
import type { Task } from "../tasks/index.ts";
import { type ExplainedMember, explainBlend } from "./blend-explanation.ts";
import { toProbability } from "./carried-explanation.ts";

const features: Feature[] = [
  { kind: "numeric", name: "a", column: "a" },
  { kind: "numeric", name: "b.month", column: "b" },
  { kind: "numeric", name: "b.hour", column: "b" },
];

function softmax(margins: ArrayLike<number>): number[] {
  const powers = Array.from(margins, Math.exp);
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

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

const explain = (
  task: Task,
  members: readonly ExplainedMember[],
  layer: CombinationLayer | null = null,
) => explainBlend(task, features, members, members.length === 1, layer);

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
    const blend = explain({ kind: "regression", classes: [] }, [
      { weight: 0.75, calibration: null, explanation: one },
      { weight: 0.25, calibration: null, explanation: other },
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
    const blend = explain({ kind: "binclass", classes: ["n", "y"] }, [
      { weight: 1, calibration: null, explanation },
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
        const blend = explain({ kind: "binclass", classes: ["n", "y"] }, [
          { weight: 0.5, calibration: null, explanation: cut(one) },
          { weight: 0.5, calibration: null, explanation: cut(other) },
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

describe("calibrated and stacked members", () => {
  const calibrations: fc.Arbitrary<Calibration | null> = fc.oneof(
    fc.constant(null),
    fc.record({
      kind: fc.constant("temperature" as const),
      scale: fc.double({ min: 0.2, max: 4, noNaN: true }),
      bias: fc.double({ min: -2, max: 2, noNaN: true }),
    }),
    fc.constant({
      kind: "isotonic" as const,
      curves: [0, 1, 2].map((k) => ({
        x: [0.1, 0.4, 0.4 + 0.1 * k, 0.9],
        y: [0.02, 0.3, 0.5, 0.97],
      })),
    }),
  );
  const layers = (outputs: number): fc.Arbitrary<CombinationLayer | null> =>
    fc.constantFrom(null, { intercepts: new Array<number>(outputs).fill(outputs === 1 ? 0.4 : 0) });

  /** Probabilities that a member with this explanation predicts. */
  function predicted({ space, margins }: Explanation, outputs: number): Float64Array {
    if (space === "identity") return margins;
    if (space === "logit") return margins.map((margin) => 1 / (1 + Math.exp(-margin)));
    const values = new Float64Array(margins.length);
    for (let at = 0; at < margins.length; at += outputs) {
      values.set(softmax(margins.subarray(at, at + outputs)), at);
    }
    return values;
  }

  /** A forest's: contributions that add up to probabilities, two classes or three. */
  const ofForest = (outputs: number): fc.Arbitrary<Explanation> =>
    explanations(outputs === 1 ? "logit" : "log_softmax", outputs).map((explanation) =>
      toProbability(explanation, 3),
    );

  it.each([
    [{ kind: "binclass", classes: ["n", "y"] }, "logit", 1],
    [{ kind: "multiclass", classes: ["a", "b", "c"] }, "log_softmax", 3],
  ] as const)("add up to what $kind predicts", (task, space, outputs) => {
    const member = fc.record({
      weight: fc.double({ min: 0.1, max: 2, noNaN: true }),
      calibration: calibrations.map((calibration) =>
        outputs > 1 && calibration?.kind === "temperature"
          ? { ...calibration, bias: 0 }
          : calibration,
      ),
      explanation: fc.oneof(explanations(space, outputs), ofForest(outputs)),
    });
    fc.assert(
      fc.property(
        fc.array(member, { minLength: 1, maxLength: 3 }),
        layers(outputs),
        (drawn, layer) => {
          const rows = Math.min(
            ...drawn.map(({ explanation }) => explanation.margins.length / outputs),
          );
          const total = drawn.reduce((sum, { weight }) => sum + weight, 0);
          const members = drawn.map(({ weight, calibration, explanation }) => ({
            // Weights of an average sum to 1, those of a layer need not.
            weight: layer ? weight : weight / total,
            calibration,
            explanation: {
              ...explanation,
              margins: explanation.margins.subarray(0, rows * outputs),
              contributions: explanation.contributions.subarray(0, rows * 3 * outputs),
            },
          }));
          const combiner = new Combiner(task, layer, rows);
          for (const { weight, calibration, explanation } of members) {
            combiner.add(weight, calibration, predicted(explanation, outputs));
          }
          const values = combiner.result();
          const blend = explain(task, members, layer);
          for (let row = 0; row < rows; row++) {
            const sums = blend.baseValues.map((base, k) =>
              blend.contributions[row][k].reduce((sum, part) => sum + part, base),
            );
            for (const [k, sum] of sums.entries()) {
              expect(sum).toBeCloseTo(blend.predictions[row][k], 8);
            }
            const said =
              blend.space === "logit"
                ? sums.map((sum) => 1 / (1 + Math.exp(-sum)))
                : blend.space === "log_softmax"
                  ? softmax(sums)
                  : sums;
            for (const [k, value] of said.entries()) {
              expect(value).toBeCloseTo(values[row * outputs + k], 7);
            }
          }
          expect(blend.space === "probability" || blend.space === "identity").toBe(
            !layer &&
              !(
                members.length === 1 &&
                members[0].explanation.space !== "identity" &&
                members[0].calibration?.kind !== "isotonic" &&
                (outputs === 1 || members[0].calibration === null)
              ),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("a temperature scales what adds up in log-odds, and nothing else", () => {
    const explanation: Explanation = {
      space: "logit",
      baseValues: Float64Array.of(0.5),
      contributions: Float64Array.of(1, -2, 0.25),
      margins: Float64Array.of(-0.25),
    };
    const calibration: Calibration = { kind: "temperature", scale: 0.5, bias: 0.1 };
    const blend = explain({ kind: "binclass", classes: ["n", "y"] }, [
      { weight: 1, calibration, explanation },
    ]);
    expect(blend.space).toBe("logit");
    expect(blend.baseValues[0]).toBeCloseTo(0.35, 12);
    expect(blend.contributions[0][0][0]).toBeCloseTo(0.5, 9);
    expect(blend.contributions[0][0][1]).toBeCloseTo(-0.875, 9);
  });
});
