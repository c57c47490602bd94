/** The label of a run: from a column to a task and its targets, or an error that says what ails. */

import { cellText, isMissingCell } from "../data/coerce.ts";
import { parseNumber } from "../data/readers/number-text.ts";
import { shown } from "../data/shown.ts";
import { type CategoricalColumn, type Column, DataError, type Table } from "../data/table.ts";
import {
  classKey,
  classMeanings,
  spellingWarnings,
  type WrittenClass,
  writtenClass,
} from "./class-names.ts";
import { findColumn } from "./named-column.ts";
import type { Task, TaskKind } from "./task.ts";

export const MAX_CLASSES = 1000;
/** More distinct fractional numbers than this are a quantity, not classes. */
const MAX_FRACTIONAL_CLASSES = 20;

export interface LabelOptions {
  readonly taskKind: TaskKind;
  readonly labelColumn: string;
  /** The rows of the run; absent = all. */
  readonly rows?: Uint32Array | null;
}

export interface ReadLabel {
  readonly task: Task;
  /** One a row of the run: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Rows of each class; empty for regression. */
  readonly classCounts: readonly number[];
  /** Of classes that are written in several ways, and classes that look alike. */
  readonly warnings: readonly string[];
}

/**
 * Reads the label. Every row of the run must have one: a missing label is an error that counts
 * them and shows the filter that leaves them out.
 *
 * @throws DataError where the column is not there, is constant, or does not suit the task
 */
export function readTask(table: Table, options: LabelOptions): ReadLabel {
  const { taskKind, labelColumn, rows = null } = options;
  const column = findColumn(table, labelColumn, "label");
  const count = rows?.length ?? table.rows;
  const where: Rows = { count, at: (i) => (rows === null ? i : rows[i]) };
  if (count === 0) throw new DataError("There are no rows to learn from.");
  refuseMissing(column, where);
  if (taskKind === "regression") return readValues(column, where);
  return readClasses(column, table.written?.get(labelColumn), where, taskKind);
}

interface Rows {
  readonly count: number;
  /** The table's row of the i-th row of the run. */
  at(i: number): number;
}

function fail(column: Column, message: string, row?: number): never {
  throw new DataError(message, {
    column: column.name,
    ...(row === undefined ? {} : { row: row + 1 }),
  });
}

function listed(classes: readonly { name: string; count: number }[]): string {
  const some = classes.slice(0, 10).map(({ name, count }) => `${shown(name)} (${count})`);
  return classes.length > 10
    ? `${some.join(", ")} and ${classes.length - 10} more`
    : some.join(", ");
}

function refuseMissing(column: Column, rows: Rows): void {
  let missing = 0;
  let first = -1;
  for (let i = 0; i < rows.count; i++) {
    if (!isMissingCell(column, rows.at(i))) continue;
    if (first < 0) first = rows.at(i);
    missing++;
  }
  if (missing === 0) return;
  const filter = JSON.stringify({ kind: "comparison", column: column.name, op: "is_not_null" });
  fail(
    column,
    `The label ${shown(column.name)} is missing in ${missing} of ${rows.count} rows, first in row ${first + 1}. Leave these rows out with the filter ${filter}.`,
    first,
  );
}

function readValues(column: Column, rows: Rows): ReadLabel {
  if (column.kind !== "numeric") refuseKind(column, rows);
  const target = new Float64Array(rows.count);
  for (let i = 0; i < rows.count; i++) {
    const value = column.values[rows.at(i)];
    if (!Number.isFinite(value)) {
      fail(
        column,
        `The label ${shown(column.name)} is ${value} in row ${rows.at(i) + 1}; every label must be finite.`,
        rows.at(i),
      );
    }
    target[i] = value;
  }
  if (target.every((value) => value === target[0])) {
    refuseConstant(column, String(target[0]), rows.count);
  }
  return { task: { kind: "regression", classes: [] }, target, classCounts: [], warnings: [] };
}

function refuseConstant(column: Column, value: string, count: number): never {
  fail(
    column,
    `The label ${shown(column.name)} is ${shown(value)} in all ${count} rows; there is nothing to learn.`,
  );
}

function refuseKind(column: Exclude<Column, { kind: "numeric" }>, rows: Rows): never {
  if (column.kind === "timestamp") {
    fail(
      column,
      `The label ${shown(column.name)} is a time; regression needs a number, such as the hours until it.`,
    );
  }
  // The cell that is no number is the telling example in a column that mixes both.
  let example = rows.at(0);
  let others = 0;
  for (let i = rows.count - 1; i >= 0; i--) {
    if (!Number.isNaN(parseNumber(cellText(column, rows.at(i))?.trim() ?? ""))) continue;
    example = rows.at(i);
    others++;
  }
  const value = shown(cellText(column, example) ?? "");
  const hint =
    others === 0
      ? "All its values are numbers written as text: declare its kind as numeric."
      : others < rows.count / 2
        ? `${others} of ${rows.count} rows hold no number; clean them or filter them out.`
        : "Choose a numeric column, or the task binclass or multiclass.";
  fail(
    column,
    `The label ${shown(column.name)} is ${column.kind}, but regression needs numbers; row ${example + 1} holds ${value}. ${hint}`,
    example,
  );
}

