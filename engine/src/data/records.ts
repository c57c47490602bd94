/**
 * Rows of a prediction request → a table of the columns a schema reads. Strict: a value of the
 * wrong kind is an error that names the instance (counted from 0, as in JSON) and the column.
 *
 * null and absent members are missing, and so is a text that stands for a missing cell in a file
 * (`literal-texts.ts`), unless it is a category or a text that was learned. Numbers may come as text,
 * categories and texts as numbers or booleans, booleans as 0/1 or words; times are ISO 8601 texts, dates
 * in the order of the training data's, or the numbers of `readers/stamps.ts`.
 */

import type { FeatureSchema, SourceColumn } from "./feature-schema.ts";
import { standsForMissing } from "./literal-texts.ts";
import { parseBoolean } from "./readers/boolean-text.ts";
import { parseNumber } from "./readers/number-text.ts";
import type { DataWarning, TableReading } from "./readers/reading.ts";
import { stampTextTime, stampTime } from "./readers/stamps.ts";
import { parseTimestamp, type SlashedOrder } from "./readers/timestamp-text.ts";
import { shown } from "./shown.ts";
import { type Column, DataError } from "./table.ts";

/** Columns that are named one by one in what is said of those that nobody knows. */
const UNKNOWN_TOLD = 20;

/** How messages call a row, counted from 0. */
type RowName = (row: number) => string;
const instance: RowName = (row) => `Instance ${row}`;

/** A row's cells by their columns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A table of `[{column: value}, …]`: what a row has not is missing there, and what the schema has not is in the warnings.
 *
 * @param nameOf how messages call a row
 * @throws DataError where there are no rows or none of the schema's columns, a row is no object, or a cell is not of its
 * column's kind
 */
export function tableFromRecords(
  instances: readonly Row[],
  schema: FeatureSchema,
  nameOf = instance,
): TableReading {
  if (instances.length === 0) throw new DataError("There are no instances to predict.");
  const present = new Set<string>();
  for (const [index, record] of instances.entries()) {
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      throw new DataError(`${nameOf(index)} is not an object of columns.`, { row: index + 1 });
    }
    for (const name of Object.keys(record)) present.add(name);
  }
  const cell = (name: string, row: number): unknown =>
    Object.hasOwn(instances[row], name) ? instances[row][name] : null;
  return built(schema, { present, rows: instances.length, cell, nameOf });
}

/**
 * A table of `columns` and rows of `data` in their order.
 *
 * @param data rows × columns
 * @throws DataError where there are no rows, a column is listed twice, a row has another number of cells, or a cell is
 * not of its column's kind
 */
export function tableFromMatrix(
  columns: readonly string[],
  data: readonly (readonly unknown[])[],
  schema: FeatureSchema,
): TableReading {
  if (data.length === 0) throw new DataError("There are no instances to predict.");
  const places = new Map(columns.map((name, place) => [name, place]));
  if (places.size < columns.length) {
    const twice = columns.find((name, place) => places.get(name) !== place) ?? "";
    throw new DataError(`Column ${shown(twice)} is listed twice.`, { column: twice });
  }
  for (const [index, row] of data.entries()) {
    if (Array.isArray(row) && row.length === columns.length) continue;
    const found = Array.isArray(row) ? `${row.length} values` : "no list of cells";
    throw new DataError(`Instance ${index} has ${found} for ${columns.length} columns.`, {
      row: index + 1,
    });
  }
  const cell = (name: string, row: number): unknown => data[row][places.get(name) ?? 0];
  return built(schema, { present: places, rows: data.length, cell, nameOf: instance });
}

/**
 * A table of columns, each by how its cells are read.
 *
 * @throws DataError as for records
 */
export function tableFromColumns(
  columns: ReadonlyMap<string, (row: number) => unknown>,
  rows: number,
  schema: FeatureSchema,
): TableReading {
  if (rows === 0) throw new DataError("There are no instances to predict.");
  const cell = (name: string, row: number): unknown => columns.get(name)?.(row);
  return built(schema, { present: columns, rows, cell, nameOf: instance });
}

interface Cells {
  readonly present: { has(name: string): boolean; keys(): Iterable<string> };
  readonly rows: number;
  readonly cell: (name: string, row: number) => unknown;
  readonly nameOf: RowName;
}

