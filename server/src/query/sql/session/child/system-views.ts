/**
 * Views of DuckDB's own catalog. Those that show tables are for clients that look around; a statement that
 * reads one sees tables in place of the views that the tables are otherwise, whose SQL would show where
 * their files are staged. What shows settings, logs or other statements is refused.
 */

import type { TableReference } from "../../query.ts";

export type ShownByView = "names" | "columns" | "internals";

/** By schema, those of `information_schema` apart, which only ever show names and columns. */
const VIEWS = {
  main: new Map<string, ShownByView>([
    ["duckdb_columns", "columns"],
    ["duckdb_constraints", "names"],
    ["duckdb_databases", "names"],
    ["duckdb_indexes", "names"],
    ["duckdb_logs", "internals"],
    ["duckdb_schemas", "names"],
    ["duckdb_tables", "names"],
    ["duckdb_types", "names"],
    ["duckdb_views", "names"],
    ["pragma_database_list", "names"],
    ["sqlite_master", "columns"],
    ["sqlite_schema", "columns"],
    ["sqlite_temp_master", "columns"],
    ["sqlite_temp_schema", "columns"],
  ]),
  pg_catalog: new Map<string, ShownByView>([
    ["pg_am", "names"],
    ["pg_attrdef", "columns"],
    ["pg_attribute", "columns"],
    ["pg_class", "names"],
    ["pg_collation", "names"],
    ["pg_constraint", "names"],
    ["pg_database", "names"],
    ["pg_depend", "names"],
    ["pg_description", "columns"],
    ["pg_enum", "names"],
    ["pg_index", "names"],
    ["pg_indexes", "names"],
    ["pg_namespace", "names"],
    ["pg_prepared_statements", "internals"],
    ["pg_proc", "names"],
    ["pg_sequence", "names"],
    ["pg_sequences", "names"],
    ["pg_settings", "internals"],
    ["pg_tables", "names"],
    ["pg_tablespace", "names"],
    ["pg_type", "names"],
    ["pg_views", "names"],
  ]),
} as const;

/** DuckDB's name of the catalog that has them all. */
const SYSTEM = "system";

/** What a reference shows where it means a view of the system; null where it can mean none. */
export function shownByView({ catalog, schema, table }: TableReference): ShownByView | null {
  const view = table.toLowerCase();
  // One that is named after a catalog alone is looked for in all of its schemas.
  const isOfAny = schema === null || schema.toLowerCase() === SYSTEM;
  if (catalog !== null && catalog.toLowerCase() !== SYSTEM) return null;
  if (isOfAny) return VIEWS.main.get(view) ?? VIEWS.pg_catalog.get(view) ?? null;
  switch (schema.toLowerCase()) {
    case "main":
      return VIEWS.main.get(view) ?? null;
    case "information_schema":
      return view === "columns" ? "columns" : "names";
    case "pg_catalog":
      // Of one that is not known here nothing is known.
      return VIEWS.pg_catalog.get(view) ?? "internals";
    default:
      return null;
  }
}
