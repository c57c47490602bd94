/**
 * pg-boss over this service's sessions: its statements run through the one PostgreSQL driver, and,
 * given a transaction, inside it.
 *
 * Parameters go as text of unknown type, so that the server reads each as what the statement says
 * it is; the driver would otherwise encode JSON that is encoded already.
 */
import type { Db } from "pg-boss";
import type postgres from "postgres";
import { type Database, roleOf, type Sql } from "../db/database.ts";
import { SYSTEM_ROLE } from "../db/sql.ts";

/** OID of PostgreSQL's type `unknown`. */
const UNKNOWN = 705;

/** Each statement on a session of its own. */
export function systemAdapter(database: Database): Db {
  return {
    executeSql: async (text, values) =>
      rowsOf(await database.systemText(text, (sql) => execute(sql, text, values))),
  };
}

/**
 * Each statement inside the caller's transaction, with the queue's rights for as long as it takes:
 * an organization's role has none on the queue's tables.
 */
export function transactionAdapter(sql: Sql): Db {
  const role = roleOf(sql);
  return {
    executeSql: async (text, values) => {
      if (role === SYSTEM_ROLE) return rowsOf(await execute(sql, text, values));
      const [, result] = await Promise.all([
        sql.unsafe(`set local role ${SYSTEM_ROLE}`).execute(),
        execute(sql, text, values),
        sql.unsafe(`set local role ${role}`).execute(),
      ]);
      return rowsOf(result);
    },
  };
}

function execute(
  sql: Sql,
  text: string,
  values: readonly unknown[] = [],
): postgres.PendingQuery<(postgres.Row & Iterable<postgres.Row>)[]> {
  if (values.length === 0) return sql.unsafe(text).execute();
  const parameters = values.map((value) => sql.typed(asText(value), UNKNOWN));
  return sql.unsafe(text, parameters, { prepare: true }).execute();
}

/** A value in PostgreSQL's text form. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(asArrayElement).join(",")}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function asArrayElement(value: unknown): string {
  const text = asText(value);
  return text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The rows of one statement, or of all the statements of a script. */
function rowsOf(result: readonly unknown[]): { rows: unknown[] } {
  if ("command" in result) return { rows: [...result] };
  return { rows: result.flatMap((part) => (Array.isArray(part) ? part : [])) };
}

/** As a task's `startAfter`: an interval, which begins by the database's clock, whatever this machine's says. */
export const AT_ONCE = "0 seconds";
