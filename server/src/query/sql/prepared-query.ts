/**
 * A query up to the moment before it runs: its names become tables, its plan says what is needed of
 * each, and that is staged as files in its session.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ArrowTypeError, duckdbTypeOf } from "../arrow/duckdb-type.ts";
import { checkParameters } from "./parameters.ts";
import {
  type QueryRequest,
  type SchemaName,
  SqlError,
  type SqlTable,
  type TableName,
  type TableReference,
} from "./query.ts";
import {
  COLUMN_WARNING,
  type DateOrders,
  type ScanDescription,
  ScanError,
  type ScanNeed,
  type SchemaReader,
  type StageBudget,
} from "./scan.ts";
import type {
  BoundParameters,
  Parsed,
  RunTable,
  SearchPath,
  TableShape,
} from "./session/messages.ts";
import { StatementFailure } from "./session/query-process.ts";
import type { QuerySession } from "./session/query-session.ts";
import { nearestName } from "./suggestion.ts";

/** For the columns of a table that the statement does not name. */
const DESCRIBE_MS = 2_000;
/** Tables whose columns are found out for a statement that looks at all columns there are. */
const DESCRIBED_TABLES = 100;
const DESCRIBED_AT_ONCE = 8;
const MAX_SCHEMAS = 500;

export interface PlannedTable {
  readonly table: SqlTable;
  readonly description: ScanDescription;
  readonly shape: TableShape;
  /** Null where no row is needed. */
  readonly need: ScanNeed | null;
}

export interface PlannedQuery {
  readonly parameters: BoundParameters;
  readonly tables: readonly PlannedTable[];
  /** Tables that can be seen but whose columns nobody asked for. */
  readonly otherNames: readonly TableName[];
  readonly searchPath: SearchPath;
  readonly looksAtCatalog: boolean;
}

export async function planQuery(
  session: QuerySession,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<PlannedQuery> {
  const parsed = await session.request({ kind: "parse", sql: request.sql });
  const parameters = checkParameters(parsed.parameters, request.parameters);
  const resolved =
    parsed.references.length === 0 ? [] : await request.tables.resolve(parsed.references, signal);
  const named = await describeAll(distinct(resolved), request, session, signal);
  const seen = await seenBesides(parsed, named, session, request, signal);
  const described = [...named, ...seen.described];
  const planned = {
    parameters,
    otherNames: seen.names,
    searchPath: request.defaults,
    looksAtCatalog: parsed.looksAt !== "tables",
  };
  // Without tables there is nothing to plan: DuckDB says all that is to be said when it runs.
  if (described.length === 0 && seen.names.length === 0 && parsed.references.length === 0) {
    return { ...planned, tables: [] };
  }
  const { needs } = await session
    .request({
      kind: "plan",
      sql: request.sql,
      parameters,
      tables: described.map(({ shape }) => shape),
      otherSchemas: [
        ...schemasOf(seen.names),
        ...(await schemasOfMissing(parsed, described, request, signal)),
      ],
      searchPath: request.defaults,
    })
    .catch(async (error: unknown) => {
      throw await withSuggestion(error, parsed, request, signal);
    });
  if (needs.length !== described.length)
    throw new SqlError("crashed", "The query cannot be planned");
  const tables = described.map((one, index) => {
    const need = needs[index]!;
    checkNeed(need, one.shape);
    return { ...one, need };
  });
  return { ...planned, tables };
}

type Described = Omit<PlannedTable, "need">;

async function describeAll(
  tables: readonly SqlTable[],
  { dateOrders }: QueryRequest,
  reader: SchemaReader,
  signal: AbortSignal,
): Promise<Described[]> {
  return Promise.all(
    tables.map((table) =>
      describe(table, reader, signal, dateOrders).catch((error: unknown) => {
        if (!(error instanceof ArrowTypeError)) throw error;
        const { message } = error;
        throw new ScanError(`Table "${table.name.table}": ${message}`, { cause: error });
      }),
    ),
  );
}

async function describe(
  table: SqlTable,
  reader: SchemaReader,
  signal: AbortSignal,
  dateOrders?: DateOrders,
): Promise<Described> {
  const description = await table.source.describe(reader, signal, dateOrders);
  const columns = description.schema.fields.map((field) => ({
    name: field.name,
    type: duckdbTypeOf(field),
  }));
  if (columns.length === 0) {
    throw new ScanError(`Table "${table.name.table}" has no columns`);
  }
  checkToldApart(table.name.table, columns);
  const shape = {
    name: table.name,
    columns,
    partitionColumns: description.partitionColumns,
    partitions: description.partitions.map((partition) => partition.values),
  };
  return { table, description, shape };
}

/** @throws ScanError where two columns are one to DuckDB, which ignores the case of A to Z alone */
function checkToldApart(table: string, columns: readonly { readonly name: string }[]): void {
  const met = new Map<string, string>();
  for (const { name } of columns) {
    const folded = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const other = met.get(folded);
    if (other !== undefined) {
      throw new ScanError(
        `Table "${table}": the columns ${other} and ${name} have the same name, since SQL ignores case; query a view of the source that names them apart`,
      );
    }
    met.set(folded, name);
  }
}

/** What a statement over the system's catalog sees besides the tables that it names. */
async function seenBesides(
  parsed: Parsed,
  named: readonly Described[],
  session: QuerySession,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<{ readonly names: readonly TableName[]; readonly described: readonly Described[] }> {
  if (parsed.looksAt === "tables") return { names: [], described: [] };
  const known = new Set(named.map(({ table }) => keyOf(table.name)));
  const names = (await request.tables.names(signal)).filter((name) => !known.has(keyOf(name)));
  if (parsed.looksAt === "names") return { names, described: [] };
  const first = names.slice(0, DESCRIBED_TABLES);
  const tables = await request.tables.resolve(first, signal);
  const described: Described[] = [];
  const open = [...distinct(tables)];
  const describeNext = async (): Promise<void> => {
    for (let table = open.shift(); table !== undefined; table = open.shift()) {
      signal.throwIfAborted();
      // A table whose source cannot say now what columns it has is seen without them.
      const soon = AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_MS)]);
      const one = await describe(table, session, soon).catch(() => null);
      if (one !== null) described.push(one);
    }
  };
  await Promise.all(Array.from({ length: DESCRIBED_AT_ONCE }, describeNext));
  const shown = new Set(described.map(({ table }) => keyOf(table.name)));
  return { described, names: names.filter((name) => !shown.has(keyOf(name))) };
}

