/**
 * A fit's side of trees that a device grows as a whole: has it go on until the tree is grown, and keeps the records of
 * its nodes, which the kernels put the tree together from (`kernels/assembly/growing/grown-there.ts`).
 */

import { ask, distrust, growAnswer, type Lane } from "../compute/gpu/lane.ts";
import { GROW_TREE, growthBytes, mostSplits } from "../compute/gpu/tree-requests.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { RECORD_WORDS } from "../kernels/assembly/growing/record-layout.ts";
import {
  GROWTH_NUMBERS,
  GROWTH_WORDS,
  LOOKS_AHEAD,
  mostHistograms,
  mostRecords,
  ROUGH_ALPHA,
  ROUGH_LAMBDAS,
  STATE_HEAD_WORDS,
  STATE_IS_GROWN,
  STATE_RECORDS,
  STATE_STAMP,
  STATE_STEPS,
} from "../shaders/growth/layout.ts";

/** Of the histograms of a tree's nodes, which all stay there. */
const MOST_BYTES = 2 ** 29;

/** Beyond it products of f32 might not be finite. */
const MOST_LAMBDA = 2 ** 32;

/** Steps of the first way of a fit; and what a way is to take, so that no device is thought to hang. */
const FIRST_STEPS = 8;
/** Where a tree has more than the last one. */
const MORE_STEPS = 4;
const SHORT_MS = 50;
const LONG_MS = 200;
const MOST_STEPS = 1024;

/** Trees of more leaves make only nodes that may be split at once: to rank all takes the square of their number. */
const MOST_RANKED = 1024;

/** Whether trees of the settings in a grower's block are such. */
export function growsThere(
  words: Int32Array,
  numbers: Float64Array,
  features: number,
  symmetric: boolean,
): boolean {
  const leaves = words[layout.MAX_LEAVES / 4];
  const bytes = 8 * 256 * features * mostHistograms(leaves);
  return (
    !symmetric &&
    leaves > 1 &&
    bytes <= MOST_BYTES &&
    words[layout.MONOTONE / 4] === 0 &&
    words[layout.RANDOM_THRESHOLDS / 4] === 0 &&
    words[layout.MIN_DATA / 4] < 2 ** 30 &&
    numbers[layout.MIN_GAIN / 8] >= 0
  );
}

export class GrownThere {
  readonly hasCategories: boolean;
  readonly #lane: Lane;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #rowCapacity: number;
  #records = new Int32Array();
  /** Steps of a tree, as of the last one. */
  #expected = FIRST_STEPS;
  #together = FIRST_STEPS;

  /**
   * @param words and @param numbers the grower's block
   * @param hasCategories whether features of categories may be listed
   */
  constructor(
    lane: Lane,
    words: Int32Array,
    numbers: Float64Array,
    rowCapacity: number,
    hasCategories: boolean,
  ) {
    this.#lane = lane;
    this.#words = words;
    this.#numbers = numbers;
    this.#rowCapacity = rowCapacity;
    this.hasCategories = hasCategories;
  }

