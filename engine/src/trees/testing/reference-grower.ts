/** The slow, obvious grower that the kernels are tested against. */

import type { BinColumn } from "./random-bins.ts";
import { expectedOfNoise } from "./split-noise.ts";

export interface ReferenceSettings {
  readonly growth: "leafwise" | "depthwise";
  readonly maxLeaves: number;
  readonly maxDepth: number;
  readonly minData: number;
  readonly l1: number;
  readonly l2: number;
  readonly catSmooth: number;
  readonly catL2: number;
  readonly minGroup: number;
  readonly maxCategories: number;
  readonly oneVersusRest: number;
  readonly noise: number;
}

export interface ReferenceNode {
  rows: number[];
  depth: number;
  gradient: number;
  hessian: number;
  split: Candidate | null;
  left: number;
  right: number;
}

interface Candidate {
  score: number;
  feature: number;
  bin: number;
  /** Bins that go left, the missing one among them or not. */
  leftBins: Set<number>;
  gradient: number;
  hessian: number;
}

interface Sums {
  gradient: number;
  hessian: number;
}

/** Gradients and hessians are integers; so are all sums, and every comparison is exact. */
export function growReference(
  columns: readonly BinColumn[],
  rows: readonly number[],
  gradients: ArrayLike<number>,
  hessians: ArrayLike<number>,
  settings: ReferenceSettings,
): ReferenceNode[] {
  const shrink = (g: number): number => Math.max(0, Math.abs(g) - settings.l1);
  const sumOf = (list: readonly number[]): Sums => ({
    gradient: list.reduce((sum, row) => sum + gradients[row], 0),
    hessian: list.reduce((sum, row) => sum + hessians[row], 0),
  });
  const make = (list: number[], depth: number): ReferenceNode => ({
    rows: list,
    depth,
    ...sumOf(list),
    split: null,
    left: -1,
    right: -1,
  });

  function search(node: ReferenceNode): void {
    const hessianOfRows = (rows: number): number =>
      rows > 1 ? ((rows - 0.5) * node.hessian) / node.rows.length : 0;
    const least = Math.max(1, hessianOfRows(settings.minData));
    if (settings.maxDepth > 0 && node.depth >= settings.maxDepth) return;
    if (node.rows.length < 2 * settings.minData || node.hessian < 2 * least) return;
    const whole = shrink(node.gradient);
    const parent = (whole * whole) / (node.hessian + settings.l2);
    let best = parent + Math.abs(parent) * 1e-12;
    const consider = (
      left: Sums,
      l2: number,
      combined: boolean,
      feature: number,
      bin: number,
      leftBins: () => Set<number>,
      noise = 0,
    ): void => {
      const right = {
        gradient: node.gradient - left.gradient,
        hessian: node.hessian - left.hessian,
      };
      if (left.hessian < least || right.hessian < least) return;
      const a = shrink(left.gradient);
      const b = shrink(right.gradient);
      const gained = combined
        ? (a * a * (right.hessian + l2) + b * b * (left.hessian + l2)) /
          ((left.hessian + l2) * (right.hessian + l2))
        : (a * a) / (left.hessian + l2) + (b * b) / (right.hessian + l2);
      const score = gained - noise;
      if (score > best) {
        best = score;
        node.split = { score, feature, bin, leftBins: leftBins(), ...left };
      }
    };
    const add = (a: Sums, b: Sums): Sums => ({
      gradient: a.gradient + b.gradient,
      hessian: a.hessian + b.hessian,
    });
    columns.forEach(({ kind, valueBins, bins }, feature) => {
      const cells: Sums[] = [];
      for (let b = 0; b <= valueBins; b++) {
        cells.push(sumOf(node.rows.filter((row) => bins[row] === b)));
      }
      const seen = (b: number): boolean => cells[b].gradient !== 0 || cells[b].hessian !== 0;
      const missing = cells[valueBins];
      if (kind === "numeric") {
        for (const missingLeft of seen(valueBins) ? [false, true] : [false]) {
          let left: Sums = missingLeft ? missing : { gradient: 0, hessian: 0 };
          for (let bin = 0; bin < valueBins; bin++) {
            left = add(left, cells[bin]);
            const { hessian } = left;
            consider(left, settings.l2, true, feature, bin, () => {
              const set = new Set(Array.from({ length: bin + 1 }, (_, b) => b));
              if (missingLeft || (!seen(valueBins) && 2 * hessian > node.hessian)) {
                set.add(valueBins);
              }
              return set;
            });
          }
        }
        return;
      }
      const used = cells.map((_, b) => b).filter(seen);
      if (used.length < 2) return;
      const withUnseen = (chosen: readonly number[], hessian: number): Set<number> => {
        const set = new Set(chosen);
        if (2 * hessian > node.hessian) {
          for (let b = 0; b < 256; b++) if (b > valueBins || !seen(b)) set.add(b);
        }
        return set;
      };
      if (used.length <= settings.oneVersusRest) {
        for (const b of used) {
          consider(cells[b], settings.l2, false, feature, 0, () =>
            withUnseen([b], cells[b].hessian),
          );
        }
        return;
      }
      const key = (b: number): number =>
        cells[b].gradient / (cells[b].hessian + settings.catSmooth);
      const order = used.toSorted((a, b) => key(a) - key(b) || a - b);
      const limit = Math.min(settings.maxCategories, used.length - 1, (used.length + 1) >> 1);
      const group = hessianOfRows(settings.minGroup);
      for (const sorted of [order, order.toReversed()]) {
        let left: Sums = { gradient: 0, hessian: 0 };
        let waiting = 0;
        for (let i = 0; i < limit; i++) {
          left = add(left, cells[sorted[i]]);
          waiting += cells[sorted[i]].hessian;
          if (left.hessian < least) continue;
          const rest = node.hessian - left.hessian;
          if (rest < least || rest < group) break;
          if (waiting < group) continue;
          waiting = 0;
          const { hessian } = left;
          const noise = expectedOfNoise(
            used.map((b) => cells[b].hessian),
            settings.noise,
            hessian,
          );
          const leftBins = (): Set<number> => withUnseen(sorted.slice(0, i + 1), hessian);
          consider(left, settings.l2 + settings.catL2, false, feature, 0, leftBins, noise);
        }
      }
    });
    if (node.split !== null) node.split.score -= parent;
  }

  const nodes = [make([...rows], 0)];
  search(nodes[0]);
  for (let leaves = 1; leaves < settings.maxLeaves; leaves++) {
    const open = nodes.filter((node) => node.left < 0 && node.split !== null);
    if (open.length === 0) break;
    const next =
      settings.growth === "depthwise"
        ? open[0]
        : open.reduce((a, b) => (b.split!.score > a.split!.score ? b : a));
    const { feature, leftBins } = next.split!;
    const goesLeft = (row: number): boolean => leftBins.has(columns[feature].bins[row]);
    next.left = nodes.length;
    next.right = nodes.length + 1;
    nodes.push(make(next.rows.filter(goesLeft), next.depth + 1));
    nodes.push(
      make(
        next.rows.filter((row) => !goesLeft(row)),
        next.depth + 1,
      ),
    );
    if (leaves + 1 < settings.maxLeaves) {
      search(nodes[next.left]);
      search(nodes[next.right]);
    }
  }
  return nodes;
}
