/** Rows of tables: taken out, and put one table below another. */

import type { Column, Table } from "./table.ts";

/** The rows of some columns, in the given order; `rows` null = all, as they are. */
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
    case "timestamp": {
      const { values } = column;
      return { ...column, values: Float64Array.from(rows, (row) => values[row]) };
    }
    case "boolean": {
      const { values } = column;
      return { ...column, values: Uint8Array.from(rows, (row) => values[row]) };
    }
    case "categorical": {
      const { codes } = column;
      return { ...column, codes: Int32Array.from(rows, (row) => codes[row]) };
    }
    case "text": {
      const { values } = column;
      return { ...column, values: Array.from(rows, (row) => values[row]) };
    }
  }
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
