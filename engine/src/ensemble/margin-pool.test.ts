import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { blend } from "./blend.ts";
import { crossFits } from "./labelled-rows.ts";
import { fitMarginPool, pooledMargins } from "./margin-pool.ts";
import { clippedProbability, logistic, softmaxInto } from "./margins.ts";

const ROWS = 600;
const OUTPUTS = 3;
const folds = crossFits([200, 200, 200]);
const byFold = folds.map((_, fold) => [0.4 + 0.1 * fold, 0.6 - 0.1 * fold, 0]);

/** Labels that two witnesses know something of, each something else, and what each of them says rightly. */
function witnesses(seed: number) {
  const random = new CounterRandom(deriveKey(seed, "witnesses"));
  const target = Float64Array.from({ length: ROWS }, () => random.nextInteger(OUTPUTS));
  const said = [0, 1].map(() => {
    const probabilities = new Float64Array(ROWS * OUTPUTS);
    for (const [i, y] of target.entries()) {
      // Of unit normals whose mean is 2 for the class that it is.
      const seen = Array.from(
        { length: OUTPUTS },
        (_, k) => (k === y ? 2 : 0) + random.nextGaussian(),
      );
      softmaxInto(
        Float64Array.from(seen, (x) => 2 * x),
        0,
        OUTPUTS,
        probabilities.subarray(i * OUTPUTS),
      );
    }
    return probabilities;
  });
  // Weighs nothing, and is not to be looked at.
  return { target, predictions: [...said, new Float64Array(ROWS * OUTPUTS).fill(Number.NaN)] };
}

const averageOf = (predictions: readonly Float64Array[], weights: readonly number[]) =>
  blend(predictions.slice(0, 2), weights.slice(0, 2));

describe("averaged margins", () => {
  const { target, predictions } = witnesses(1);
  const rows = { target, weights: null, outputs: OUTPUTS };

  it("are weighted sums of logarithms, by the weights of the row's fold", () => {
    const pooled = pooledMargins({ predictions, rows, folds, byFold });
    for (let i = 0; i < ROWS * OUTPUTS; i++) {
      const weights = byFold[Math.floor(i / OUTPUTS / 200)];
      const slow =
        weights[0] * Math.log(clippedProbability(predictions[0][i])) +
        weights[1] * Math.log(clippedProbability(predictions[1][i]));
      expect(pooled[i]).toBeCloseTo(slow, 10);
    }
  });

  it("are kept where witnesses of different things are averaged, and are what is scored", () => {
    const averaged = averageOf(predictions, [0.5, 0.5]);
    const fitted = fitMarginPool({ predictions, rows, folds, byFold, averaged });
    expect(fitted.kept).toBe(true);
    expect(fitted.losses[0]).toBeLessThan(0.95 * fitted.losses[1]);
    const loss = target.reduce(
      (sum, y, i) => sum - Math.log(fitted.crossFitted[i * OUTPUTS + y]),
      0,
    );
    expect(loss / ROWS).toBeCloseTo(fitted.losses[0], 10);
  });

  it("are left where they bring a trifle", () => {
    const timid = predictions[0].map((p) => 0.98 * p + 0.02 / OUTPUTS);
    const alike = [predictions[0], timid];
    const weights = folds.map(() => [0.5, 0.5]);
    const averaged = averageOf(alike, weights[0]);
    const fitted = fitMarginPool({ predictions: alike, rows, folds, byFold: weights, averaged });
    expect(fitted.losses[0]).not.toBe(fitted.losses[1]);
    expect(fitted.kept).toBe(false);
    expect(fitted.crossFitted).toEqual(averaged);
  });

  it("are left where rows that are all right are few, and kept where they are many", () => {
    const keptOf = (count: number): boolean => {
      const alternating = Float64Array.from({ length: count }, (_, i) => i % 2);
      // Each is sure of what the other doubts: margins keep more of the one that is.
      const said = [0, 1].map((which) =>
        alternating.map((y, i) => (y === 1 ? 1 : -1) * (i % 4 < 2 === (which === 0) ? 6 : 1.5)),
      );
      const given = said.map((margins) => margins.map(logistic));
      const third = count / 3;
      const parts = crossFits([third, third, third]);
      const averaged = given[0].map((p, i) => (p + given[1][i]) / 2);
      return fitMarginPool({
        predictions: given,
        rows: { target: alternating, weights: null, outputs: 1 },
        folds: parts,
        byFold: parts.map(() => [0.5, 0.5]),
        averaged,
      }).kept;
    };
    expect(keptOf(12)).toBe(false);
    expect(keptOf(600)).toBe(true);
  });

  it("each fold's rows have what the others choose", () => {
    const weights = folds.map(() => [0.5, 0.5]);
    const averaged = averageOf(predictions, weights[0]);
    // The first fold's labels are wrong, as all may see but itself.
    const turned = target.map((y, i) => (i < 200 ? (y + 1) % OUTPUTS : y));
    const given = { predictions: predictions.slice(0, 2), folds, byFold: weights, averaged };
    const fitted = fitMarginPool({ ...given, rows: { ...rows, target: turned } });
    const first = 200 * OUTPUTS;
    const plain = fitMarginPool({ ...given, rows });
    expect(fitted.crossFitted.subarray(0, first)).toEqual(plain.crossFitted.subarray(0, first));
    expect(fitted.crossFitted.subarray(first)).toEqual(averaged.subarray(first));
    expect(fitted.kept).toBe(false);
  });
});
