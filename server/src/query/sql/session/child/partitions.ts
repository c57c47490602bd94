/** Which of a table's partitions a plan can have rows of, by the values that all their rows have. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../sql-text.ts";
import type { TableShape } from "../messages.ts";
import { conditionSql } from "./bound-sql.ts";
import { engineErrorOf } from "./failure.ts";
import { filterOver, filterSql } from "./filter-sql.ts";
import type { PlanScan } from "./plan-scans.ts";

/** @returns the condition that a partition must meet to be read, or null where all are */
export function partitionCondition(table: TableShape, scans: readonly PlanScan[]): string | null {
  const values = new Set(
    table.columns.slice(table.columns.length - table.partitionColumns).map(({ name }) => name),
  );
  const conditions: string[] = [];
  for (const scan of scans) {
    const filter = scan.filter.filter === null ? null : filterOver(values, scan.filter.filter);
    const parts = filter === null ? [] : [`(${filterSql(filter)})`];
    for (const { expression, columnOf } of scan.conditions) {
      const sql = conditionSql(expression, (reference) => {
        const column = columnOf(reference);
        return column !== null && values.has(column) ? column : null;
      });
      if (sql !== null) parts.push(sql);
    }
    // One scan that reads them all is enough.
    if (parts.length === 0) return null;
    conditions.push(parts.join(" AND "));
  }
  return conditions.map((condition) => `(${condition})`).join(" OR ");
}

/** Indexes of the partitions whose values meet the condition; null where that cannot be told. */
export async function partitionsThatMeet(
  connection: DuckDBConnection,
  table: TableShape,
  condition: string,
): Promise<number[] | null> {
  const columns = table.columns.slice(table.columns.length - table.partitionColumns);
  const number = unlike(
    "partition",
    columns.map(({ name }) => name),
  );
  const rows = table.partitions.map(
    (values, index) =>
      `(${index}, ${values.map((value) => (value === null ? "NULL" : quoteText(value))).join(", ")})`,
  );
  const names = columns.map(({ name }) => quoteName(name));
  const typed = columns.map(({ type }, at) => `CAST(${names[at]} AS ${type}) AS ${names[at]}`);
  const given = `(VALUES ${rows.join(", ")}) AS given(${[quoteName(number), ...names].join(", ")})`;
  try {
    const result = await connection.run(
      `SELECT ${quoteName(number)} FROM (SELECT ${[quoteName(number), ...typed].join(", ")} FROM ${given}) WHERE ${condition} ORDER BY 1`,
    );
    return (await result.getRowsJS()).map(([index]) => Number(index));
  } catch (error) {
    // A value that is not of its column's type, or that the condition fails on: who reads it says so.
    if (["interrupt", "out of memory", "internal", "fatal"].includes(engineErrorOf(error).type)) {
      throw error;
    }
    return null;
  }
}

/** The name with as many underscores before it as tell it from all of those. */
function unlike(name: string, others: readonly string[]): string {
  const taken = new Set(others.map((other) => other.toLowerCase()));
  let unique = name;
  while (taken.has(unique)) unique = `_${unique}`;
  return unique;
}
