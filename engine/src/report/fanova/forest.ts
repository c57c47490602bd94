/**
 * A small forest of regression trees over points of the unit cube, which stands in for the losses
 * that were not measured (Hutter, Hoos & Leyton-Brown, ICML'14, section 3.2). Exact splits on
 * bootstrap samples; equal keys give equal trees.
 */

import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";

/** A leaf is the box it covers and the mean of what fell into it. */
export interface Leaf {
  /** One a dimension. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly value: number;
}

export interface Forest {
  /** The leaves of each tree, which cover the cube without overlap. */
  readonly trees: readonly (readonly Leaf[])[];
  /** R² on points outside each tree's bootstrap sample; null where it is undefined. */
  readonly outOfBagR2: number | null;
}

export interface ForestSettings {
  readonly trees: number;
  readonly minLeaf: number;
  /** Cells of equal width that a dimension's values stand for; 0 = continuous. */
  readonly cells: readonly number[];
}

/** @param points rows of coordinates in [0, 1]; at least two */
export function fitForest(
  points: readonly Float64Array[],
  values: readonly number[],
  settings: ForestSettings,
  key: RandomKey,
): Forest {
  const trees: Leaf[][] = [];
  const sums = new Float64Array(points.length);
  const counts = new Float64Array(points.length);
  for (let tree = 0; tree < settings.trees; tree++) {
    const random = new CounterRandom(extendKey(key, "tree", tree));
    const drawn = new Uint8Array(points.length);
    const sample = Array.from(points, () => random.nextInteger(points.length));
    for (const row of sample) drawn[row] = 1;
    const leaves: Leaf[] = [];
    const width = points[0].length;
    grow(sample, new Float64Array(width), new Float64Array(width).fill(1), leaves);
    trees.push(leaves);
    for (const [row, point] of points.entries()) {
      if (drawn[row] === 1) continue;
      sums[row] += valueAt(leaves, point);
      counts[row]++;
    }
  }
  return { trees, outOfBagR2: r2(values, sums, counts) };

  function grow(rows: number[], low: Float64Array, high: Float64Array, leaves: Leaf[]): void {
    const cut = bestCut(points, values, rows, settings);
    if (cut === null) {
      const value = rows.reduce((sum, row) => sum + values[row], 0) / rows.length;
      leaves.push({ low, high, value });
      return;
    }
    const { dimension, threshold } = cut;
    const middle = high.slice();
    middle[dimension] = threshold;
    const after = low.slice();
    after[dimension] = threshold;
    const isLeft = (row: number): boolean => points[row][dimension] <= threshold;
    grow(rows.filter(isLeft), low, middle, leaves);
    grow(
      rows.filter((row) => !isLeft(row)),
      after,
      high,
      leaves,
    );
  }
}

function bestCut(
  points: readonly Float64Array[],
  values: readonly number[],
  rows: readonly number[],
  { minLeaf, cells }: ForestSettings,
): { dimension: number; threshold: number } | null {
  const total = rows.reduce((sum, row) => sum + values[row], 0);
  const whole = total ** 2 / rows.length;
  let best: { dimension: number; threshold: number } | null = null;
  let bestGain = 1e-12 * Math.max(1, whole);
  for (let dimension = 0; dimension < cells.length; dimension++) {
    const sorted = [...rows].sort((a, b) => points[a][dimension] - points[b][dimension]);
    let left = 0;
    for (let i = 0; i + 1 < sorted.length; i++) {
      left += values[sorted[i]];
      const here = points[sorted[i]][dimension];
      const next = points[sorted[i + 1]][dimension];
      if (here === next || i + 1 < minLeaf || sorted.length - i - 1 < minLeaf) continue;
      const right = total - left;
      const gain = left ** 2 / (i + 1) + right ** 2 / (sorted.length - i - 1) - whole;
      if (gain <= bestGain) continue;
      bestGain = gain;
      const middle = (here + next) / 2;
      const count = cells[dimension];
      best = { dimension, threshold: count > 0 ? Math.round(middle * count) / count : middle };
    }
  }
  return best;
}

export function valueAt(leaves: readonly Leaf[], point: Float64Array): number {
  const leaf = leaves.find(({ low, high }) =>
    point.every((x, d) => (x > low[d] || low[d] === 0) && x <= high[d]),
  );
  if (!leaf) throw new Error("The point lies outside the unit cube.");
  return leaf.value;
}

function r2(values: readonly number[], sums: Float64Array, counts: Float64Array): number | null {
  const seen = [...values.keys()].filter((row) => counts[row] > 0);
  const mean = seen.reduce((sum, row) => sum + values[row], 0) / seen.length;
  let error = 0;
  let spread = 0;
  for (const row of seen) {
    error += (values[row] - sums[row] / counts[row]) ** 2;
    spread += (values[row] - mean) ** 2;
  }
  return spread > 0 ? 1 - error / spread : null;
}
