/** Rows of steps, gathered into sequences and put in order. */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";

/** Sequences by first sight of their names, each with its rows in their order. */
export interface Sequences {
  readonly names: readonly string[];
  /** Rows of the table, sequence by sequence. */
  readonly rows: Uint32Array;
  /** One more than there are names: sequence i has rows[offsets[i]] … rows[offsets[i + 1] - 1]. */
  readonly offsets: Uint32Array;
}

/**
 * @param order numbers or times; null = the order of the rows
 * @param rows of the table; null = all
 * @throws DataError for a row without a name or place, and a place that is taken
 */
export function groupSteps(id: Column, order: Column | null, rows: Uint32Array | null): Sequences {
  const count = rows?.length ?? lengthOf(id);
  const at = (i: number): number => (rows === null ? i : rows[i]);
  const numbers = new Map<string, number>();
  const owner = new Uint32Array(count);
  const sizes: number[] = [];
  for (let i = 0; i < count; i++) {
    const row = at(i);
    const name = cellText(id, row);
    if (name === null) {
      throw new DataError(
        `Row ${row + 1} has no value in ${shown(id.name)}, so it belongs to no sequence. Filter such rows out.`,
        { column: id.name, row: row + 1 },
      );
    }
    const number = numbers.get(name) ?? numbers.size;
    if (number === numbers.size) numbers.set(name, number);
    owner[i] = number;
    sizes[number] = (sizes[number] ?? 0) + 1;
  }
  const names = [...numbers.keys()];
  const offsets = new Uint32Array(names.length + 1);
  for (const [i, size] of sizes.entries()) offsets[i + 1] = offsets[i] + size;
  const next = offsets.slice();
  const gathered = new Uint32Array(count);
  for (let i = 0; i < count; i++) gathered[next[owner[i]]++] = at(i);
  if (order !== null) sortSteps({ names, rows: gathered, offsets }, order);
  return { names, rows: gathered, offsets };
}

function sortSteps({ names, rows, offsets }: Sequences, order: Column): void {
  if (order.kind !== "numeric" && order.kind !== "timestamp") {
    throw new DataError(
      `The order ${shown(order.name)} must hold numbers or times, not ${order.kind}.`,
      { column: order.name },
    );
  }
  const { values } = order;
  for (const row of rows) {
    if (!isMissingCell(order, row)) continue;
    throw new DataError(
      `Row ${row + 1} has no value in ${shown(order.name)}, so its place in its sequence is unknown.`,
      { column: order.name, row: row + 1 },
    );
  }
  for (let i = 0; i < names.length; i++) {
    const own = rows.subarray(offsets[i], offsets[i + 1]);
    own.sort((a, b) => values[a] - values[b] || a - b);
    for (let k = 1; k < own.length; k++) {
      if (values[own[k]] !== values[own[k - 1]]) continue;
      throw new DataError(
        `The sequence ${shown(names[i])} has two steps at ${cellText(order, own[k])} of ${shown(order.name)}: rows ${own[k - 1] + 1} and ${own[k] + 1}.`,
        { column: order.name, row: own[k] + 1 },
      );
    }
  }
}

/** The first row of each sequence where the column has a value, else its first row. */
export function firstPresent(column: Column, { rows, offsets, names }: Sequences): Uint32Array {
  return Uint32Array.from(names, (_, i) => {
    for (let k = offsets[i]; k < offsets[i + 1]; k++) {
      if (!isMissingCell(column, rows[k])) return rows[k];
    }
    return rows[offsets[i]];
  });
}

/** Two rows of a sequence that hold different values; null where each sequence has one alone. */
export function changeWithin(
  column: Column,
  { rows, offsets, names }: Sequences,
): { readonly name: string; readonly rows: readonly [number, number] } | null {
  const cells: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  for (let i = 0; i < names.length; i++) {
    let first = -1;
    for (let k = offsets[i]; k < offsets[i + 1]; k++) {
      const row = rows[k];
      if (isMissingCell(column, row)) continue;
      if (first < 0) first = row;
      else if (cells[row] !== cells[first]) return { name: names[i], rows: [first, row] };
    }
  }
  return null;
}

function lengthOf(column: Column): number {
  return column.kind === "categorical" ? column.codes.length : column.values.length;
}
