/**
 * The rows of a fit and the tables of its terms, in the arena: one round takes a small step on one term after another,
 * each by the gradients that the last one left, of all bags side by side.
 */

import type { Arena, Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, extendKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { BinnedData } from "../../data/encoded.ts";
import * as pass from "../../kernels/assembly/shapes/layout.ts";
import { typeOf } from "../../tasks/index.ts";
import type { Link } from "../../tasks/task-type.ts";
import type { FitContext } from "../family.ts";
import type { NetworkTargets } from "../mlp/targets.ts";
import type { GamParameters } from "./parameters.ts";
import { cellsOf, type Term, termCells } from "./shapes.ts";

/** Rows of a leaf of a pair's step, for each of a feature's: the four leaves are chosen among hundreds of times as many. */
const PAIR_ROWS = 2;

const LOSSES: Readonly<Record<Link, number>> = {
  identity: pass.SQUARED,
  logit: pass.LOGISTIC,
  log_softmax: pass.SOFTMAX,
};

export interface PlacedTerm extends Term {
  readonly kind: number;
  readonly monotone: number;
  readonly column: Pointer;
  /** 1 where cells take two bytes and go by places. */
  readonly wide: number;
  /** f32 quads, as `kernels/assembly/shapes/pass.ts` lays them. */
  readonly table: Pointer;
  readonly steps: Pointer;
  readonly covers: Pointer;
}

export class TermBoosting {
  readonly outputs: number;
  readonly bags: number;
  readonly arena: Arena;
  readonly kernels: Kernels;
  readonly #context: FitContext;
  readonly #binned: BinnedData;
  readonly #parameters: GamParameters;
  readonly #groups: number;
  readonly #loss: number;
  readonly #scratch: Scratch;
  readonly #rows: Pointer;
  readonly #scores: Pointer;
  readonly #targets: Pointer;
  readonly #weights: Pointer;
  readonly #masks: Pointer;
  readonly #nibbles: Pointer;
  readonly #softmax: Pointer;
  #room = 0;
  #work: { readonly partial: Pointer; readonly totals: Pointer; readonly steps: Pointer } | null =
    null;
  /** Whose step the scores do not have yet. */
  #pending: PlacedTerm | null = null;

  /** @param weights of rows of the data, about 1; null = all 1 */
  constructor(
    scratch: Scratch,
    context: FitContext,
    binned: BinnedData,
    parameters: GamParameters,
    targets: NetworkTargets,
    weights: Float64Array | null,
  ) {
    const { trainRows } = context;
    const { arena } = scratch;
    this.arena = arena;
    this.kernels = kernelsOf(arena);
    this.#scratch = scratch;
    this.#context = context;
    this.#binned = binned;
    this.#parameters = parameters;
    this.outputs = targets.width;
    this.bags = parameters.bags;
    this.#groups = Math.ceil(parameters.bags / 4);
    this.#loss = LOSSES[typeOf(context.task).link];
    const count = trainRows.length;
    const { outputs } = this;
    this.#rows = scratch.u32(trainRows);
    this.#scores = scratch.allocate(count * this.#groups * outputs * 16);
    this.#targets = scratch.allocate(count * outputs * 4);
    const placed = arena.f32(this.#targets, count * outputs);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < outputs; k++) {
        placed[i * outputs + k] = targets.values[trainRows[i] * outputs + k];
      }
    }
    this.#weights = weights === null ? 0 : scratch.allocate(count * 4);
    if (weights !== null) {
      arena.f32(this.#weights, count).set(Float64Array.from(trainRows, (row) => weights[row]));
    }
    this.#masks = this.#drawBags();
    this.#nibbles = scratch.allocate(256);
    arena
      .f32(this.#nibbles, 64)
      .set(Array.from({ length: 64 }, (_, at) => ((at >> 2) >> (at & 3)) & 1));
    this.#softmax = scratch.allocate(outputs * 16);
  }

  #drawBags(): Pointer {
    const { trainRows, key } = this.#context;
    const { bags, bagging_fraction } = this.#parameters;
    const masks = this.#scratch.allocate(trainRows.length * 4);
    const view = this.arena.u32(masks, trainRows.length);
    const all = bags === 32 ? 0xffff_ffff : 2 ** bags - 1;
    // So few rows that a bag might have none.
    if (bags === 1 || bagging_fraction === 1 || trainRows.length < 20) {
      view.fill(all);
      return masks;
    }
    const random = new CounterRandom(extendKey(key, "bags"));
    const threshold = bagging_fraction * 2 ** 32;
    for (let i = 0; i < view.length; i++) {
      let mask = 0;
      for (let bag = 0; bag < bags; bag++) {
        if (random.nextUint32() < threshold) mask += 2 ** bag;
      }
      view[i] = mask;
    }
    return masks;
  }

  /** A term with an empty table. */
  place(term: Term): PlacedTerm {
    const { trainRows, data, monotone } = this.#context;
    const { bins } = this.#binned;
    const cells = cellsOf(term);
    const scratch = this.#scratch;
    const quads = cells * this.#groups * this.outputs;
    const [feature, other] = term.features;
    const single = other === undefined;
    const categorical = bins[feature].kind === "categorical";
    const table = scratch.allocate(quads * 16);
    const steps = scratch.allocate(quads * 16);
    const covers = scratch.allocate(cells * this.#groups * 64);
    let column = this.#binned.columnMajor + feature * this.#binned.columnStride;
    if (!single) {
      const own = termCells(data, this.#binned, term, trainRows);
      column = scratch.allocate(own.length * 2);
      new Uint16Array(this.arena.memory.buffer, column, own.length).set(own);
    }
    this.arena.f32(table, quads * 4).fill(0);
    const placed: PlacedTerm = {
      ...term,
      kind: single ? (categorical ? pass.CATEGORIES : pass.NUMBER) : pass.PAIR,
      monotone: categorical ? 0 : (monotone[data.features[feature].name] ?? 0),
      ...{ column, wide: single ? 0 : 1, table, steps, covers },
    };
    this.#reserve(cells, (term.height + 1) * (term.width + 1));
    this.#pass(null, 0, placed, pass.COVERS, covers);
    return placed;
  }

  /** Room for sums over so many cells. */
  #reserve(cells: number, corners: number): void {
    if (cells <= this.#room && this.#work !== null) return;
    const quads = cells * this.#groups * this.outputs;
    this.#room = cells;
    this.#work = {
      partial: this.#scratch.allocate(quads * 32),
      totals: this.#scratch.allocate(quads * 64),
      steps: this.#scratch.allocate(8 * (5 * cells + 3 * Math.max(corners, 2 * (cells + 2)) + 32)),
    };
  }

  #pass(
    applied: PlacedTerm | null,
    steps: Pointer,
    asked: PlacedTerm | null,
    loss: number,
    totals: Pointer,
  ): void {
    const covers = loss === pass.COVERS;
    this.kernels.shapePass(
      this.#rows,
      this.#context.trainRows.length,
      ...([applied?.column ?? 0, applied?.wide ?? 0, steps] as const),
      ...([asked?.column ?? 0, asked?.wide ?? 0, asked ? cellsOf(asked) : 0] as const),
      ...([this.#work?.partial ?? 0, totals] as const),
      ...([this.#scores, this.#targets, this.#weights, this.#masks, this.#nibbles] as const),
      this.#groups,
      covers ? 1 : this.outputs,
      loss,
      this.#softmax,
    );
  }

  /** Sets all scores to the base and what the tables say. @param base one an output */
  restart(base: Float64Array, terms: readonly PlacedTerm[]): void {
    const { outputs } = this;
    const scores = this.arena.f32(
      this.#scores,
      this.#context.trainRows.length * this.#groups * outputs * 4,
    );
    for (let at = 0; at < scores.length; at++) scores[at] = base[(at >> 2) % outputs];
    for (const term of terms) this.#pass(term, term.table, null, this.#loss, 0);
    this.#pending = null;
  }

  /**
   * One step on the term.
   *
   * @param dispersion of the rows' noise, in units of its own expectation
   * @returns what a whole step would have brought, in units of the loss
   */
  step(term: PlacedTerm, dispersion: number): number {
    const work = this.#work;
    if (work === null) throw new Error("No term has been placed.");
    const { learning_rate, lambda_l2, min_data_in_leaf, missing_smooth, max_leaves } =
      this.#parameters;
    this.#pass(this.#pending, this.#pending?.steps ?? 0, term, this.#loss, work.totals);
    const leastRows = (term.kind === pass.PAIR ? PAIR_ROWS : 1) * min_data_in_leaf;
    const gain = this.kernels.shapeSteps(
      ...([term.kind, term.height, term.width, work.totals, term.covers] as const),
      this.#loss === pass.SQUARED ? 1 : 0,
      ...([term.table, term.steps, this.#groups, this.outputs] as const),
      ...([learning_rate, lambda_l2, leastRows, missing_smooth, dispersion] as const),
      ...([max_leaves, term.monotone, work.steps] as const),
    );
    this.#pending = term;
    return gain;
  }

  /** Mean over the bags, cells × outputs. @param quads a term's table or steps */
  meanOf(term: PlacedTerm, quads: Pointer): Float64Array {
    const [groups, outputs, bags] = [this.#groups, this.outputs, this.bags];
    const lanes = this.arena.f32(quads, cellsOf(term) * groups * outputs * 4);
    const means = new Float64Array(cellsOf(term) * outputs);
    for (let at = 0; at < means.length; at++) {
      const cell = Math.floor(at / outputs);
      let sum = 0;
      for (let bag = 0; bag < bags; bag++) {
        const group = bag >> 2;
        sum += lanes[((cell * groups + group) * outputs + (at % outputs)) * 4 + (bag & 3)];
      }
      means[at] = sum / bags;
    }
    return means;
  }

  /** One bag's table, cells × outputs. */
  bagOf(term: PlacedTerm, bag: number): Float64Array {
    const [groups, outputs] = [this.#groups, this.outputs];
    const lanes = this.arena.f32(term.table, cellsOf(term) * groups * outputs * 4);
    return Float64Array.from({ length: cellsOf(term) * outputs }, (_, at) => {
      const quad = (Math.floor(at / outputs) * groups + (bag >> 2)) * outputs + (at % outputs);
      return lanes[quad * 4 + (bag & 3)];
    });
  }

  /** Weight of the learned rows of each cell, in a bag's mean. */
  coversOf(term: PlacedTerm): Float64Array {
    const groups = this.#groups;
    const sums = this.arena.f64(term.covers, cellsOf(term) * groups * 8);
    return Float64Array.from({ length: cellsOf(term) }, (_, cell) => {
      let sum = 0;
      for (let bag = 0; bag < this.bags; bag++) {
        sum += sums[(cell * groups + (bag >> 2)) * 8 + 4 + (bag & 3)];
      }
      return sum / this.bags;
    });
  }

  /** The tables as they are now, for `putBack`. */
  keep(terms: readonly PlacedTerm[]): readonly Float32Array[] {
    return terms.map((term) => this.#tableOf(term).slice());
  }

  putBack(terms: readonly PlacedTerm[], tables: readonly Float32Array[]): void {
    for (const [i, term] of terms.entries()) this.#tableOf(term).set(tables[i]);
  }

  #tableOf(term: PlacedTerm): Float32Array {
    return this.arena.f32(term.table, cellsOf(term) * this.#groups * this.outputs * 4);
  }

  /** Mean scores over the bags of the learned rows of those places, places × outputs. */
  meanScores(places: Uint32Array): Float64Array {
    const [groups, outputs, bags] = [this.#groups, this.outputs, this.bags];
    const quads = this.#context.trainRows.length * groups * outputs;
    const scores = this.arena.f32(this.#scores, quads * 4);
    const means = new Float64Array(places.length * outputs);
    for (const [i, place] of places.entries()) {
      for (let k = 0; k < outputs; k++) {
        let sum = 0;
        for (let bag = 0; bag < bags; bag++) {
          sum += scores[((place * groups + (bag >> 2)) * outputs + k) * 4 + (bag & 3)];
        }
        means[i * outputs + k] = sum / bags;
      }
    }
    return means;
  }
}
