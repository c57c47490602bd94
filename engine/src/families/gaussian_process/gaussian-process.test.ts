/** Against scikit-learn's figures (`fixtures/processes.py`), finite differences and slow references. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { factorCholesky } from "../../compute/cholesky.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Task } from "../../tasks/index.ts";
import { FitLimits } from "../fit-limits.ts";
import { contextOf, encodeColumns } from "../linear/testing/data.ts";
import { lowerCovariances, type Points, SMOOTHNESS } from "./covariance.ts";
import { covarianceOf, type LabelledPoints, logEvidence } from "./evidence.ts";
import { gaussianProcess } from "./family.ts";
import { posteriorMeans } from "./model.ts";
import { factorInBlocks, posteriorOf } from "./posterior.ts";

const TASK: Task = { kind: "regression", classes: [] };
const numbers = z.array(z.number());
const figures = z
  .object({
    x: z.array(numbers),
    y: numbers,
    asked: z.array(numbers),
    scales: numbers,
    amplitude: z.number(),
    noise: z.number(),
    processes: z.record(
      z.enum(SMOOTHNESS),
      z.object({ evidence: z.number(), gradient: numbers, means: numbers }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("fixtures/processes.json", import.meta.url), "utf8")));
const { exp } = kernelsOf(encodeColumns([{ name: "x", cells: [0] }]).arena);

const pointsOf = (rows: readonly (readonly number[])[]): Points => ({
  rows: rows.length,
  numbers: Float32Array.from(rows[0].flatMap((_, d) => rows.map((row) => row[d]))),
  codes: new Int32Array(0),
});

/** What the fit adds to the noise that it learns. */
const LEAST_NOISE = 1e-5;

describe.each(SMOOTHNESS)("%s", (smoothness) => {
  const learning = { smoothness, shared: false, exp };
  const labelled: LabelledPoints = {
    points: pointsOf(figures.x),
    labels: Float64Array.from(figures.y),
    noiseFactors: null,
  };
  const parameters = Float64Array.from([
    ...figures.scales.map((scale) => -2 * Math.log(scale)),
    Math.log(figures.amplitude),
    Math.log(figures.noise - LEAST_NOISE),
  ]);
  const { evidence, gradient, means } = figures.processes[smoothness];

  test("has scikit-learn's evidence and its gradient", () => {
    const found = new Float64Array(5);
    const height = logEvidence(labelled, parameters, learning, found);
    const constant = (-figures.y.length / 2) * Math.log(2 * Math.PI);
    expect((height ?? 0) + constant).toBeCloseTo(evidence, 4);
    // Of ours, by the logarithm of 1 / scale², which is -2 times that of the scale.
    const theirs = [
      ...gradient.slice(1, 4).map((slope) => slope / -2),
      gradient[0],
      gradient[4] * (1 - LEAST_NOISE / figures.noise),
    ];
    for (const [p, slope] of theirs.entries()) expect(found[p]).toBeCloseTo(slope, 3);
  });

  test("predicts as scikit-learn does", () => {
    const { covariance, noise } = covarianceOf(parameters, 3, learning);
    const { weights } = posteriorOf(labelled, covariance, noise, { exp, limits: new FitLimits() });
    const process = { covariance, points: labelled.points, weights };
    const found = posteriorMeans(process, pointsOf(figures.asked), exp);
    for (const [i, mean] of means.entries()) expect(found[i]).toBeCloseTo(mean, 5);
  });
});

