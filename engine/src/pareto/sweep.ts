/**
 * What each weight of a lattice selects from one pool of out-of-fold predictions: the winner, or a
 * blend. Arithmetic alone; nothing is fitted.
 *
 * Blends grow by greedy selection with replacement (Caruana, Niculescu-Mizil, Crew, Ksikes,
 * "Ensemble selection from libraries of models", 2004) under the scalarised loss. Whatever is scored
 * for one weight is scored for all: each weight starts from the best bag that any other has come
 * by, since neighbouring weights have neighbouring solutions (Zhang, Li, "MOEA/D", IEEE TEC 11,
 * 2007), and in the end takes the best of all bags.
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import type { Losses } from "../search/dominance/index.ts";
import { type Bag, type BagRows, BagTable } from "./bag-table.ts";
import { augmentedChebyshev, leastUnder } from "./chebyshev.ts";
import { type LossRange, rangeOfFront, withoutUndefined } from "./loss-range.ts";

/** What one or several weights of the lattice chose. */
export interface SweepChoice {
  /** One a candidate; they sum to 1. */
  readonly blend: readonly number[];
  /** The weights of the metrics that led to it, in the lattice's order. */
  readonly metricWeights: readonly (readonly number[])[];
}

export interface Sweep {
  /** Distinct, in the order of the lattice. */
  readonly choices: readonly SweepChoice[];
  readonly range: LossRange;
}

const MOST_MEMBERS = 30;
/** Additions without a better bag after which a weight is content. */
const PATIENCE = 3;
/** How thoroughly blends are sought. */
interface Effort {
  /** Rows that bags are scored on; more would rank few of them differently and cost in proportion. */
  readonly rows: number;
  /** Candidates that may join a weight's bag: the best on their own under it. */
  readonly candidates: number;
}

const FOR_MODELS: Effort = { rows: 2500, candidates: 20 };
/** For blends that only serve to score those that are kept, fold by fold. */
const FOR_SCORES: Effort = { rows: 1000, candidates: 10 };

/**
 * The single best candidate of each weight.
 *
 * @param losses one vector a candidate, by metric; NaN or infinite where undefined
 */
export function sweepWinners(
  losses: readonly Losses[],
  lattice: readonly (readonly number[])[],
): Sweep {
  const points = withoutUndefined(losses);
  const range = rangeOfFront(points);
  const chosen = lattice.map((weights) => leastUnder(points, weights, range));
  const blendOf = (winner: number): number[] => points.map((_, at) => (at === winner ? 1 : 0));
  return { choices: merged(chosen, lattice, blendOf), range };
}

/** The best blend of candidates that is found for each weight. */
export function sweepBlends(rows: BagRows, lattice: readonly (readonly number[])[]): Sweep {
  const { table, chosen, range } = chooseBags(rows, lattice, FOR_MODELS);
  const blendOf = (bag: number): number[] => blendOfBag(table.bags[bag], rows);
  return { choices: merged(chosen, lattice, blendOf), range };
}

/**
 * A blend for each weight, sought less thoroughly: what would have been chosen without some rows,
 * for scores of those.
 */
export function blendsUnder(
  rows: BagRows,
  lattice: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const { table, chosen } = chooseBags(rows, lattice, FOR_SCORES);
  return chosen.map((bag) => blendOfBag(table.bags[bag], rows));
}

interface ChosenBags {
  readonly table: BagTable;
  /** Place in the table, one a weight. */
  readonly chosen: readonly number[];
  readonly range: LossRange;
}