function readClasses(
  column: Column,
  written: CategoricalColumn | undefined,
  rows: Rows,
  taskKind: "binclass" | "multiclass",
): ReadLabel {
  if (column.kind === "timestamp") {
    fail(column, `The label ${shown(column.name)} is a time, which is no class.`);
  }
  const { classes: found, meanings, indices } = distinctClasses(column, written, rows);
  const names = found.map(({ name }) => name);
  const order = orderOf(names, meanings);
  const classes = order.map((index) => names[index]);
  const place = new Uint32Array(names.length);
  for (const [to, from] of order.entries()) place[from] = to;
  const target = new Float64Array(rows.count);
  const classCounts = new Array<number>(names.length).fill(0);
  for (let i = 0; i < rows.count; i++) {
    target[i] = place[indices[i]];
    classCounts[target[i]]++;
  }
  if (classes.length === 1) refuseConstant(column, classes[0], rows.count);
  const counted = classes.map((name, index) => ({ name, count: classCounts[index] }));
  if (taskKind === "binclass" && classes.length !== 2) {
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} classes, but binclass needs exactly 2: ${listed(counted)}. Use multiclass, or filter to two classes.`,
    );
  }
  const fractional =
    column.kind === "numeric" && meanings?.some((value) => !Number.isInteger(value));
  if (fractional && classes.length > MAX_FRACTIONAL_CLASSES) {
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} distinct fractional numbers, such as ${classes[0]} and ${classes[1]}, and looks continuous; use regression.`,
    );
  }
  if (classes.length > MAX_CLASSES) {
    const hint = column.kind === "numeric" ? " If it is a quantity, use regression." : "";
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} classes; at most ${MAX_CLASSES} are supported.${hint}`,
    );
  }
  const warnings = spellingWarnings(
    column.name,
    order.map((index) => found[index]),
  );
  return { task: { kind: taskKind, classes }, target, classCounts, warnings };
}

interface DistinctClasses {
  readonly classes: readonly WrittenClass[];
  /** One a class; null where they are texts. */
  readonly meanings: readonly number[] | null;
  /** The class of each row of the run. */
  readonly indices: Uint32Array;
}

function distinctClasses(
  column: Column,
  written: CategoricalColumn | undefined,
  rows: Rows,
): DistinctClasses {
  const cells = written ?? column;
  const values: ArrayLike<number | string | null> =
    cells.kind === "categorical" ? cells.codes : cells.values;
  const spellings = new Map<number | string | null, { place: number; text: string }>();
  const places = new Map<string, number>();
  const counts: Map<string, number>[] = [];
  const typed: number[] = [];
  const indices = new Uint32Array(rows.count);
  for (let i = 0; i < rows.count; i++) {
    const row = rows.at(i);
    if (column.kind === "numeric" && !Number.isFinite(column.values[row])) {
      fail(
        column,
        `The label ${shown(column.name)} is ${column.values[row]} in row ${row + 1}, which is no class.`,
        row,
      );
    }
    let spelling = spellings.get(values[row]);
    if (spelling === undefined) {
      const text = cellText(cells, row) ?? "";
      const key = keyOf(column, row, text);
      const place = places.get(key) ?? places.size;
      if (place === counts.length) {
        places.set(key, place);
        counts.push(new Map());
        typed.push(column.kind === "numeric" || column.kind === "boolean" ? column.values[row] : 0);
      }
      spelling = { place, text };
      spellings.set(values[row], spelling);
    }
    const { place, text } = spelling;
    counts[place].set(text, (counts[place].get(text) ?? 0) + 1);
    indices[i] = place;
  }
  const classes = counts.map(writtenClass);
  const isTyped = column.kind === "numeric" || column.kind === "boolean";
  const meanings = isTyped ? typed : classMeanings(classes.map(({ name }) => name));
  return { classes, meanings, indices };
}

/** What makes cells one class: the value they are read as, where it holds all that is written. */
function keyOf(column: Column, row: number, text: string): string {
  if (column.kind === "boolean") return String(column.values[row]);
  if (column.kind !== "numeric") return classKey(text);
  const value = column.values[row];
  const exact = Number.isSafeInteger(value) || !Number.isInteger(value);
  return exact ? String(value) : text.trim();
}

/** By meaning, else by code unit. */
function orderOf(names: readonly string[], meanings: readonly number[] | null): number[] {
  return [...names.keys()].sort((a, b) => {
    if (meanings !== null && meanings[a] !== meanings[b]) return meanings[a] - meanings[b];
    return names[a] < names[b] ? -1 : 1;
  });
}
