/**
 * Columns of a design that a few codes a row tell: the 0/1 columns of a group, and dense columns with few
 * different numbers, such as splines of whole numbers. Columns that the same code tells share it, so that a
 * row adds one line of a table where it would take a multiplication a column.
 */

import type { DesignMatrix } from "../design-matrix.ts";

/** A code a row, and the columns that it tells. */
export interface CodedColumns {
  readonly codes: Int32Array;
  readonly levels: number;
  /** The 0/1 columns: level i is column `first` + i; levels from `count` on have none. */
  readonly ones: { readonly first: number; readonly count: number } | null;
  readonly columns: readonly { readonly column: number; readonly values: Float64Array }[];
}

export interface ArrangedColumns {
  readonly coded: readonly CodedColumns[];
  /** Other columns, ascending. */
  readonly dense: readonly number[];
}

/** Different numbers of a column, at most. */
const MOST_LEVELS = 256;
/** Rows of a level, on average, for tables to be worth their lines. */
const LEAST_ROWS = 4;

export function arrangeColumns(matrix: DesignMatrix): ArrangedColumns {
  const groups = matrix.groups.map(({ codes, levels }, g) => ({
    codes: codes.map((code) => (code < 0 ? levels : code)),
    levels: levels + 1,
    ones: { first: matrix.groupStarts[g], count: levels },
  }));
  // Columns of one feature follow on each other: what told the last one comes first.
  const tables: TellingCodes[] = groups.map((group) => ({
    ...group,
    columns: [],
    twins: twinsOf(group),
  }));
  const recent = tables.slice();
  const dense: number[] = [];
  for (let column = 0; column < matrix.denseColumns; column++) {
    const cells = matrix.dense.cellsOf(column);
    let found = false;
    for (const [place, table] of recent.entries()) {
      const values = valuesByLevel(cells, table);
      if (values === null) continue;
      table.columns.push({ column, values });
      recent.splice(place, 1);
      recent.unshift(table);
      found = true;
      break;
    }
    if (found) continue;
    const own = codesOf(cells);
    if (own === null) {
      dense.push(column);
      continue;
    }
    const { codes, values } = own;
    const levels = values.length;
    const twins = twinsOf({ codes, levels });
    const table = { codes, levels, ones: null, columns: [{ column, values }], twins };
    tables.push(table);
    recent.unshift(table);
  }
  // A table of one column saves no multiplication, and its lines have to be read.
  const isShared = ({ ones, columns }: CodedColumns): boolean =>
    ones !== null || columns.length > 1;
  for (const { ones, columns } of tables)
    if (ones === null && columns.length === 1) dense.push(columns[0].column);
  return { coded: tables.filter(isShared), dense: dense.sort((a, b) => a - b) };
}

interface TellingCodes extends CodedColumns {
  readonly columns: { readonly column: number; readonly values: Float64Array }[];
  /** Two rows of a level, one behind the other, of some levels. */
  readonly twins: Int32Array;
}

/** Levels whose first two rows are looked at before all are: of 784 pixels, 300,000 pairs are looked at. */
const TWINS = 16;

function twinsOf({ codes, levels }: Pick<CodedColumns, "codes" | "levels">): Int32Array {
  const first = new Int32Array(levels).fill(-1);
  const isTold = new Uint8Array(levels);
  const twins: number[] = [];
  for (let row = 0; row < codes.length && twins.length < 2 * TWINS; row++) {
    const code = codes[row];
    if (isTold[code]) continue;
    if (first[code] < 0) first[code] = row;
    else {
      isTold[code] = 1;
      twins.push(first[code], row);
    }
  }
  return Int32Array.from(twins);
}

/** The number of each level; null where rows of one level differ. */
function valuesByLevel(
  cells: ArrayLike<number>,
  { codes, levels, twins }: Pick<TellingCodes, "codes" | "levels" | "twins">,
): Float64Array | null {
  for (let at = 0; at < twins.length; at += 2) {
    if (cells[twins[at]] !== cells[twins[at + 1]]) return null;
  }
  const values = new Float64Array(levels).fill(Number.NaN);
  for (let i = 0; i < cells.length; i++) {
    const known = values[codes[i]];
    if (Number.isNaN(known)) values[codes[i]] = cells[i];
    else if (known !== cells[i]) return null;
  }
  return values.map((value) => (Number.isNaN(value) ? 0 : value));
}

function codesOf(cells: ArrayLike<number>): { codes: Int32Array; values: Float64Array } | null {
  const most = Math.min(MOST_LEVELS, cells.length / LEAST_ROWS);
  const levels = new Map<number, number>();
  const codes = new Int32Array(cells.length);
  for (let i = 0; i < cells.length; i++) {
    let level = levels.get(cells[i]);
    if (level === undefined) {
      level = levels.size;
      if (level >= most) return null;
      levels.set(cells[i], level);
    }
    codes[i] = level;
  }
  return { codes, values: Float64Array.from(levels.keys()) };
}
