/** Catalogs in memory with the names that a statement may see. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName } from "../../../sql-text.ts";
import type { SchemaName, TableName } from "../../query.ts";
import type { SearchPath, SqlColumn } from "../messages.ts";
import { StatementError } from "./failure.ts";

/** Catalogs of DuckDB's own. */
const RESERVED = new Set(["main", "system", "temp"]);

/** Stands for columns that nobody asked for. */
const UNKNOWN_COLUMNS: readonly SqlColumn[] = [{ name: "unknown", type: "VARCHAR" }];

export const quotePath = (...names: readonly string[]): string => names.map(quoteName).join(".");

export const columnList = (columns: readonly SqlColumn[]): string =>
  columns.map((column) => `${quoteName(column.name)} ${column.type}`).join(", ");

/**
 * Attaches a catalog in memory for each that is named, makes their schemas, and lets the search path
 * begin at the defaults. Without a default catalog it is the only one of the tables', if it is one.
 */
export async function defineCatalogs(
  connection: DuckDBConnection,
  names: readonly SchemaName[],
  searchPath: SearchPath,
): Promise<void> {
  const schemas = new Map<string, { catalog: string; schemas: Map<string, string> }>();
  const add = (catalog: string, schema: string): void => {
    const key = catalog.toLowerCase();
    const known = schemas.get(key) ?? { catalog, schemas: new Map<string, string>() };
    schemas.set(key, known);
    if (!known.schemas.has(schema.toLowerCase())) known.schemas.set(schema.toLowerCase(), schema);
  };
  for (const name of names) add(name.catalog, name.schema);
  const only = schemas.size === 1 ? [...schemas.values()][0]!.catalog : null;
  const catalog = searchPath.catalog ?? only;
  if (catalog !== null) add(catalog, searchPath.schema ?? "main");

  const statements: string[] = [];
  for (const known of schemas.values()) {
    if (RESERVED.has(known.catalog.toLowerCase())) {
      throw new StatementError(
        "invalid",
        `A catalog named "${known.catalog}" cannot be queried: DuckDB keeps that name to itself`,
      );
    }
    // The instance's first catalog is called so, and is in nobody's way where the name is taken.
    if (known.catalog.toLowerCase() !== "memory") {
      statements.push(`ATTACH ':memory:' AS ${quoteName(known.catalog)}`);
    }
    for (const schema of known.schemas.values()) {
      statements.push(`CREATE SCHEMA IF NOT EXISTS ${quotePath(known.catalog, schema)}`);
    }
  }
  if (catalog !== null) {
    statements.push(`USE ${quotePath(catalog, searchPath.schema ?? "main")}`);
    if (!schemas.has("memory")) statements.push("DETACH memory");
  }
  await runAll(connection, statements);
}

/** Empty tables. */
export async function defineTables(
  connection: DuckDBConnection,
  tables: readonly { readonly name: TableName; readonly columns: readonly SqlColumn[] }[],
): Promise<void> {
  await runAll(
    connection,
    tables.map(
      ({ name, columns }) =>
        `CREATE TABLE ${quotePath(name.catalog, name.schema, name.table)} (${columnList(columns)})`,
    ),
  );
}

/** Of one instance. */
export interface Connectable {
  connect(): Promise<DuckDBConnection>;
  readonly threads: number;
}

/** Definitions that one connection takes at a time. */
const NAMES_AT_ONCE = 200;

/**
 * Empty tables of unknown columns: they are there to be seen. Most of what one costs is what any
 * statement costs, which connections beside one another share among cores.
 */
export async function defineNames(
  { connect, threads }: Connectable,
  names: readonly TableName[],
): Promise<void> {
  const count = Math.min(threads, Math.ceil(names.length / NAMES_AT_ONCE));
  let next = 0;
  const define = async (): Promise<void> => {
    const connection = await connect();
    try {
      while (next < names.length) {
        const some = names.slice(next, next + NAMES_AT_ONCE);
        next += NAMES_AT_ONCE;
        await runAll(connection, some.map(definitionOfName));
      }
    } catch (error) {
      next = names.length;
      throw error;
    } finally {
      connection.closeSync();
    }
  };
  // None is left behind, whichever fails.
  const ends = await Promise.allSettled(Array.from({ length: count }, define));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

const definitionOfName = ({ catalog, schema, table }: TableName): string =>
  `CREATE TABLE IF NOT EXISTS ${quotePath(catalog, schema, table)} (${columnList(UNKNOWN_COLUMNS)})`;

export async function runAll(
  connection: DuckDBConnection,
  statements: readonly string[],
): Promise<void> {
  if (statements.length > 0) await connection.run(statements.join(";\n"));
}
