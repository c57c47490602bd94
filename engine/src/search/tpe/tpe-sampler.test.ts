import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { randomSampler } from "../random-sampler.ts";
import type { Observation, Sampler } from "../sampler.ts";
import type { Parameters, SearchSpace } from "../space.ts";
import { kernelBandwidths } from "./bandwidths.ts";
import { dimensionOf } from "./dimension.ts";
import { ParzenEstimator } from "./parzen-estimator.ts";
import { splitByLoss, splitTrials, tpeSampler } from "./tpe-sampler.ts";

function run(
  sampler: Sampler,
  space: SearchSpace,
  lossOf: (parameters: Parameters) => number,
  trials: number,
  seed: number,
): Observation[] {
  const history: Observation[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const parameters = sampler.suggest(
      { space, history, pending: [] },
      deriveKey(seed, "t", trial),
    );
    history.push({ parameters, losses: [lossOf(parameters)] });
  }
  return history;
}

const best = (history: readonly Observation[]) =>
  Math.min(...history.map(({ losses }) => losses?.[0] ?? Number.POSITIVE_INFINITY));

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

describe("the search finds what it is led to", () => {
  const plane: SearchSpace = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [name, { type: "float", low: -5, high: 5 }]),
  );
  const sphere = (at: Parameters) =>
    Object.values(at).reduce<number>((sum, x) => sum + (number(x) - 1) ** 2, 0);
  const seeds = Array.from({ length: 9 }, (_, seed) => seed);

  test("far better than chance on a sphere", () => {
    const ours = median(seeds.map((seed) => best(run(tpeSampler(), plane, sphere, 100, seed))));
    const chance = median(
      seeds.map((seed) => best(run(randomSampler(), plane, sphere, 100, seed))),
    );
    expect(ours).toBeLessThan(chance / 4);
  });

  test("a joint density knows which values go together, separate ones do not", () => {
    const letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    const space: SearchSpace = {
      one: { type: "categorical", choices: letters },
      other: { type: "categorical", choices: letters },
      // Leaves points that have not been tried.
      x: { type: "float", low: 0, high: 1 },
    };
    const random = new CounterRandom(deriveKey(7, "pairs"));
    // Each pair twice: the 20 good ones are the equal pairs, and each letter is as good alone.
    const pairs = random.shuffle(Uint32Array.from({ length: 200 }, (_, i) => i % 100));
    const history = Array.from(pairs, (pair): Observation => {
      const one = letters[pair % 10];
      const other = letters[Math.trunc(pair / 10)];
      return { parameters: { one, other, x: random.nextFloat() }, losses: [one === other ? 0 : 1] };
    });
    const equalPairs = (multivariate: boolean) =>
      Array.from({ length: 100 }, (_, i) =>
        tpeSampler({ multivariate }).suggest({ space, history, pending: [] }, deriveKey(i, "pair")),
      ).filter(({ one, other }) => one === other).length;
    expect(equalPairs(true)).toBeGreaterThan(80);
    expect(equalPairs(false)).toBeLessThan(40);
  });

  test("a good branch of a conditional space is tried more and more", () => {
    const space: SearchSpace = {
      branch: { type: "categorical", choices: ["good", "bad", "worse"] },
      x: { type: "float", low: 0, high: 1, when: { parameter: "branch", values: ["good"] } },
      y: {
        type: "float",
        low: 0,
        high: 1,
        when: { parameter: "branch", values: ["bad", "worse"] },
      },
    };
    const history = run(
      tpeSampler(),
      space,
      ({ branch, x, y }) => (branch === "good" ? Math.abs(number(x) - 0.7) : 1 + number(y)),
      80,
      1,
    );
    const late = history.slice(40).filter(({ parameters }) => parameters["branch"] === "good");
    expect(late.length).toBeGreaterThan(30);
    expect(
      median(late.map(({ parameters }) => Math.abs(number(parameters["x"]) - 0.7))),
    ).toBeLessThan(0.15);
  });

  test("what fails is avoided", () => {
    const space: SearchSpace = { x: { type: "float", low: 0, high: 1 } };
    const history: Observation[] = [];
    for (let trial = 0; trial < 60; trial++) {
      const key = deriveKey(3, "t", trial);
      const parameters = tpeSampler().suggest({ space, history, pending: [] }, key);
      const x = number(parameters["x"]);
      history.push({ parameters, losses: x > 0.5 ? null : [x] });
    }
    const late = history.slice(30);
    expect(late.filter(({ losses }) => losses === null).length).toBeLessThan(5);
  });

  test("a batch spreads where one suggestion after the other would repeat", () => {
    const space: SearchSpace = { x: { type: "float", low: 0, high: 1 } };
    const history = run(tpeSampler(), space, ({ x }) => (number(x) - 0.5) ** 2, 40, 2);
    const key = deriveKey(9, "same");
    const pending: Parameters[] = [];
    const distances: number[] = [];
    for (let i = 0; i < 8; i++) {
      const parameters = tpeSampler().suggest({ space, history, pending }, key);
      for (const other of pending)
        distances.push(Math.abs(number(other["x"]) - number(parameters["x"])));
      pending.push(parameters);
    }
    // With one and the same key, only what is pending can make a difference.
    expect(Math.min(...distances)).toBeGreaterThan(0);
    expect(Math.max(...distances)).toBeGreaterThan(0.02);
  });
});

