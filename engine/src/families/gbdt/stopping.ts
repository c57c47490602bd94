/**
 * When boosting would have stopped without each part of the validation rows. The rows that say when
 * to stop flatter the fit that they stopped: the best of many rounds is partly their luck. Their
 * predictions are therefore each of the round that is best for the other parts (cross-fitting;
 * Cawley & Talbot, "On over-fitting in model selection", JMLR 11, 2010).
 */

import { rowNumbers, rowsWhere } from "../../compute/row-lists.ts";
import type { RowList } from "./row-work.ts";

/** Parts that the validation rows are dealt to, one by one. */
const PARTS = 5;

interface Part {
  /** Places among the validation rows. */
  readonly places: Uint32Array;
  readonly rows: RowList;
  leastLoss: number;
  /** Rounds of the least loss of the other parts. */
  best: number;
}

export class CrossFittedRounds {
  readonly #parts: readonly Part[];

  constructor(validRows: Uint32Array, listOf: (rows: Uint32Array) => RowList) {
    this.#parts = Array.from({ length: Math.min(PARTS, validRows.length) }, (_, part) => {
      const places = rowsWhere(rowNumbers(validRows.length), (place) => place % PARTS === part);
      return {
        places,
        rows: listOf(places.map((place) => validRows[place])),
        leastLoss: Number.POSITIVE_INFINITY,
        best: 1,
      };
    });
  }

  /**
   * Returns the sum of all parts.
   *
   * @param lossOf the weighted sum of the rows' losses after the round
   */
  observe(round: number, lossOf: (rows: RowList) => number): number {
    const losses = this.#parts.map(({ rows }) => lossOf(rows));
    for (const [own, part] of this.#parts.entries()) {
      const loss = losses.reduce((sum, each, other) => (other === own ? sum : sum + each), 0);
      if (!(loss < part.leastLoss)) continue;
      part.leastLoss = loss;
      part.best = round;
    }
    return losses.reduce((sum, each) => sum + each, 0);
  }

  differsFrom(best: number): boolean {
    return this.#parts.some((part) => part.best !== best);
  }

  /** Places among the validation rows by the rounds that the others chose for them. */
  byRounds(): ReadonlyMap<number, Uint32Array> {
    const byRounds = new Map<number, Uint32Array>();
    for (const { best, places } of this.#parts) {
      const known = byRounds.get(best) ?? new Uint32Array(0);
      const all = new Uint32Array(known.length + places.length);
      all.set(known);
      all.set(places, known.length);
      byRounds.set(best, all.sort());
    }
    return byRounds;
  }
}
