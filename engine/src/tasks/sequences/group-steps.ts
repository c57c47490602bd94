/** Rows of steps, gathered into sequences and put in order. */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";
import { type GroupedRows, groupRows } from "../grouped-rows.ts";
import { rowsOfRun } from "../labels/label-rows.ts";
import { refuseKind } from "../needed-kind.ts";

/** Sequences by first sight of their names, each with its rows in their order. */
export interface Sequences extends GroupedRows {
  readonly names: readonly string[];
}

/**
 * @param order numbers or times; null = the order of the rows
 * @param rows of the table; null = all
 * @throws DataError for a row without a name or place, and a place that is taken
 */
export function groupSteps(id: Column, order: Column | null, rows: Uint32Array | null): Sequences {
  const names: string[] = [];
  const grouped = groupRows(
    lengthOf(id),
    rows,
    (row) => {
      const name = cellText(id, row);
      if (name !== null) return name;
      throw new DataError(
        `Row ${row + 1} has no value in ${shown(id.name)}, so it belongs to no sequence. Filter such rows out.`,
        { column: id.name, row: row + 1 },
      );
    },
    (name) => names.push(name),
  );
  const sequences = { names, ...grouped };
  if (order !== null) sortSteps(sequences, order);
  return sequences;
}

function sortSteps({ names, rows, offsets }: Sequences, order: Column): void {
  if (order.kind !== "numeric" && order.kind !== "timestamp") {
    const ofTable = rowsOfRun({ rows: lengthOf(order) }, rows.toSorted());
    const role = `The order ${shown(order.name)}`;
    refuseKind(order, ofTable, { role, needs: "times or numbers", member: "orderColumn" });
  }
  const { values } = order;
  for (const row of rows) {
    if (Number.isFinite(values[row])) continue;
    throw new DataError(
      `Row ${row + 1} has ${Number.isNaN(values[row]) ? "no value" : "an infinite value"} in ${shown(order.name)}, so its place in its sequence is unknown.`,
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

function lengthOf(column: Column): number {
  return column.kind === "categorical" ? column.codes.length : column.values.length;
}
