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

/** Functions that show what tables there are. */
const CATALOG_FUNCTIONS = new Map([
  ["duckdb_columns", "columns"],
  ["duckdb_databases", "names"],
  ["duckdb_schemas", "names"],
  ["duckdb_tables", "names"],
  ["pg_get_viewdef", "names"],
] as const);

const REFUSED_FUNCTIONS = new Set([
  // The statement as it was put into another one, with the file that it is written to.
  "current_query",
  "current_setting",
  "get_block_size",
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
