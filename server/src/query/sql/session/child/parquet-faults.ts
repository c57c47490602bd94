/**
 * What DuckDB says of a time in a Parquet file that it has no room for, with table, file and column: they are
 * found where the statement has failed, by reading each of the columns of times that it needs alone.
 */

import { basename } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../sql-text.ts";
import type { RunTable } from "../messages.ts";
import { engineErrorOf, StatementError } from "./failure.ts";

const OVERFLOW = /^Could not convert Timestamp\(\w+\) to Timestamp\(\w+\)/;
const FILES = /read_parquet\(\[((?:'(?:[^']|'')*'(?:, )?)*)\]/g;
const FILE = /'((?:[^']|'')*)'/g;

/**
 * The error as it was where it is of no such time.
 *
 * @param tables those that the statement reads
 */
export async function withColumnOfTime(
  connection: DuckDBConnection,
  error: unknown,
  tables: readonly RunTable[],
): Promise<unknown> {
  if (!overflows(error)) return error;
  for (const { name, columns, staged } of tables) {
    if (staged === null) continue;
    const times = columns.filter(
      (column) => staged.columns.includes(column.name) && column.type.includes("TIMESTAMP"),
    );
    for (const path of filesOf(staged.sql)) {
      for (const column of times) {
        if (await isRead(connection, path, column.name)) continue;
        return new StatementError(
          "failed",
          `${name.catalog}.${name.schema}.${name.table}: ${basename(path)}: the column ${column.name} has a time beyond the years 290309 BC to 294247, which SQL cannot hold; correct it, or leave the column out of the query`,
        );
      }
    }
  }
  return error;
}

const overflows = (error: unknown): boolean => OVERFLOW.test(engineErrorOf(error).message);

function filesOf(sql: string): string[] {
  return [...sql.matchAll(FILES)].flatMap(([, list = ""]) =>
    [...list.matchAll(FILE)].map(([, path = ""]) => path.replaceAll("''", "'")),
  );
}

async function isRead(
  connection: DuckDBConnection,
  path: string,
  column: string,
): Promise<boolean> {
  try {
    await connection.run(
      `SELECT bit_xor(hash(${quoteName(column)})) FROM read_parquet(${quoteText(path)}, hive_partitioning=false)`,
    );
    return true;
  } catch (error) {
    // A file without the column has no such time either.
    return !overflows(error);
  }
}
