import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { toLoss } from "../metrics/index.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { blend } from "./blend.ts";
import { NoCandidateError, type SelectionRequest } from "./greedy-selection.ts";
import { greedySelection } from "./index.ts";

/** Every ensemble built from nothing at every step, as the paper says it. */
function slowSelection(request: SelectionRequest, steps: number) {
  const { candidates, target, weights, outputs, metric } = request;
  const lossOf = (bag: readonly number[]) => {
    const predictions =
      target.length === 0 ? new Float64Array(0) : new Float64Array(candidates[0].length);
    for (let i = 0; i < predictions.length; i++) {
      let sum = 0;
      for (const member of bag) sum += candidates[member][i];
      predictions[i] = sum / bag.length;
    }
    return toLoss(metric, metric.score({ target, predictions, outputs, weights }));
  };
  const bag: number[] = [];
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const tried = candidates.map((_, member) => lossOf([...bag, member]));
    const lowest = Math.min(...tried);
    const tied = [...tried.keys()].filter((member) => tried[member] === lowest);
    const chosen = tied.find((member) => bag.includes(member)) ?? tied[0];
    bag.push(chosen);
    losses.push(lowest);
  }
  const kept = bag.slice(0, losses.indexOf(Math.min(...losses)) + 1);
  return {
    path: bag.map((member, step) => ({ member, loss: losses[step] })),
    weights: candidates.map((_, m) => kept.filter((member) => member === m).length / kept.length),
    best: Math.min(...losses),
  };
}

function noisyCandidates(seed: number, rows: number, count: number, outputs: number) {
  const random = new CounterRandom(deriveKey(seed, "ensemble"));
  const target = Float64Array.from({ length: rows }, () =>
    random.nextInteger(outputs === 1 ? 2 : outputs),
  );
  const candidates = Array.from({ length: count }, () => {
    const predictions = new Float64Array(rows * outputs);
    for (let i = 0; i < rows; i++) {
      let total = 0;
      for (let k = 0; k < outputs; k++) {
        const truth = outputs === 1 ? target[i] : target[i] === k ? 1 : 0;
        // Coarse, so that ties occur.
        predictions[i * outputs + k] =
          Math.round(10 * (0.4 * truth + 0.6 * random.nextFloat())) / 10;
        total += predictions[i * outputs + k];
      }
      for (let k = 0; outputs > 1 && k < outputs; k++) predictions[i * outputs + k] /= total || 1;
    }
    return predictions;
  });
  return { target, candidates };
}

describe.each([
  ["rmse", 1],
  ["log_loss", 1],
  ["roc_auc", 1],
  ["accuracy", 1],
  ["log_loss", 3],
  ["f1_macro", 3],
])("%s with %d outputs", (name, outputs) => {
  test("equals the ensembles built from nothing", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 10, max: 40 }),
        fc.boolean(),
        (seed, count, rows, isWeighted) => {
          const { target, candidates } = noisyCandidates(seed, rows, count, outputs);
          const weights = isWeighted ? Float64Array.from(target, (_, i) => i % 3) : null;
          const request = { candidates, target, weights, outputs, metric: metricByName(name) };
          const steps = 8;
          // Undefined for one set of predictions (rows of one class) is undefined for all.
          const predictions = candidates[0];
          const alone = request.metric.score({ target, predictions, outputs, weights });
          fc.pre(Number.isFinite(alone));
          const slow = slowSelection(request, steps);
          fc.pre(slow.path.every(({ loss }) => Number.isFinite(loss)));
          expect(greedySelection({ ...request, maxSteps: steps })).toEqual(slow);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("the blend by its weights has the loss it says, and no member is better alone", () => {
    const { target, candidates } = noisyCandidates(3, 200, 12, outputs);
    const metric = metricByName(name);
    const { weights, best, path } = greedySelection({
      candidates,
      target,
      weights: null,
      outputs,
      metric,
    });
    const loss = (predictions: Float64Array) =>
      toLoss(metric, metric.score({ target, predictions, outputs, weights: null }));
    expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
    // A label may flip where the two sums of an average differ in their last bit.
    expect(loss(blend(candidates, weights))).toBeCloseTo(best, metric.needs === "label" ? 1 : 9);
    expect(best).toBeLessThanOrEqual(Math.min(...candidates.map(loss)));
    expect(path).toHaveLength(40);
  });
});

