/**
 * Runs a statement over views of staged files. The statement stands behind more blanks than any view
 * has characters, so that a place in an error that lies within the blanks is known to be a view's.
 */

import { open } from "node:fs/promises";
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  ResultReturnType,
} from "@duckdb/node-api";
import { Schema } from "apache-arrow";
import { arrowTypeName } from "../../../arrow/arrow-type-name.ts";
import { fieldOfDuckdbType } from "../../../arrow/duckdb-field.ts";
import { encodeSchemaMessage } from "../../../arrow/schema-message.ts";
import { quoteName, quoteText } from "../../../sql-text.ts";
import type { BoundParameters, Ran, Request, RunTable } from "../messages.ts";
import { ArrowRows } from "./arrow-rows.ts";
import { columnList, defineCatalogs, defineNames, quotePath, runAll } from "./definitions.ts";
import { StatementError } from "./failure.ts";
import type { WalledInstance } from "./instances.ts";
import { JsonRows, uniqueNames } from "./json-rows.ts";
import { bindParameters, withLiterals } from "./parameters.ts";
import { ResultSpool, type SendData } from "./result-spool.ts";
import type { RowLimits } from "./row-limits.ts";
import { prepareSelect, withoutEnd } from "./statement.ts";
import { checkTypeDepth } from "./statement-depth.ts";

export type RunRequest = Extract<Request, { kind: "run" }>;

/** As Parquet writers have it: a reader's unit of work. */
const ROW_GROUP_ROWS = 122_880;

/** Columns of files up to which expressions that stand twice in a statement are looked for. */
const MOST_SHARED_COLUMNS = 100;

/** Room for what is put around a statement, where no view is longer. */
const LEAST_BLANKS = 256;

/** Defines what the statement sees. Answers the blanks that go before the statement. */
export async function defineTables(instance: WalledInstance, request: RunRequest): Promise<string> {
  const { connection } = instance;
  await defineCatalogs(
    connection,
    [...request.tables.map((table) => table.name), ...request.otherNames],
    request.searchPath,
  );
  const statements = request.tables.map((table) => definition(table, request.asTables));
  await runAll(connection, statements);
  await defineNames(instance, request.otherNames);
  const lengths = statements.map((statement) => 2 * Buffer.byteLength(statement));
  return " ".repeat(Math.max(LEAST_BLANKS, ...lengths));
}

function definition(table: RunTable, asTables: boolean): string {
  const name = quotePath(table.name.catalog, table.name.schema, table.name.table);
  if (table.staged === null) return `CREATE TABLE ${name} (${columnList(table.columns)})`;
  const staged = new Set(table.staged.columns);
  const columns = table.columns.map((column) =>
    staged.has(column.name)
      ? quoteName(column.name)
      : `CAST(NULL AS ${column.type}) AS ${quoteName(column.name)}`,
  );
  return `CREATE ${asTables ? "TABLE" : "VIEW"} ${name} AS SELECT ${columns.join(", ")} FROM (${table.staged.sql})`;
}

/** Null where the result broke off: `reasonOfBreak` finds out why. */
export async function runStatement(
  connection: DuckDBConnection,
  request: RunRequest,
  blanks: string,
  send: SendData,
): Promise<Ran | null> {
  const sql = blanks + request.sql;
  const { output } = request;
  await leaveOutOptimizers(connection, request);
  if (output.kind === "file" && output.format !== "arrow") {
    return copyRows(connection, request, blanks, output.format, output.path);
  }
  const prepared = await prepareSelect(connection, sql);
  try {
    // Before it runs, where its types are known before it has its parameters, and without asking long.
    if (prepared.columnCount <= FEW_COLUMNS && hasTypes(prepared)) {
      schemaOf(uniqueNames(namesOf(prepared)), typesOfEach(prepared));
    }
    bindParameters(prepared, request.parameters);
    const result = await prepared.stream();
    if (output.kind === "file") return await writeArrow(result, output.path);
    if (output.spool === null) return await sendResult(result, output, send);
    await using spool = new ResultSpool(output.spool, send);
    return await sendResult(result, output, spool.send, () => spool.end());
  } finally {
    prepared.destroySync();
  }
}

/** Those that take far longer than what they save. */
async function leaveOutOptimizers(
  connection: DuckDBConnection,
  { tables }: RunRequest,
): Promise<void> {
  const left: string[] = [];
  // To fold a list of constants takes DuckDB a thousand times as long as to make it when it runs.
  if (tables.length === 0) left.push("expression_rewriter");
  // It grows with the square of the expressions, of which columns that are cast with a check have many.
  const columns = tables.reduce((sum, { staged }) => sum + (staged?.columns.length ?? 0), 0);
  if (columns > MOST_SHARED_COLUMNS) left.push("common_subexpressions");
  if (left.length > 0) await connection.run(`SET disabled_optimizers = '${left.join(",")}'`);
}