/** All schemas where a reference found no table: DuckDB then says what exactly does not exist. */
async function schemasOfMissing(
  parsed: Parsed,
  described: readonly Described[],
  request: QueryRequest,
  signal: AbortSignal,
): Promise<readonly SchemaName[]> {
  const found = new Set(described.map(({ table }) => table.name.table.toLowerCase()));
  if (parsed.references.every(({ table }) => found.has(table.toLowerCase()))) return [];
  const { tables } = request;
  const all = [...(tables.schemas ?? []), ...(await tables.names(signal))];
  return schemasOf(all).slice(0, MAX_SCHEMAS);
}

/** Each once. */
function schemasOf(names: readonly SchemaName[]): SchemaName[] {
  const schemas = names.map(
    ({ catalog, schema }) => [`${catalog}.${schema}`.toLowerCase(), { catalog, schema }] as const,
  );
  return [...new Map(schemas).values()];
}

/** What the planner says goes to sources: it must speak of the table's own columns and partitions. */
function checkNeed(need: ScanNeed | null, shape: TableShape): void {
  if (need === null) return;
  const names = new Set(shape.columns.map((column) => column.name));
  const isWithin =
    need.columns.every((name) => names.has(name)) &&
    need.partitions.every((partition) => partition < shape.partitions.length);
  if (!isWithin) throw new SqlError("crashed", "The query cannot be planned");
}

async function withSuggestion(
  error: unknown,
  parsed: Parsed,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof StatementFailure)) return error;
  // In quotes after a catalog, the name of a file is not one that DuckDB looks for among tables.
  const asFile = error.failure === "not-allowed" ? parsed.references.find(isFileName) : undefined;
  const name = asFile?.table ?? error.missing?.split(".").at(-1);
  if (name === undefined) return error;
  const near = nearestName(name, await request.tables.names(signal), request.defaults);
  const [said] = error.message.split("\n");
  const first = asFile === undefined ? said : `Table with name ${name} does not exist!`;
  const help = near === null ? await hintOf(name, parsed, request) : `Did you mean "${near}"?`;
  const lines = [first!, ...(help === null ? [] : [help]), ...(request.tables.leftOut?.() ?? [])];
  return new SqlError(error.failure, lines.join("\n"), { position: error.position });
}

const isFileName = ({ schema, table }: TableReference): boolean =>
  schema !== null && /\.[a-z]+$/i.test(table);

async function hintOf(
  name: string,
  { references }: Parsed,
  { tables }: QueryRequest,
): Promise<string | null> {
  const missing = references.find(({ table }) => table.toLowerCase() === name.toLowerCase());
  return missing === undefined ? null : ((await tables.hint?.(missing)) ?? null);
}

/** What is to be known of the tables and columns that the query needs, a sentence each. */
export function tableWarnings({ tables }: PlannedQuery): string[] {
  return tables.flatMap(({ table: { name }, description, need }) => {
    if (need === null) return [];
    const needed = new Set(need.columns);
    const ofColumns = description.schema.fields.flatMap((field) =>
      needed.has(field.name) ? (field.metadata.get(COLUMN_WARNING) ?? []) : [],
    );
    return [...(description.warnings ?? []), ...ofColumns].map(
      (warning) => `${name.catalog}.${name.schema}.${name.table}: ${warning}.`,
    );
  });
}

/** Fetches what is needed. */
export async function stageTables(
  session: QuerySession,
  planned: PlannedQuery,
  stagedBytes: number,
  signal: AbortSignal,
): Promise<RunTable[]> {
  const budget = budgetOf(stagedBytes);
  return Promise.all(
    planned.tables.map(async ({ table, shape, need }, index): Promise<RunTable> => {
      const { name, columns } = shape;
      if (need === null || need.partitions.length === 0) return { name, columns, staged: null };
      const folder = join(session.folder, `table-${index}`);
      await mkdir(folder, { mode: 0o700 });
      const { sql } = await table.source.stage(need, folder, budget, signal);
      return { name, columns, staged: { sql, columns: need.columns } };
    }),
  );
}

function budgetOf(bytes: number): StageBudget {
  let left = bytes;
  return {
    take: (taken) => {
      left -= taken;
      if (left < 0) {
        throw new ScanError(
          `The query reads files of more than ${Math.floor(bytes / 2 ** 20)} MiB, which is more than one query may: select fewer partitions`,
        );
      }
    },
  };
}

const keyOf = ({ catalog, schema, table }: TableName): string =>
  JSON.stringify([catalog.toLowerCase(), schema.toLowerCase(), table.toLowerCase()]);

function distinct(tables: readonly SqlTable[]): SqlTable[] {
  return [...new Map(tables.map((table) => [keyOf(table.name), table])).values()];
}
