/** The rows that say when to stop: their margins as terms learn, their loss, and their best predictions. */

import type { Kernels } from "../../compute/kernels.ts";
import type { BinnedData } from "../../data/encoded.ts";
import { typeOf } from "../../tasks/index.ts";
import type { Link } from "../../tasks/task-type.ts";
import type { FitContext } from "../family.ts";
import type { NetworkTargets } from "../mlp/targets.ts";
import { type Term, termCells } from "./shapes.ts";

/** Parts that the rows are dealt to, as in `gbdt/stopping.ts`: each is predicted by the round that suits the others. */
const PARTS = 5;

export class HeldOutRows {
  readonly #context: FitContext;
  readonly #binned: BinnedData;
  readonly #rows: Uint32Array;
  readonly #targets: NetworkTargets;
  readonly #weights: Float64Array | null;
  readonly #kernels: Kernels;
  readonly #link: Link;
  readonly #cells = new Map<Term, Uint16Array>();
  /** Rows × outputs. */
  readonly #margins: Float64Array;
  /** Likewise: each row's at the round that is best for the other parts. */
  readonly #best: Float64Array;
  readonly #least = new Float64Array(PARTS).fill(Number.POSITIVE_INFINITY);
  readonly #total: number;

  constructor(
    context: FitContext,
    binned: BinnedData,
    rows: Uint32Array,
    targets: NetworkTargets,
    weights: Float64Array | null,
    kernels: Kernels,
    base: Float64Array,
  ) {
    this.#context = context;
    this.#binned = binned;
    this.#rows = rows;
    this.#targets = targets;
    this.#weights = weights;
    this.#kernels = kernels;
    this.#link = typeOf(context.task).link;
    const { width } = targets;
    this.#margins = Float64Array.from({ length: rows.length * width }, (_, at) => base[at % width]);
    this.#best = this.#margins.slice();
    const total = weights ? rows.reduce((sum, row) => sum + weights[row], 0) : rows.length;
    this.#total = total > 0 ? total : 1;
  }

  /** @param steps cells × outputs */
  add(term: Term, steps: Float64Array): void {
    let cells = this.#cells.get(term);
    if (cells === undefined) {
      cells = termCells(this.#context.data, this.#binned, term, this.#rows);
      this.#cells.set(term, cells);
    }
    const { width } = this.#targets;
    const margins = this.#margins;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] * width;
      for (let k = 0; k < width; k++) margins[i * width + k] += steps[cell + k];
    }
  }

  /** Mean loss now, after which the rows' best predictions are known. */
  observe(): number {
    const losses = new Float64Array(PARTS);
    for (let i = 0; i < this.#rows.length; i++) {
      const weight = this.#weights?.[this.#rows[i]] ?? 1;
      losses[i % PARTS] += weight * this.#lossOf(i);
    }
    const all = losses.reduce((sum, loss) => sum + loss, 0);
    const { width } = this.#targets;
    for (let part = 0; part < PARTS; part++) {
      const others = all - losses[part];
      if (!(others < this.#least[part])) continue;
      this.#least[part] = others;
      for (let i = part; i < this.#rows.length; i += PARTS) {
        for (let at = i * width; at < (i + 1) * width; at++) this.#best[at] = this.#margins[at];
      }
    }
    return all / this.#total;
  }

  #lossOf(i: number): number {
    const { width, values } = this.#targets;
    const label = this.#rows[i] * width;
    const own = i * width;
    const margins = this.#margins;
    const { exp, log } = this.#kernels;
    if (this.#link === "identity") return (margins[own] - values[label]) ** 2;
    if (this.#link === "logit") {
      const margin = margins[own];
      return log(1 + exp(-Math.abs(margin))) + Math.max(margin, 0) - values[label] * margin;
    }
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < width; k++) most = Math.max(most, margins[own + k]);
    let sum = 0;
    let said = 0;
    for (let k = 0; k < width; k++) {
      sum += exp(margins[own + k] - most);
      said += values[label + k] * (margins[own + k] - most);
    }
    return log(sum) - said;
  }

  keep(): Float64Array {
    return this.#margins.slice();
  }

  putBack(margins: Float64Array): void {
    this.#margins.set(margins);
  }

  /** Margins of each row by what the fit would be without that row's say, rows × outputs. */
  best(): Float64Array {
    return this.#best.slice();
  }
}
