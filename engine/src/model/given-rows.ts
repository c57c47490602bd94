/**
 * What `predict` and `explain` take, as a table. What is no rows at all is told, not answered with nothing.
 */

import type { FeatureSchema } from "../data/feature-schema.ts";
import type { TableReading } from "../data/readers/reading.ts";
import { type Row, tableFromColumns, tableFromMatrix, tableFromRecords } from "../data/records.ts";
import { shown } from "../data/shown.ts";
import type { Table } from "../data/table.ts";

/** A column of an Arrow table. */
export interface ArrowVector {
  /** The value at a row; null where it is missing. */
  get(row: number): unknown;
}

/** An Apache Arrow table, as any version of `apache-arrow` makes them. */
export interface ArrowTable {
  readonly numRows: number;
  readonly schema: {
    readonly fields: readonly {
      readonly name: string;
      readonly type: { readonly typeId: number };
    }[];
  };
  /** The column of that name. */
  getChild(name: string): ArrowVector | null;
}

/**
 * Rows to predict or to explain: a table that was read, records, columns of equal length by their names,
 * names and lists of cells, or an Arrow table.
 */
export type ModelRows =
  | Table
  | readonly Row[]
  | Readonly<Record<string, ArrayLike<unknown>>>
  | { readonly columns: readonly string[]; readonly data: readonly (readonly unknown[])[] }
  | ArrowTable;

const HOW =
  "Give records `[{column: value}]`, columns `{name: values}`, an Arrow table, or what `readTableFromFile` read: its `table`.";

/**
 * @param schema of what is read of them
 * @throws TypeError that says what was given, and what can be
 * @throws DataError for a value that its column cannot have, by row and column
 */
export function tableOf(
  given: ModelRows,
  schema: FeatureSchema,
  method: "predict" | "explain",
): TableReading {
  const wrong = (found: string, advice = HOW): TypeError =>
    new TypeError(`model.${method} takes rows, but was given ${found}. ${advice}`);
  if (typeof given !== "object" || given === null) {
    throw wrong(given === null || given === undefined ? String(given) : `a ${typeof given}`);
  }
  if (given instanceof Promise) {
    throw wrong("a promise", "Await it first: `const { table } = await readTable(…)`.");
  }
  if (isList(given)) {
    if (ArrayBuffer.isView(given)) throw wrong(`${given.length} numbers without a column`);
    return tableFromRecords(given, schema);
  }
  if (isArrowTable(given)) return tableFromColumns(arrowColumns(given), given.numRows, schema);
  if ("table" in given && isTable(given.table)) {
    throw wrong(
      "what a reader gives, {table, warnings}",
      `Pass its table: model.${method}(reading.table).`,
    );
  }
  if (isTable(given)) {
    checkColumns(given, wrong);
    return { table: given, warnings: [] };
  }
  if (isMatrix(given)) return tableFromMatrix(given.columns, given.data, schema);
  const columns = new Map<string, (row: number) => unknown>();
  let first: { readonly name: string; readonly length: number } | null = null;
  for (const [name, values] of Object.entries(given)) {
    if (!isList(values))
      throw wrong(`an object whose member ${shown(name)} is not a list of values`);
    first ??= { name, length: values.length };
    if (values.length !== first.length) {
      const lengths = `${values.length} values, ${shown(first.name)} ${first.length}`;
      throw wrong(`columns of unequal length: ${shown(name)} has ${lengths}`);
    }
    columns.set(name, (row) => values[row]);
  }
  if (first === null) throw wrong("an object without members");
  return tableFromColumns(columns, first.length, schema);
}

const isList = (given: unknown): given is ArrayLike<unknown> & (readonly Row[] | ArrayBufferView) =>
  Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView));

const isArrowTable = (given: object): given is ArrowTable =>
  "numRows" in given && "getChild" in given && typeof given.getChild === "function";

export const isTable = (given: unknown): given is Table =>
  typeof given === "object" &&
  given !== null &&
  "rows" in given &&
  typeof given.rows === "number" &&
  "columns" in given &&
  Array.isArray(given.columns);

/** Typed arrays cannot hold the names of columns. */
const isMatrix = (
  given: object,
): given is {
  readonly columns: readonly string[];
  readonly data: readonly (readonly unknown[])[];
} =>
  "columns" in given &&
  "data" in given &&
  Object.keys(given).length === 2 &&
  Array.isArray(given.columns) &&
  given.columns.every((name) => typeof name === "string") &&
  Array.isArray(given.data);

/** Of Arrow's `Type`: they hold milliseconds. */
const DATE = 8;
const TIMESTAMP = 10;

function arrowColumns(table: ArrowTable): Map<string, (row: number) => unknown> {
  return new Map(
    table.schema.fields.map(({ name, type: { typeId } }) => {
      const vector = table.getChild(name);
      const isTime = typeId === DATE || typeId === TIMESTAMP;
      return [
        name,
        (row) => {
          const value = vector?.get(row) ?? null;
          return isTime && typeof value === "number" ? new Date(value) : value;
        },
      ];
    }),
  );
}

function checkColumns({ rows, columns }: Table, wrong: (found: string) => TypeError): void {
  if (!Number.isSafeInteger(rows) || rows < 0) throw wrong(`columns with rows ${rows}`);
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
