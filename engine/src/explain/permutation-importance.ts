/**
 * Permutation importance: how much worse a model scores on rows whose values of one feature (or of
 * all features of one column) were shuffled (Breiman 2001, §10; Fisher, Rudin & Dominici 2019).
 * Best measured on rows that the model did not learn from.
 */

import { Arena, type Pointer } from "../compute/arena.ts";
import { CounterRandom, extendKey, type RandomKey } from "../compute/random.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import { type EncodedData, rowMajorOf } from "../data/encoded.ts";
import { type Metric, toLoss } from "../metrics/metric.ts";
import type { FeatureGroup } from "./feature-group.ts";
import type { GroupImportance } from "./importance.ts";

export interface PermutationInput {
  readonly data: EncodedData;
  /** Rows of `data` to score. */
  readonly rows: Uint32Array;
  /** One a row of `data`: the value, or the index of the class. */
  readonly target: Float64Array;
  /** One a row of `data`; null = equal weights. */
  readonly weights: Float64Array | null;
  /** Predictions for all rows of the data given, row-major; e.g. a model's, or a blend's. */
  readonly predict: (data: EncodedData) => Float64Array;
  readonly metric: Metric;
  readonly groups: readonly FeatureGroup[];
  /** Shuffles of each group, ≥ 1. */
  readonly repeats: number;
  readonly key: RandomKey;
  /** At most this many of `rows` are scored, drawn without replacement; default all. */
  readonly maximumRows?: number;
}

export interface PermutationImportance extends GroupImportance {
  /** Mean over repeats of the rise of the metric as a loss; negative where shuffling helped. */
  readonly importance: number;
  /** Standard deviation over repeats (of a sample); 0 for one repeat. */
  readonly deviation: number;
}

/** Cells of the copies that are predicted in one call. */
const CHUNK_CELLS = 2 ** 24;

/** One group's features, shuffled once. */
interface Shuffle {
  readonly features: readonly number[];
  readonly order: Uint32Array;
}

/** In the order of the groups. NaN where the metric is undefined on these rows. */
export function permutationImportance(input: PermutationInput): PermutationImportance[] {
  const { groups, repeats, key } = input;
  const rows = sampled(input.rows, input.maximumRows, key);
  const unshuffled: Shuffle = { features: [], order: new Uint32Array(0) };
  const shuffles = groups.flatMap(({ name, features }) =>
    Array.from({ length: repeats }, (_, repeat): Shuffle => {
      const random = new CounterRandom(extendKey(key, "permutation", name, repeat));
      return { features, order: random.shuffle(Uint32Array.from(rows, (_, index) => index)) };
    }),
  );
  const [base, ...losses] = lossesOf(input, rows, [unshuffled, ...shuffles]);
  return groups.map(({ name }, group) => {
    return { name, ...riseOf(losses.slice(group * repeats, (group + 1) * repeats), base) };
  });
}

/** Of the losses of a group's repeats over that of the rows as they are. */
export function riseOf(
  losses: readonly number[],
  base: number,
): Pick<PermutationImportance, "importance" | "deviation"> {
  const repeats = losses.length;
  const rises = losses.map((loss) => loss - base);
  const importance = rises.reduce((sum, rise) => sum + rise, 0) / repeats;
  const squares = rises.reduce((sum, rise) => sum + (rise - importance) ** 2, 0);
  return { importance, deviation: repeats > 1 ? Math.sqrt(squares / (repeats - 1)) : 0 };
}

/**
 * The metric as a loss under each shuffle. A call of `predict` has a price of its own (a forest is
 * copied to its kernel), so the shuffled copies of the rows are predicted many at a time.
 */
function lossesOf(
  input: PermutationInput,
  rows: Uint32Array,
  shuffles: readonly Shuffle[],
): number[] {
  const { data, metric } = input;
  const pick = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const target = pick(input.target);
  const weights = input.weights === null ? null : pick(input.weights);
  const cells = Math.max(1, rows.length * data.features.length);
  const perChunk = Math.max(1, Math.floor(CHUNK_CELLS / cells));
  const losses: number[] = [];
  for (let first = 0; first < shuffles.length; first += perChunk) {
    const chunk = shuffles.slice(first, first + perChunk);
    const predictions = ShuffledFeatures.over(data, repeated(rows, chunk.length), (copy) => {
      for (let feature = 0; feature < data.features.length; feature++) {
        const order = orderOf(feature, chunk, rows.length);
        if (order) copy.shuffle([feature], order);
      }
      return input.predict(copy.data);
    });
    const size = predictions.length / chunk.length;
    for (let block = 0; block < chunk.length; block++) {
      const part = predictions.subarray(block * size, (block + 1) * size);
      const outputs = rows.length === 0 ? 1 : size / rows.length;
      losses.push(toLoss(metric, metric.score({ target, predictions: part, outputs, weights })));
    }
  }
  return losses;
}

