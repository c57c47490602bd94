/**
 * What the selected model relies on: the importance its fits report, and by permutation on rows
 * that they did not learn from. Each fold is weighed with its own fits on its own validation rows.
 */

import { deriveKey } from "../../compute/random.ts";
import { type EncodedData, frameFeatures } from "../../data/encoded.ts";
import {
  type Calibration,
  type CombinationLayer,
  Combiner,
  labelsAt,
  weightsOfRows,
} from "../../ensemble/index.ts";
import { type FeatureGroup, groupByColumn } from "../../explain/feature-group.ts";
import { framedImportance } from "../../explain/framed-importance.ts";
import {
  blendImportance,
  type GroupImportance,
  mostImportantFirst,
  type WeighedImportance,
} from "../../explain/importance.ts";
import { permutationImportance } from "../../explain/permutation-importance.ts";
import type { FittedModel } from "../../families/family.ts";
import { familyById } from "../../families/index.ts";
import { unpackModel } from "../../model/packed.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { dataOfFold, type PreparedRun } from "../plan/prepared.ts";
import { markRead } from "./read-features.ts";

/** Of each column's shuffling, which is then averaged over. */
export const IMPORTANCE_REPEATS = 3;
/**
 * Columns that are shuffled at most. Predictions are made anew for each, and cost more the more columns
 * there are: of thousands, all would take hours, and those that the fits hardly use say nothing.
 */
export const MOST_SHUFFLED = 500;

export interface FoldMember {
  readonly family: string;
  readonly weight: number;
  /** Its weights for each series; null: the same for all. */
  readonly bySeries: Float64Array | null;
  readonly calibration: Calibration | null;
  readonly packed: Uint8Array;
}

export interface ImportanceInput {
  readonly run: PreparedRun;
  /** The selected members' fits, by fold. */
  readonly folds: readonly (readonly FoldMember[])[];
  readonly layer: CombinationLayer | null;
  readonly threshold: number | null;
  readonly randomState: number;
  /** Rows, over all folds, that columns are shuffled for. */
  readonly rows: number;
  /** Columns that are shuffled, those that the fits rely on most; absent: all, up to `MOST_SHUFFLED`. */
  readonly columns?: number;
  /** Of wall time, within which rows and columns may be fewer; absent: whatever it takes. */
  readonly seconds?: number;
  /** What predicting a row took in the folds, of seconds. */
  readonly rowSeconds?: number;
}

export interface ColumnImportance {
  readonly column: string;
  readonly importance: number;
  readonly deviation?: number;
}

export interface ImportanceOutput {
  readonly gain: readonly ColumnImportance[];
  /** Of the columns that were shuffled, most important first. */
  readonly permutation: readonly ColumnImportance[];
  /** Rows and columns that there was time for; null where it was all of them. */
  readonly cut: { readonly rows: number; readonly columns: number } | null;
}

interface WeighedModel {
  readonly weight: number;
  readonly bySeries: Float64Array | null;
  readonly calibration: Calibration | null;
  readonly model: FittedModel;
}

/** Fewer rows say hardly anything of the order of columns: then rather fewer columns. */
const LEAST_ROWS = 100;
/** Rows of the two looks at what predicting costs, of which the first pays for warming up. */
const PROBED_ROWS = [LEAST_ROWS, 4 * LEAST_ROWS];
/** What is measured in little is a little wrong in large. */
const SAFETY = 1.5;

