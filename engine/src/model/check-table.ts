/** What callers without types give `predict` and `explain` instead of a table: told, not answered with nothing. */

import type { Table } from "../data/table.ts";

const HOW =
  "Make one with `const { table } = await readTableFromFile(path, { format })`, or of records with `const { table } = tableFromRecords(records, model.document.schema)`.";

/** @throws TypeError that says what was given, and how a table is made */
export function checkTable(given: unknown, method: "predict" | "explain"): asserts given is Table {
  const wrong = (found: string, advice = HOW): TypeError =>
    new TypeError(
      `model.${method} takes a Table, {rows, columns}, but was given ${found}. ${advice}`,
    );
  if (Array.isArray(given)) throw wrong(`an array of ${given.length}`);
  if (typeof given !== "object" || given === null) {
    throw wrong(given === null || given === undefined ? String(given) : `a ${typeof given}`);
  }
  if (given instanceof Promise) {
    throw wrong("a promise", "Await it first: `const { table } = await readTable(…)`.");
  }
  if ("table" in given && !("columns" in given)) {
    throw wrong(
      "what a reader gives, {table, warnings}",
      `Pass its table: model.${method}(reading.table).`,
    );
  }
  const rows: unknown = "rows" in given ? given.rows : undefined;
  const columns: unknown = "columns" in given ? given.columns : undefined;
  if (!Array.isArray(columns)) {
    const members = Object.keys(given).slice(0, 10).join(", ");
    throw wrong(`an object ${members === "" ? "without members" : `with the members ${members}`}`);
  }
  if (typeof rows !== "number" || !Number.isSafeInteger(rows) || rows < 0) {
    throw wrong(
      `columns with ${rows === undefined ? "no number of rows" : `rows ${String(rows)}`}`,
    );
  }
  for (const [place, column] of columns.entries()) {
    const length = lengthOf(column);
    if (length === rows) continue;
    throw wrong(
      length === null
        ? `columns of which number ${place} is not a column, {kind, name, values}`
        : `${rows} rows, of which column number ${place} has ${length}`,
    );
  }
}

/** Null where it is no column. */
function lengthOf(column: unknown): number | null {
  if (typeof column !== "object" || column === null || !("name" in column)) return null;
  const cells: unknown =
    "codes" in column ? column.codes : "values" in column ? column.values : undefined;
  return Array.isArray(cells) || (ArrayBuffer.isView(cells) && !(cells instanceof DataView))
    ? Number(Reflect.get(cells, "length"))
    : null;
}
