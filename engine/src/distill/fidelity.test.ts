import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { correlationOf, divergenceOf, type FidelityInput, fidelityOf } from "./fidelity.ts";

const random = new CounterRandom(deriveKey(1, "fidelity"));
const rows = 600;
const truth = Float64Array.from({ length: rows }, () => random.nextGaussian());
const noisy = (deviation: number): Float64Array =>
  truth.map((value) => value + deviation * random.nextGaussian());

const input: FidelityInput = {
  task: { kind: "regression", classes: [] },
  rows: Uint32Array.from({ length: rows }, (_, place) => 10 * place),
  target: truth,
  weights: null,
  teacher: noisy(0.2),
  student: noisy(0.3),
  baseline: noisy(1),
  metric: metricByName("rmse"),
  key: deriveKey(1, "bootstrap"),
};

const rmse = (values: Float64Array): number =>
  Math.sqrt(values.reduce((sum, value, i) => sum + (value - truth[i]) ** 2, 0) / rows);

describe("fidelityOf", () => {
  it("names the rows where student and teacher lie furthest apart", () => {
    const { disagreements } = fidelityOf(input);
    const apart = (place: number): number => Math.abs(input.student[place] - input.teacher[place]);
    const all = Array.from({ length: rows }, (_, place) => place).sort(
      (a, b) => apart(b) - apart(a),
    );
    expect(disagreements.map(({ row }) => row)).toEqual(
      all.slice(0, 10).map((place) => 10 * place),
    );
    const [first] = all;
    expect(disagreements[0]).toEqual({
      row: 10 * first,
      target: truth[first],
      student: [input.student[first]],
      teacher: [input.teacher[first]],
    });
    expect(fidelityOf({ ...input, student: input.teacher }).disagreements).toEqual([]);
  });

  it("says which share of the teacher's lift is kept, with an interval around it", () => {
    const { lift, scores, difference } = fidelityOf(input);
    const [b, s, t] = [input.baseline, input.student, input.teacher].map(rmse);
    expect(scores).toEqual({
      baseline: expect.closeTo(b),
      student: expect.closeTo(s),
      teacher: expect.closeTo(t),
    });
    expect(lift?.share).toBeCloseTo((b - s) / (b - t), 10);
    expect(lift?.low).toBeLessThan(lift?.share ?? 0);
    expect(lift?.high).toBeGreaterThan(lift?.share ?? 1);
    expect((lift?.high ?? 1) - (lift?.low ?? 0)).toBeLessThan(0.1);
    expect(difference).toBeCloseTo(Math.hypot(0.2, 0.3), 1);
    expect(fidelityOf(input)).toEqual(fidelityOf(input));
  });

  it("is silent on a lift that may be none", () => {
    expect(fidelityOf({ ...input, teacher: input.baseline }).lift).toBeNull();
    expect(fidelityOf({ ...input, teacher: noisy(1.01) }).lift).toBeNull();
    const better = fidelityOf({ ...input, student: truth }).lift;
    expect(better?.share).toBeGreaterThan(1);
  });

  it("covers the share of the population about as often as it says", () => {
    // Root mean squared errors of 1, 0.3 and 0.2.
    const share = (1 - 0.3) / (1 - 0.2);
    let covered = 0;
    const trials = 60;
    for (let trial = 0; trial < trials; trial++) {
      const draw = new CounterRandom(deriveKey(trial, "coverage"));
      const target = new Float64Array(200);
      const around = (deviation: number): Float64Array =>
        target.map(() => deviation * draw.nextGaussian());
      const found = fidelityOf({
        ...input,
        target,
        baseline: around(1),
        student: around(0.3),
        teacher: around(0.2),
        key: deriveKey(trial, "bootstrap"),
      }).lift;
      if (found && found.low <= share && share <= found.high) covered++;
    }
    expect(covered / trials).toBeGreaterThan(0.85);
  });

  it("compares probabilities by decision and divergence", () => {
    const task = { kind: "multiclass", classes: ["a", "b", "c"] } as const;
    const teacher = Float64Array.of(0.7, 0.2, 0.1, 0.1, 0.1, 0.8, 0, 1, 0);
    const student = Float64Array.of(0.6, 0.3, 0.1, 0.5, 0.1, 0.4, 0.2, 0.7, 0.1);
    const found = fidelityOf({
      ...input,
      task,
      target: Float64Array.of(0, 2, 1),
      teacher,
      student,
      baseline: new Float64Array(9).fill(1 / 3),
      metric: metricByName("log_loss"),
    });
    expect(found.agreement).toBeCloseTo(2 / 3, 12);
    const kl =
      0.7 * Math.log(0.7 / 0.6) +
      0.2 * Math.log(0.2 / 0.3) +
      0.1 * Math.log(0.1 / 0.5) +
      0.8 * Math.log(0.8 / 0.4) +
      Math.log(1 / 0.7);
    expect(found.divergence).toBeCloseTo(kl / 3, 12);
    expect(found.correlation).toBe(correlationOf(student, teacher));
    // SciPy: scipy.stats.entropy([0.9, 0.1], [0.6, 0.4]) = 0.2262883...
    expect(divergenceOf(Float64Array.of(0.1), Float64Array.of(0.4), 1)).toBeCloseTo(0.22628916, 6);
    expect(correlationOf(Float64Array.of(1, 1), Float64Array.of(1, 2))).toBeNull();
    expect(correlationOf(Float64Array.of(1, 2, 4), Float64Array.of(2, 1, 5))).toBeCloseTo(
      0.8386279,
      6,
    );
  });
});