describe("ties", () => {
  const target = Float64Array.of(0, 1, 2, 3);
  const rmse = metricByName("rmse");
  const off = (by: number) => target.map((y) => y + by);

  test("of equal candidates the first joins, and then stays alone", () => {
    const candidates = [off(2), off(1), off(1), off(1)];
    const { weights, path } = greedySelection({
      candidates,
      target,
      weights: null,
      outputs: 1,
      metric: rmse,
    });
    expect(weights).toEqual([0, 1, 0, 0]);
    expect(new Set(path.map(({ member }) => member))).toEqual(new Set([1]));
  });

  test("a member is preferred to an equal stranger that comes before it", () => {
    // Errors (1, 0, 0, 0), and their mean with (0, 1, 1, 1), have the same sum of squares.
    const member = Float64Array.of(1, 1, 2, 3);
    const stranger = Float64Array.of(0, 2, 3, 4);
    const { path } = greedySelection({
      candidates: [stranger, member],
      target,
      weights: null,
      outputs: 1,
      metric: rmse,
      maxSteps: 2,
    });
    expect(path).toEqual([
      { member: 1, loss: 0.5 },
      { member: 1, loss: 0.5 },
    ]);
  });

  test("the first of equally good steps is kept", () => {
    const { weights, best } = greedySelection({
      candidates: [off(1), off(-1)],
      target,
      weights: null,
      outputs: 1,
      metric: rmse,
      maxSteps: 4,
    });
    expect(best).toBe(0);
    expect(weights).toEqual([0.5, 0.5]);
  });
});

describe("candidates", () => {
  const target = Float64Array.of(0, 1, 0, 1);
  const request = { target, weights: null, outputs: 1, metric: metricByName("accuracy") };
  const good = Float64Array.of(0.1, 0.9, 0.2, 0.8);

  test("that are not finite take no part", () => {
    const broken = Float64Array.of(0, Number.NaN, 0, 1);
    const endless = Float64Array.of(0, Number.POSITIVE_INFINITY, 0, 1);
    expect(greedySelection({ ...request, candidates: [broken, good, endless] }).weights).toEqual([
      0, 1, 0,
    ]);
    expect(() => greedySelection({ ...request, candidates: [broken] })).toThrow(NoCandidateError);
    expect(() => greedySelection({ ...request, candidates: [] })).toThrow(/None of 0/);
  });

  test("only the best on their own take part where there are too many", () => {
    const { target: y, candidates } = noisyCandidates(5, 100, 10, 1);
    const metric = metricByName("log_loss");
    const losses = candidates.map((predictions) =>
      metric.score({ target: y, predictions, outputs: 1, weights: null }),
    );
    const few = [...losses.keys()].sort((a, b) => losses[a] - losses[b]).slice(0, 3);
    const { path } = greedySelection({
      candidates,
      target: y,
      weights: null,
      outputs: 1,
      metric,
      maxCandidates: 3,
    });
    for (const { member } of path) expect(few).toContain(member);
  });

  test("of another length are refused", () => {
    expect(() => greedySelection({ ...request, candidates: [good, new Float64Array(3)] })).toThrow(
      /4 numbers, not 3/,
    );
  });
});

describe("blend", () => {
  test("is the weighted sum, and leaves out what weighs nothing", () => {
    const blended = blend(
      [Float64Array.of(1, 2), Float64Array.of(Number.NaN, 5), Float64Array.of(3, -2)],
      [0.25, 0, 0.75],
    );
    expect(blended).toEqual(Float64Array.of(2.5, -1));
  });

  test("refuses weights or lengths that do not match", () => {
    expect(() => blend([Float64Array.of(1)], [])).toThrow(RangeError);
    expect(() => blend([], [])).toThrow(RangeError);
    expect(() => blend([Float64Array.of(1), Float64Array.of(1, 2)], [0.5, 0.5])).toThrow(/1 and 2/);
  });
});
