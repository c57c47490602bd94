/** Columns of a table, laid on the rows of a grid. */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import type { Column, NumericColumn } from "../../data/table.ts";
import { rowsOfRun } from "../labels/label-rows.ts";
import { refuseKind } from "../needed-kind.ts";
import { timeOf } from "./frequency.ts";
import type { Cell, Header } from "./header.ts";

/** @throws DataError where it holds no numbers */
export function valuesOf(column: Column): NumericColumn {
  if (column.kind === "numeric") return column;
  const count = (column.kind === "categorical" ? column.codes : column.values).length;
  refuseKind(column, rowsOfRun({ rows: count }, null), {
    role: `The label ${shown(column.name)} of series`,
    needs: "numbers",
    member: "labelColumn",
  });
}

export function cellOf(column: Column, row: number): Cell {
  if (isMissingCell(column, row)) return null;
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return Number.isFinite(column.values[row]) ? column.values[row] : null;
    case "boolean":
      return column.values[row] === 1;
    default:
      return cellText(column, row);
  }
}

export function timesOf(
  { timeColumn, isTime, slashed, frequency }: Header,
  starts: Float64Array,
  offsets: Uint32Array,
): Column {
  const values = new Float64Array(offsets[offsets.length - 1]);
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      values[row] = timeOf(frequency, starts[s] + row - offsets[s]);
    }
  }
  const dates = slashed && { slashed };
  return { kind: isTime ? "timestamp" : "numeric", name: timeColumn, values, ...dates };
}

/** @param source rows of the table; -1 = missing */
export function cellsAt(column: Column, source: Int32Array): Column {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return {
        ...column,
        values: Float64Array.from(source, (row) => (row < 0 ? Number.NaN : column.values[row])),
      };
    case "boolean":
      return {
        ...column,
        values: Uint8Array.from(source, (row) => (row < 0 ? 255 : column.values[row])),
      };
    case "categorical":
      return {
        ...column,
        codes: Int32Array.from(source, (row) => (row < 0 ? -1 : column.codes[row])),
      };
    case "text":
      return {
        ...column,
        values: Array.from(source, (row) => (row < 0 ? null : column.values[row])),
      };
  }
}

/** One cell a series, at each of its rows. */
export function columnOfSeries(
  { name, kind, cells }: Header["static"][number],
  offsets: Uint32Array,
): Column {
  const rows = offsets[offsets.length - 1];
  const each = <T>(
    out: { fill(value: T, from: number, to: number): unknown },
    of: (cell: Cell) => T,
  ): void => {
    for (const [s, cell] of cells.entries()) out.fill(of(cell), offsets[s], offsets[s + 1]);
  };
  switch (kind) {
    case "numeric":
    case "timestamp": {
      const values = new Float64Array(rows);
      each(values, (cell) => (typeof cell === "number" ? cell : Number.NaN));
      return { kind, name, values };
    }
    case "boolean": {
      const values = new Uint8Array(rows);
      each(values, (cell) => (cell === null ? 255 : Number(cell)));
      return { kind, name, values };
    }
    case "categorical": {
      const categories = [
        ...new Set(cells.flatMap((cell) => (cell === null ? [] : [String(cell)]))),
      ];
      const codeOf = new Map(categories.map((text, code) => [text, code]));
      const codes = new Int32Array(rows);
      each(codes, (cell) => (cell === null ? -1 : (codeOf.get(String(cell)) ?? -1)));
      return { kind, name, codes, categories };
    }
    case "text": {
      const values = new Array<string | null>(rows).fill(null);
      each(values, (cell) => (cell === null ? null : String(cell)));
      return { kind, name, values };
    }
  }
}
