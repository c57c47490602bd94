import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { augmentedChebyshev, leastUnder } from "./chebyshev.ts";
import { keepFront, REFERENCE } from "./front.ts";
import { rangeOfFront, spanOf, withoutUndefined } from "./loss-range.ts";
import { simplexLattice } from "./simplex-lattice.ts";

/** Coarse, so that there are ties and equal points. */
const pointsOf = (metrics: number, most: number) =>
  fc.array(
    fc.array(
      fc.integer({ min: -5, max: 8 }).map((loss) => loss / 4),
      { minLength: metrics, maxLength: metrics },
    ),
    { minLength: 1, maxLength: most },
  );

const isWorse = (point: readonly number[], other: readonly number[]): boolean =>
  other.every((loss, metric) => loss <= point[metric]) &&
  other.some((loss, metric) => loss < point[metric]);

describe.each([2, 3, 4])("of %d metrics", (metrics) => {
  test("no kept point is dominated or equalled; each that is left out is", () => {
    fc.assert(
      fc.property(pointsOf(metrics, 30), (points) => {
        const { kept, dominated, bounded } = keepFront(points, rangeOfFront(points), 30);
        const front = kept.map((place) => points[place]);
        for (const point of front) {
          expect(points.some((other) => isWorse(point, other))).toBe(false);
        }
        expect(new Set(front.map((point) => point.join())).size).toBe(front.length);
        for (const point of points) {
          const covered = front.some((other) => other.every((loss, at) => loss <= point[at]));
          expect(covered).toBe(true);
        }
        expect(kept.length + dominated).toBe(points.length);
        expect(bounded).toBe(0);
        expect(front[0][0]).toBe(Math.min(...points.map(([loss]) => loss)));
      }),
    );
  });

  test("a bounded front keeps the best of each metric, and hypervolume that more could only add to", () => {
    fc.assert(
      fc.property(pointsOf(metrics, 40), (points) => {
        const range = rangeOfFront(points);
        const whole = keepFront(points, range, 40);
        const few = keepFront(points, range, metrics + 1);
        expect(few.kept.length).toBe(Math.min(whole.kept.length, metrics + 1));
        expect(few.bounded).toBe(whole.kept.length - few.kept.length);
        for (let metric = 0; metric < metrics; metric++) {
          expect(Math.min(...few.kept.map((place) => points[place][metric]))).toBe(
            Math.min(...points.map((point) => point[metric])),
          );
        }
        expect(few.hypervolume).toBeLessThanOrEqual(whole.hypervolume + 1e-12);
        expect(few.hypervolume).toBeGreaterThan(0);
      }),
    );
  });

  test("the hypervolume is the share of the box that is dominated, as counted on a grid", () => {
    // Losses are multiples of 1/10 of the range, so each cell of a grid over the box is in or out.
    const cell = fc.integer({ min: 0, max: 10 });
    const vectors = fc.array(fc.array(cell, { minLength: metrics, maxLength: metrics }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(vectors, (inner) => {
        // The ends hold the range at 0 to 10 in each metric, whatever lies between.
        const ends = inner[0].map((_, at) => inner[0].map((_, k) => (k === at ? 0 : 10)));
        const points = [...ends, ...inner];
        const range = { ideal: ends[0].map(() => 0), nadir: ends[0].map(() => 10) };
        let cells = 0;
        const side = 10 * REFERENCE;
        for (let i = 0; i < side ** metrics; i++) {
          const corner = ends.map((_, k) => Math.floor(i / side ** k) % side);
          if (points.some((point) => point.every((loss, k) => loss <= corner[k]))) cells++;
        }
        expect(keepFront(points, range, 100).hypervolume).toBeCloseTo(cells / side ** metrics, 10);
      }),
      { numRuns: metrics === 4 ? 5 : 30 },
    );
  });

  test("what is least under some weights is dominated by none", () => {
    fc.assert(
      fc.property(pointsOf(metrics, 20), (points) => {
        const range = rangeOfFront(points);
        for (const weights of simplexLattice(metrics, 4)) {
          const least = points[leastUnder(points, weights, range)];
          expect(points.some((other) => isWorse(least, other))).toBe(false);
        }
      }),
    );
  });

  test("every point of the front that is best in no metric is least under its own weights", () => {
    fc.assert(
      fc.property(pointsOf(metrics, 20), (points) => {
        const range = rangeOfFront(points);
        const scaled = (point: readonly number[]) =>
          point.map((loss, at) => (loss - range.ideal[at]) / spanOf(range, at));
        for (const point of points) {
          if (points.some((other) => isWorse(point, other))) continue;
          const above = scaled(point);
          if (above.some((loss) => loss === 0)) continue;
          const total = above.reduce((sum, loss) => sum + 1 / loss, 0);
          const weights = above.map((loss) => 1 / loss / total);
          const value = augmentedChebyshev(point, weights, range);
          for (const other of points) {
            // The sum of losses weighs so little that it never outweighs a step of the maximum.
            expect(augmentedChebyshev(other, weights, range)).toBeGreaterThanOrEqual(value - 1e-9);
          }
        }
      }),
    );
  });
});

test("ideal and nadir are of the front alone", () => {
  const points = [
    [0, 4],
    [2, 1],
    [9, 9],
    [3, 1],
  ];
  expect(rangeOfFront(points)).toEqual({ ideal: [0, 1], nadir: [2, 4] });
});

test("an undefined loss is worse than any; a metric that is never defined decides nothing", () => {
  const filled = withoutUndefined([
    [1, Number.NaN, Number.NaN],
    [2, 5, Number.POSITIVE_INFINITY],
    [3, 9, Number.NaN],
  ]);
  expect(filled).toEqual([
    [1, 13, 0],
    [2, 5, 0],
    [3, 9, 0],
  ]);
});

test("an infinite loss is infinite under any weights, also under a weight of 0", () => {
  const range = { ideal: [0, 0], nadir: [1, 1] };
  expect(augmentedChebyshev([0, Number.POSITIVE_INFINITY], [1, 0], range)).toBe(
    Number.POSITIVE_INFINITY,
  );
});