/** All rows, however many. @param path where nothing is */
async function writeArrow(result: DuckDBResult, path: string): Promise<Ran | null> {
  const most = Number.MAX_SAFE_INTEGER;
  const file = await open(path, "wx", 0o600);
  try {
    const output = { kind: "arrow", maxRows: most, maxBytes: most, warnings: [] } as const;
    return await sendResult(result, output, (piece) => file.writeFile(piece));
  } finally {
    await file.close();
  }
}

/** @param end of a spool: whether all is in its file */
async function sendResult(
  result: DuckDBResult,
  output: RowLimits & { readonly kind: "json" | "arrow"; readonly warnings: readonly string[] },
  send: SendData,
  end?: () => Promise<boolean>,
): Promise<Ran | null> {
  const names = uniqueNames(result.columnNames());
  const types = result.columnTypes();
  const columns = columnsOf(names, types);
  const rows =
    output.kind === "json"
      ? new JsonRows(names, types, output)
      : new ArrowRows(names, types, output);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const piece of rows.encode(chunk)) await send(piece);
    if (rows.truncated) break;
  }
  // A failure ends the chunks as the last row does. The binding hands on neither the exception nor
  // its text, but a result that failed has no valid type any more.
  if (!rows.truncated && result.returnType === ResultReturnType.INVALID) return null;
  for (const piece of rows.end()) await send(piece);
  return {
    kind: "ran",
    ...columns,
    rows: rows.rows,
    truncated: rows.truncated,
    isSpooled: (await end?.()) ?? false,
    repeated: [],
  };
}

/**
 * What a statement whose result broke off says of it. It runs once more into one number, which needs
 * every value of every row and keeps none, and which fails as a whole, with its reason.
 */
export async function reasonOfBreak(
  connection: DuckDBConnection,
  request: RunRequest,
  blanks: string,
): Promise<unknown> {
  const statement = await withoutEnd(connection, request.sql);
  const before = "SELECT bit_xor(hash(*COLUMNS(*))) FROM (";
  try {
    const prepared = await connection.prepare(around(blanks, before, statement, ")"));
    try {
      bindParameters(prepared, request.parameters);
      await prepared.run();
    } finally {
      prepared.destroySync();
    }
  } catch (error) {
    return error;
  }
  return new StatementError(
    "failed",
    "The statement failed after its first rows, but not when it was run again to find the cause: its results differ from run to run",
  );
}

const COPY_OPTIONS = {
  parquet: `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`,
  csv: "FORMAT csv, HEADER",
} as const;

async function copyRows(
  connection: DuckDBConnection,
  request: RunRequest,
  blanks: string,
  format: keyof typeof COPY_OPTIONS,
  file: string,
): Promise<Ran> {
  const described = await prepareTyped(connection, request.sql, request.parameters, blanks);
  let columns: ReturnType<typeof columnsOf>;
  let selected: string;
  let repeated: string[];
  try {
    const names = namesOf(described);
    const types = await typesOf(described, connection, request);
    const unique = uniqueNames(names);
    repeated = repeatedOf(names);
    columns = columnsOf(unique, types);
    const statement = await withoutEnd(connection, request.sql);
    selected = copySource(statement, blanks, names, unique, format === "parquet" ? types : null);
  } finally {
    described.destroySync();
  }
  const copy = await connection.prepare(
    `${selected} TO ${quoteText(file)} (${COPY_OPTIONS[format]})`,
  );
  try {
    bindParameters(copy, request.parameters);
    const result = await copy.run();
    return {
      kind: "ran",
      ...columns,
      rows: result.rowsChanged,
      truncated: false,
      isSpooled: false,
      repeated,
    };
  } finally {
    copy.destroySync();
  }
}

/** @param types where Parquet has to hold them */
function copySource(
  sql: string,
  blanks: string,
  names: readonly string[],
  unique: readonly string[],
  types: readonly DuckDBType[] | null,
): string {
  const isRenamed = names.some((name, index) => name !== unique[index]);
  const columns = unique.map((name, index) =>
    types === null ? null : parquetColumn(quoteName(name), types[index]!),
  );
  if (!isRenamed && columns.every((column) => column === null)) {
    return around(blanks, "COPY (", sql, ")");
  }
  const selected = columns.map((column, index) => column ?? quoteName(unique[index]!));
  // However many columns there are, little goes before the statement.
  const after = `) AS result(${unique.map(quoteName).join(", ")}) SELECT ${selected.join(", ")})`;
  return around(blanks, "COPY (FROM (", sql, after);
}

