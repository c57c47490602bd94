/** What the editor completes: the workspace's tables, datasets and columns, and DuckDB's functions. */

import type { SQLNamespace } from "@codemirror/lang-sql";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import * as z from "zod/mini";
import { runStatement } from "./query-client.ts";

export interface KnownNames {
  /** Catalogs, schemas, tables, columns. */
  readonly tree: SQLNamespace;
  /** Whole names, `catalog.schema.table`; of datasets `datasets.name`. */
  readonly tables: readonly string[];
  /** Each name once. */
  readonly columns: readonly { readonly name: string; readonly detail: string }[];
  readonly functions: readonly string[];
  /** Whether the tables were read and there are none. */
  readonly hasNoTables: boolean;
}

const columnsSchema = z.array(
  z.object({
    table_catalog: z.string(),
    table_schema: z.string(),
    table_name: z.string(),
    column_name: z.string(),
    data_type: z.string(),
  }),
);
const functionsSchema = z.array(z.object({ function_name: z.string() }));

/** The service gives no more rows at once. */
const MOST = 100_000;
const COLUMNS =
  "SELECT table_catalog, table_schema, table_name, column_name, data_type FROM information_schema.columns ORDER BY ALL";
const FUNCTIONS =
  "SELECT DISTINCT function_name FROM duckdb_functions() WHERE regexp_full_match(function_name, '[a-z][a-z0-9_]*') ORDER BY 1";
const KEPT_MS = 10 * 60_000;

/** Undefined until they are known. A source that cannot be asked leaves its tables out. */
export function useKnownNames(workspace: string): KnownNames | undefined {
  const { data: columns } = useQuery({
    queryKey: ["datasets", "in-sql", workspace],
    queryFn: async ({ signal }) => {
      const { rows } = await runStatement({ workspace, sql: COLUMNS, maxRows: MOST }, signal);
      return columnsSchema.parse(rows);
    },
    staleTime: KEPT_MS,
  });
  const { data: functions } = useQuery({
    queryKey: ["workspace", workspace, "functions"],
    queryFn: async ({ signal }) => {
      const { rows } = await runStatement({ workspace, sql: FUNCTIONS, maxRows: MOST }, signal);
      return functionsSchema.parse(rows).map(({ function_name }) => function_name);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(
    () => (columns || functions ? namesOf(columns, functions ?? []) : undefined),
    [columns, functions],
  );
}

function namesOf(
  found: z.output<typeof columnsSchema> | undefined,
  functions: readonly string[],
): KnownNames {
  const columns = new Map<string, string>();
  const tables = new Map<string, string[]>();
  for (const column of found ?? []) {
    const { table_catalog, table_schema, table_name, column_name, data_type } = column;
    const isDataset = table_catalog === "datasets" && table_schema === "main";
    const table = isDataset
      ? `${table_catalog}.${table_name}`
      : `${table_catalog}.${table_schema}.${table_name}`;
    const names = tables.get(table) ?? [];
    if (names.push(column_name) === 1) tables.set(table, names);
    columns.set(column_name, data_type);
  }
  return {
    // Dots in the names of the members part catalogs, schemas and tables.
    tree: Object.fromEntries(tables),
    tables: [...tables.keys()],
    columns: [...columns].map(([name, detail]) => ({ name, detail })),
    functions,
    hasNoTables: found?.length === 0,
  };
}
