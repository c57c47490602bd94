/**
 * The two DuckDB instances of a session. The planner sees empty stand-ins and no file at all; the
 * runner reads the session's folder and nothing else. Both are closed to configuration before they see a statement.
 *
 * A runner is made for one session. A planner holds names and types only and never runs a statement of
 * anybody's, so that it is emptied and kept for the next session, which is the same organization's.
 */

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { registerArrowSchema } from "../../../arrow/arrow-schema.ts";
import { registerReadArrow } from "../../../arrow/read-arrow.ts";
import { quoteName, quoteText } from "../../../sql-text.ts";
import type { InstanceLimits } from "../messages.ts";
import { registerDatasetTimes } from "./dataset-times.ts";
import type { Connectable } from "./definitions.ts";
import { registerReadDataset } from "./read-dataset.ts";

/** Bytes that a planner may use: it holds the names and types of tables, and folds constants. */
const PLANNER_BYTES = 256 << 20;

/** Set by planner and runner as they go: no SELECT, which is all that they are given, can set anything. */
const SET_AS_IT_GOES = "allowed_configs = ['disabled_optimizers']";

const COMMON = {
  errors_as_json: "true",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
} as const;

export interface WalledInstance extends Connectable {
  /** The one that statements run in. */
  readonly connection: DuckDBConnection;
  close(): void;
}

export function openPlanner(limits: InstanceLimits): Promise<WalledInstance> {
  return open(
    { memoryBytes: Math.min(PLANNER_BYTES, limits.memoryBytes), threads: 1 },
    { temp_directory: "" },
    [SET_AS_IT_GOES],
  );
}

export async function openRunner(folder: string, limits: InstanceLimits): Promise<WalledInstance> {
  const runner = await open(limits, { temp_directory: `${folder}/.spill` }, [
    // As an option of the opening it is shown, and not kept to.
    `max_temp_directory_size = '${limits.temporaryBytes}B'`,
    `allowed_directories = [${quoteText(`${folder}/`)}]`,
    // A view over a file is bound when it is made and when it is read; the file does not change.
    "parquet_metadata_cache = true",
    // Its files are local and read once.
    "enable_external_file_cache = false",
    SET_AS_IT_GOES,
  ]);
  registerReadArrow(runner.connection, folder);
  registerArrowSchema(runner.connection, folder);
  registerReadDataset(runner.connection, folder);
  registerDatasetTimes(runner.connection, folder);
  return runner;
}

async function open(
  limits: { readonly memoryBytes: number; readonly threads: number },
  options: Readonly<Record<string, string>>,
  settings: readonly string[],
): Promise<WalledInstance> {
  const instance = await DuckDBInstance.create(":memory:", {
    ...COMMON,
    threads: String(limits.threads),
    memory_limit: `${limits.memoryBytes}B`,
    ...options,
  });
  const connection = await instance.connect();
  await connection.run(
    [
      "TimeZone = 'UTC'",
      ...settings,
      "enable_external_access = false",
      // The last one: from here on nothing can be set.
      "lock_configuration = true",
    ]
      .map((setting) => `SET ${setting}`)
      .join("; "),
  );
  return {
    connection,
    connect: () => instance.connect(),
    threads: limits.threads,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Stands in for the first catalog while that is replaced. */
const BETWEEN = "between sessions";

/** Leaves an instance with the one empty catalog that it began with. */
export async function emptyInstance(connection: DuckDBConnection): Promise<void> {
  const result = await connection.run(
    "SELECT database_name FROM duckdb_databases() WHERE NOT internal",
  );
  const catalogs = (await result.getRowsJS()).map(([name]) => String(name));
  await connection.run(
    [
      `ATTACH ':memory:' AS ${quoteName(BETWEEN)}`,
      `USE ${quoteName(BETWEEN)}`,
      ...catalogs.map((name) => `DETACH ${quoteName(name)}`),
      "ATTACH ':memory:' AS memory",
      "USE memory",
      `DETACH ${quoteName(BETWEEN)}`,
    ].join("; "),
  );
}
