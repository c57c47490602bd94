/**
 * Permutation importance: how much worse a model scores on rows whose values of one feature (or of
 * all features of one column) were shuffled (Breiman 2001, §10; Fisher, Rudin & Dominici 2019).
 * Best measured on rows that the model did not learn from.
 */

import { Arena } from "../compute/arena.ts";
import { CounterRandom, extendKey, type RandomKey } from "../compute/random.ts";
import { type Scratch, withScratch } from "../compute/scratch.ts";
import type { BinnedData, EncodedData } from "../data/encoded.ts";
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
  /** One a feature, 0 where no prediction depends on it: it is not shuffled, and 0 in all rows. Default: all are read. */
  readonly reads?: Uint8Array;
  /** Cells of the copies that are predicted in one call, about. */
  readonly cellsAtOnce?: number;
}

export interface PermutationImportance extends GroupImportance {
  /** Mean over repeats of the rise of the metric as a loss; negative where shuffling helped. */
  readonly importance: number;
  /** Standard deviation over repeats (of a sample); 0 for one repeat. */
  readonly deviation: number;
}

const CELLS_AT_ONCE = 2 ** 24;

/** One group's features, shuffled once. */
interface Shuffle {
  readonly features: readonly number[];
  readonly order: Uint32Array;
}

/** In the order of the groups. NaN where the metric is undefined on these rows. */
export function permutationImportance(input: PermutationInput): PermutationImportance[] {
  const { groups, repeats, key, reads } = input;
  const rows = sampled(input.rows, input.maximumRows, key);
  const isRead = (feature: number): boolean => reads === undefined || reads[feature] !== 0;
  const shuffles = groups.flatMap(({ name, features }): Shuffle[] => {
    const read = features.filter(isRead);
    if (read.length === 0) return [];
    return Array.from({ length: repeats }, (_, repeat) => {
      const random = new CounterRandom(extendKey(key, "permutation", name, repeat));
      return { features: read, order: random.shuffle(Uint32Array.from(rows.keys())) };
    });
  });
  const unshuffled: Shuffle = { features: [], order: new Uint32Array(0) };
  const [base, ...losses] = lossesOf(input, rows, [unshuffled, ...shuffles]);
  return groups.map(({ name, features }) => {
    const own = features.some(isRead)
      ? losses.splice(0, repeats)
      : new Array<number>(repeats).fill(base);
    return { name, ...riseOf(own, base) };
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
  const { data, metric, reads, cellsAtOnce = CELLS_AT_ONCE } = input;
  const pick = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const target = pick(input.target);
  const weights = input.weights === null ? null : pick(input.weights);
  const cells = Math.max(1, rows.length * data.features.length);
  const perChunk = Math.max(1, Math.floor(cellsAtOnce / cells));
  const lossesIn = (copy: ShuffledFeatures, chunk: readonly Shuffle[]): number[] => {
    for (const [block, { features, order }] of chunk.entries())
      copy.shuffle(features, order, block);
    const predictions = input.predict(copy.data);
    for (const [block, { features }] of chunk.entries()) copy.restore(features, block);
    const size = predictions.length / chunk.length;
    const outputs = rows.length === 0 ? 1 : size / rows.length;
    return chunk.map((_, block) => {
      const part = predictions.subarray(block * size, (block + 1) * size);
      return toLoss(metric, metric.score({ target, predictions: part, outputs, weights }));
    });
  };
  const whole = Math.floor(shuffles.length / perChunk);
  const chunks = Array.from({ length: whole }, (_, chunk) =>
    shuffles.slice(chunk * perChunk, (chunk + 1) * perChunk),
  );
  const rest = shuffles.slice(whole * perChunk);
  // One copy of the rows serves all that are as large.
  return [chunks, rest.length > 0 ? [rest] : []].flatMap((alike) => {
    if (alike.length === 0) return [];
    const layout = { times: alike[0].length, ...(reads && { reads }) };
    return ShuffledFeatures.over(
      data,
      rows,
      (copy) => alike.flatMap((chunk) => lossesIn(copy, chunk)),
      layout,
    );
  });
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

type Cells = Float64Array | Uint16Array | Uint8Array;

/** Features of the data and of its copy, column by column. */
interface Form {
  readonly from: Cells;
  readonly fromStride: number;
  readonly to: Cells;
  readonly toStride: number;
  /** Null: the feature is not among them. */
  columnOf(feature: number): number | null;
}

/**
 * Cells of the listed rows, to those from `at` on.
 *
 * @returns where the feature's column begins in the copy; null where the form has none of it
 */
function copyColumn(
  { from, fromStride, to, toStride, columnOf }: Form,
  feature: number,
  rows: Uint32Array,
  at: number,
): number | null {
  const column = columnOf(feature);
  if (column === null) return null;
  const start = column * toStride;
  const read = column * fromStride;
  for (let i = 0; i < rows.length; i++) to[start + at + i] = from[read + rows[i]];
  return start;
}

export interface CopyLayout {
  /** Copies of the rows, one after another, which are shuffled each by itself. Default 1. */
  readonly times?: number;
  /** One a feature: those with 0 are 0 in all rows. Default: all are copied. */
  readonly reads?: Uint8Array;
}

/**
 * A private copy of some rows of encoded data in which groups of features can be shuffled among
 * the rows and put back, in every form that predictions are made of: bins lie by column alone.
 */
export class ShuffledFeatures {
  /** The copy; its rows are 0 … rows · times - 1. */
  readonly data: EncodedData;
  readonly #source: EncodedData;
  readonly #rows: Uint32Array;
  readonly #arena: Arena;

  private constructor(
    source: EncodedData,
    rows: Uint32Array,
    { times = 1, reads }: CopyLayout,
    scratch: Scratch,
  ) {
    const count = rows.length * times;
    const features = source.features.length;
    this.#source = source;
    this.#rows = rows;
    this.#arena = scratch.arena;
    let binned: BinnedData | null = null;
    if (source.binned) {
      const { rowStride, bins, wide = [] } = source.binned;
      const columnStride = Math.ceil(count / 16) * 16;
      const columnMajor = scratch.allocate(features * columnStride);
      const codes = wide.map(({ feature }) => ({ feature, codes: scratch.allocate(2 * count) }));
      binned = { rowMajor: null, rowStride, columnMajor, columnStride, bins, wide: codes };
      if (reads) {
        this.#arena.u8(columnMajor, features * columnStride).fill(0);
        for (const column of codes) this.#arena.u16(column.codes, count).fill(0);
      }
    }
    const values = source.values === null ? null : scratch.allocate(features * count * 8);
    if (reads && values !== null) this.#arena.f64(values, features * count).fill(0);
    this.data = { arena: source.arena, rows: count, features: source.features, binned, values };
    for (const form of this.#forms()) {
      for (let feature = 0; feature < features; feature++) {
        if (reads?.[feature] === 0) continue;
        const start = copyColumn(form, feature, rows, 0);
        if (start === null) continue;
        for (let done = rows.length; done < count; done *= 2) {
          form.to.copyWithin(start + done, start, start + Math.min(done, count - done));
        }
      }
    }
  }

  /** Runs `action` on a copy of the listed rows, and frees it afterwards. */
  static over<T>(
    source: EncodedData,
    rows: Uint32Array,
    action: (copy: ShuffledFeatures) => T,
    layout: CopyLayout = {},
  ): T {
    return withScratch(Arena.attach(source.arena), (scratch) =>
      action(new ShuffledFeatures(source, rows, layout, scratch)),
    );
  }

  /** Row i of one copy of the rows takes the listed features of row order[i]; all others stay as they are. */
  shuffle(features: readonly number[], order: Uint32Array, block = 0): void {
    if (features.length > 0) this.#fill(features, block, (i) => order[i]);
  }

  restore(features: readonly number[], block = 0): void {
    if (features.length > 0) this.#fill(features, block, (i) => i);
  }

  #fill(features: readonly number[], block: number, orderOf: (row: number) => number): void {
    const rows = Uint32Array.from(this.#rows, (_, i) => this.#rows[orderOf(i)]);
    for (const form of this.#forms()) {
      for (const feature of features) copyColumn(form, feature, rows, block * rows.length);
    }
  }

  /** Until the next allocation. */
  #forms(): readonly Form[] {
    const [from, to] = [this.#source, this.data];
    const arena = this.#arena;
    const features = from.features.length;
    const forms: Form[] = [];
    if (from.binned && to.binned) {
      const [read, written] = [from.binned, to.binned];
      forms.push({
        from: arena.u8(read.columnMajor, features * read.columnStride),
        fromStride: read.columnStride,
        to: arena.u8(written.columnMajor, features * written.columnStride),
        toStride: written.columnStride,
        columnOf: (feature) => feature,
      });
      const wide = read.wide ?? [];
      for (const [at, { feature, codes }] of wide.entries()) {
        forms.push({
          from: arena.u16(codes, from.rows),
          fromStride: 0,
          to: arena.u16(written.wide?.[at].codes ?? 0, to.rows),
          toStride: 0,
          columnOf: (asked) => (asked === feature ? 0 : null),
        });
      }
    }
    if (from.values !== null && to.values !== null) {
      forms.push({
        from: arena.f64(from.values, features * from.rows),
        fromStride: from.rows,
        to: arena.f64(to.values, features * to.rows),
        toStride: to.rows,
        columnOf: (feature) => feature,
      });
    }
    return forms;
  }
}
