/**
 * The rows that a run can learn from: those with a label, of classes that every fold can hold. What
 * is left out or joined is counted in a warning (AutoGluon does likewise); `error` refuses it.
 */

import { rowNumbers, rowsWhere, valuesAt } from "../compute/row-lists.ts";
import { isMissingCell } from "../data/coerce.ts";
import { rowsCalled } from "../data/row-origins.ts";
import { shown } from "../data/shown.ts";
import { DataError, type Table } from "../data/table.ts";
import { writtenNumbersOf } from "../data/unclean-columns.ts";
import { typeOf } from "./index.ts";
import { type LabelOptions, type ReadLabel, readTask } from "./label.ts";
import { findColumn } from "./named-column.ts";

/** What is done with classes of too few rows. */
export const RARE_CLASSES = ["error", "drop", "merge"] as const;
/** What is done with rows without a label. */
export const MISSING_LABELS = ["error", "drop"] as const;

/** The class that rare ones are joined to. */
export const MERGED_CLASS = "other";
/** With fewer rows to a class on average, the column tells rows apart and not classes. */
const ROWS_OF_A_CLASS = 2;
/** Classes that a warning names. */
const NAMED = 10;

export interface LabelledRowsOptions extends LabelOptions {
  readonly missingLabels: (typeof MISSING_LABELS)[number];
  readonly rareClasses: (typeof RARE_CLASSES)[number];
  /** Rows that a class needs, by those of each class; 0 = any number will do. */
  leastRows(classCounts: readonly number[]): number;
}

export interface LabelledRows extends ReadLabel {
  /** Rows of the table, ascending; null = all. */
  readonly rows: Uint32Array | null;
}

/** @throws DataError as `readTask` does, and where too little is left */
export function readLabelledRows(table: Table, options: LabelledRowsOptions): LabelledRows {
  const { labelColumn, missingLabels, rows = null } = options;
  const warnings: string[] = [];
  let kept = rows;
  if (missingLabels === "drop") {
    const column = findColumn(table, labelColumn, "label");
    const all = rows ?? rowNumbers(table.rows);
    const present = rowsWhere(all, (row) => !isMissingCell(column, row));
    // Without any label, the error of `readTask` says more.
    if (present.length > 0 && present.length < all.length) {
      kept = present;
      warnings.push(
        `The label ${shown(labelColumn)} is missing in ${all.length - present.length} of ${all.length} ${rowsCalled(table)}; they are left out. With \`missingLabels\` "error" such a run is refused.`,
      );
    }
  }
  const label = readLabel(table, { ...options, rows: kept });
  return withoutRareClasses(
    { ...label, rows: kept, warnings: [...warnings, ...label.warnings] },
    options,
    table,
  );
}

/** @throws DataError as `readTask` does, and with what keeps the label from being read as numbers */
function readLabel(table: Table, options: LabelledRowsOptions): ReadLabel {
  try {
    return readTask(table, options);
  } catch (error) {
    const { labelColumn, rows = null } = options;
    const label = table.columns.find(({ name }) => name === labelColumn);
    const written = error instanceof DataError && label ? writtenNumbersOf(label, rows) : null;
    if (!(error instanceof DataError) || written === null) throw error;
    const place = error.row === undefined ? {} : { row: error.row };
    throw new DataError(`${error.message} ${written}`, { column: labelColumn, ...place });
  }
}

function withoutRareClasses(
  label: LabelledRows,
  options: LabelledRowsOptions,
  table: Table,
): LabelledRows {
  const called = rowsCalled(table);
  const { labelColumn, rareClasses } = options;
  const { task, classCounts, target } = label;
  const leastRows = options.leastRows(classCounts);
  const { classCount } = typeOf(task);
  const rare = [...task.classes.keys()].filter((k) => classCounts[k] < leastRows);
  if (classCount === null || rare.length === 0 || rareClasses === "error") return label;
  const few = rare.reduce((sum, k) => sum + classCounts[k], 0);
  const what = `${rare.length === 1 ? "A class" : `${rare.length} classes`} of ${shown(labelColumn)} ${rare.length === 1 ? "has" : "have"} fewer ${called} than the ${leastRows} that the folds need: ${listed(rare, label)}.`;
  const common = task.classes.filter((_, k) => classCounts[k] >= leastRows);
  const merges = rareClasses === "merge" && mergedRows(label, rare) >= leastRows;
  const classes = merges
    ? [...common.filter((name) => name !== MERGED_CLASS), MERGED_CLASS].sort(byCodeUnit)
    : common;
  if (classes.length < classCount.least || classes.length > classCount.most) {
    const written = writtenNumbersOf(findColumn(table, labelColumn, "label"), label.rows);
    throw new DataError(
      `${what} Without ${rare.length === 1 ? "it" : "them"} there are no classes to tell apart. ${
        written ??
        (target.length < ROWS_OF_A_CLASS * task.classes.length
          ? `Nearly every one of the ${called} has a class of its own: choose another column to predict.`
          : `Use fewer folds, or add ${called}.`)
      }`,
      { column: labelColumn },
    );
  }
  const place = Int32Array.from(task.classes, (name, k) =>
    classes.indexOf(classCounts[k] < leastRows && merges ? MERGED_CLASS : name),
  );
  const places = target.map((k) => place[k]);
  const positions = rowsWhere(rowNumbers(target.length), (i) => places[i] >= 0);
  const warning = merges
    ? `${what} Their ${few} of ${target.length} ${called} are merged into the class ${shown(MERGED_CLASS)}.`
    : `${what} Their ${few} of ${target.length} ${called} are left out: the model never predicts such a class, and its scores do not count them.${rareClasses === "merge" ? " Merged, they are still too few." : ' With `rareClasses` "merge" they are merged into one class, with "error" such a run is refused.'}`;
  const counts = new Array<number>(classes.length).fill(0);
  for (const i of positions) counts[places[i]]++;
  return {
    task: { ...task, classes },
    target: valuesAt(places, positions),
    classCounts: counts,
    rows:
      positions.length === target.length
        ? label.rows
        : positions.map((i) => (label.rows === null ? i : label.rows[i])),
    warnings: [...label.warnings, warning],
  };
}

/** Of the rare classes, and of a common one that has the joined class's name. */
function mergedRows({ task, classCounts }: LabelledRows, rare: readonly number[]): number {
  const own = task.classes.indexOf(MERGED_CLASS);
  const joined = new Set(own < 0 ? rare : [...rare, own]);
  return [...joined].reduce((sum, k) => sum + classCounts[k], 0);
}

function listed(classes: readonly number[], { task, classCounts }: LabelledRows): string {
  const some = classes.slice(0, NAMED).map((k) => `${shown(task.classes[k])} (${classCounts[k]})`);
  return classes.length > NAMED
    ? `${some.join(", ")} and ${classes.length - NAMED} more`
    : some.join(", ");
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