  /** Grows the tree that was begun there. Returns its root's histogram; null where the device does not. */
  grow(nextStamp: () => number): Uint8Array | null {
    const numbers = this.#scaled();
    const leaves = this.#words[layout.MAX_LEAVES / 4];
    const most = Math.min(mostSplits(this.#words[layout.ROW_STRIDE / 4]), leaves - 1);
    const entries = this.#words[layout.HISTOGRAM_ENTRIES / 4];
    const rows = this.#words[layout.ROW_COUNT / 4];
    // The CPU's search knows no other.
    if (!numbers.every(Number.isFinite)) return null;
    let root: Uint8Array | null = null;
    for (let done = 0; ; ) {
      const left = this.#expected > done ? this.#expected - done : MORE_STEPS;
      const steps = Math.min(this.#together, left);
      const isFirst = done === 0;
      const stamp = nextStamp();
      const parameters = this.#parameters(numbers, most, stamp);
      const records = Math.min(mostRecords(leaves), 1 + 2 * most * (done + steps));
      const bytes = growthBytes(records, isFirst ? entries : 0);
      if (!growAnswer(this.#lane, bytes)) return null;
      const begun = performance.now();
      const data = [this.#words[layout.VALUE_BINS / 4], this.#words[layout.KINDS / 4]];
      const values = [steps, isFirst ? rows : 0, records, ...data];
      if (!ask(this.#lane, GROW_TREE, [...values, ...parameters])) return null;
      const took = performance.now() - begun;
      if (took < SHORT_MS) this.#together = Math.min(MOST_STEPS, 2 * this.#together);
      else if (took > LONG_MS) this.#together = Math.max(1, this.#together >> 1);
      const { answer } = this.#lane;
      const head = new Uint32Array(answer, 0, STATE_HEAD_WORDS);
      const isGrown = head[STATE_IS_GROWN] === 1;
      const made = head[STATE_STEPS];
      const isEnough = isGrown ? made < done + steps : made === done + steps;
      // Each step splits a node at least, or there would be no end of them.
      const isWithin = head[STATE_RECORDS] <= records && head[STATE_RECORDS] > 2 * made;
      if (head[STATE_STAMP] !== stamp || !isWithin || !isEnough) {
        distrust(this.#lane);
        return null;
      }
      const at = 4 * STATE_HEAD_WORDS;
      if (isFirst)
        root = new Uint8Array(answer, at + 4 * RECORD_WORDS * records, 8 * entries).slice();
      done += steps;
      if (!isGrown) continue;
      this.#records = new Int32Array(answer, at, RECORD_WORDS * head[STATE_RECORDS]).slice();
      // One more finds that nothing is left, and the next tree may have a few levels more.
      this.#expected = made + 2 + (made >> 3);
      return root;
    }
  }

  /** Copies a record of the last tree; false where there is none. @param to a view of the arena */
  copyRecord(record: number, to: Int32Array): boolean {
    const at = RECORD_WORDS * record;
    if (record < 0 || at >= this.#records.length) return false;
    to.set(this.#records.subarray(at, at + RECORD_WORDS));
    return true;
  }

  /** As the kernels' search has them: quantised units. */
  #scaled(): Float64Array {
    const number = (field: number): number => this.#numbers[field / 8];
    const [gradient, hessian] = [number(layout.GRADIENT_SCALE), number(layout.HESSIAN_SCALE)];
    const unit = (0.5 * hessian) / (gradient * gradient);
    const lambda = number(layout.L2) * hessian;
    return Float64Array.of(
      number(layout.L1) * gradient,
      lambda,
      Math.max(number(layout.MIN_HESSIAN) * hessian, 1),
      this.#words[layout.MIN_DATA / 4] - 0.5,
      number(layout.MIN_GAIN) / unit,
      unit,
      lambda + number(layout.CAT_L2) * hessian,
      number(layout.CAT_SMOOTH) * hessian,
      number(layout.MIN_GROUP) > 1 ? number(layout.MIN_GROUP) - 0.5 : 0,
      (number(layout.CAT_NOISE) * gradient * gradient) / hessian,
    );
  }

  #parameters(numbers: Float64Array, most: number, stamp: number): Uint32Array {
    const word = (field: number): number => this.#words[field / 4];
    const leaves = word(layout.MAX_LEAVES);
    const byDepth = word(layout.GROWTH) === layout.GROW_DEPTH_WISE;
    const [alpha, lambda, , , , , sortedLambda] = numbers;
    const words = new Uint32Array(GROWTH_WORDS);
    words.set([
      ...[leaves, word(layout.MAX_DEPTH), byDepth ? 1 : 0],
      ...[most, this.#rowCapacity, mostRecords(leaves), stamp],
      ...[word(layout.HISTOGRAM_ENTRIES), 0, word(layout.MIN_DATA)],
      ...[word(layout.ONE_VS_REST), word(layout.MAX_CATEGORIES)],
      Math.max(lambda, sortedLambda) < MOST_LAMBDA ? 1 : 0,
    ]);
    words[LOOKS_AHEAD] = !byDepth && leaves <= MOST_RANKED ? 1 : 0;
    const singles = new Float32Array(words.buffer);
    singles[ROUGH_ALPHA] = alpha;
    singles.set([lambda, sortedLambda], ROUGH_LAMBDAS);
    words.set(new Uint32Array(numbers.buffer), GROWTH_NUMBERS);
    return words;
  }
}

/** Which side of the rows each node's lie on: a split writes them to the other one. */
export function sidesOf(left: Int32Array, right: Int32Array): Uint8Array {
  const sides = new Uint8Array(left.length);
  for (let node = 0; node < left.length; node++) {
    if (left[node] < 0) continue;
    sides[left[node]] = 1 - sides[node];
    sides[right[node]] = 1 - sides[node];
  }
  return sides;
}