function chooseBags(
  rows: BagRows,
  lattice: readonly (readonly number[])[],
  effort: Effort,
): ChosenBags {
  const table = new BagTable(evenlyThinned(rows, effort.rows));
  const singles = rows.candidates.map((_, candidate) => table.single(candidate));
  // First the best of each metric for itself: the ideal that the others are measured from.
  for (const metric of rows.metrics.keys())
    grow(table, singles, effort, (losses) => losses[metric]);
  const range = rangeOfFront(withoutUndefined(table.bags.map(({ losses }) => losses)));
  for (const weights of lattice) {
    grow(table, singles, effort, (losses) => augmentedChebyshev(losses, weights, range));
  }
  const points = withoutUndefined(table.bags.map(({ losses }) => losses));
  const chosen = lattice.map((weights) => leastUnder(points, weights, range));
  return { table, chosen, range };
}

function blendOfBag({ members }: Bag, { candidates }: BagRows): number[] {
  const counts = candidates.map(() => 0);
  for (const member of members) counts[member]++;
  return counts.map((count) => count / members.length);
}

/** Adds candidates to the best bag there is until that helps no more. All it scores, it leaves in the table. */
function grow(
  table: BagTable,
  singles: readonly Bag[],
  effort: Effort,
  lossOf: (losses: Losses) => number,
): void {
  const alone = singles.map(({ losses }) => lossOf(losses));
  const eligible = [...alone.keys()]
    .sort((a, b) => ascending(alone[a], alone[b]) || a - b)
    .slice(0, effort.candidates)
    .sort((a, b) => a - b);
  let bag = leastOf(table.bags, lossOf);
  let least = lossOf(bag.losses);
  let misses = 0;
  while (bag.members.length < MOST_MEMBERS && misses < PATIENCE) {
    const sums = table.sumsOf(bag);
    const members = new Set(bag.members);
    // Equal losses go to a candidate that is a member already, then to the first.
    const tried = eligible
      .toSorted((a, b) => Number(members.has(b)) - Number(members.has(a)) || a - b)
      .map((candidate) => table.grown(bag, sums, candidate));
    bag = leastOf(tried, lossOf);
    const loss = lossOf(bag.losses);
    misses = loss < least ? 0 : misses + 1;
    least = Math.min(least, loss);
  }
}

/** Ties go to the earlier bag. */
function leastOf(bags: readonly Bag[], lossOf: (losses: Losses) => number): Bag {
  let best = bags[0];
  let least = lossOf(best.losses);
  for (const bag of bags) {
    const loss = lossOf(bag.losses);
    if (loss < least) {
      best = bag;
      least = loss;
    }
  }
  return best;
}

/** One choice for each distinct place, with all the weights that chose it. */
function merged(
  chosen: readonly number[],
  lattice: readonly (readonly number[])[],
  blendOf: (place: number) => readonly number[],
): SweepChoice[] {
  const byPlace = new Map<number, (readonly number[])[]>();
  for (const [at, place] of chosen.entries()) {
    const metricWeights = byPlace.get(place);
    if (metricWeights) metricWeights.push(lattice[at]);
    else byPlace.set(place, [lattice[at]]);
  }
  return Array.from(byPlace, ([place, metricWeights]) => ({
    blend: blendOf(place),
    metricWeights,
  }));
}

function ascending(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** At most `most` rows: evenly spaced in the order of the target, so each class keeps its share. */
export function evenlyThinned(rows: BagRows, most: number): BagRows {
  const { target, weights, outputs } = rows;
  if (target.length <= most) return rows;
  const order = ascendingOrder(target);
  const kept = Uint32Array.from(
    { length: most },
    (_, i) => order[Math.floor(((i + 0.5) * target.length) / most)],
  ).sort();
  return {
    ...rows,
    target: Float64Array.from(kept, (row) => target[row]),
    weights: weights && Float64Array.from(kept, (row) => weights[row]),
    candidates: rows.candidates.map((candidate) => {
      const thinned = new Float64Array(kept.length * outputs);
      for (let i = 0; i < kept.length; i++) {
        for (let k = 0; k < outputs; k++) {
          thinned[i * outputs + k] = candidate[kept[i] * outputs + k];
        }
      }
      return thinned;
    }),
  };
}
