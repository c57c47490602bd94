/**
 * What the engine makes of a Parquet column's type, told by DuckDB's name of it, and the SQL of the
 * number that the engine reads a cell as (`engine/src/data/readers/arrow-numbers.ts`).
 */

import { quoteName } from "../../../query/sql-text.ts";

export type ColumnReading =
  /**
   * `value`: a DOUBLE, NULL where the cell is missing. `whole`: of integers, or of decimals, which may
   * have more digits than doubles.
   */
  | {
      readonly kind: "numeric" | "timestamp";
      readonly value: string;
      readonly whole: boolean;
      readonly mayBeInfinite: boolean;
    }
  | { readonly kind: "boolean" }
  /** Times of day: numbers of a unit that the engine tells. */
  | { readonly kind: "clock" }
  /** Categories, texts, or times and booleans written as texts. */
  | { readonly kind: "texts" };

const INTEGER = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)$/;

/** Null where a cell is no single value. */
export function columnReading(name: string, type: string): ColumnReading | null {
  const cell = quoteName(name);
  const number = (value: string, whole: boolean, mayBeInfinite = false): ColumnReading => ({
    kind: "numeric",
    value,
    whole,
    mayBeInfinite,
  });
  const time = (value: string): ColumnReading => ({
    kind: "timestamp",
    value,
    whole: false,
    mayBeInfinite: false,
  });
  if (INTEGER.test(type)) return number(`CAST(${cell} AS DOUBLE)`, true);
  if (/^DECIMAL\(/.test(type)) return number(`CAST(${cell} AS DOUBLE)`, true);
  switch (type) {
    case "FLOAT":
    case "DOUBLE":
      return number(
        `CASE WHEN isnan(${cell}) THEN NULL ELSE CAST(${cell} AS DOUBLE) END`,
        false,
        true,
      );
    case "BOOLEAN":
      return { kind: "boolean" };
    case "VARCHAR":
      return { kind: "texts" };
    case "TIME":
      return { kind: "clock" };
    case "DATE":
      return time(`CAST(epoch_ms(${cell}) AS DOUBLE)`);
    case "TIMESTAMP":
    case "TIMESTAMP WITH TIME ZONE":
      return time(`CAST(epoch_us(${cell}) AS DOUBLE) / 1000`);
    case "TIMESTAMP_NS":
      return time(`CAST(epoch_ns(${cell}) AS DOUBLE) / 1000000`);
    default:
      return null;
  }
}