test("the gradient is that of finite differences, with codes, weights and shared scales", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(...SMOOTHNESS),
      fc.boolean(),
      fc.boolean(),
      (seed, smoothness, shared, weighted) => {
        const random = new CounterRandom(deriveKey(seed, "evidence"));
        const rows = 12;
        const draw = (): number => random.nextGaussian();
        const labelled: LabelledPoints = {
          points: {
            rows,
            numbers: Float32Array.from({ length: 2 * rows }, draw),
            codes: Int32Array.from({ length: rows }, () => random.nextInteger(3)),
          },
          labels: Float64Array.from({ length: rows }, draw),
          noiseFactors: weighted
            ? Float64Array.from({ length: rows }, () => 0.5 + random.nextFloat())
            : null,
        };
        const learning = { smoothness, shared, exp };
        const parameters = Float64Array.from({ length: shared ? 3 : 5 }, () => 0.5 * draw() - 0.5);
        const gradient = new Float64Array(parameters.length);
        const unused = new Float64Array(parameters.length);
        logEvidence(labelled, parameters, learning, gradient);
        for (let p = 0; p < parameters.length; p++) {
          const at = (step: number): number => {
            const moved = parameters.slice();
            moved[p] += step;
            return logEvidence(labelled, moved, learning, unused) ?? Number.NaN;
          };
          const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
          expect(Math.abs(gradient[p] - slope)).toBeLessThan(1e-4 * (1 + Math.abs(slope)));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("a factor made in blocks is that of the plain algorithm", () => {
  for (const rows of [1, 2, 63, 64, 65, 130, 197]) {
    const random = new CounterRandom(deriveKey(rows, "blocks"));
    const points = pointsOf(
      Array.from({ length: rows }, () => [random.nextGaussian(), random.nextGaussian()]),
    );
    const covariance = {
      smoothness: "matern_3_2" as const,
      amplitude: 1,
      relevances: Float64Array.of(1, 0.5),
    };
    const plain = lowerCovariances(points, covariance, exp);
    for (let i = 0; i < rows; i++) plain[i * rows + i] += 0.1;
    const blocks = plain.slice();
    expect(factorCholesky(plain, rows)).toBe(true);
    expect(factorInBlocks(blocks, rows, new FitLimits())).toBe(true);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j <= i; j++) {
        expect(blocks[i * rows + j]).toBeCloseTo(plain[i * rows + j], 10);
      }
    }
  }
});

describe("the family", () => {
  const rows = 160;
  const random = new CounterRandom(deriveKey(3, "family"));
  const draw = (make: () => number): Float64Array => Float64Array.from({ length: rows }, make);
  const x = draw(() => random.nextGaussian());
  const gaps = draw(() => (random.nextFloat() < 0.2 ? Number.NaN : random.nextGaussian()));
  const kind = draw(() => random.nextInteger(4) - 1);
  const noise = draw(() => random.nextGaussian());
  const target = x.map(
    (value, i) => 500 + 30 * Math.sin(2 * value) + 10 * kind[i] + (Number.isNaN(gaps[i]) ? 9 : 0),
  );
  const data = encodeColumns([
    { name: "x", cells: x },
    { name: "gaps", cells: gaps },
    { name: "kind", cells: kind.map((c) => (c < 0 ? Number.NaN : c)), categories: ["a", "b", "c"] },
    { name: "noise", cells: noise },
  ]);
  const half = Uint32Array.from({ length: rows / 2 }, (_, i) => 2 * i);
  const others = half.map((row) => row + 1);
  const context = contextOf(TASK, data, target, { trainRows: half });
  const parameters = gaussianProcess.defaults({ rows, task: TASK, features: data.features });
  const model = gaussianProcess.fit(context, parameters);

  test("learns a smooth function of numbers, gaps and categories", () => {
    const predicted = model.predict(data, others);
    let error = 0;
    let spread = 0;
    for (const [i, row] of others.entries()) {
      error += (predicted[i] - target[row]) ** 2;
      spread += (target[row] - 505) ** 2;
    }
    expect(error / spread).toBeLessThan(0.1);
    const [ofX, , , ofNoise] = model.importance();
    expect(ofX).toBeGreaterThan(4 * ofNoise);
  });

  test("explains what it predicts, from the mean of the training rows on", () => {
    const { baseValues, contributions, margins } = model.explain(data, others);
    expect(margins).toEqual(model.predict(data, others));
    for (let i = 0; i < others.length; i++) {
      let sum = baseValues[0];
      for (let f = 0; f < 4; f++) sum += contributions[4 * i + f];
      expect(sum).toBeCloseTo(margins[i], 6);
    }
  });

  test("contributions along the path hardly leave anything to share out", () => {
    const smooth = gaussianProcess.fit(context, { ...parameters, smoothness: "rbf" });
    const { contributions, baseValues, margins } = smooth.explain(data, others);
    // A feature's own effect: that of kind a against kind c at equal else is told to it alone.
    const codes = Float64Array.from(others, (row) => kind[row]);
    const of = (code: number): number => {
      const own = [...codes.keys()].filter((i) => codes[i] === code);
      return own.reduce((sum, i) => sum + contributions[4 * i + 2], 0) / own.length;
    };
    expect(of(2) - of(0)).toBeGreaterThan(10);
    expect(baseValues[0]).toBeGreaterThan(Math.min(...margins));
  });

  test("is the same after it was saved and read, and says what is damaged", () => {
    const saved = model.save();
    const context_ = { task: TASK, features: data.features, bins: null };
    const again = gaussianProcess.load(
      { header: JSON.parse(JSON.stringify(saved.header)), tensors: saved.tensors },
      context_,
    );
    expect(again.predict(data, null)).toEqual(model.predict(data, null));
    expect(again.explain(data, others)).toEqual(model.explain(data, others));
    const without = { ...saved.tensors, weights: new Float32Array(1) };
    expect(() => gaussianProcess.load({ ...saved, tensors: without }, context_)).toThrow(/weights/);
    const codes = new Int32Array(saved.tensors["codes"].length).fill(9);
    expect(() =>
      gaussianProcess.load({ ...saved, tensors: { ...saved.tensors, codes } }, context_),
    ).toThrow(/codes holds 9/);
  });

  test("is a function of its data, parameters and key, and ends where it is told to", () => {
    expect(gaussianProcess.fit(context, parameters).save()).toEqual(model.save());
    const limits = new FitLimits({ iterations: 3 });
    const short = gaussianProcess.fit({ ...context, limits }, parameters);
    expect(short.facts["steps"]).toBe(3);
    expect(limits.cutAt).toBe(3);
  });

  test("draws rows where there are more than it may keep", () => {
    const few = gaussianProcess.fit(context, { ...parameters, max_rows: 20, learning_rows: 20 });
    expect(few.facts["rows"]).toBe(20);
  });

  test("takes targets that are all equal, and columns that are", () => {
    const flat = encodeColumns([{ name: "x", cells: new Float64Array(40).fill(2) }]);
    const same = gaussianProcess.fit(
      contextOf(TASK, flat, new Float64Array(40).fill(7)),
      parameters,
    );
    expect(same.predict(flat, null)[0]).toBeCloseTo(7, 9);
  });
});