/** Parquet has no integers of 128 bits, for which DuckDB would write doubles; null = as it is. */
function parquetColumn(name: string, { typeId }: DuckDBType): string | null {
  const isHuge = typeId === DuckDBTypeId.HUGEINT || typeId === DuckDBTypeId.UHUGEINT;
  return isHuge ? `CAST(${name} AS DECIMAL(38, 0)) AS ${name}` : null;
}

/** Fewer blanks make up for what goes before the statement, so that places stay what they are. */
const around = (blanks: string, before: string, sql: string, after: string): string =>
  `${before}${blanks.slice(before.length)}${sql}\n${after}`;

/**
 * A SELECT whose columns have types: where a parameter's own type is not told by what stands around it,
 * as in `SELECT $1`, DuckDB knows none of them before it has the values.
 *
 * @throws StatementError where they cannot be told with the values either
 */
async function prepareTyped(
  connection: DuckDBConnection,
  sql: string,
  parameters: BoundParameters,
  blanks = "",
): Promise<DuckDBPreparedStatement> {
  const prepared = await prepareSelect(connection, blanks + sql);
  // Of more they are told with the values.
  if (prepared.columnCount > FEW_COLUMNS || hasTypes(prepared)) return prepared;
  prepared.destroySync();
  const told = await prepareSelect(connection, await withLiterals(connection, sql, parameters));
  if (hasTypes(told)) return told;
  told.destroySync();
  throw new StatementError(
    "invalid",
    "The types of the columns cannot be told from the parameters; write the type of one as CAST($1 AS …)",
  );
}

function hasTypes(prepared: DuckDBPreparedStatement): boolean {
  return Array.from({ length: prepared.columnCount }, (_, index) => index).every(
    (index) => prepared.columnTypeId(index) !== DuckDBTypeId.INVALID,
  );
}

/** Columns and their types of a SELECT, without running it. */
export async function describeSelect(
  connection: DuckDBConnection,
  sql: string,
  parameters: BoundParameters = {},
): Promise<Pick<Ran, "schema" | "repeated">> {
  const prepared = await prepareTyped(connection, sql, parameters);
  try {
    const names = namesOf(prepared);
    const types = await typesOf(prepared, connection, { sql, parameters });
    const schema = encodeSchemaMessage(schemaOf(uniqueNames(names), types));
    return { schema, repeated: repeatedOf(names) };
  } finally {
    prepared.destroySync();
  }
}

/** Of names, so that more of them are no names of anything. */
const MAX_TEXTS = 1_000_000;

/** @throws StatementError where there are more than anything has names */
export async function textsOf(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const texts: string[] = [];
  const result = await connection.run(sql);
  for await (const rows of result.yieldRowsJs()) {
    for (const [text] of rows) texts.push(String(text));
    if (texts.length > MAX_TEXTS) {
      throw new StatementError("resources", `A table's files have more than ${MAX_TEXTS} names`);
    }
  }
  return texts;
}

const namesOf = (prepared: DuckDBPreparedStatement): string[] =>
  Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnName(index));

/** Once for each column behind the first of its name. */
function repeatedOf(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

/** For each column that it is asked of, a prepared statement copies the types of all. */
const FEW_COLUMNS = 500;

const typesOfEach = (prepared: DuckDBPreparedStatement): DuckDBType[] =>
  Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnType(index));

/** @param given what was prepared */
async function typesOf(
  prepared: DuckDBPreparedStatement,
  connection: DuckDBConnection,
  given: { readonly sql: string; readonly parameters: BoundParameters },
): Promise<readonly DuckDBType[]> {
  if (prepared.columnCount <= FEW_COLUMNS) return typesOfEach(prepared);
  const statement = await withoutEnd(connection, given.sql);
  const without = await connection
    .prepare(`FROM (${statement}\n) LIMIT 0`)
    // Not every statement can stand within another.
    .catch(() => null);
  if (without === null) return typesOfEach(prepared);
  try {
    bindParameters(without, given.parameters);
    return (await without.run()).columnTypes();
  } finally {
    without.destroySync();
  }
}

/** @throws StatementError where a column nests too deeply */
function schemaOf(names: readonly string[], types: readonly DuckDBType[]): Schema {
  const fields = types.map((type, index) => fieldOfDuckdbType(names[index]!, type, true));
  const schema = new Schema(fields);
  checkTypeDepth(schema);
  return schema;
}

function columnsOf(
  names: readonly string[],
  types: readonly DuckDBType[],
): Pick<Ran, "columns" | "schema"> {
  const schema = schemaOf(names, types);
  return {
    columns: schema.fields.map((field) => ({ name: field.name, type: arrowTypeName(field.type) })),
    schema: encodeSchemaMessage(schema),
  };
}