export function importance(input: ImportanceInput): ImportanceOutput {
  const started = performance.now();
  const left = (): number =>
    (input.seconds ?? Number.POSITIVE_INFINITY) - (performance.now() - started) / 1000;
  const measured = new MeasuredColumns(input);
  const { gain, groups } = measured;
  const ranked = gain.map(({ name }) => name);
  const wanted = Math.min(groups.length, input.columns ?? groups.length, MOST_SHUFFLED);
  const most = Math.min(input.rows, input.run.plan.rows);
  const read = Math.min(wanted, measured.read);
  const isFree = input.seconds === undefined || read === 0;
  const { rowSeconds = 0 } = input;
  const { rows, least } = isFree
    ? { rows: most, least: 0 }
    : afforded(measured, most, read, rowSeconds, left);
  let columns = 0;
  // In batches, for there is no other moment to look at the clock.
  for (let batch = input.seconds === undefined ? wanted : 1; columns < wanted; ) {
    const some = columns < read ? batch : wanted - columns;
    const names = new Set(ranked.slice(columns, columns + some));
    const before = left();
    if (before <= least && columns < read) break;
    measured.measure(rows, names);
    columns += names.size;
    const each = (before - left()) / names.size;
    batch = Math.max(
      1,
      Math.min(wanted - columns, 2 * batch, Math.floor(left() / (SAFETY * each))),
    );
    if (left() < each && columns < read) break;
  }
  return {
    gain: gain.map(({ name, importance: share }) => ({ column: name, importance: share })),
    permutation: measured.permutation(),
    cut: rows < most || columns < wanted ? { rows, columns } : null,
  };
}

/**
 * As many of `most` rows as so many columns may be shuffled for in the time that is left, and seconds without which
 * not even one is.
 *
 * @param rowSeconds what a row is expected to take; where there is no time for a look at it, no column is shuffled
 */
function afforded(
  measured: MeasuredColumns,
  most: number,
  columns: number,
  rowSeconds: number,
  left: () => number,
): { readonly rows: number; readonly least: number } {
  const looks = measured.takesAllRows ? [most] : PROBED_ROWS.map((rows) => Math.min(rows, most));
  let perRow = rowSeconds;
  for (const [i, rows] of looks.entries()) {
    const before = left();
    if (before <= perRow * rows) return { rows: most, least: Number.POSITIVE_INFINITY };
    measured.measure(rows, new Set());
    const each = (before - left()) / rows;
    perRow = i === 0 ? each : Math.min(perRow, each);
  }
  const fewest = measured.takesAllRows ? most : Math.min(LEAST_ROWS, most);
  const least = (1 + IMPORTANCE_REPEATS) * perRow * fewest;
  const passes = 1 + IMPORTANCE_REPEATS * columns;
  const rows = Math.floor(Math.max(0, left()) / (SAFETY * perRow * passes));
  return { rows: Math.max(fewest, Math.min(most, rows)), least };
}

/** The members of a model by fold, and what shuffling has shown of their columns so far. */
class MeasuredColumns {
  readonly groups: readonly FeatureGroup[];
  readonly gain: readonly GroupImportance[];
  readonly #input: ImportanceInput;
  readonly #models: readonly (readonly WeighedModel[])[];
  /** Whether all rows are predicted however few are asked for: those of series are read with their past. */
  readonly takesAllRows: boolean;
  /** Columns that the fits may read, the first by gain: what is shuffled in others changes nothing. */
  readonly read: number;
  readonly #outer: ReadonlySet<string>;
  /** By fold, of rows that stand by themselves: one a feature, 0 where no member reads it. */
  readonly #reads: readonly Uint8Array[] | null;
  readonly #byColumn = new Map<string, { importance: number; variance: number }>();