describe("split", () => {
  test("equals a stable sort with failures last and never good", () => {
    const random = new CounterRandom(deriveKey(4, "split"));
    for (let round = 0; round < 50; round++) {
      const count = random.nextInteger(300);
      const losses = Array.from({ length: count }, () =>
        random.nextInteger(4) === 0 ? null : random.nextInteger(20),
      );
      const order = losses
        .flatMap((loss, i) => (loss === null ? [] : [{ loss, i }]))
        .sort((a, b) => a.loss - b.loss || a.i - b.i)
        .slice(0, Math.min(25, Math.ceil(count * 0.1)));
      const slow = new Uint8Array(count);
      for (const { i } of order) slow[i] = 1;
      expect(splitByLoss(losses.map((loss) => loss ?? Number.NaN))).toEqual(slow);
    }
  });

  test("no trial is good where all failed", () => {
    expect(splitTrials([null, [Number.NaN], null]).good).toEqual(new Uint8Array(3));
  });
});

test("bandwidths without sorting equal those by sorting", () => {
  const random = new CounterRandom(deriveKey(5, "bandwidths"));
  for (let round = 0; round < 200; round++) {
    const count = 1 + random.nextInteger(200);
    const grid = [3, 10, 97, 128, 4096, 1e9][random.nextInteger(6)];
    const spread = [1, 0.1, 0.01][random.nextInteger(3)];
    const points = Float64Array.from(
      { length: count },
      () => (Math.round(random.nextFloat() * grid) / grid) * spread,
    );
    const order = [...points.keys()].sort((a, b) => points[a] - points[b] || a - b);
    const smallest = 1 / Math.min(100, count + 2);
    const slow = new Float64Array(count);
    order.forEach((i, at) => {
      const left = at > 0 ? points[i] - points[order[at - 1]] : count === 1 ? points[i] : 0;
      const right =
        at < count - 1 ? points[order[at + 1]] - points[i] : count === 1 ? 1 - points[i] : 0;
      slow[i] = Math.min(1, Math.max(smallest, left, right));
    });
    const fast = new Float64Array(count);
    kernelBandwidths(points, count, fast);
    expect(fast).toEqual(slow);
  }
});

describe("the estimator agrees with itself", () => {
  const dimensions = [
    dimensionOf({ type: "int", low: 0, high: 9 }),
    dimensionOf({ type: "categorical", choices: ["a", "b", "c"] }),
  ];
  const estimator = new ParzenEstimator(dimensions);
  const random = new CounterRandom(deriveKey(6, "estimator"));
  const count = 40;
  const points = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    points[i] = (random.nextInteger(4) + 0.5) / 10;
    points[count + i] = random.nextInteger(2);
  }
  estimator.fit(
    points,
    count,
    Array.from({ length: count }, (_, i) => i),
  );
  const cells = Float64Array.from(
    Array.from({ length: 30 }, (_, i) => [((i % 10) + 0.5) / 10, Math.trunc(i / 10)]).flat(),
  );
  const probability = estimator.logDensity(cells).map(Math.exp);

  test("probabilities of all points sum to 1", () => {
    expect(probability.reduce((sum, p) => sum + p)).toBeCloseTo(1, 12);
  });

  test("points are drawn as often as their probability says", () => {
    const draws = 20_000;
    const counts = new Float64Array(30);
    const drawn = estimator.sample(draws, random);
    for (let i = 0; i < draws; i++) counts[Math.trunc(drawn[2 * i] * 10) + 10 * drawn[2 * i + 1]]++;
    let chiSquared = 0;
    counts.forEach((n, i) => {
      chiSquared += (n - draws * probability[i]) ** 2 / (draws * probability[i]);
    });
    // 29 degrees of freedom: 66 has a chance of 1e-4.
    expect(chiSquared).toBeLessThan(66);
  });
});

test("a continuous density integrates to 1", () => {
  const estimator = new ParzenEstimator([dimensionOf({ type: "float", low: 2, high: 7 })]);
  estimator.fit(Float64Array.of(0, 0.1, 0.11, 0.8), 4, [0, 1, 2, 3]);
  const steps = 20_000;
  const grid = Float64Array.from({ length: steps }, (_, i) => (i + 0.5) / steps);
  const area = estimator.logDensity(grid).reduce((sum, log) => sum + Math.exp(log), 0) / steps;
  expect(area).toBeCloseTo(1, 6);
});
