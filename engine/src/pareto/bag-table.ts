/**
 * The losses of bags of models (a model may be in a bag several times; the bag predicts their
 * mean), computed once however many weights of a sweep ask for them.
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import type { Losses } from "../search/dominance/index.ts";

export interface BagRows {
  /** Row-major predictions of each candidate, rows × outputs. */
  readonly candidates: readonly Float64Array[];
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  readonly outputs: number;
  readonly metrics: readonly Metric[];
}

export interface Bag {
  /** Candidates, ascending; as often as they were added. */
  readonly members: readonly number[];
  /** By metric; an undefined one is infinite, or 0 where it is undefined for every candidate. */
  readonly losses: Losses;
}

export class BagTable {
  readonly #rows: BagRows;
  readonly #places = new Map<string, number>();
  readonly #mean: Float64Array;
  readonly #isDefined: readonly boolean[];
  /** Every bag that was asked for, in that order. */
  readonly bags: Bag[] = [];

  constructor(rows: BagRows) {
    this.#rows = rows;
    this.#mean = new Float64Array(rows.candidates[0]?.length ?? 0);
    this.#isDefined = rows.metrics.map((metric) =>
      rows.candidates.some((predictions) => Number.isFinite(this.#score(metric, predictions))),
    );
  }

  /** The bag of one candidate. */
  single(candidate: number): Bag {
    return this.#bag([candidate], () => this.#losses(this.#rows.candidates[candidate]));
  }

  /** The sum of a bag's predictions, for `grown`. */
  sumOf({ members }: Bag): Float64Array {
    const sum = new Float64Array(this.#mean.length);
    for (const member of members) {
      const added = this.#rows.candidates[member];
      for (let i = 0; i < sum.length; i++) sum[i] += added[i];
    }
    return sum;
  }

  /** The bag with one candidate more. @param sum of its predictions */
  grown(bag: Bag, sum: Float64Array, candidate: number): Bag {
    const at = bag.members.findLastIndex((member) => member <= candidate) + 1;
    return this.#bag(bag.members.toSpliced(at, 0, candidate), (members) => {
      const added = this.#rows.candidates[candidate];
      const mean = this.#mean;
      for (let i = 0; i < mean.length; i++) mean[i] = (sum[i] + added[i]) / members.length;
      return this.#losses(mean);
    });
  }

  #bag(members: readonly number[], losses: (members: readonly number[]) => Losses): Bag {
    const key = members.join();
    const place = this.#places.get(key);
    if (place !== undefined) return this.bags[place];
    const bag = { members, losses: losses(members) };
    this.#places.set(key, this.bags.length);
    this.bags.push(bag);
    return bag;
  }

  #losses(predictions: Float64Array): Losses {
    return this.#rows.metrics.map((metric, at) => {
      if (!this.#isDefined[at]) return 0;
      const loss = toLoss(metric, this.#score(metric, predictions));
      return Number.isFinite(loss) ? loss : Number.POSITIVE_INFINITY;
    });
  }

  #score(metric: Metric, predictions: Float64Array): number {
    const { target, weights, outputs } = this.#rows;
    return metric.score({ target, predictions, outputs, weights });
  }
}
