/**
 * What of a filter means the same in PostgreSQL as in DuckDB, which applies it again.
 *
 *   booleans, integers, dates, timestamps   all comparisons
 *   float4, float8                          all; both sort NaN above everything and equal to itself;
 *                                           compared as doubles, as DuckDB does
 *   numeric(p,s)                            all; NaN, which is read as NULL, is left out
 *   numerics without bounds         as numeric(p,s), or as texts, by the type that they are read as
 *   numerics that are read as doubles        the range of numerics that round to such a double
 *   text, varchar                           equality as it is (so that indexes serve), order by bytes:
 *                                           COLLATE "C", in a database of UTF-8
 *   char(n)                                 as text without its padding
 *   enum, name                              as text
 *   uuid                                    against values written as PostgreSQL writes them
 *   NULL or not                             every type
 *
 * A column that is read as another type than the catalog's now is not filtered by value.
 */

import type { DataType } from "apache-arrow";
import {
  comparableColumn,
  dateText,
  nullness,
  numberText,
  OPERATOR_SYMBOLS,
  opaqueColumn,
  type PushedColumn,
  type PushedFilter,
  plainText,
  timestampText,
} from "../pushed-filter.ts";
import type { ScanOperator, ScanValue } from "../scan-filter.ts";
import { columnType } from "./column-types.ts";
import { quoteName, quoteText } from "./literal.ts";
import type { ServerTraits, SourceColumn } from "./source-column.ts";

/** @param asked the type that it is read as */
export function pushedColumn(
  source: SourceColumn,
  asked: DataType,
  server: ServerTraits,
): PushedColumn {
  const column = quoteName(source.name);
  switch (columnType(source, asked).comparability) {
    case "boolean":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) => (value.type === "boolean" ? String(value.value) : null),
      });
    case "integer":
      return comparableColumn({ column, operand: column, literal: exactNumber });
    case "float":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) => (value.type === "double" ? `'${value.value}'::float8` : null),
      });
    case "decimal":
      return decimalColumn(column);
    case "rounded-decimal":
      return roundedColumn(column);
    case "text":
      return textColumn(column, column, source, server, () => true);
    case "padded-text":
      return textColumn(column, `${column}::text`, source, server, (text) => !text.endsWith(" "));
    case "cast-text":
      return textColumn(column, `${column}::text`, null, server, () => true);
    case "uuid":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) =>
          value.type === "text" && UUID.test(value.value) ? `'${value.value}'::uuid` : null,
      });
    case "date":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) => typed(dateText(value), "date"),
      });
    case "timestamp":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) => typed(timestampText(value, "timestamp"), "timestamp"),
      });
    case "timestamptz":
      return comparableColumn({
        ...{ column, operand: column },
        literal: (value) => {
          const text = timestampText(value, "timestamptz");
          return text === null ? null : `'${text}+00'::timestamptz`;
        },
      });
    case "composite":
      // `IS NULL` asks the members of a composite.
      return {
        ...opaqueColumn(column),
        isNull: { sql: `${column} IS NOT DISTINCT FROM NULL`, exact: true },
        isNotNull: { sql: `${column} IS DISTINCT FROM NULL`, exact: true },
      };
    case "none":
      return opaqueColumn(column);
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function typed(text: string | null, type: string): string | null {
  return text === null ? null : `'${text}'::${type}`;
}

/** An integer as int8 where it is one, so that the indexes of integers serve. */
function exactNumber(value: ScanValue): string | null {
  const text = numberText(value);
  if (text === null) return null;
  const isInt8 = !text.includes(".") && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return `'${text}'::${isInt8 ? "int8" : "numeric"}`;
}

function decimalColumn(column: string): PushedColumn {
  const number = `${column} <> 'NaN'`;
  const literal = (value: ScanValue): string | null => typed(numberText(value), "numeric");
  const base = comparableColumn({ column, operand: column, literal });
  return {
    comparison: (op, value) => {
      const pushed = base.comparison(op, value);
      // NaN is above every number there.
      return pushed === null || op === "eq" || op === "lt" || op === "le"
        ? pushed
        : { sql: `(${pushed.sql} AND ${number})`, exact: true };
    },
    membership: base.membership,
    isNull: { sql: `(${column} IS NULL OR ${column} = 'NaN')`, exact: true },
    isNotNull: { sql: `(${column} IS NOT NULL AND ${number})`, exact: true },
  };
}

/**
 * Rounding to doubles keeps the order, so that numerics which round to `v` lie between its
 * neighbours: the bounds hold all rows that DuckDB keeps, and a few more.
 */
function roundedColumn(column: string): PushedColumn {
  const comparison = (op: ScanOperator, value: ScanValue): PushedFilter | null => {
    if (value.type !== "double") return null;
    const least = op === "lt" || op === "le" ? null : previousDouble(value.value);
    const greatest = op === "gt" || op === "ge" ? null : nextDouble(value.value);
    if (op === "ne") return { sql: `${column} IS NOT NULL`, exact: false };
    const bounds = [
      ...(least === null || !Number.isFinite(least) ? [] : [`${column} >= '${least}'::numeric`]),
      ...(greatest === null || !Number.isFinite(greatest)
        ? []
        : [`${column} <= '${greatest}'::numeric`]),
    ];
    return bounds.length === 0 ? null : { sql: `(${bounds.join(" AND ")})`, exact: false };
  };
  return {
    comparison,
    membership: (values) => {
      const each = values.map((value) => comparison("eq", value));
      return each.includes(null)
        ? null
        : { sql: `(${each.map((one) => one?.sql).join(" OR ")})`, exact: false };
    },
    ...nullness(column),
  };
}

/**
 * @param text the column as the text that is read
 * @param collated the source column, where equality may be left to its own collation
 * @param comparable which texts equality in the column's own type takes as the reader does
 */
function textColumn(
  column: string,
  text: string,
  collated: SourceColumn | null,
  server: ServerTraits,
  comparable: (text: string) => boolean,
): PushedColumn {
  const utf8 = server.encoding === "UTF8";
  const byBytes = `${text} COLLATE "C"`;
  const literal = (value: ScanValue): string | null => {
    const plain = plainText(value);
    // In another encoding a text may have no form at all, which would be an error.
    return plain === null || !(utf8 || isAscii(plain)) ? null : quoteText(plain);
  };
  const own = (values: readonly ScanValue[]): boolean =>
    collated?.deterministic === true &&
    values.every((value) => value.type === "text" && comparable(value.value));
  return {
    comparison: (op, value) => {
      const right = literal(value);
      if (right === null) return null;
      const equality = op === "eq" || op === "ne";
      if (!equality && !utf8) return null;
      const left = equality && own([value]) ? column : byBytes;
      return { sql: `${left} ${OPERATOR_SYMBOLS[op]} ${right}`, exact: true };
    },
    membership: (values) => {
      const rights = values.map(literal);
      if (rights.includes(null)) return null;
      return { sql: `${own(values) ? column : byBytes} IN (${rights.join(", ")})`, exact: true };
    },
    ...nullness(column),
  };
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e\s]*$/.test(text) && Buffer.byteLength(text) === text.length;
}

const view = new DataView(new ArrayBuffer(8));

/** The least double above, for bounds that no rounding may cross; infinity above the greatest. */
function nextDouble(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** The greatest double below it. */
const previousDouble = (value: number): number => -nextDouble(-value);
