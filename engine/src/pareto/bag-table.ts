/**
 * The losses of bags of models (a model may be in a bag several times; the bag predicts their
 * mean), computed once however many weights of a sweep ask for them.
 */

import { type AverageLoss, averageLoss } from "../ensemble/average-loss.ts";
import type { Metric } from "../metrics/index.ts";
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

/** What each metric's loss is computed from, summed over a bag's members. */
export type BagSums = readonly Float64Array[];

export class BagTable {
  readonly #rows: BagRows;
  readonly #losses: readonly AverageLoss[];
  /** By metric and candidate. */
  readonly #reads: readonly (readonly Float64Array[])[];
  readonly #isDefined: readonly boolean[];
  readonly #places = new Map<string, number>();
  /** Every bag that was asked for, in that order. */
  readonly bags: Bag[] = [];

  constructor(rows: BagRows) {
    this.#rows = rows;
    this.#losses = rows.metrics.map((metric) => averageLoss(metric, rows));
    this.#reads = this.#losses.map((loss) => rows.candidates.map((each) => loss.read(each)));
    this.#isDefined = this.#losses.map((loss, metric) =>
      this.#reads[metric].some((read) =>
        Number.isFinite(loss.of(new Float64Array(read.length), read, 1)),
      ),
    );
  }

  /** The bag of one candidate. */
  single(candidate: number): Bag {
    return this.#bag([candidate], this.#sums([]), candidate);
  }

  /** For `grown`. */
  sumsOf({ members }: Bag): BagSums {
    return this.#sums(members);
  }

  /** The bag with one candidate more. @param sums of its members */
  grown(bag: Bag, sums: BagSums, candidate: number): Bag {
    const at = bag.members.findLastIndex((member) => member <= candidate) + 1;
    return this.#bag(bag.members.toSpliced(at, 0, candidate), sums, candidate);
  }

  #sums(members: readonly number[]): Float64Array[] {
    return this.#reads.map((reads) => {
      const sum = new Float64Array(reads[0]?.length ?? 0);
      for (const member of members) {
        const added = reads[member];
        for (let i = 0; i < sum.length; i++) sum[i] += added[i];
      }
      return sum;
    });
  }

  #bag(members: readonly number[], sums: BagSums, added: number): Bag {
    const key = members.join();
    const place = this.#places.get(key);
    if (place !== undefined) return this.bags[place];
    const losses = this.#rows.metrics.map((_, metric) => {
      if (!this.#isDefined[metric]) return 0;
      const read = this.#reads[metric][added];
      const loss = this.#losses[metric].of(sums[metric], read, members.length);
      return Number.isFinite(loss) ? loss : Number.POSITIVE_INFINITY;
    });
    const bag = { members, losses };
    this.#places.set(key, this.bags.length);
    this.bags.push(bag);
    return bag;
  }
}