  constructor(input: ImportanceInput) {
    const { run, folds } = input;
    this.#input = input;
    this.groups = groupByColumn([...run.data.features, ...frameFeatures(run.data.frame)]);
    this.#models = folds.map((members, fold) =>
      members.map((member) => ({
        weight: member.weight,
        bySeries: member.bySeries,
        calibration: member.calibration,
        model: load(run, member, fold),
      })),
    );
    const byFit: WeighedImportance[] = this.#models.flatMap((models) =>
      models.map(({ weight, model }) => ({ weight, importance: model.importance() })),
    );
    this.gain = blendImportance(byFit, this.groups);
    this.takesAllRows = run.data.frame?.kind === "series";
    this.#outer = new Set(run.data.features.map(({ column }) => column));
    const reads =
      run.data.frame === undefined ? this.#models.map((models) => readOf(run, models)) : null;
    this.#reads = reads;
    const read = new Set(
      this.groups
        .filter(({ features }) => reads?.some((of) => features.some((f) => of[f] !== 0)) ?? true)
        .map(({ name }) => name),
    );
    const isRead = ({ name, importance: share }: GroupImportance) =>
      this.takesAllRows ? share > 0 && this.#outer.has(name) : read.has(name);
    this.read = 1 + this.gain.findLastIndex(isRead);
  }

  /** Shuffles the columns of those names on the validation rows of each fold. */
  measure(rows: number, names: ReadonlySet<string>): void {
    const { run, randomState, layer, threshold } = this.#input;
    const asked = new Set(names);
    for (const { name } of this.takesAllRows ? this.gain.slice(this.read) : []) {
      if (!asked.delete(name) || !this.#outer.has(name)) continue;
      this.#byColumn.set(name, { importance: 0, variance: 0 });
    }
    if (names.size > 0 && asked.size === 0) return;
    const metric = metricOf(run.task, run.plan.metrics[0]);
    const counting = this.#models.map((_, fold) => countingRows(run, fold));
    const folds = counting.filter(({ length }) => length > 0).length;
    for (const [fold, models] of this.#models.entries()) {
      // Of rows that all have weight 0 nothing is worse than anything else.
      if (counting[fold].length === 0) continue;
      const data = dataOfFold(run, fold);
      const input = {
        data,
        rows: counting[fold],
        target: run.target,
        weights: run.weights,
        series: run.series,
        predict: (shuffled: EncodedData, some: Uint32Array | null = null) => {
          const values = combined(run, models, layer, shuffled, some);
          return threshold !== null && metric.needs === "label"
            ? labelsAt(values, threshold)
            : values;
        },
        metric,
        groups: this.groups.filter(({ name }) => asked.has(name)),
        repeats: IMPORTANCE_REPEATS,
        key: deriveKey(randomState, "importance", fold),
        maximumRows: Math.ceil(rows / folds),
      };
      const reads = this.#reads?.[fold];
      const found = data.frame
        ? framedImportance(input, data.frame)
        : permutationImportance({ ...input, ...(reads && { reads }) });
      for (const { name, importance: rise, deviation } of found) {
        const column = this.#byColumn.get(name) ?? { importance: 0, variance: 0 };
        column.importance += rise / folds;
        column.variance += (deviation / folds) ** 2;
        this.#byColumn.set(name, column);
      }
    }
  }

  permutation(): ColumnImportance[] {
    const inOrder = this.groups.flatMap(({ name }) => {
      const column = this.#byColumn.get(name);
      return column
        ? [{ name, importance: column.importance, deviation: Math.sqrt(column.variance) }]
        : [];
    });
    return mostImportantFirst(inOrder).map(({ name, ...rest }) => ({ column: name, ...rest }));
  }
}

/** Rows that the fold is scored on: those of weight 0 are looked at beside others of their series alone. */
function countingRows({ folds, weights, data }: PreparedRun, fold: number): Uint32Array {
  const { valid } = folds[fold];
  if (weights === null) return valid;
  const counting = valid.filter((row) => weights[row] > 0);
  return data.frame !== undefined && counting.length > 0 ? valid : counting;
}

function readOf(run: PreparedRun, models: readonly WeighedModel[]): Uint8Array {
  const { features } = run.data;
  const read = new Uint8Array(features.length);
  for (const { model } of models) markRead(model, features, read);
  return read;
}

function load(run: PreparedRun, member: FoldMember, fold: number): FittedModel {
  const family = familyById(member.family);
  if (!family) throw new Error(`There is no model family ${member.family}.`);
  const data = dataOfFold(run, fold);
  return family.load(unpackModel(member.packed, `the fit of fold ${fold}`), {
    task: run.task,
    features: data.features,
    bins: family.reads === "bins" ? (data.binned?.bins ?? null) : null,
  });
}

function combined(
  run: PreparedRun,
  models: readonly WeighedModel[],
  layer: CombinationLayer | null,
  data: EncodedData,
  rows: Uint32Array | null,
): Float64Array {
  const combiner = new Combiner(run.task, layer, rows?.length ?? data.rows);
  const frame = data.frame?.kind === "series" ? data.frame : null;
  for (const { weight, bySeries, calibration, model } of models) {
    const own = bySeries && frame ? weightsOfRows(bySeries, weight, frame, rows) : weight;
    combiner.add(own, calibration, model.predict(data, rows));
  }
  return combiner.result();
}
