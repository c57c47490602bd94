/**
 * What a statement needs of each table, by DuckDB's own optimizer over stand-ins: empty tables with
 * the columns of those that it names.
 *
 * The plan gives the statement's answer over every content of the tables. If it reads some columns of a
 * table only, or only rows that meet a condition, then it gives the same answer where the other columns
 * are NULL and the other rows are gone; and so does the statement.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { ScanFilter } from "../../../sources/scan-filter.ts";
import type { SchemaName } from "../../query.ts";
import type { ScanNeed } from "../../scan.ts";
import type { BoundParameters, SearchPath, TableShape } from "../messages.ts";
import { defineCatalogs, defineTables } from "./definitions.ts";
import { engineErrorOf, fromSerializedError, PlanError } from "./failure.ts";
import { isObject, objectDepth, objectOf, parseLossless } from "./lossless-json.ts";
import { bindParameters, withLiterals } from "./parameters.ts";
import { partitionCondition, partitionsThatMeet } from "./partitions.ts";
import { anyOf } from "./plan-filter.ts";
import { type PlanScan, scansOf } from "./plan-scans.ts";

/**
 * Left out of planning: what concludes from statistics of the stand-ins (they are empty, the tables are
 * not); what reads a table twice or in part for speed alone; and what changes no need but leaves plans
 * that DuckDB 1.5 cannot write down, having lost count of their columns. Where it has so without these
 * too, all columns are left in.
 */
const ALWAYS_DISABLED = [
  "statistics_propagation",
  "late_materialization",
  "sampling_pushdown",
  "join_order",
  "build_side_probe_side",
  "top_n_window_elimination",
];
const DISABLED = {
  "some columns": ALWAYS_DISABLED,
  "all columns": [...ALWAYS_DISABLED, "unused_columns"],
} as const;

/** Of a plan that is read. */
const MAX_PLAN_LEVELS = 500;

export interface PlanRequest {
  readonly sql: string;
  readonly parameters: BoundParameters;
  readonly tables: readonly TableShape[];
  readonly otherSchemas: readonly SchemaName[];
  readonly searchPath: SearchPath;
}

/** One need for each table, in their order; null where no row of it is read. */
export async function planNeeds(
  connection: DuckDBConnection,
  request: PlanRequest,
): Promise<(ScanNeed | null)[]> {
  const { tables } = request;
  await defineCatalogs(
    connection,
    [...tables.map((table) => table.name), ...request.otherSchemas],
    request.searchPath,
  );
  await defineTables(connection, tables);
  // Faults of the statement have their places in it as it was written, not as literals make it.
  if (Object.keys(request.parameters).length > 0) await checkBinding(connection, request.sql);
  const sql = await withLiterals(connection, request.sql, request.parameters);
  const scans = await optimizedScans(connection, sql).catch((error: unknown) => {
    if (!(error instanceof PlanError) || sql === request.sql) throw error;
    // Its place is in the text with literals, not in the statement.
    throw new PlanError({ ...error.error, offset: null });
  });
  if (scans === null) return tables.map(everythingOf);
  const needs: (ScanNeed | null)[] = [];
  for (const table of tables) {
    needs.push(
      await needOfTable(
        connection,
        table,
        scans.filter((scan) => isOf(table, scan)),
      ),
    );
  }
  return needs;
}

async function needOfTable(
  connection: DuckDBConnection,
  table: TableShape,
  scans: readonly PlanScan[],
): Promise<ScanNeed | null> {
  if (scans.length === 0) return null;
  const condition = table.partitionColumns === 0 ? null : partitionCondition(table, scans);
  const all = [...table.partitions.keys()];
  const partitions =
    condition === null ? all : await partitionsThatMeet(connection, table, condition);
  const need = needOf(
    scans,
    table.columns.map((column) => column.name),
    partitions ?? all,
  );
  // Of partitions that cannot be judged, some may have no row that meets the filter.
  return partitions === null ? { ...need, limit: null } : need;
}

function everythingOf(table: TableShape): ScanNeed {
  return {
    columns: table.columns.map((column) => column.name),
    filter: null,
    limit: null,
    partitions: [...table.partitions.keys()],
    distinct: false,
  };
}

