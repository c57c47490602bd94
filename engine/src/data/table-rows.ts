/** Rows of tables: taken out, and put one table below another. */

import type { Column, Table } from "./table.ts";

/**
 * The rows of some columns, in the given order; `rows` null = all, as they are.
 *
 * @throws Error for a column that the table has not
 */
export function takeRows(table: Table, names: readonly string[], rows: Uint32Array | null): Table {
  const columns = names.map((name) => {
    const column = table.columns.find((each) => each.name === name);
    if (!column) throw new Error(`The table has no column ${name}.`);
    return rows === null ? column : takeCells(column, rows);
  });
  return { rows: rows?.length ?? table.rows, columns };
}

/** The cells of some rows, in the given order. */
export function takeCells(column: Column, rows: Uint32Array): Column {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return { ...column, values: gather(column.values, new Float64Array(rows.length), rows) };
    case "boolean":
      return { ...column, values: gather(column.values, new Uint8Array(rows.length), rows) };
    case "categorical":
      return { ...column, codes: gather(column.codes, new Int32Array(rows.length), rows) };
    case "text": {
      const { values } = column;
      return { ...column, values: Array.from(rows, (row) => values[row]) };
    }
  }
}

/** A loop, since `from` of typed arrays goes by an iterator: several times as slow. */
function gather<Cells extends Float64Array | Uint8Array | Int32Array>(
  cells: Cells,
  taken: Cells,
  rows: Uint32Array,
): Cells {
  for (let i = 0; i < rows.length; i++) taken[i] = cells[rows[i]];
  return taken;
}

/** `below` has the columns of `above` in their order, categorical ones over the same categories. */
export function stackTables(above: Table, below: Table): Table {
  const rows = above.rows + below.rows;
  return {
    rows,
    columns: above.columns.map((column, index) => stackColumns(column, below.columns[index], rows)),
  };
}

function stackColumns(above: Column, below: Column, rows: number): Column {
  const differ = (): never => {
    throw new Error(`Columns ${above.name} and ${below.name} are not of one kind.`);
  };
  switch (above.kind) {
    case "numeric":
    case "timestamp": {
      if (below.kind !== above.kind) return differ();
      const values = new Float64Array(rows);
      values.set(above.values);
      values.set(below.values, above.values.length);
      return { ...above, values };
    }
    case "boolean": {
      if (below.kind !== "boolean") return differ();
      const values = new Uint8Array(rows);
      values.set(above.values);
      values.set(below.values, above.values.length);
      return { ...above, values };
    }
    case "categorical": {
      if (below.kind !== "categorical") return differ();
      const codes = new Int32Array(rows);
      codes.set(above.codes);
      codes.set(below.codes, above.codes.length);
      return { ...above, codes };
    }
    case "text":
      if (below.kind !== "text") return differ();
      return { ...above, values: [...above.values, ...below.values] };
  }
}

/** The numbers of so many rows from `first` on. */
export function consecutive(first: number, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let index = 0; index < count; index++) rows[index] = first + index;
  return rows;
}
