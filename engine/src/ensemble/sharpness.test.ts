import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { blend } from "./blend.ts";
import { crossFits } from "./labelled-rows.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";
import { logLosses } from "./row-losses.ts";
import { fitSharpness } from "./sharpness.ts";

const ROWS = 1500;
const folds = crossFits([500, 500, 500]);
const weights = [0.6, 0.4, 0];
const byFold = folds.map(() => weights);

/** Two classes of which each of two witnesses knows another half, and says rightly what it knows. */
function witnesses(rows: number, seed = 1) {
  const random = new CounterRandom(deriveKey(seed, "witnesses"));
  const target = Float64Array.from({ length: rows }, () => random.nextInteger(2));
  const said = [0, 1].map(() =>
    // Of unit normals whose mean is 1 for the one class and −1 for the other.
    probabilitiesOf(
      target.map((y) => 2 * (2 * y - 1 + random.nextGaussian())),
      1,
    ),
  );
  // Weighs nothing, and is not to be looked at.
  return { target, predictions: [...said, new Float64Array(rows).fill(Number.NaN)] };
}

function meanLoss(target: Float64Array, predictions: Float64Array): number {
  const losses = logLosses(predictions, { target, outputs: 1 });
  return losses.reduce((sum, each) => sum + each, 0) / losses.length;
}

/** The average of members that are so much surer. */
function averageAt(predictions: readonly Float64Array[], sharpness: number): Float64Array {
  const sharp = predictions.slice(0, 2).map((each) =>
    probabilitiesOf(
      marginsOf(each, 1).map((margin) => sharpness * margin),
      1,
    ),
  );
  return blend(sharp, weights.slice(0, 2));
}

describe("sharpness", () => {
  const { target, predictions } = witnesses(ROWS);
  const rows = { target, weights: null, outputs: 1 };
  const fitted = fitSharpness({ predictions, rows, folds, weights, byFold });

  it("is where the average has the least loss and is likely, as slow steps find it", () => {
    let [best, least] = [1, Number.POSITIVE_INFINITY];
    for (let sharpness = 0.5; sharpness <= 2; sharpness += 0.01) {
      const loss = ROWS * meanLoss(target, averageAt(predictions, sharpness));
      const unlikely = (Math.log(sharpness) / 0.1) ** 2 / 2;
      if (loss + unlikely < least) [best, least] = [sharpness, loss + unlikely];
    }
    expect(best).toBeGreaterThan(1.2);
    expect(Math.abs(fitted.sharpness / best - 1)).toBeLessThan(0.015);
  });

  it("makes rows better that it was not fitted on", () => {
    const plain = meanLoss(target, averageAt(predictions, 1));
    expect(meanLoss(target, fitted.crossFitted)).toBeLessThan(0.97 * plain);
    const others = witnesses(ROWS, 2);
    const loss = meanLoss(others.target, averageAt(others.predictions, fitted.sharpness));
    expect(loss).toBeLessThan(0.97 * meanLoss(others.target, averageAt(others.predictions, 1)));
  });

  it("of a fold's rows is of the others", () => {
    const turned = target.map((y, i) => (i < 500 ? 1 - y : y));
    const given = { predictions, folds, weights, byFold };
    const other = fitSharpness({ ...given, rows: { ...rows, target: turned } });
    expect(other.crossFitted.subarray(0, 500)).toEqual(fitted.crossFitted.subarray(0, 500));
    expect(other.crossFitted.subarray(500)).not.toEqual(fitted.crossFitted.subarray(500));
    expect(other.sharpness).toBeLessThan(1);
  });

  it("counts rows by their weights", () => {
    const turned = target.map((y, i) => (i < 500 ? 1 - y : y));
    const first = target.map((_, i) => (i < 500 ? 0 : 1));
    const weighed = { target: turned, weights: first, outputs: 1 };
    const given = { predictions, folds, weights, byFold };
    expect(fitSharpness({ ...given, rows: weighed }).sharpness).toBeGreaterThan(1.1);
  });

  it("is hardly moved by few rows, and not at all of one member", () => {
    const few = witnesses(30);
    const small = { target: few.target, weights: null, outputs: 1 };
    const given = { predictions: few.predictions, rows: small, folds: crossFits([10, 10, 10]) };
    const { sharpness } = fitSharpness({ ...given, weights, byFold });
    expect(Math.abs(Math.log(sharpness))).toBeLessThan(0.12);
    const alone = { weights: [1, 0, 0], byFold: folds.map(() => [1, 0, 0]) };
    const single = fitSharpness({ ...given, ...alone });
    expect(single.sharpness).toBe(1);
    expect(single.crossFitted).toEqual(few.predictions[0]);
  });
});
