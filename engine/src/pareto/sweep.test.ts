import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { greedySelection } from "../ensemble/index.ts";
import { toLoss } from "../metrics/index.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { type BagRows, BagTable } from "./bag-table.ts";
import { augmentedChebyshev } from "./chebyshev.ts";
import { simplexLattice } from "./simplex-lattice.ts";
import { blendsUnder, evenlyThinned, sweepBlends, sweepWinners } from "./sweep.ts";

/** Binary labels, and candidates of different sharpness and bias about them. */
function noisyRows(seed: number, rows: number, count: number, metrics: string[]): BagRows {
  const random = new CounterRandom(deriveKey(seed, "sweep"));
  const target = Float64Array.from({ length: rows }, () => (random.nextFloat() < 0.3 ? 1 : 0));
  const candidates = Array.from({ length: count }, () => {
    const sharpness = 0.5 + 3 * random.nextFloat();
    const bias = 2 * (random.nextFloat() - 0.5);
    return target.map((y) => {
      const logit = sharpness * (2 * y - 1 + 1.5 * random.nextGaussian()) + bias;
      return 1 / (1 + Math.exp(-logit));
    });
  });
  return { candidates, target, weights: null, outputs: 1, metrics: metrics.map(metricByName) };
}

const lossesOf = (rows: BagRows, predictions: Float64Array): number[] =>
  rows.metrics.map((metric) => toLoss(metric, metric.score({ ...rows, predictions })));

const blended = (rows: BagRows, blend: readonly number[]): Float64Array =>
  rows.target.map((_, i) =>
    blend.reduce((sum, weight, at) => sum + weight * rows.candidates[at][i], 0),
  );

const rows = noisyRows(1, 400, 12, ["log_loss", "roc_auc", "f1"]);
const singles = rows.candidates.map((candidate) => lossesOf(rows, candidate));
const lattice = simplexLattice(3, 10);

describe("winners", () => {
  test("are the least of the formula for each weight, written out", () => {
    const vector = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), {
      minLength: 2,
      maxLength: 2,
    });
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 15 }), (losses) => {
        const weights = simplexLattice(2, 5);
        const front = losses.filter(
          (a) => !losses.some((b) => b[0] <= a[0] && b[1] <= a[1] && (b[0] < a[0] || b[1] < a[1])),
        );
        const least = [0, 1].map((m) => Math.min(...front.map((point) => point[m])));
        const most = [0, 1].map((m) => Math.max(...front.map((point) => point[m])));
        const value = (point: readonly number[], [u, v]: readonly number[]): number => {
          const [x, y] = point.map((loss, m) => (loss - least[m]) / (most[m] - least[m] || 1));
          return Math.max(u * x, v * y) + 1e-4 * (x + y);
        };
        const { choices } = sweepWinners(losses, weights);
        expect(choices.flatMap(({ metricWeights }) => metricWeights).length).toBe(weights.length);
        for (const { blend, metricWeights } of choices) {
          const winner = losses[blend.indexOf(1)];
          for (const each of metricWeights) {
            const best = Math.min(...losses.map((point) => value(point, each)));
            expect(value(winner, each)).toBeCloseTo(best, 9);
          }
        }
      }),
    );
  });

  test("each is chosen once, with all of its weights", () => {
    const { choices } = sweepWinners(singles, lattice);
    const chosen = choices.map(({ blend }) => blend.indexOf(1));
    expect(new Set(chosen).size).toBe(choices.length);
    expect(choices.flatMap(({ metricWeights }) => metricWeights).length).toBe(66);
    expect(choices[0].metricWeights[0]).toEqual([1, 0, 0]);
  });

  test("metrics that agree lead to one winner, though one is minimised and one maximised", () => {
    const { choices } = sweepWinners(
      // rmse, and r2 as a loss.
      [0.5, 0.4, 0.7].map((rmse) => [rmse, rmse ** 2 - 1]),
      simplexLattice(2, 10),
    );
    expect(choices.map(({ blend }) => blend)).toEqual([[0, 1, 0]]);
  });
});

