/** Which rows a run learns from: filtered, made into a frame, labelled and sampled; and what they weigh and belong to. */

import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { rowNumbers, valuesAt } from "../../compute/row-lists.ts";
import { selectRows } from "../../data/filter/select-rows.ts";
import type { Table } from "../../data/table.ts";
import type { FramedTable } from "../../tasks/framing.ts";
import { hasClasses, type Task, taskType } from "../../tasks/index.ts";
import { readLabelledRows } from "../../tasks/labelled-rows.ts";
import { readGroups, readTimes, readWeights } from "../../tasks/row-columns.ts";
import type { RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { foldsOfClasses, leastFolds } from "./plan-folds.ts";

/** Fewer rows than this say nothing, however they are split. */
const MINIMUM_ROWS = 10;

export interface PlannedRows {
  /** Of kinds whose rows are made of several of the given table's. */
  readonly framed: FramedTable | null;
  /** That holds the rows: the one that was given, or what framing made of it. */
  readonly table: Table;
  readonly task: Task;
  /** Rows of the given table that the filter leaves; null = all. */
  readonly filtered: Uint32Array | null;
  /** Rows of the table, ascending; null = all. The members below follow them. */
  readonly rows: Uint32Array | null;
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  readonly groups: Int32Array | null;
  /** Of rows that are in time; those of series have their windows instead. */
  readonly time: Float64Array | null;
  /** Rows that they were drawn from; null where none are left out. */
  readonly sampledFrom: number | null;
  readonly warnings: readonly string[];
}

/** @throws DataError, ConfigError */
export function planRows(given: Table, config: RunConfig): PlannedRows {
  const { taskKind, labelColumn, weightColumn, groupColumn, timeColumn } = config.task;
  const filtered = filterRows(given, config);
  const framed =
    taskType(taskKind).framing?.frame(given, {
      task: config.task,
      rows: filtered,
      labelColumn,
      beside: [weightColumn, groupColumn, timeColumn].filter((name) => name != null),
      ignored: config.task.ignoreColumns,
      windows: leastFolds(config) ?? 1,
    }) ?? null;
  const table = framed?.table ?? given;
  const labelled = readLabelledRows(table, {
    taskKind,
    labelColumn,
    fields: { ...config.task, coverage: config.coverage },
    rows: framed ? null : filtered,
    missingLabels: config.missingLabels,
    rareClasses: config.rareClasses,
    // Folds in the order of time are not stratified: a class need not be in each.
    leastRows: (classCounts) => (timeColumn ? 0 : (foldsOfClasses(config, classCounts) ?? 2)),
  });
  const { task, rows: selected } = labelled;
  const rolling = framed?.rolling;
  // Steps of series are learned from with all of their past.
  const places = rolling ? null : sampledPlaces(labelled, config);
  const rows = places ? places.map((place) => (selected ? selected[place] : place)) : selected;
  const weights = weightColumn ? readWeights(table, weightColumn, rows) : null;
  return {
    framed,
    table,
    task,
    filtered,
    rows,
    target: places ? valuesAt(labelled.target, places) : labelled.target,
    weights: rolling ? observedWeights(weights, rolling.observed) : weights,
    groups: groupColumn ? Int32Array.from(readGroups(table, groupColumn, rows).groups) : null,
    time: timeColumn && !rolling ? readTimes(table, timeColumn, rows) : null,
    sampledFrom: places ? labelled.target.length : null,
    warnings: [...(framed?.warnings ?? []), ...labelled.warnings],
  };
}

export function filterRows(table: Table, config: RunConfig): Uint32Array | null {
  if (!config.filter) return null;
  const rows = selectRows(table, config.filter);
  if (rows.length < MINIMUM_ROWS) {
    throw new ConfigError(
      ["filter"],
      `The filter leaves ${rows.length} of ${table.rows} rows; at least ${MINIMUM_ROWS} are needed to train.`,
    );
  }
  return rows;
}

/**
 * Ascending places of the rows that `rowsAllowed` leaves; null = all. Of each class as much as of
 * all, and what a class needs to be in every fold.
 */
function sampledPlaces(
  { task, target }: { readonly task: Task; readonly target: Float64Array },
  config: RunConfig,
): Uint32Array | null {
  const { rowsAllowed, randomState } = config;
  if (rowsAllowed == null || rowsAllowed >= target.length) return null;
  const random = new CounterRandom(deriveKey(randomState, "sample"));
  const order = random.shuffle(rowNumbers(target.length));
  const ofClasses = hasClasses(task);
  const least = ofClasses ? Math.max(2, leastFolds(config) ?? 2) : 0;
  const taken = new Map<number, number>();
  const first: number[] = [];
  const others: number[] = [];
  for (const row of order) {
    const own = taken.get(target[row]) ?? 0;
    const isFew = ofClasses && own < least;
    (isFew ? first : others).push(row);
    if (isFew) taken.set(target[row], own + 1);
  }
  return Uint32Array.from(
    [...first, ...others].slice(0, Math.max(rowsAllowed, first.length)),
  ).sort();
}

/** Null where all weigh alike. */
function observedWeights(weights: Float64Array | null, observed: Uint8Array): Float64Array | null {
  if (!observed.includes(0)) return weights;
  return Float64Array.from(observed, (seen, row) => seen * (weights?.[row] ?? 1));
}
