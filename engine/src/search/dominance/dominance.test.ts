/** Ranks and hypervolumes against slow definitions, and against Optuna's (`dominance.fixture.py`). */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { hypervolumeGain } from "./hypervolume.ts";
import {
  dominates,
  hypervolume,
  hypervolumeContributions,
  type Losses,
  nonDominationRanks,
  paretoFront,
  referenceBeyond,
  selectByHypervolume,
} from "./index.ts";
import { UNRANKED } from "./non-domination-rank.ts";

const vectors = z.array(z.array(z.number()));
const fixture = z
  .object({
    cases: z.array(
      z.object({
        name: z.string(),
        points: vectors,
        reference: z.array(z.number()),
        ranks: z.array(z.number()),
        hypervolume: z.number(),
        front: vectors,
        contributions: z.array(z.number()),
        subset: z.array(z.number()),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("./dominance.fixture.json", import.meta.url), "utf8")));

function expectClose(actual: number, expected: number, scale: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-11 * scale);
}

describe.each(fixture.cases)("as Optuna: $name", (of) => {
  test("ranks", () => {
    expect([...nonDominationRanks(of.points)]).toEqual(of.ranks);
    const front = of.ranks.flatMap((rank, i) => (rank === 0 ? [i] : []));
    expect(paretoFront(of.points)).toEqual(front);
  });

  test("hypervolume", () => {
    expectClose(hypervolume(of.points, of.reference), of.hypervolume, of.hypervolume);
  });

  test("contributions", () => {
    const ours = hypervolumeContributions(of.front, of.reference);
    expect(ours).toHaveLength(of.contributions.length);
    ours.forEach((contribution, i) => {
      expectClose(contribution, of.contributions[i], of.hypervolume);
    });
  });

  test("greedy subset", () => {
    const chosen = selectByHypervolume(of.front, of.subset.length, of.reference);
    const volume = (subset: readonly number[]) =>
      hypervolume(
        subset.map((i) => of.front[i]),
        of.reference,
      );
    expectClose(volume(chosen), volume(of.subset), of.hypervolume);
    // On a grid several points gain the same, and either may be taken.
    if (!of.name.includes("grid")) expect(chosen.toSorted((a, b) => a - b)).toEqual(of.subset);
  });
});

/** By definition: layer after layer of what nothing left dominates. */
function slowRanks(points: readonly Losses[]): number[] {
  const ranks = points.map(() => -1);
  for (let rank = 0; ranks.includes(-1); rank++) {
    const left = [...ranks.keys()].filter((i) => ranks[i] === -1);
    for (const i of left) {
      if (!left.some((j) => dominates(points[j], points[i]))) ranks[i] = rank;
    }
  }
  return ranks;
}

/** Whole cells of the grid of coordinates 0 … 4 that some point dominates. */
function slowVolume(points: readonly Losses[], dimensions: number): number {
  let cells = 0;
  for (let cell = 0; cell < 4 ** dimensions; cell++) {
    const corner = Array.from({ length: dimensions }, (_, i) => Math.trunc(cell / 4 ** i) % 4);
    if (points.some((point) => point.every((loss, i) => loss <= corner[i]))) cells++;
  }
  return cells;
}

const grid = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.nat(30))
  .chain(([dimensions, count]) =>
    fc.array(fc.array(fc.nat(4), { minLength: dimensions, maxLength: dimensions }), {
      minLength: Math.min(count, 1),
      maxLength: count,
    }),
  )
  .filter((points) => points.length > 0);

describe("by definition, on grids full of ties", () => {
  test("ranks", () => {
    fc.assert(
      fc.property(grid, (points) => {
        expect([...nonDominationRanks(points)]).toEqual(slowRanks(points));
      }),
    );
  });

  test("hypervolume, whatever the order of the points", () => {
    fc.assert(
      fc.property(grid, fc.nat(), (points, seed) => {
        const dimensions = points[0].length;
        const reference = new Array<number>(dimensions).fill(4);
        const order = new CounterRandom(deriveKey(seed, "order")).shuffle(
          Int32Array.from(points.keys()),
        );
        const shuffled = Array.from(order, (i) => points[i]);
        expect(hypervolume(shuffled, reference)).toBe(slowVolume(points, dimensions));
      }),
    );
  });

  test("a gain is the difference of two hypervolumes", () => {
    fc.assert(
      fc.property(grid, ([point, ...others]) => {
        const reference = point.map(() => 4);
        expect(hypervolumeGain(point, others, reference)).toBe(
          hypervolume([point, ...others], reference) - hypervolume(others, reference),
        );
      }),
    );
  });

  test("a subset is what plain greedy choice gives", () => {
    fc.assert(
      fc.property(grid, fc.nat(30), (points, wanted) => {
        const size = Math.min(wanted, points.length);
        const reference = points[0].map(() => 4);
        const plain: number[] = [];
        while (plain.length < size) {
          const gains = points.map((point, i) =>
            plain.includes(i)
              ? -1
              : hypervolumeGain(
                  point,
                  plain.map((j) => points[j]),
                  reference,
                ),
          );
          plain.push(gains.indexOf(Math.max(...gains)));
        }
        expect(selectByHypervolume(points, size, reference)).toEqual(plain);
      }),
    );
  });
});

test("ranking stops when enough points are ranked, at the end of a front", () => {
  const points = Array.from({ length: 30 }, (_, i) => [i % 10, Math.trunc(i / 10) - (i % 10)]);
  const all = nonDominationRanks(points);
  expect(Math.max(...all)).toBe(2);
  const some = nonDominationRanks(points, 11);
  for (let i = 0; i < 30; i++) expect(some[i]).toBe(all[i] === 2 ? UNRANKED : all[i]);
});

test("a reference lies beyond every point and moves with units and origin", () => {
  const points = [
    [1, -5, 3],
    [2, -7, 3],
    [3, -6, 3],
  ];
  const reference = referenceBeyond(points);
  for (const point of points) {
    for (let i = 0; i < 3; i++) expect(reference[i]).toBeGreaterThan(point[i]);
  }
  const moved = referenceBeyond(points.map(([a, b, c]) => [8 * a + 64, b, c]));
  expect(moved[0]).toBeCloseTo(8 * reference[0] + 64, 12);
  expect(referenceBeyond([[0], [0]])[0]).toBeGreaterThan(0);
  expect(referenceBeyond([])).toEqual([]);
});