function built(schema: FeatureSchema, cells: Cells): TableReading {
  const { present, rows } = cells;
  checkPresent(schema, present);
  const columns: Column[] = [];
  for (const source of schema.columns) {
    // An absent column is left out here; encoding warns of it and takes it as missing.
    if (present.has(source.name)) columns.push(columnOf(source, cells));
  }
  const known = new Set([...schema.columns, ...schema.dropped].map((column) => column.name));
  const unknown = [...present.keys()].filter((name) => !known.has(name));
  const warnings: DataWarning[] = unknown.slice(0, UNKNOWN_TOLD).map((name) => ({
    message: `Column ${shown(name)} was not in the training data and is ignored.`,
    column: name,
  }));
  const more = unknown.length - warnings.length;
  if (more > 0) {
    const message = `${more} more columns were not in the training data and are ignored.`;
    warnings.push({ message });
  }
  return { table: { rows, columns }, warnings };
}

/** Rows that lack some columns are answered with warnings; of rows without any, an answer would mean nothing. */
function checkPresent({ columns }: FeatureSchema, present: Cells["present"]): void {
  if (columns.length === 0 || columns.some(({ name }) => present.has(name))) return;
  const told = columns
    .slice(0, UNKNOWN_TOLD)
    .map(({ name }) => shown(name))
    .join(", ");
  const more = columns.length > UNKNOWN_TOLD ? ` and ${columns.length - UNKNOWN_TOLD} more` : "";
  throw new DataError(
    `The rows have none of the columns that the model reads: ${told}${more}. Names are compared exactly; a column that is there may be null.`,
  );
}

function columnOf(source: SourceColumn, { rows, cell, nameOf }: Cells): Column {
  const { name, kind } = source;
  const read = <T>(row: number, missing: T, convert: (value: unknown) => T | undefined): T => {
    const value = cell(name, row);
    if (value === null || value === undefined || isMissing(source, value)) return missing;
    return convert(value) ?? refuse(source, row, value, nameOf);
  };
  switch (kind) {
    case "numeric":
    case "timestamp": {
      const values = new Float64Array(rows);
      const convert = kind === "numeric" ? toNumber : timeReader(source.slashed ?? null);
      for (let row = 0; row < rows; row++) values[row] = read(row, Number.NaN, convert);
      return { kind, name, values };
    }
    case "boolean": {
      const values = new Uint8Array(rows);
      for (let row = 0; row < rows; row++) values[row] = read(row, 255, toBoolean);
      return { kind, name, values };
    }
    case "text": {
      const values: (string | null)[] = [];
      for (let row = 0; row < rows; row++) {
        values.push(read<string | null>(row, null, toText));
      }
      return { kind, name, values };
    }
    case "categorical": {
      const codes = new Int32Array(rows);
      const numbers = new Map<string, number>();
      for (let row = 0; row < rows; row++) {
        const text = read<string | null>(row, null, toText);
        if (text !== null && !numbers.has(text)) numbers.set(text, numbers.size);
        codes[row] = text === null ? -1 : (numbers.get(text) ?? -1);
      }
      return { kind, name, codes, categories: [...numbers.keys()] };
    }
  }
}

/** As the readers of files take it. A file's own category or text of such a name is in the schema. */
function isMissing(source: SourceColumn, value: unknown): boolean {
  return typeof value === "string" && standsForMissing(source, value);
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  const number = typeof value === "string" ? parseNumber(value.trim()) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

/** @param slashed how the training data wrote 1/2/2011; null refuses it */
function timeReader(slashed: SlashedOrder | null): (value: unknown) => number | undefined {
  return (value) => {
    if (value instanceof Date) return value.getTime();
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const stamp = typeof value === "number" ? stampTime(value) : stampTextTime(value.trim());
    if (!Number.isNaN(stamp)) return stamp;
    const time = typeof value === "string" ? parseTimestamp(value.trim(), slashed) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  };
}

function toBoolean(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === 0 || value === 1) return value;
  return typeof value === "string" ? (parseBoolean(value) ?? undefined) : undefined;
}

function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "object" || typeof value === "function" ? undefined : String(value);
}

const EXPECTED: Record<SourceColumn["kind"], string> = {
  numeric: "a number",
  boolean: "true or false",
  categorical: "a text or a number",
  text: "a text",
  timestamp: "a time as ISO 8601 text",
};

function refuse(source: SourceColumn, row: number, value: unknown, nameOf: RowName): never {
  const found =
    typeof value === "string"
      ? shown(value)
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : String(value);
  throw new DataError(
    `${nameOf(row)}: column ${shown(source.name)} should be ${EXPECTED[source.kind]}, but is ${found}.`,
    { column: source.name, row: row + 1 },
  );
}
