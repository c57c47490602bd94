/**
 * A filter bound to a table's columns: every name is known and every value is of its column's
 * kind: numbers from numbers or numeric texts, booleans from true/false, 0/1 or words, times from
 * ISO 8601 texts, texts from anything.
 */

import { parseBoolean } from "../readers/boolean-text.ts";
import { theClosest } from "../readers/column-names.ts";
import { losesDigits } from "../readers/large-integers.ts";
import { parseNumber } from "../readers/number-text.ts";
import { stampTextTime, stampTime } from "../readers/stamps.ts";
import { parseTimestamp } from "../readers/timestamp-text.ts";
import { shown } from "../shown.ts";
import { type ColumnKind, DataError } from "../table.ts";
import type {
  ComparisonNode,
  ComparisonOperator,
  FilterNode,
  FilterScalar,
  FilterValue,
} from "./filter-node.ts";

/** Numbers and milliseconds for numeric and timestamp, 0/1 for boolean, else texts. */
export type BoundValues =
  | { readonly kind: "numeric" | "timestamp" | "boolean"; readonly values: readonly number[] }
  | { readonly kind: "categorical" | "text"; readonly values: readonly string[] };

export interface BoundComparison {
  readonly kind: "comparison";
  readonly column: string;
  readonly op: ComparisonOperator;
  /** One value, or the list of `in`/`not_in`, or none for the null tests. */
  readonly operand: BoundValues;
}

/** A filter whose names are columns and whose values are of their kinds. */
export type BoundFilter =
  | BoundComparison
  | { readonly kind: "bool"; readonly op: "and" | "or"; readonly exprs: readonly BoundFilter[] }
  | { readonly kind: "not"; readonly expr: BoundFilter };

/** The name and kind of each column; a `Table`'s columns are such. */
export type FilterColumns = readonly { readonly name: string; readonly kind: ColumnKind }[];

/**
 * A filter for a table with these columns: each of its names is looked up, each value read as one of the column's kind.
 *
 * @throws DataError naming the column that is not there, or the value that cannot be of its kind
 */
export function bindFilter(filter: FilterNode, columns: FilterColumns): BoundFilter {
  switch (filter.kind) {
    case "comparison":
      return bindComparison(filter, columns);
    case "bool":
      return { ...filter, exprs: filter.exprs.map((expr) => bindFilter(expr, columns)) };
    case "not":
      return { kind: "not", expr: bindFilter(filter.expr, columns) };
  }
}

const ORDERED: ReadonlySet<ComparisonOperator> = new Set(["lt", "le", "gt", "ge"]);

function bindComparison(filter: ComparisonNode, columns: FilterColumns): BoundComparison {
  const column = columns.find(({ name }) => name === filter.column);
  if (column === undefined) {
    const names = columns.map(({ name }) => name);
    throw new DataError(
      `The filter names column ${shown(filter.column)}, which does not exist; ${theClosest(filter.column, names)}.`,
      { column: filter.column },
    );
  }
  const { name, kind } = column;
  if (kind === "boolean" && ORDERED.has(filter.op)) {
    throw new DataError(
      `The filter compares the boolean column ${shown(name)} with ${filter.op}; use eq or ne.`,
      { column: name },
    );
  }
  const given = listed(filter.value);
  const hasTexts = kind === "categorical" || kind === "text";
  const number = hasTexts && ORDERED.has(filter.op) ? given.find(isNumber) : undefined;
  if (number !== undefined) {
    throw new DataError(
      `The filter compares the ${kind} column ${shown(name)} with the number ${written(number)} by ${filter.op}, and orders its texts letter by letter: "10" comes before "9". Compare with a text where that is meant, or register the dataset with the column as numeric.`,
      { column: name },
    );
  }
  const operand: BoundValues =
    kind === "categorical" || kind === "text"
      ? { kind, values: given.map(written) }
      : { kind, values: given.map((value) => numberOf(name, kind, value)) };
  return { kind: "comparison", column: name, op: filter.op, operand };
}

function listed(value: FilterValue): readonly FilterScalar[] {
  if (value === null) return [];
  return isList(value) ? value : [value];
}

const isList = (value: FilterValue): value is readonly FilterScalar[] => Array.isArray(value);

const isNumber = (value: FilterScalar): boolean =>
  typeof value === "number" || typeof value === "object";

const written = (value: FilterScalar): string =>
  typeof value === "object" ? value.integer : String(value);

/** @throws DataError where the column cannot hold the number, and would compare with another */
function exactly(column: string, text: string): number {
  const number = parseNumber(text);
  if (!losesDigits(text)) return number;
  throw new DataError(
    `The filter compares the numeric column ${shown(column)} with ${text}, which a 64-bit float cannot represent exactly. Compare with an integer up to 2^53, or register the dataset with the column as categorical.`,
    { column },
  );
}

const EXPECTED = {
  numeric: "a number",
  boolean: "true or false",
  timestamp: "an ISO 8601 time such as 2011-01-31 or 2011-01-31T10:05:00Z",
};

/** As the column's cells may be written, too: `20141013`. */
function timeOf(text: string): number {
  const stamp = stampTextTime(text);
  return Number.isNaN(stamp) ? parseTimestamp(text) : stamp;
}

function numberOf(
  column: string,
  kind: "numeric" | "timestamp" | "boolean",
  scalar: FilterScalar,
): number {
  const value = typeof scalar === "object" ? scalar.integer : scalar;
  let number = Number.NaN;
  if (kind === "numeric") {
    if (typeof value === "number") number = value;
    else if (typeof value === "string") number = exactly(column, value.trim());
  } else if (kind === "timestamp") {
    number = typeof value === "string" ? timeOf(value.trim()) : stampTime(Number(value));
  } else if (typeof value === "boolean") number = value ? 1 : 0;
  else if (typeof value === "string") number = parseBoolean(value) ?? Number.NaN;
  else if (value === 0 || value === 1) number = value;
  if (!Number.isNaN(number)) return number;
  const found = typeof value === "string" ? shown(value) : String(value);
  throw new DataError(
    `The filter compares the ${kind} column ${shown(column)} with ${found}, which is not ${EXPECTED[kind]}.`,
    { column },
  );
}
