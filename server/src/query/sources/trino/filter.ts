/**
 * What of a filter means the same in Trino as in DuckDB, which applies it again.
 *
 *   booleans, integers, decimals, dates     all comparisons
 *   timestamps of up to six digits          all
 *   real, double                            all, as doubles; what is above a number takes NaN along,
 *                                           which DuckDB sorts above everything
 *   varchar                                 all: both compare the bytes of UTF-8
 *   char(n)                                 equality with texts that end in no blank
 *   uuid                                    equality with values written as Trino writes them
 *   NULL or not                             every type
 *
 * A column that is read as another type than Trino's now is not filtered by value.
 */

import { quoteName, quoteText } from "../../sql-text.ts";
import {
  comparableColumn,
  dateText,
  nullness,
  numberText,
  OPERATOR_SYMBOLS,
  opaqueColumn,
  type PushedColumn,
  plainText,
  timestampText,
} from "../pushed-filter.ts";
import type { ScanValue } from "../scan-filter.ts";
import type { TrinoColumn } from "./protocol.ts";

const MAX_DIGITS = 38;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function pushedColumn(source: TrinoColumn): PushedColumn {
  const column = quoteName(source.name);
  const { name, numbers } = source.type;
  const comparable = (literal: (value: ScanValue) => string | null): PushedColumn =>
    comparableColumn({ column, operand: column, literal });
  switch (name) {
    case "boolean":
      return comparable((value) => (value.type === "boolean" ? String(value.value) : null));
    case "tinyint":
    case "smallint":
    case "integer":
    case "bigint":
    case "decimal":
      return comparable(exactNumber);
    case "real":
    case "double":
      return floatColumn(column);
    case "varchar":
      return comparable((value) => {
        const text = plainText(value);
        return text === null ? null : quoteText(text);
      });
    case "char":
      return equalityColumn(column, (value) => {
        const text = plainText(value);
        const length = numbers[0] ?? 0;
        if (text === null || text.endsWith(" ") || [...text].length > length) return null;
        return `CAST(${quoteText(text)} AS char(${length}))`;
      });
    case "uuid":
      return equalityColumn(column, (value) =>
        value.type === "text" && UUID.test(value.value) ? `UUID '${value.value}'` : null,
      );
    case "date":
      return comparable((value) => {
        const text = dateText(value);
        return text === null ? null : `DATE '${text}'`;
      });
    case "timestamp":
      return (numbers[0] ?? 3) > 6
        ? opaqueColumn(column)
        : comparable((value) => {
            const text = timestampText(value, "timestamp");
            return text === null ? null : `TIMESTAMP '${text}'`;
          });
    case "timestamp with time zone":
      return (numbers[0] ?? 3) > 6
        ? opaqueColumn(column)
        : comparable((value) => {
            const text = timestampText(value, "timestamptz");
            return text === null ? null : `TIMESTAMP '${text} UTC'`;
          });
    default:
      return opaqueColumn(column);
  }
}

function exactNumber(value: ScanValue): string | null {
  const text = numberText(value);
  if (text === null) return null;
  const digits = text.replace(/[-.]/g, "").replace(/^0+/, "").length;
  const fraction = text.split(".")[1]?.length ?? 0;
  return Math.max(digits, fraction) > MAX_DIGITS ? null : `DECIMAL '${text}'`;
}

function equalityColumn(
  column: string,
  literal: (value: ScanValue) => string | null,
): PushedColumn {
  return comparableColumn({
    ...{ column, operand: column },
    literal: (value, op) => (op === "eq" || op === "ne" ? literal(value) : null),
  });
}

function floatColumn(column: string): PushedColumn {
  const literal = (value: ScanValue): string | null =>
    value.type === "double" ? `DOUBLE '${value.value}'` : null;
  const base = comparableColumn({ column, operand: column, literal });
  return {
    comparison: (op, value) => {
      const right = literal(value);
      if (right === null || (op !== "gt" && op !== "ge")) return base.comparison(op, value);
      const above = `${column} ${OPERATOR_SYMBOLS[op]} ${right}`;
      return { sql: `(${above} OR is_nan(${column}))`, exact: true };
    },
    membership: base.membership,
    ...nullness(column),
  };
}
