/** What the folds of a search took, by row of the matrix, and what those to come will take by that. */

import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { FoldState, TrialState } from "../log/state.ts";
import type { FitFoldOutput } from "../pool-tasks/fit-task.ts";
import { type CostEstimate, CostModel } from "../prices/cost-model.ts";

/** A stopped fit predicts, is scored and packed: that much longer than others usually took, and so long. */
const TAIL_FACTOR = 1.5;
const TAIL_SECONDS = 0.05;
const PACKED_BYTES_PER_SECOND = 200e6;

/** Of a fold that has finished. */
export type FoldFigures = Pick<
  Extract<FoldState, { state: "finished" }> | FitFoldOutput,
  "seconds" | "predictSeconds" | "scoreSeconds" | "modelBytes" | "cut" | "iterations"
>;

/** Of a row of the matrix. */
interface RowTimes {
  /** Seconds of the longest fold, whether it was cut or not. */
  longest: number;
  /** Seconds between the end of a fit and of its task, ascending. */
  readonly tails: number[];
  /** The same of its first fold, whose code was yet to be compiled, and the seconds of that fold. */
  first: { readonly tail: number; readonly seconds: number } | null;
  /** What its fits took. */
  seconds: number;
  iterations: number;
}

export class FoldTimes {
  readonly #costs: CostModel;
  readonly #rows: readonly RowTimes[];

  /** @param spaces of the rows of the matrix */
  constructor(spaces: readonly SearchSpace[]) {
    this.#costs = new CostModel(spaces);
    this.#rows = spaces.map(() => ({
      longest: 0,
      tails: [],
      first: null,
      seconds: 0,
      iterations: 0,
    }));
  }

  /** Learns what a fold took. Cut ones say nothing of what their parameters cost. */
  observe({ row, parameters }: Pick<TrialState, "row" | "parameters">, fold: FoldFigures): void {
    if (!fold.cut) this.#costs.observe(row, parameters, fold.seconds);
    const times = this.#rows[row];
    times.longest = Math.max(times.longest, fold.seconds);
    const tail =
      fold.predictSeconds + fold.scoreSeconds + fold.modelBytes / PACKED_BYTES_PER_SECOND;
    times.seconds += fold.seconds - fold.predictSeconds - fold.scoreSeconds;
    times.iterations += fold.iterations ?? 0;
    times.first ??= { tail, seconds: fold.seconds };
    const { tails } = times;
    const place = tails.findIndex((each) => each > tail);
    tails.splice(place < 0 ? tails.length : place, 0, tail);
  }

  /** Seconds of a fold; null where nobody knows. */
  predict(row: number, parameters: Parameters): CostEstimate | null {
    return this.#costs.predict(row, parameters);
  }

  /** Seconds; 0 before there is a fold. */
  longest(row: number): number {
    return this.#rows[row].longest;
  }

  /** Seconds of an iteration; null before there is one. */
  secondsOfIteration(row: number): number | null {
    const { seconds, iterations } = this.#rows[row];
    return iterations > 0 ? seconds / iterations : null;
  }

  /** Of a family whose code is yet to be compiled: what the quickest first fold of another took; else 0. */
  coldSeconds(row: number): number {
    const known = this.#firsts.map(({ seconds }) => seconds);
    return this.#rows[row].first === null && known.length > 0 ? Math.min(...known) : 0;
  }

  /** Seconds from the end of a fit to that of its task, by the median: the first folds wait for their code to be compiled. */
  tail(row: number): number {
    const { tails } = this.#rows[row];
    return TAIL_FACTOR * (tails[tails.length >> 1] ?? this.#coldTail()) + TAIL_SECONDS;
  }

  /** Of the first folds of families, the median; 0 before there is one. */
  #coldTail(): number {
    const known = this.#firsts.map(({ tail }) => tail);
    return known.sort((a, b) => a - b)[known.length >> 1] ?? 0;
  }

  get #firsts(): NonNullable<RowTimes["first"]>[] {
    return this.#rows.flatMap(({ first }) => (first === null ? [] : [first]));
  }
}