describe("blends", () => {
  const { choices, range } = sweepBlends(rows, lattice);

  test("are, under each of their weights, at least as good as every single candidate", () => {
    for (const { blend, metricWeights } of choices) {
      expect(blend.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
      const losses = lossesOf(rows, blended(rows, blend));
      for (const weights of metricWeights) {
        const value = augmentedChebyshev(losses, weights, range);
        for (const single of singles) {
          expect(value).toBeLessThanOrEqual(augmentedChebyshev(single, weights, range) + 1e-9);
        }
      }
    }
  });

  test("come close to greedy selection on each metric alone, where that has all the weight", () => {
    const { candidates, target, outputs, metrics } = rows;
    for (const [at, metric] of metrics.entries()) {
      const alone = greedySelection({ candidates, target, weights: null, outputs, metric });
      const choice = choices.find(({ metricWeights }) => metricWeights.some((w) => w[at] === 1));
      const loss = lossesOf(rows, blended(rows, choice?.blend ?? []))[at];
      const best = Math.min(...singles.map((losses) => losses[at]));
      // Most of what blending gains over the best candidate.
      expect(best - loss).toBeGreaterThan(0.8 * (best - alone.best));
    }
  });

  test("sought for some weights alone are those weights' own, one each", () => {
    const few = [lattice[0], lattice[30], lattice[65]];
    const blends = blendsUnder(rows, few);
    expect(blends.length).toBe(3);
    for (const [at, blend] of blends.entries()) {
      const value = augmentedChebyshev(lossesOf(rows, blended(rows, blend)), few[at], range);
      for (const single of singles) {
        expect(value).toBeLessThanOrEqual(augmentedChebyshev(single, few[at], range) + 0.02);
      }
    }
  });

  test("are the same when sought again", () => {
    expect(sweepBlends(rows, lattice).choices).toEqual(choices);
  });

  test("of metrics that are undefined for all rows are decided by the others", () => {
    const oneClass = { ...rows, target: rows.target.map(() => 0) };
    const found = sweepBlends(oneClass, lattice);
    for (const { blend } of found.choices) {
      expect(blend.every(Number.isFinite)).toBe(true);
    }
    expect(found.range.ideal[1]).toBe(0);
  });
});

describe("the table of bags", () => {
  test("has the losses of the mean of all members, however a bag was grown", () => {
    const table = new BagTable(rows);
    const bag = (members: readonly number[]) =>
      members
        .slice(1)
        .reduce(
          (grown, next) => table.grown(grown, table.sumsOf(grown), next),
          table.single(members[0]),
        );
    const grown = bag([5, 2, 5, 0]);
    expect(grown.members).toEqual([0, 2, 5, 5]);
    const slow = lossesOf(rows, blended(rows, [0.25, 0, 0.25, 0, 0, 0.5, 0, 0, 0, 0, 0, 0]));
    for (const [at, loss] of slow.entries()) expect(grown.losses[at]).toBeCloseTo(loss, 9);
    const size = table.bags.length;
    expect(bag([2, 0, 5, 5])).toBe(grown);
    // The other way's own bags are new, {2}, {0, 2} and {0, 2, 5}; where both ways end is not.
    expect(table.bags.length).toBe(size + 3);
  });
});

describe("thinned rows", () => {
  test("keep each class's share, weights and outputs in their rows", () => {
    const target = Float64Array.from({ length: 9000 }, (_, i) => (i % 9 === 0 ? 2 : i % 2));
    const weights = target.map((_, i) => i);
    const candidate = Float64Array.from({ length: 18_000 }, (_, i) => i);
    const some = { candidates: [candidate], target, weights, outputs: 2, metrics: [] };
    const thinned = evenlyThinned(some, 900);
    expect(thinned.target.length).toBe(900);
    expect(thinned.target.filter((y) => y === 2).length).toBe(100);
    for (const [i, row] of (thinned.weights ?? weights).entries()) {
      expect(thinned.target[i]).toBe(target[row]);
      expect([...thinned.candidates[0].subarray(2 * i, 2 * i + 2)]).toEqual([2 * row, 2 * row + 1]);
    }
    expect(evenlyThinned(some, 9000)).toBe(some);
  });
});
