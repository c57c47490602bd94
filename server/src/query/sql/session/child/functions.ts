/**
 * What a statement may call. Functions that give rows are few and named here; of the others, those are
 * refused that tell of the process or run SQL out of texts. The engine's own walls stand behind this.
 */

const TABLE_FUNCTIONS = new Set([
  "range",
  "generate_series",
  "unnest",
  "repeat",
  "repeat_row",
  "json_each",
  "json_tree",
  "summary",
  "test_all_types",
  "duckdb_columns",
  "duckdb_databases",
  "duckdb_functions",
  "duckdb_keywords",
  "duckdb_schemas",
  "duckdb_tables",
  "duckdb_types",
  "icu_calendar_names",
  "pg_timezone_names",
  "pragma_version",
]);

/** Table functions that show what tables there are. */
const CATALOG_FUNCTIONS = new Map([
  ["duckdb_columns", "columns"],
  ["duckdb_databases", "names"],
  ["duckdb_schemas", "names"],
  ["duckdb_tables", "names"],
] as const);

const REFUSED_FUNCTIONS = new Set([
  "current_setting",
  "getenv",
  "json_serialize_plan",
  "write_log",
]);

const FILE_FUNCTION = /^(read_|parquet_|sniff_|glob$)/;

/** A sentence where the function may not be called, or null. */
export function tableFunctionFault(name: string): string | null {
  if (TABLE_FUNCTIONS.has(name)) return null;
  if (FILE_FUNCTION.test(name)) {
    return `${name}() reads files by path, which a query cannot do: define a table over them and query that`;
  }
  return `${name}() is not among the table functions that a query may call`;
}

export function functionFault(name: string): string | null {
  return REFUSED_FUNCTIONS.has(name)
    ? `${name}() is not among the functions that a query may call`
    : null;
}

export function catalogFunctionLook(name: string): "names" | "columns" | null {
  return [...CATALOG_FUNCTIONS].find(([known]) => known === name)?.[1] ?? null;
}

/** Views of the system that show tables, by their own names. */
const CATALOG_VIEWS = new Map<string, "names" | "columns">([
  ["duckdb_columns", "columns"],
  ["duckdb_constraints", "names"],
  ["duckdb_databases", "names"],
  ["duckdb_indexes", "names"],
  ["duckdb_schemas", "names"],
  ["duckdb_tables", "names"],
  ["duckdb_types", "names"],
  ["duckdb_views", "names"],
  ["pragma_database_list", "names"],
  ["sqlite_master", "columns"],
  ["sqlite_schema", "columns"],
]);

/** Whether a reference is to a view of the system, and what that shows. */
export function catalogViewLook(schema: string | null, table: string): "names" | "columns" | null {
  const view = table.toLowerCase();
  switch (schema?.toLowerCase()) {
    case undefined:
    case "main":
      return CATALOG_VIEWS.get(view) ?? null;
    case "information_schema":
      return view === "columns" ? "columns" : "names";
    case "pg_catalog":
      return view === "pg_attribute" ? "columns" : "names";
    default:
      return null;
  }
}
