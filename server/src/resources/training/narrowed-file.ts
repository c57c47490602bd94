/**
 * The file that a run reads: the dataset's own, or, where the run's filter leaves a part of a large
 * one, a copy of the rows that it leaves, in their order. The engine applies the filter again, and
 * makes of both the same bytes.
 */

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  bindFilter,
  ConfigError,
  DataError,
  type FilterNode,
  type TableFile,
} from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import { linkOrCopy } from "../../platform/objects/link-or-copy.ts";
import { quoteName } from "../../query/sql-text.ts";
import { type DatasetRow, tableFile } from "../datasets/service.ts";
import { ParquetFile } from "../queries/parquet-file.ts";
import { filterSql } from "./filter-sql.ts";

/** Below this a copy costs more than it saves. */
export const NARROW_ROWS = 100_000;
/** Fewer rows are refused by the engine, which then says how many there were. */
const MINIMUM_ROWS = 10;
const TIMEOUT_MS = 300_000;

export interface NarrowOptions {
  readonly services: Pick<Services, "compute" | "sql" | "log">;
  readonly organizationId: string;
  readonly dataset: DatasetRow;
  readonly filter: FilterNode | null;
  readonly signal: AbortSignal;
}

/** Gives `use` the rows of a dataset that a filter leaves, and others perhaps. */
export async function withFilteredFile<Result>(
  options: NarrowOptions,
  use: (file: TableFile) => Promise<Result>,
): Promise<Result> {
  const { services, dataset } = options;
  return services.compute.withLocalFile(dataset.object_key, async (path) => {
    const narrowed = await narrow(options, path);
    if (narrowed !== null) {
      try {
        return await use(tableFile(dataset, narrowed));
      } catch (error) {
        // What is wrong is told in the rows and numbers of the dataset itself.
        if (!(error instanceof DataError || error instanceof ConfigError)) throw error;
      } finally {
        await rm(narrowed, { force: true });
      }
    }
    return use(tableFile(dataset, path));
  });
}

async function narrow(options: NarrowOptions, path: string): Promise<string | null> {
  const { services, dataset, filter, signal } = options;
  if (filter === null || !mayNarrow(dataset)) return null;
  const target = join(services.compute.cacheFolder, randomUUID());
  try {
    const rows = await writeNarrowed(options, filter, path, target);
    if (rows === null) return null;
    services.log.info(
      { dataset: dataset.id, rows, of: dataset.rows },
      "the filter is pushed into the read",
    );
    return target;
  } catch (error) {
    await rm(target, { force: true });
    if (signal.aborted) throw error;
    services.log.warn(
      { err: error, dataset: dataset.id },
      "the filter was not pushed into the read; the whole dataset is read",
    );
    return null;
  }
}

/**
 * Files of DuckDB's writing alone come out of it again with the same types; and reading the whole
 * must give no warnings, which a model's card repeats.
 */
function mayNarrow({ format, source, rows, warnings }: DatasetRow): boolean {
  const written = source["kind"] === "table" || source["kind"] === "sql";
  return format === "parquet" && written && rows > NARROW_ROWS && warnings.length === 0;
}

/** The number of rows written, or null where the file would not do. */
async function writeNarrowed(
  { services, organizationId, dataset, signal }: NarrowOptions,
  filter: FilterNode,
  path: string,
  target: string,
): Promise<number | null> {
  let bound: ReturnType<typeof bindFilter>;
  try {
    bound = bindFilter(filter, dataset.columns);
  } catch (error) {
    // The run's own plan says what is wrong.
    if (error instanceof DataError) return null;
    throw error;
  }
  const session = { sql: services.sql, organizationId, timeoutMs: TIMEOUT_MS, signal };
  const file = new ParquetFile({ ...session, path });
  const types = new Map(
    (await file.rows("DESCRIBE SELECT * FROM file")).map((row) => [
      String(row["column_name"]),
      String(row["column_type"]),
    ]),
  );
  // Dates like 1/2/2011 are read by what all of a column's texts allow.
  if (
    dataset.columns.some(({ name, kind }) => kind === "timestamp" && types.get(name) === "VARCHAR")
  ) {
    return null;
  }
  const condition = filterSql(bound, types);
  if (condition === null) return null;
  const rows = await file.export(
    `SELECT * FROM file WHERE ${condition.sql}`,
    condition.parameters,
    async (exported) => {
      if (exported.rows < MINIMUM_ROWS) return null;
      await linkOrCopy(exported.path, target);
      return exported.rows;
    },
  );
  if (rows === null) return null;
  // A column that is left without values would be warned of, and was not before.
  const counts = dataset.columns.map(
    ({ name }, at) => `CAST(count(${quoteName(name)}) AS DOUBLE) AS c${at}`,
  );
  const [left = {}] = await new ParquetFile({ ...session, path: target }).rows(
    `SELECT ${counts.join(", ")} FROM file`,
  );
  if (!Object.values(left).includes(0)) return rows;
  await rm(target, { force: true });
  return null;
}
