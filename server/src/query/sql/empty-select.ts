/** The SELECT that stands for a table of which no row is needed or there. */

import type { Field } from "apache-arrow";
import { duckdbTypeOf } from "../arrow/duckdb-type.ts";
import { quoteName } from "../sql-text.ts";

export function emptySql(fields: readonly Field[]): string {
  const nulls = fields.map(
    (field) => `CAST(NULL AS ${duckdbTypeOf(field)}) AS ${quoteName(field.name)}`,
  );
  return `SELECT ${nulls.length === 0 ? "NULL AS counted" : nulls.join(", ")} WHERE false`;
}
