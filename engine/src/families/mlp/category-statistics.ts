/**
 * What is known of a category by the labels of its rows: the mean of each output's target, as the best
 * linear predictor of a random effect says it (Efron & Morris, "Stein's estimation rule and its competitors",
 * JASA 68, 1973; as an encoding Micci-Barreca, SIGKDD Explorations 3(1), 2001).
 *
 * A category of weight n whose mean is m away from that of all rows is given n / (n + a) · m, in deviations
 * of the target. a is the variance within categories over that between them (`data/category-sums.ts`): categories
 * that say nothing are given next to nothing, whatever their number. Where nothing lies between them
 * there is no column at all. Where nothing lies within them, a is 0: a category without rows, or
 * without rows in other folds, is then given what all rows say, which is 0.
 *
 * Rows that are learned from see means of other rows alone: those of the other folds.
 */

import type { RandomKey } from "../../compute/random.ts";
import { CategorySums } from "../../data/category-sums.ts";
import { categoryOf, targetOrder } from "../../data/target-statistics.ts";

const FOLDS = 5;

export interface StatisticsInput {
  /** A code a row, in the order of the targets; NaN, missing or unknown, counts as one category. */
  readonly codes: Float64Array;
  readonly categories: number;
  /** Row-major, rows × width. */
  readonly target: Float64Array;
  readonly width: number;
  /** Null = all 1. */
  readonly weights: Float64Array | null;
}

export interface StatisticsColumn {
  /** One a category, the last for a missing or unknown one. */
  readonly table: readonly number[];
  /** One a row: what other rows say of its category. */
  readonly outOfFold: Float32Array;
}

/** One column for each number of the target that categories tell apart. */
export function categoryStatistics(input: StatisticsInput, key: RandomKey): StatisticsColumn[] {
  const rows = input.codes.length;
  const slots = Uint32Array.from(input.codes, (code) => categoryOf(code, input.categories));
  const order = targetOrder(rows, key);
  const folds = new Uint8Array(rows);
  for (const [place, row] of order.entries()) folds[row] = place % FOLDS;
  const columns: StatisticsColumn[] = [];
  for (let channel = 0; channel < input.width; channel++) {
    const column = statisticsOf(input, slots, folds, channel);
    if (column) columns.push(column);
  }
  return columns;
}

function statisticsOf(
  { categories, target, width, weights }: StatisticsInput,
  slots: Uint32Array,
  folds: Uint8Array,
  channel: number,
): StatisticsColumn | null {
  const rows = slots.length;
  const weightOf = (row: number): number => weights?.[row] ?? 1;
  const [mean, deviation] = momentsOf(target, width, channel, weightOf);
  if (!(deviation > 0)) return null;
  const scaled = (row: number): number => (target[row * width + channel] - mean) / deviation;
  const all = new CategorySums(categories + 1);
  const parts = Array.from({ length: FOLDS }, () => new CategorySums(categories + 1));
  for (let row = 0; row < rows; row++) {
    all.add(slots[row], scaled(row), weightOf(row));
    parts[folds[row]].add(slots[row], scaled(row), weightOf(row));
  }
  const ratio = all.varianceRatio();
  if (ratio === null) return null;
  const told = (sum: number, weight: number): number => sum / (weight + ratio);
  const table = Array.from(all.sums, (sum, slot) =>
    all.counts[slot] === 0 ? 0 : told(sum, all.weights[slot]) + 0,
  );
  const outOfFold = Float32Array.from({ length: rows }, (_, row) => {
    const slot = slots[row];
    const part = parts[folds[row]];
    // Counted and not weighed: differences of sums of fractions are hardly ever 0.
    if (all.counts[slot] === part.counts[slot]) return 0;
    return told(all.sums[slot] - part.sums[slot], all.weights[slot] - part.weights[slot]);
  });
  return { table, outOfFold };
}

function momentsOf(
  target: Float64Array,
  width: number,
  channel: number,
  weightOf: (row: number) => number,
): [mean: number, deviation: number] {
  const rows = target.length / width;
  let total = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    total += weightOf(row);
    sum += weightOf(row) * target[row * width + channel];
  }
  const mean = sum / total;
  let squares = 0;
  for (let row = 0; row < rows; row++) {
    squares += weightOf(row) * (target[row * width + channel] - mean) ** 2;
  }
  return [mean, Math.sqrt(squares / total)];
}
