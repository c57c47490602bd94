import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import type { Task } from "../tasks/index.ts";
import { Combiner } from "./combiner.ts";
import { fitConstantShare } from "./constant-share.ts";
import { fitCombination } from "./fit-combination.ts";
import { crossFits } from "./labelled-rows.ts";
import { marginsOf } from "./margins.ts";

const ROWS = 1000;
const folds = crossFits([200, 200, 200, 200, 200]);
const regression: Task = { kind: "regression", classes: [] };
const multiclass: Task = { kind: "multiclass", classes: ["a", "b", "c"] };

function noise(seed: number, size = 1): Float64Array {
  const random = new CounterRandom(deriveKey(seed, "noise"));
  return Float64Array.from({ length: ROWS }, () => size * random.nextGaussian());
}

function requestOf(signal: number) {
  const truth = noise(1).map((each) => 10 + each);
  const crossFitted = noise(2, 0.8).map((each, i) => 10 + signal * (truth[i] - 10) + each);
  const rows = { target: truth, weights: null, outputs: 1 };
  const shared = { task: regression, rows, folds, metric: metricByName("rmse") };
  return { ...shared, crossFitted, margins: () => crossFitted };
}

const rmseOf = ({ rows }: ReturnType<typeof requestOf>, predictions: Float64Array): number =>
  metricByName("rmse").score({ ...rows, predictions });

describe("a share of a constant answer", () => {
  it("takes nearly all of a model that says nothing, whose scores then are the constant's", () => {
    const request = requestOf(0);
    const fitted = fitConstantShare(request);
    expect(fitted?.share).toBe(0.95);
    expect(fitted?.margins[0]).toBeCloseTo(10, 0);
    expect(rmseOf(request, request.crossFitted)).toBeGreaterThan(1.2);
    expect(rmseOf(request, fitted?.crossFitted ?? request.crossFitted)).toBeCloseTo(1, 1);
    expect(fitted?.note).toMatch(
      /hardly does better than the me(an|dian), so 95 % .*with that share .*rmse would be .*, without it 1\.3.*chosen without the rows they are scored on/,
    );
  });

  it("is less of one that says a little and overstates it", () => {
    const fitted = fitConstantShare(requestOf(0.35));
    expect([0.5, 0.75]).toContain(fitted?.share);
  });

  it("is none of a model that does better, and none where it would not be better itself", () => {
    expect(fitConstantShare(requestOf(1))).toBeNull();
    const request = requestOf(0);
    const mean = request.crossFitted.map(() => 10);
    const fitted = fitConstantShare({ ...request, crossFitted: mean, margins: () => mean });
    expect(fitted?.share).toBe(0);
    expect(fitted?.note).toMatch(/left as it is/);
  });

  it("is none of a model that is right in clearly more rows, however sure it is of some that are wrong", () => {
    const target = Float64Array.from({ length: 60 }, (_, i) => Number(i % 3 > 0));
    /** The commonest class is right in 40 rows. */
    const fittedFor = (rareRight: number, commonWrong: number) => {
      let [rare, common] = [0, 0];
      const crossFitted = target.map((y) => {
        const isRight = y === 0 ? rare++ < rareRight : common++ >= commonWrong;
        const sure = isRight ? 0.9 : 0.999;
        return (y === 1) === isRight ? sure : 1 - sure;
      });
      return fitConstantShare({
        task: { kind: "sequence_binclass", classes: ["a", "b"] },
        rows: { target, weights: null, outputs: 1 },
        folds: crossFits([12, 12, 12, 12, 12]),
        metric: metricByName("log_loss"),
        crossFitted,
        margins: () => marginsOf(crossFitted, 1),
      });
    };
    expect(fittedFor(14, 6)).toBeNull();
    expect(fittedFor(10, 10)?.share).toBeGreaterThan(0);
  });

  it("of classes lies in the margins of a layer that the model applies alike", () => {
    const random = new CounterRandom(deriveKey(3, "classes"));
    const target = Float64Array.from({ length: ROWS }, () =>
      Math.max(0, random.nextInteger(4) - 1),
    );
    const candidates = [5, 6].map((seed) => {
      const own = new CounterRandom(deriveKey(seed, "probabilities"));
      const crossFitted = new Float64Array(3 * ROWS);
      for (let i = 0; i < ROWS; i++) {
        const parts = [0, 1, 2].map(() => Math.exp(own.nextGaussian()));
        const sum = parts.reduce((a, b) => a + b, 0);
        crossFitted.set(
          parts.map((part) => part / sum),
          3 * i,
        );
      }
      return { calibration: null, crossFitted };
    });
    const metric = metricByName("log_loss");
    const fitted = fitCombination({
      ...{
        task: multiclass,
        candidates,
        folds,
        metric,
        fitWeights: null,
        corrections: false,
        constantShare: true,
        stacking: false,
        tuneThreshold: false,
      },
      rows: { target, weights: null, outputs: 3 },
      weighing: { weights: [0.5, 0.5], byFold: folds.map(() => [0.5, 0.5]) },
    });
    expect(fitted.weights.map((weight) => weight.toFixed(3))).toEqual(["0.025", "0.025"]);
    const combiner = new Combiner(multiclass, { intercepts: fitted.intercepts ?? [] }, ROWS);
    for (const { crossFitted } of candidates) combiner.add(0.025, null, crossFitted);
    const shares = [0.5, 0.25, 0.25];
    const loss = metric.score({
      target,
      weights: null,
      outputs: 3,
      predictions: combiner.result(),
    });
    expect(loss).toBeCloseTo(-shares.reduce((sum, p) => sum + p * Math.log(p), 0), 1);
    expect(marginsOf(combiner.result().slice(0, 3), 3).every(Number.isFinite)).toBe(true);
    const scored = { target, weights: null, outputs: 3, predictions: fitted.crossFitted };
    expect(metric.score(scored)).toBeCloseTo(loss, 1);
  });
});
