import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import {
  dominates,
  hypervolume,
  hypervolumeContributions,
  type Losses,
  nonDominationRanks,
  paretoFront,
  referenceBeyond,
} from "../dominance/index.ts";
import { randomSampler } from "../random-sampler.ts";
import type { Observation, Sampler } from "../sampler.ts";
import type { SearchSpace } from "../space.ts";
import { splitByDominance } from "./split-by-dominance.ts";
import { goodCount, splitTrials, tpeSampler } from "./tpe-sampler.ts";

const vectors = fc.integer({ min: 2, max: 4 }).chain((objectives) =>
  fc.array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.array(fc.nat(9), { minLength: objectives, maxLength: objectives }),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, new Array<number>(objectives).fill(Number.NaN)),
      },
    ),
    { minLength: 1, maxLength: 60 },
  ),
);

const settled = (losses: readonly (Losses | null)[]) =>
  losses.flatMap((each, i) => (each?.every(Number.isFinite) ? [{ each, i }] : []));

describe("splitByDominance", () => {
  test("takes whole ranks first, as many trials as are wanted, and none that failed", () => {
    fc.assert(
      fc.property(vectors, fc.nat(20), (losses, wanted) => {
        const { good } = splitByDominance(losses, wanted);
        const known = settled(losses);
        const ranks = nonDominationRanks(known.map(({ each }) => each));
        const taken = known.flatMap(({ i }, k) => (good[i] === 1 ? [ranks[k]] : []));
        const left = known.flatMap(({ i }, k) => (good[i] === 1 ? [] : [ranks[k]]));
        expect(good.reduce((sum, one) => sum + one, 0)).toBe(Math.min(wanted, known.length));
        if (taken.length > 0 && left.length > 0) {
          expect(Math.max(...taken)).toBeLessThanOrEqual(Math.min(...left));
        }
      }),
    );
  });

  test("weighs a good trial by what it adds to the hypervolume of the front, the most being 1", () => {
    fc.assert(
      fc.property(vectors, fc.integer({ min: 1, max: 20 }), (losses, wanted) => {
        const { good, weights } = splitByDominance(losses, wanted);
        const points = losses.filter((each, i): each is number[] => each !== null && good[i] === 1);
        const own = [...good.keys()].filter((i) => good[i] === 1).map((i) => weights?.[i] ?? -1);
        if (points.length === 0) return;
        const front = paretoFront(points);
        const contributions = hypervolumeContributions(
          front.map((i) => points[i]),
          referenceBeyond(points),
        );
        const most = Math.max(...contributions);
        for (const [i, weight] of own.entries()) {
          const place = front.indexOf(i);
          const contribution = place < 0 ? 0 : contributions[place] / most;
          expect(weight).toBeGreaterThan(0);
          if (most > 0) expect(weight).toBeCloseTo(contribution, 9);
        }
      }),
    );
  });

  test("does not depend on the units or the origin of an objective", () => {
    const random = new CounterRandom(deriveKey(1, "split"));
    const losses = Array.from({ length: 80 }, () => [random.nextFloat(), random.nextFloat()]);
    const moved = losses.map(([a, b]) => [1024 * a - 4096, b / 256]);
    const split = splitByDominance(losses, 8);
    const other = splitByDominance(moved, 8);
    expect(other.good).toEqual(split.good);
    split.weights?.forEach((weight, i) => {
      expect(other.weights?.[i]).toBeCloseTo(weight, 9);
    });
  });
});

test("several objectives are told apart from one by the observations", () => {
  const single = Array.from({ length: 30 }, (_, i) => [i]);
  expect(splitTrials(single).weights).toBeNull();
  const double = single.map(([i]) => [i, -i]);
  const { good, weights } = splitTrials([null, ...double]);
  expect(weights).not.toBeNull();
  expect(good.reduce((sum, one) => sum + one, 0)).toBe(goodCount(31));
  expect(good[0]).toBe(0);
});

describe("a search for a front", () => {
  const space: SearchSpace = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [`x${i}`, { type: "float", low: 0, high: 1 }]),
  );
  /** ZDT1 (Zitzler, Deb, Thiele 2000): a convex front where all but the first parameter are 0. */
  const zdt1 = (x: readonly number[]): Losses => {
    const g = 1 + (9 * x.slice(1).reduce((sum, each) => sum + each)) / (x.length - 1);
    return [x[0], g * (1 - Math.sqrt(x[0] / g))];
  };
  const search = (sampler: Sampler, seed: number): Losses[] => {
    const history: Observation[] = [];
    for (let trial = 0; trial < 120; trial++) {
      const key = deriveKey(seed, "front", trial);
      const parameters = sampler.suggest({ space, history, pending: [] }, key);
      history.push({ parameters, losses: zdt1(Object.values(parameters).map(Number)) });
    }
    return history.flatMap(({ losses }) => (losses === null ? [] : [losses]));
  };

  test("covers far more than chance does", () => {
    const reference = [1.1, 6];
    for (const seed of [0, 1, 2]) {
      const found = search(tpeSampler(), seed);
      const chance = search(randomSampler(), seed);
      expect(hypervolume(found, reference)).toBeGreaterThan(hypervolume(chance, reference) + 0.5);
      const beaten = chance.filter((point) => found.some((other) => dominates(other, point)));
      expect(beaten.length).toBeGreaterThan(100);
    }
  });
});
