/** Against scikit-learn's figures (`fixtures/processes.py`), finite differences and slow references. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { factorCholesky } from "../../compute/cholesky.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Task } from "../../tasks/index.ts";
import type { FitContext, FittedModel } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { contextOf, encodeColumns } from "../linear/testing/data.ts";
import { lowerCovariances, type Points, SMOOTHNESS, type Smoothness } from "./covariance.ts";
import { covarianceOf, evidenceOf, type LabelledPoints } from "./evidence.ts";
import { gaussianProcess } from "./family.ts";
import { processLabels, slopeOf } from "./labels.ts";
import { learnSmoothness } from "./learn-smoothness.ts";
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
    const height = evidenceOf(labelled, parameters, learning, found)?.logLikelihood;
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
        evidenceOf(labelled, parameters, learning, gradient);
        for (let p = 0; p < parameters.length; p++) {
          const at = (step: number): number => {
            const moved = parameters.slice();
            moved[p] += step;
            return evidenceOf(labelled, moved, learning, unused)?.logLikelihood ?? Number.NaN;
          };
          const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
          expect(Math.abs(gradient[p] - slope)).toBeLessThan(1e-4 * (1 + Math.abs(slope)));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("the means of rows that are left out are those of processes without them, for every output", () => {
  const random = new CounterRandom(deriveKey(5, "left out"));
  const [rows, outputs] = [14, 2];
  const x = Array.from({ length: rows }, () => [random.nextGaussian(), random.nextGaussian()]);
  const labels = Float64Array.from({ length: outputs * rows }, () => random.nextGaussian());
  const noiseFactors = Float64Array.from({ length: rows }, () => 0.5 + random.nextFloat());
  const covariance = {
    smoothness: "matern_3_2" as const,
    amplitude: 1.3,
    relevances: Float64Array.of(1, 0.5),
  };
  const processOf = (known: readonly number[]) => ({
    points: pointsOf(known.map((row) => x[row])),
    labels: Float64Array.from([0, 1].flatMap((k) => known.map((row) => labels[k * rows + row]))),
    noiseFactors: Float64Array.from(known, (row) => noiseFactors[row]),
  });
  const all = [...x.keys()];
  const means = { exp, limits: new FitLimits() };
  const found = posteriorOf(processOf(all), covariance, 0.1, means).leftOut(Uint32Array.from(all));
  let squares = 0;
  for (const row of all) {
    const others = processOf(all.filter((other) => other !== row));
    const { weights } = posteriorOf(others, covariance, 0.1, means);
    const expected = posteriorMeans(
      { covariance, points: others.points, weights },
      pointsOf([x[row]]),
      exp,
    );
    for (let k = 0; k < outputs; k++) {
      expect(found[row * outputs + k]).toBeCloseTo(expected[k], 9);
      squares += (labels[k * rows + row] - expected[k]) ** 2 / noiseFactors[row];
    }
  }
  const parameters = Float64Array.of(0, Math.log(0.5), Math.log(1.3), Math.log(0.1 - LEAST_NOISE));
  const learning = { smoothness: covariance.smoothness, shared: false, exp };
  const told = evidenceOf(processOf(all), parameters, learning, new Float64Array(4));
  expect(told?.leftOutError).toBeCloseTo(squares / (outputs * rows), 9);
});

describe("the smoothness that is learned", () => {
  const rows = 90;
  const random = new CounterRandom(deriveKey(8, "smoothness"));
  const places = Float64Array.from({ length: rows }, () => 6 * random.nextFloat() - 3).sort();
  const learnedOf = (labels: Float64Array, limits = new FitLimits()) =>
    learnSmoothness(
      { points: pointsOf([...places].map((x) => [x])), labels, noiseFactors: null },
      1,
      SMOOTHNESS,
      { shared: false, exp },
      limits,
      0,
    );

  test("is great for a smooth function, least for a path that turns at every step", () => {
    const smooth = learnedOf(places.map((x) => 1.4 * Math.sin(1.5 * x)));
    expect(["matern_5_2", "rbf"]).toContain(smooth.smoothness);
    let height = 0;
    const path = places.map((x, i) => {
      height += Math.sqrt(i === 0 ? 0 : x - places[i - 1]) * random.nextGaussian();
      return height;
    });
    expect(learnedOf(path).smoothness).toBe("matern_1_2");
  });

  const wave = places.map((x) => 1.4 * Math.sin(1.5 * x));

  test("is the first one where there is no time for another", () => {
    const alone = learnedOf(wave, new FitLimits({ iterations: 15 }));
    expect(alone).toMatchObject({ smoothness: "matern_1_2", steps: 15 });
  });

  test("is looked at amid the first ascent, and told soon where the first one is far off", () => {
    const soon = learnedOf(wave, new FitLimits({ iterations: 16 }));
    expect(soon).toMatchObject({ smoothness: "matern_3_2", steps: 16 });
    const whole = learnedOf(wave);
    expect(whole.leftOutError).toBeLessThan(soon.leftOutError);
    // The rest of the first ascent is left out: 15 steps of it, and up to 20 of each of the others.
    expect(whole.steps).toBeLessThanOrEqual(15 + 3 * 20);
  });

  test("goes on with the first ascent where the look says nothing else", () => {
    const noise = places.map(() => random.nextGaussian());
    const points = pointsOf([...places].map((x) => [x]));
    const of = (smoothness: readonly Smoothness[], limits = new FitLimits()) =>
      learnSmoothness(
        { points, labels: noise, noiseFactors: null },
        1,
        smoothness,
        { shared: false, exp },
        limits,
        0,
      );
    const alone = of(["matern_1_2"]);
    const looked = of(SMOOTHNESS);
    expect(looked.smoothness).toBe("matern_1_2");
    expect(looked.parameters).toEqual(alone.parameters);
    expect(looked.leftOutError).toBe(alone.leftOutError);
  });
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

describe("of classes", () => {
  const rows = 240;
  const random = new CounterRandom(deriveKey(11, "classes"));
  const x = Float64Array.from({ length: rows }, () => 4 * random.nextFloat() - 2);
  const z = Float64Array.from({ length: rows }, () => 4 * random.nextFloat() - 2);
  const data = encodeColumns([
    { name: "x", cells: x },
    { name: "z", cells: z },
    { name: "kind", cells: x.map(() => random.nextInteger(3)), categories: ["a", "b", "c"] },
  ]);
  const half = Uint32Array.from({ length: rows / 2 }, (_, i) => 2 * i);
  const others = half.map((row) => row + 1);
  const round = x.map((value, i) => (value * value + z[i] * z[i] < 2 ? 1 : 0));
  const three = x.map((value, i) => (round[i] === 1 ? 2 : value > 0 ? 1 : 0));
  const two: Task = { kind: "binclass", classes: ["out", "in"] };
  const several: Task = { kind: "multiclass", classes: ["left", "right", "in"] };
  const fitted = (task: Task, target: Float64Array, changes: Partial<FitContext> = {}) => {
    const parameters = gaussianProcess.defaults({ rows, task, features: data.features });
    const context = contextOf(task, data, target, { trainRows: half, ...changes });
    return gaussianProcess.fit(context, parameters);
  };
  const logLoss = (
    model: FittedModel,
    target: Float64Array,
    outputs: number,
    scored: Uint32Array,
  ): number => {
    const predicted = model.predict(data, scored);
    let sum = 0;
    for (const [i, row] of scored.entries()) {
      if (outputs === 1) sum -= Math.log(target[row] === 1 ? predicted[i] : 1 - predicted[i]);
      else sum -= Math.log(predicted[i * outputs + target[row]]);
    }
    return sum / scored.length;
  };

  test.each([
    ["two", two, round, 1],
    ["three", several, three, 3],
  ] as const)("separates %s by curves", (_, task, target, outputs) => {
    const model = fitted(task, target);
    expect(logLoss(model, target, outputs, others)).toBeLessThan(0.45);
    const predicted = model.predict(data, others);
    for (let i = 0; outputs > 1 && i < others.length; i++) {
      const own = predicted.subarray(i * outputs, (i + 1) * outputs);
      expect(own.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });

  test.each([
    ["two", two, round],
    ["three", several, three],
  ] as const)("explains margins of %s, and is the same after it was read", (_, task, target) => {
    const model = fitted(task, target);
    const outputs = task.kind === "binclass" ? 1 : 3;
    const { space, baseValues, contributions, margins } = model.explain(data, others);
    expect(space).toBe(outputs === 1 ? "logit" : "log_softmax");
    for (let i = 0; i < others.length; i++) {
      for (let k = 0; k < outputs; k++) {
        let sum = baseValues[k];
        for (let f = 0; f < 3; f++) sum += contributions[(i * 3 + f) * outputs + k];
        expect(sum).toBeCloseTo(margins[i * outputs + k], 6);
      }
    }
    const saved = model.save();
    const read = { header: JSON.parse(JSON.stringify(saved.header)), tensors: saved.tensors };
    const place = { task, features: data.features, bins: null };
    const again = gaussianProcess.load(read, place);
    expect(again.predict(data, null)).toEqual(model.predict(data, null));
    expect(again.explain(data, others)).toEqual(model.explain(data, others));
    const other = task === two ? several : two;
    expect(() => gaussianProcess.load(read, { ...place, task: other })).toThrow(/outputs/);
  });

  test("the slope makes rows that were left out most likely", () => {
    const context = contextOf(several, data, three, { trainRows: half });
    const labels = processLabels(context, { log: Math.log });
    const noisy = Float64Array.from({ length: half.length * 3 }, (_, at) => {
      const label = labels.values[half[Math.floor(at / 3)] * 3 + (at % 3)];
      return 0.4 * label + 0.6 * random.nextGaussian();
    });
    if (!labels.classes) throw new Error("These labels are classes.");
    const slope = slopeOf(labels, labels.classes, half, noisy, { exp: Math.exp, weights: null });
    const { values, priors } = labels.classes;
    const loss = (s: number): number => {
      let sum = 0;
      for (const [i, row] of half.entries()) {
        const margins = [0, 1, 2].map(
          (k) => labels.centres[k] + s * labels.factors[k] * noisy[i * 3 + k],
        );
        const total = Math.log(margins.reduce((all, margin) => all + Math.exp(margin), 0));
        for (const [k, margin] of margins.entries()) {
          const share = (values[row * 3 + k] * half.length + priors[k]) / (half.length + 1);
          sum -= share * (margin - total);
        }
      }
      return sum;
    };
    expect(slope).toBeGreaterThan(0.5);
    for (const away of [0.98, 1.02]) expect(loss(slope)).toBeLessThan(loss(away * slope));
  });

  test("what says nothing predicts the shares of classes", () => {
    const drawn = Float64Array.from({ length: rows }, () => (random.nextFloat() < 0.3 ? 1 : 0));
    const model = fitted(two, drawn);
    const share = half.reduce((sum, row) => sum + drawn[row], 0) / half.length;
    const entropy = -(share * Math.log(share) + (1 - share) * Math.log(1 - share));
    expect(logLoss(model, drawn, 1, half)).toBeLessThan(entropy + 0.02);
  });

  test("learns from labels by degrees, from weights, and where a class has no rows", () => {
    const soft = Float64Array.from(round, (label) => 0.1 + 0.8 * label);
    const student = fitted(two, round, { softTarget: soft });
    expect(Math.max(...student.predict(data, others))).toBeLessThan(0.99);
    const weights = Float64Array.from(round, (label) => (label === 1 ? 1 : 0));
    const only = fitted(two, round, { weights }).predict(data, others);
    expect(Math.min(...only)).toBeGreaterThan(0.9);
    const without = fitted(several, round).predict(data, others);
    for (let i = 0; i < others.length; i++) expect(without[3 * i + 2]).toBeLessThan(0.1);
  });
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