function repeated(rows: Uint32Array, times: number): Uint32Array {
  const all = new Uint32Array(rows.length * times);
  for (let block = 0; block < times; block++) all.set(rows, block * rows.length);
  return all;
}

/** Where a feature's cells come from in all copies; null where no copy shuffles it. */
function orderOf(feature: number, chunk: readonly Shuffle[], rows: number): Uint32Array | null {
  if (!chunk.some(({ features }) => features.includes(feature))) return null;
  const all = new Uint32Array(rows * chunk.length);
  for (const [block, { features, order }] of chunk.entries()) {
    const start = block * rows;
    const isShuffled = features.includes(feature);
    for (let i = 0; i < rows; i++) all[start + i] = start + (isShuffled ? order[i] : i);
  }
  return all;
}

/** `maximum` of the rows, ascending; which ones depends on the key alone. */
export function sampled(
  rows: Uint32Array,
  maximum: number | undefined,
  key: RandomKey,
): Uint32Array {
  if (maximum === undefined || rows.length <= maximum) return rows;
  const random = new CounterRandom(extendKey(key, "permutation-rows"));
  return random.shuffle(rows.slice()).subarray(0, maximum).toSorted();
}

/**
 * A private copy of some rows of encoded data in which groups of features can be shuffled among
 * the rows and put back, in every form that families read.
 */
export class ShuffledFeatures {
  /** The copy; its rows are 0 … rows - 1. */
  readonly data: EncodedData;
  readonly #source: EncodedData;
  readonly #rows: Uint32Array;
  readonly #arena: Arena;

  private constructor(source: EncodedData, rows: Uint32Array, scratch: Scratch) {
    const count = rows.length;
    const features = source.features.length;
    const columnStride = Math.ceil(count / 16) * 16;
    this.#source = source;
    this.#rows = rows;
    this.#arena = scratch.arena;
    let binned = null;
    if (source.binned) {
      const { rowStride, bins, wide = [] } = source.binned;
      const rowMajor = scratch.allocate(count * rowStride);
      scratch.arena.u8(rowMajor, count * rowStride).fill(0);
      const columnMajor = scratch.allocate(features * columnStride);
      const codes = wide.map(({ feature }) => ({ feature, codes: scratch.allocate(2 * count) }));
      binned = { rowMajor, rowStride, columnMajor, columnStride, bins, wide: codes };
    }
    const values = source.values === null ? null : scratch.allocate(features * count * 8);
    this.data = { arena: source.arena, rows: count, features: source.features, binned, values };
    for (let feature = 0; feature < features; feature++) this.#fill(feature, null);
  }

  /** Runs `action` on a copy of the listed rows, and frees it afterwards. */
  static over<T>(source: EncodedData, rows: Uint32Array, action: (copy: ShuffledFeatures) => T): T {
    return withScratch(Arena.attach(source.arena), (scratch) =>
      action(new ShuffledFeatures(source, rows, scratch)),
    );
  }

  /** Row i takes the listed features of row order[i]; all others stay as they are. */
  shuffle(features: readonly number[], order: Uint32Array): void {
    for (const feature of features) this.#fill(feature, order);
  }

  restore(features: readonly number[]): void {
    for (const feature of features) this.#fill(feature, null);
  }

  #fill(feature: number, order: Uint32Array | null): void {
    const { binned, values } = this.data;
    const count = this.#rows.length;
    const from = this.#source;
    if (binned && from.binned) {
      const source = this.#arena.u8(this.#columnOf(from, feature), from.rows);
      const column = this.#arena.u8(this.#columnOf(this.data, feature), count);
      const cells = this.#arena.u8(rowMajorOf(binned), count * binned.rowStride);
      for (let i = 0; i < count; i++) {
        const bin = source[this.#rows[order ? order[i] : i]];
        column[i] = bin;
        cells[i * binned.rowStride + feature] = bin;
      }
      const codes = this.#codesOf(from, feature);
      const shuffled = this.#codesOf(this.data, feature);
      if (codes && shuffled) {
        for (let i = 0; i < count; i++) shuffled[i] = codes[this.#rows[order ? order[i] : i]];
      }
    }
    if (values !== null && from.values !== null) {
      const source = this.#arena.f64(from.values + feature * from.rows * 8, from.rows);
      const column = this.#arena.f64(values + feature * count * 8, count);
      for (let i = 0; i < count; i++) column[i] = source[this.#rows[order ? order[i] : i]];
    }
  }

  /** Of a feature of more categories than bins. */
  #codesOf({ binned, rows }: EncodedData, feature: number): Uint16Array | null {
    const column = binned?.wide?.find((each) => each.feature === feature);
    return column ? this.#arena.u16(column.codes, rows) : null;
  }

  #columnOf(data: EncodedData, feature: number): Pointer {
    if (data.binned === null) throw new Error("The data has no bins.");
    return data.binned.columnMajor + feature * data.binned.columnStride;
  }
}
