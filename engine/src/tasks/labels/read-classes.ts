/** A label of classes: the index of one a row, in an order that does not depend on the rows' order. */

import { cellText } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import type { CategoricalColumn, Column } from "../../data/table.ts";
import {
  classKey,
  classMeanings,
  spellingWarnings,
  type WrittenClass,
  writtenClass,
} from "../class-names.ts";
import type { ReadTarget } from "../task-type.ts";
import { fail, failAt, type LabelRows, type RelatedKinds, refuseConstant } from "./label-rows.ts";

export const MAX_CLASSES = 1000;
/** More distinct fractional numbers than this are a quantity, not classes. */
const MAX_FRACTIONAL_CLASSES = 20;

/**
 * @param written the cells as they are written, where the table has them
 * @param kinds of the task's family, for messages
 * @param exactly so many classes and no others; null = any number
 * @throws DataError for a time, a constant, or classes that are too many or look continuous
 */
export function readClasses(
  column: Column,
  written: CategoricalColumn | undefined,
  rows: LabelRows,
  kinds: RelatedKinds,
  exactly: number | null,
): ReadTarget {
  if (column.kind === "timestamp") {
    fail(column, `The label ${shown(column.name)} is a time, which cannot be a class.`);
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
  if (classes.length === 1) refuseConstant(column, classes[0], rows);
  const counted = classes.map((name, index) => ({ name, count: classCounts[index] }));
  if (exactly !== null && classes.length !== exactly) {
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} classes, but ${kinds.two} needs exactly ${exactly}: ${listed(counted)}. Use ${kinds.several}, or filter to two classes.`,
    );
  }
  const fractional =
    column.kind === "numeric" && meanings?.some((value) => !Number.isInteger(value));
  if (fractional && classes.length > MAX_FRACTIONAL_CLASSES) {
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} distinct fractional numbers, such as ${classes[0]} and ${classes[1]}, and looks continuous; use ${kinds.values}.`,
    );
  }
  if (classes.length > MAX_CLASSES) {
    const hint = column.kind === "numeric" ? ` If it is a quantity, use ${kinds.values}.` : "";
    fail(
      column,
      `The label ${shown(column.name)} has ${classes.length} classes; at most ${MAX_CLASSES} are supported.${hint}`,
    );
  }
  const warnings = spellingWarnings(
    column.name,
    order.map((index) => found[index]),
  );
  return { classes, target, classCounts, warnings };
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
  rows: LabelRows,
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
      const { name, values: numbers } = column;
      failAt(
        column,
        rows,
        row,
        (told) => `The label ${shown(name)} is ${numbers[row]} in ${told}, which is not a class.`,
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

function listed(classes: readonly { name: string; count: number }[]): string {
  const some = classes.slice(0, 10).map(({ name, count }) => `${shown(name)} (${count})`);
  return classes.length > 10
    ? `${some.join(", ")} and ${classes.length - 10} more`
    : some.join(", ");
}
