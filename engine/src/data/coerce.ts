/**
 * A column read as another kind, where that makes sense: numbers as categories, text or times, texts as
 * numbers, booleans or times, booleans as numbers, times that were written as numbers as those. A column
 * without any value can be of any kind.
 */

import { parseBoolean } from "./readers/boolean-text.ts";
import { isMissingText } from "./readers/missing.ts";
import { parseNumber } from "./readers/number-text.ts";
import { stampOf, stampTextTime, stampTime } from "./readers/stamps.ts";
import {
  type ContraryDates,
  contraryDates,
  contrarySentence,
  formatTimestamp,
  parseTimestamp,
  slashedOrder,
} from "./readers/timestamp-text.ts";
import { shown } from "./shown.ts";
import {
  type CategoricalColumn,
  type Column,
  type ColumnKind,
  DataError,
  type TextColumn,
} from "./table.ts";

const WANTED: Record<ColumnKind, string> = {
  numeric: "numeric",
  boolean: "boolean (true/false, yes/no, 1/0)",
  categorical: "categorical",
  text: "text",
  timestamp: "a time like 2011-01-31 or 2011-01-31T10:05:00Z",
};

/** Whether the cell of `row` is missing. */
export function isMissingCell(column: Column, row: number): boolean {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return Number.isNaN(column.values[row]);
    case "boolean":
      return column.values[row] === 255;
    case "categorical":
      return column.codes[row] < 0;
    case "text":
      return column.values[row] === null;
  }
}

/** The cell of `row` as text; null where it is missing. */
export function cellText(column: Column, row: number): string | null {
  if (isMissingCell(column, row)) return null;
  switch (column.kind) {
    case "numeric":
      return String(column.values[row]);
    case "timestamp":
      return column.stamp
        ? String(stampOf(column.values[row], column.stamp))
        : formatTimestamp(column.values[row]);
    case "boolean":
      return column.values[row] === 1 ? "true" : "false";
    case "categorical":
      return column.categories[column.codes[row]];
    case "text":
      return column.values[row];
  }
}

/** A column of `rows` missing cells. */
export function missingColumn(name: string, kind: ColumnKind, rows: number): Column {
  switch (kind) {
    case "numeric":
    case "timestamp":
      return { kind, name, values: new Float64Array(rows).fill(Number.NaN) };
    case "boolean":
      return { kind, name, values: new Uint8Array(rows).fill(255) };
    case "categorical":
      return { kind, name, codes: new Int32Array(rows).fill(-1), categories: [] };
    case "text":
      return { kind, name, values: new Array<null>(rows).fill(null) };
  }
}

/** The column as `kind`; a DataError names the first row that cannot be. */
export function coerceColumn(column: Column, kind: ColumnKind): Column {
  if (column.kind === kind) return column;
  if (kind === "text") return asText(column);
  if (kind === "categorical") return asCategories(column);
  if (column.kind === "categorical" || column.kind === "text") return parsed(column, kind);
  if (kind === "numeric" && column.kind === "boolean") {
    const values = Float64Array.from(column.values, (value) =>
      value === 255 ? Number.NaN : value,
    );
    return { kind, name: column.name, values };
  }
  if (kind === "boolean" && column.kind === "numeric") {
    const values = Uint8Array.from(column.values, (value, row) => {
      if (Number.isNaN(value)) return 255;
      return value === 0 || value === 1 ? value : refuse(column, row, kind);
    });
    return { kind, name: column.name, values };
  }
  if (kind === "timestamp" && column.kind === "numeric") {
    const values = Float64Array.from(column.values, (value, row) => {
      const time = stampTime(value);
      return Number.isNaN(value) || !Number.isNaN(time) ? time : refuse(column, row, kind);
    });
    return { kind, name: column.name, values };
  }
  if (kind === "numeric" && column.kind === "timestamp" && column.stamp) {
    const { name, stamp } = column;
    return { kind, name, values: column.values.map((time) => stampOf(time, stamp)) };
  }
  const rows = column.values.length;
  for (let row = 0; row < rows; row++) {
    if (!isMissingCell(column, row)) refuse(column, row, kind);
  }
  return missingColumn(column.name, kind, rows);
}

function refuse(column: Column, row: number, kind: ColumnKind): never {
  const value = cellText(column, row) ?? "";
  const article = column.kind === "numeric" || column.kind === "boolean" ? value : shown(value);
  throw new DataError(
    `Column ${shown(column.name)} should be ${WANTED[kind]}, but row ${row + 1} holds ${article}.`,
    { column: column.name, row: row + 1 },
  );
}

function contraryFault(
  { name, codes }: CategoricalColumn,
  texts: readonly string[],
  contrary: ContraryDates,
): DataError {
  const rowOf = (text: string): number => codes.indexOf(texts.indexOf(text)) + 1;
  const row = Math.max(rowOf(contrary.dayFirst), rowOf(contrary.monthFirst));
  return new DataError(contrarySentence(name, contrary, rowOf), { column: name, row });
}

function asText(column: Column): TextColumn {
  const rows = column.kind === "categorical" ? column.codes.length : column.values.length;
  const values = new Array<string | null>(rows);
  for (let row = 0; row < rows; row++) values[row] = cellText(column, row);
  return { kind: "text", name: column.name, values };
}

function asCategories(column: Column): CategoricalColumn {
  if (column.kind === "categorical") return column;
  const numbers = new Map<number | string, number>();
  const categories: string[] = [];
  const codes = new Int32Array(column.values.length);
  for (let row = 0; row < codes.length; row++) {
    const value = column.values[row];
    if (value === null || isMissingCell(column, row)) {
      codes[row] = -1;
      continue;
    }
    let code = numbers.get(value);
    if (code === undefined) {
      code = categories.push(cellText(column, row) ?? "") - 1;
      numbers.set(value, code);
    }
    codes[row] = code;
  }
  return { kind: "categorical", name: column.name, codes, categories };
}

function parsed(
  column: CategoricalColumn | TextColumn,
  kind: "numeric" | "boolean" | "timestamp",
): Column {
  const source = asCategories(column);
  const texts = source.categories.map((text) => text.trim());
  const slashed =
    kind === "timestamp" ? slashedOrder(texts.filter((text) => !isMissingText(text))) : null;
  const meaning = Float64Array.from(texts, (text) => {
    if (kind === "numeric") return parseNumber(text);
    if (kind === "timestamp") {
      const stamp = stampTextTime(text);
      return Number.isNaN(stamp) ? parseTimestamp(text, slashed?.order ?? null) : stamp;
    }
    return parseBoolean(text) ?? Number.NaN;
  });
  const values = new Float64Array(source.codes.length).fill(Number.NaN);
  for (let row = 0; row < values.length; row++) {
    const code = source.codes[row];
    if (code < 0) continue;
    values[row] = meaning[code];
    if (!Number.isNaN(values[row]) || isMissingText(texts[code])) continue;
    const contrary = kind === "timestamp" ? contraryDates(texts) : null;
    if (contrary === null) refuse(source, row, kind);
    throw contraryFault(source, texts, contrary);
  }
  if (kind === "timestamp") {
    return { kind, name: column.name, values, ...(slashed ? { slashed: slashed.order } : {}) };
  }
  if (kind === "numeric") return { kind, name: column.name, values };
  const bits = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 255 : value));
  return { kind, name: column.name, values: bits };
}
