/**
 * A slow, obvious account of what a forest's tree should be, for tests: the gain of any division
 * of rows, and the best gain over every division that a node could make.
 */

import type { TreeEnsemble } from "../../ensemble.ts";
import { expectedOfNoise } from "../../testing/split-noise.ts";
import type { Criterion } from "../tree-slots.ts";
import type { BinnedColumn, RandomRows } from "./rows.ts";

export class TreeReference {
  readonly #rows: RandomRows;
  readonly #classes: number;
  readonly #minLeaf: number;
  readonly #criterion: Criterion;

  constructor(rows: RandomRows, classes: number, minLeaf: number, criterion: Criterion = "gini") {
    this.#criterion = criterion;
    this.#rows = rows;
    this.#classes = classes;
    this.#minLeaf = minLeaf;
  }

  weight(rows: readonly number[]): number {
    return rows.reduce((sum, row) => sum + this.#weightOf(row), 0);
  }

  /** Mean target, or the share of each class (of the second alone where there are two). */
  mean(rows: readonly number[]): number[] {
    const shares = this.#means(rows);
    return this.#classes === 2 ? [shares[1]] : shares;
  }

  /** Fall of weight × impurity; half the Gini index for two classes, as for a target of 0 and 1. */
  gain(left: readonly number[], right: readonly number[]): number {
    const fall = this.#impurity([...left, ...right]) - this.#impurity(left) - this.#impurity(right);
    return this.#classes === 2 && this.#criterion === "gini" ? fall / 2 : fall;
  }

  /** Highest gain of any admissible division of the rows by one column; -1 where there is none. */
  bestGain(rows: readonly number[]): number {
    let best = -1;
    for (const column of this.#rows.columns) {
      for (const goesLeft of divisions(column, rows)) {
        const left = rows.filter((row) => goesLeft(column.cells[row]));
        const right = rows.filter((row) => !goesLeft(column.cells[row]));
        if (Math.min(left.length, right.length) < this.#minLeaf) continue;
        best = Math.max(best, this.gain(left, right));
      }
    }
    return best;
  }

  /**
   * The gain by which a node of one target, or of two classes, chooses: of a division by categories, less
   * what noise is expected to gain.
   */
  score(column: BinnedColumn, left: readonly number[], right: readonly number[]): number {
    const gain = this.gain(left, right);
    if (column.kind === "numeric") return gain;
    const rows = [...left, ...right];
    const weight = this.weight(rows);
    const mean = this.#meanOf(rows);
    const squares = rows.reduce(
      (sum, row) =>
        sum +
        (this.#criterion === "entropy" && this.#classes === 2
          ? 0.5 * this.#weightOf(row) ** 2
          : (this.#weightOf(row) * (this.#rows.target[row] - mean)) ** 2),
      0,
    );
    const variance = (squares / weight) * (rows.length / (rows.length - 1));
    const groups = [...byBin(column, rows).values()].map((each) => this.weight(each));
    return gain - expectedOfNoise(groups, variance, this.weight(left));
  }

  /** Highest score of any division that is tried: of categories, in the order of their means. */
  bestScore(rows: readonly number[]): number {
    let best = -1;
    for (const column of this.#rows.columns) {
      const order =
        column.kind === "numeric"
          ? null
          : [...byBin(column, rows)]
              .map(([bin, those]) => ({ bin, mean: this.#meanOf(those) }))
              .sort((a, b) => a.mean - b.mean || a.bin - b.bin)
              .map(({ bin }) => bin);
      const tried =
        order?.slice(1).map((_, i) => (bin: number) => order.indexOf(bin) <= i) ??
        divisions(column, rows);
      for (const goesLeft of tried) {
        const left = rows.filter((row) => goesLeft(column.cells[row]));
        const right = rows.filter((row) => !goesLeft(column.cells[row]));
        if (Math.min(left.length, right.length) < this.#minLeaf) continue;
        best = Math.max(best, this.score(column, left, right));
      }
    }
    return best;
  }

  /** Of targets as numbers: of two classes, the share of the second. */
  #meanOf(rows: readonly number[]): number {
    const sum = rows.reduce((all, row) => all + this.#weightOf(row) * this.#rows.target[row], 0);
    return sum / this.weight(rows);
  }

  isPure(rows: readonly number[]): boolean {
    return rows.every((row) => this.#rows.target[row] === this.#rows.target[rows[0]]);
  }

  #weightOf(row: number): number {
    return this.#rows.weights?.[row] ?? 1;
  }

  #means(rows: readonly number[]): number[] {
    const total = this.weight(rows);
    const sums = new Array<number>(Math.max(1, this.#classes)).fill(0);
    for (const row of rows) {
      const target = this.#rows.target[row];
      if (this.#classes === 0) sums[0] += this.#weightOf(row) * target;
      else sums[target] += this.#weightOf(row);
    }
    return sums.map((sum) => sum / total);
  }

  /** Weight × variance, weight × Gini index or weight × entropy. */
  #impurity(rows: readonly number[]): number {
    const means = this.#means(rows);
    if (this.#classes > 0 && this.#criterion === "entropy") {
      const entropy = means.reduce(
        (sum, share) => sum - (share > 0 ? share * Math.log(share) : 0),
        0,
      );
      return this.weight(rows) * entropy;
    }
    if (this.#classes > 0) {
      return this.weight(rows) * (1 - means.reduce((sum, share) => sum + share * share, 0));
    }
    return rows.reduce(
      (sum, row) => sum + this.#weightOf(row) * (this.#rows.target[row] - means[0]) ** 2,
      0,
    );
  }
}

function byBin(column: BinnedColumn, rows: readonly number[]): Map<number, number[]> {
  return Map.groupBy(rows, (row) => column.cells[row]);
}

function divisions(column: BinnedColumn, rows: readonly number[]): ((bin: number) => boolean)[] {
  const { kind, valueBins } = column;
  if (kind === "numeric") {
    return Array.from({ length: valueBins }, (_, cut) => [
      (bin: number) => bin <= cut,
      (bin: number) => bin <= cut || bin === valueBins,
    ]).flat();
  }
  const present = [...new Set(rows.map((row) => column.cells[row]))];
  return Array.from({ length: 2 ** present.length }, (_, subset) => {
    return (bin: number) => ((subset >> present.indexOf(bin)) & 1) === 1;
  });
}

/** Whether a bin goes left at a node, from the definition of `TreeEnsemble`. */
export function goesLeft(
  trees: TreeEnsemble,
  node: number,
  bin: number,
  missingBin: number,
): boolean {
  if (trees.isCategorical[node] === 0) {
    return bin === missingBin ? trees.missingLeft[node] === 1 : bin <= trees.splitBin[node];
  }
  const word = trees.categorySets[trees.splitBin[node] * 8 + (bin >> 5)];
  return ((word >>> (bin & 31)) & 1) === 1;
}
