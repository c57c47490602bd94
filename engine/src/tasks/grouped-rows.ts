/** Rows in long form, gathered by what they belong to: a sequence, a series. */

import { isMissingCell } from "../data/coerce.ts";
import type { Column } from "../data/table.ts";

/** Groups by first sight. */
export interface GroupedRows {
  /** Rows of the table, group by group; within one in the order of the table. */
  readonly rows: Uint32Array;
  /** One more than there are groups: group g has rows[offsets[g]] … rows[offsets[g + 1] - 1]. */
  readonly offsets: Uint32Array;
}

/**
 * @param count rows of the table
 * @param rows those of it to group; null = all
 * @param groupOf the name of a row's group; throws where it has none
 * @param begin hears of each new group, at its first row
 */
export function groupRows(
  count: number,
  rows: Uint32Array | null,
  groupOf: (row: number) => string,
  begin: (name: string, row: number) => void,
): GroupedRows {
  const total = rows?.length ?? count;
  const numbers = new Map<string, number>();
  const owner = new Uint32Array(total);
  const sizes: number[] = [];
  for (let i = 0; i < total; i++) {
    const row = rows === null ? i : rows[i];
    const name = groupOf(row);
    let number = numbers.get(name);
    if (number === undefined) {
      begin(name, row);
      number = numbers.size;
      numbers.set(name, number);
      sizes.push(0);
    }
    owner[i] = number;
    sizes[number]++;
  }
  const offsets = new Uint32Array(sizes.length + 1);
  for (const [g, size] of sizes.entries()) offsets[g + 1] = offsets[g] + size;
  const next = offsets.slice();
  const gathered = new Uint32Array(total);
  for (let i = 0; i < total; i++) gathered[next[owner[i]]++] = rows === null ? i : rows[i];
  return { rows: gathered, offsets };
}

/** Some groups alone, in the given order; null = all. */
export function takeGroups(
  { rows, offsets }: GroupedRows,
  groups: Uint32Array | null,
): GroupedRows {
  if (groups === null) return { rows, offsets };
  const places = new Uint32Array(groups.length + 1);
  for (const [i, g] of groups.entries()) places[i + 1] = places[i] + offsets[g + 1] - offsets[g];
  const taken = new Uint32Array(places[groups.length]);
  for (const [i, g] of groups.entries()) {
    taken.set(rows.subarray(offsets[g], offsets[g + 1]), places[i]);
  }
  return { rows: taken, offsets: places };
}

/** Two rows of a group that hold different values; null where each group has one alone. */
export function changeWithin(
  column: Column,
  { rows, offsets }: GroupedRows,
): { readonly group: number; readonly rows: readonly [number, number] } | null {
  const cells: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  for (let group = 0; group + 1 < offsets.length; group++) {
    let first = -1;
    for (let k = offsets[group]; k < offsets[group + 1]; k++) {
      const row = rows[k];
      if (isMissingCell(column, row)) continue;
      if (first < 0) first = row;
      else if (cells[row] !== cells[first]) return { group, rows: [first, row] };
    }
  }
  return null;
}
