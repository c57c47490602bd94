/**
 * The rows of a query as a local Parquet file, and what the file holds: what a profile of a table and
 * a dataset made of a query begin with.
 */

import { checkNames, DataError, type Inspection } from "@distillery/engine";
import { DataType, type Field } from "apache-arrow";
import type { Services } from "../../api/services.ts";
import { arrowTypeName } from "../../query/arrow/arrow-type-name.ts";
import { ArrowTypeError, DUCKDB_TYPE_KEY, duckdbTypeOf } from "../../query/arrow/duckdb-type.ts";
import { type QueryPlan, type QueryRequest, SqlError } from "../../query/sql/query.ts";
import { ParquetFile } from "./parquet-file.ts";
import { profileFile, readColumns, unusable } from "./profile/profile-file.ts";

type Rooms = Pick<Services, "sql" | "compute" | "log">;

/** Lends the file, and what is to be known of its columns, until the callback ends. @throws DataError where there are no rows, or names come twice; SqlError */
export function withQueryFile<Result>(
  { sql }: Pick<Rooms, "sql">,
  request: QueryRequest,
  use: (path: string, warnings: readonly string[]) => Promise<Result>,
): Promise<Result> {
  return sql.exportParquet(request, async ({ path, rows, warnings, ...columns }) => {
    checkResultColumns(columns);
    if (rows === 0) throw new DataError("The query returns no rows.");
    return use(path, warnings);
  });
}

const repeatedName = (column: string): DataError =>
  new DataError(
    `Several columns are named ${JSON.stringify(column)}; give each a name of its own by AS.`,
    { column },
  );

const UNUSABLE: readonly ((type: DataType) => boolean)[] = [
  DataType.isStruct,
  DataType.isList,
  DataType.isFixedSizeList,
  DataType.isMap,
  DataType.isUnion,
  DataType.isBinary,
  DataType.isLargeBinary,
  DataType.isFixedSizeBinary,
  DataType.isInterval,
];

/** @throws DataError naming the column that no table can hold, in the words of SQL */
export async function checkColumns(
  { sql }: Pick<Rooms, "sql">,
  path: string,
  {
    organizationId,
    timeoutMs,
    signal,
  }: Pick<QueryRequest, "organizationId" | "timeoutMs" | "signal">,
): Promise<void> {
  await readColumns(new ParquetFile({ sql, organizationId, path, timeoutMs, signal }));
}

/** By the result's types alone. @throws DataError naming the column that no table can hold, or whose name comes twice */
export function checkResultColumns({
  schema,
  repeated,
}: Pick<QueryPlan, "schema" | "repeated">): void {
  const [column] = repeated;
  if (column !== undefined) throw repeatedName(column);
  checkNames(schema.fields.map(({ name }) => name));
  for (const [name, type] of unusableColumns(schema)) throw unusable(name, type);
}

/** The names of a result's columns that no table can hold, and their types in SQL. */
export function unusableColumns({ fields }: QueryPlan["schema"]): ReadonlyMap<string, string> {
  const found = fields.filter((field) => {
    // What is carried as a text or a number is one in the file too, but for UUID.
    const type = field.metadata.get(DUCKDB_TYPE_KEY) ?? "";
    return type === "UUID" || UNUSABLE.some((is) => is(field.type));
  });
  return new Map(found.map((field) => [field.name, typeNameOf(field)]));
}

/** As SQL has it, or as Arrow does: members without names, as of ROW, have no text in SQL. */
function typeNameOf(field: Field): string {
  try {
    return duckdbTypeOf(field);
  } catch (error) {
    if (error instanceof ArrowTypeError) return arrowTypeName(field.type);
    throw error;
  }
}

/** @throws DataError naming the column that no table can hold */
export async function inspectFile(
  { sql, compute, log }: Rooms,
  path: string,
  request: Pick<QueryRequest, "organizationId" | "timeoutMs" | "signal">,
): Promise<Inspection> {
  const { organizationId, timeoutMs, signal } = request;
  const inspect = (columns?: readonly string[]) =>
    compute.inspect(
      { path, format: "parquet", ...(columns && { columns }) },
      { organizationId, signal },
    );
  try {
    return await profileFile({
      file: new ParquetFile({ sql, organizationId, path, timeoutMs, signal }),
      inspect,
    });
  } catch (error) {
    if (!(error instanceof SqlError) || error.failure === "cancelled") throw error;
    // Sums that overflow, for one: slower, the engine's own reading tells what SQL could not.
    log.warn({ err: error }, "a file is profiled by reading it, not by SQL");
    return inspect();
  }
}