/** DuckDB's names differ by more than case. */
function isOf({ name }: TableShape, scan: PlanScan): boolean {
  return (
    scan.table.toLowerCase() === name.table.toLowerCase() &&
    scan.schema.toLowerCase() === name.schema.toLowerCase() &&
    scan.catalog.toLowerCase() === name.catalog.toLowerCase()
  );
}

async function checkBinding(connection: DuckDBConnection, sql: string): Promise<void> {
  const prepared = await connection.prepare(sql);
  prepared.destroySync();
}

/** Null where the plan cannot be written or read: then everything is needed. */
async function optimizedScans(
  connection: DuckDBConnection,
  sql: string,
): Promise<PlanScan[] | null> {
  try {
    return (
      (await scansOfPlan(connection, sql, "some columns")) ??
      (await scansOfPlan(connection, sql, "all columns"))
    );
  } catch (error) {
    // A plan writes constants out, where a few characters may stand for a long text or list.
    if (engineErrorOf(error).type === "out of memory") return null;
    throw error;
  }
}

async function scansOfPlan(
  connection: DuckDBConnection,
  sql: string,
  columns: keyof typeof DISABLED,
): Promise<PlanScan[] | null> {
  await connection.run(`SET disabled_optimizers = '${DISABLED[columns].join(",")}'`);
  const prepared = await connection.prepare(
    "SELECT json_serialize_plan($1::VARCHAR, optimize := true, skip_null := true, skip_empty := false, skip_default := true)",
  );
  let text: string;
  try {
    prepared.bindVarchar(1, sql);
    const rows = await (await prepared.run()).getRowsJS();
    text = String(rows[0]?.[0]);
  } finally {
    prepared.destroySync();
  }
  // What many joins and unions make is deeper than their statement.
  if (objectDepth(text) > MAX_PLAN_LEVELS) return null;
  const parsed = parseLossless(text);
  if (!isObject(parsed)) return null;
  if (parsed["error"] === true) {
    const error = fromSerializedError({ ...objectOf(parsed) });
    // Plans that have no written form, or that DuckDB's writer of them cannot follow.
    if (["not implemented", "serialization", "internal"].includes(error.type)) return null;
    throw new PlanError(error);
  }
  return scansOf(parsed["plans"] ?? null);
}

/** The plan as DuckDB draws it, over the stand-ins of a statement that was planned before. */
export async function explainPlan(
  connection: DuckDBConnection,
  request: { readonly sql: string; readonly parameters: BoundParameters },
): Promise<string> {
  const sql = await withLiterals(connection, request.sql, request.parameters);
  const prepared = await connection.prepare(`EXPLAIN ${sql}`);
  try {
    if (sql === request.sql) bindParameters(prepared, request.parameters);
    const rows = await (await prepared.run()).getRowsJS();
    return rows.map((row) => String(row[1])).join("\n");
  } finally {
    prepared.destroySync();
  }
}

/** A larger filter costs a source more than it spares. */
const MAX_FILTER_NODES = 2000;
const MAX_FILTER_DEPTH = 16;

/**
 * What a query needs of a table, over all the scans of it in the plan.
 *
 * @param scans of one table, at least one
 */
function needOf(
  scans: readonly PlanScan[],
  columns: readonly string[],
  partitions: readonly number[],
): ScanNeed {
  const read = new Set(scans.flatMap((scan) => scan.columns));
  const { filter } = anyOf(scans.map((scan) => scan.filter));
  return {
    columns: columns.filter((name) => read.has(name)),
    filter: filter !== null && isSmall(filter) ? filter : null,
    limit: scans.length === 1 && (filter === null || isSmall(filter)) ? scans[0]!.limit : null,
    partitions,
    distinct: scans.every((scan) => scan.distinct),
  };
}

function isSmall(filter: ScanFilter): boolean {
  let nodes = 0;
  const walk = (node: ScanFilter, depth: number): boolean => {
    nodes += node.kind === "in" ? node.values.length : 1;
    if (nodes > MAX_FILTER_NODES || depth > MAX_FILTER_DEPTH) return false;
    return node.kind === "and" || node.kind === "or"
      ? node.filters.every((child) => walk(child, depth + 1))
      : true;
  };
  return walk(filter, 0);
}
