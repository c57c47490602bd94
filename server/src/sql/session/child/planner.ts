/**
 * What a statement needs of each table, by DuckDB's own optimizer over stand-ins.
 *
 * A plan that reads only some columns, rows that meet some filter, or some partitions, gives the
 * statement's answer over every content of the tables; so the statement has that answer over the
 * content that is left, too. This is why needs of several plans may be combined.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { TableName } from "../../query.ts";
import type { ScanNeed } from "../../scan.ts";
import type { BoundParameters, SchemaName, SearchPath, TableShape } from "../messages.ts";
import { defineCatalogs, defineNames } from "./definitions.ts";
import { engineErrorOf, fromSerializedError, PlanError } from "./failure.ts";
import { filterOver, filterSql } from "./filter-sql.ts";
import { isObject, type Json, objectOf, parseLossless } from "./lossless-json.ts";
import { bindParameters, withLiterals } from "./parameters.ts";
import { type PlanScan, type PlanScans, scansOf } from "./plan-scans.ts";
import { needOf } from "./scan-need.ts";
import { StandIns, standInSchema } from "./stand-ins.ts";

/** Partitions that are told apart in one plan: a thousand cost some 70 ms. */
const PARTITIONS_IN_A_PLAN = 500;
/** Beyond these the filters on partition columns alone decide. */
const PARTITIONS_TOLD_APART = 5000;

export interface PlanRequest {
  readonly sql: string;
  readonly parameters: BoundParameters;
  readonly tables: readonly TableShape[];
  readonly otherNames: readonly TableName[];
  readonly otherSchemas: readonly SchemaName[];
  readonly searchPath: SearchPath;
}

/** One need for each table, in their order; null where no row of it is read. */
export async function planNeeds(
  connection: DuckDBConnection,
  request: PlanRequest,
): Promise<(ScanNeed | null)[]> {
  const { tables } = request;
  const names = [
    ...tables.map((table) => table.name),
    ...request.otherNames,
    ...request.otherSchemas,
  ];
  await defineCatalogs(connection, names, request.searchPath);
  const standIns = new StandIns(connection, tables, [
    ...names.map((name) => name.catalog),
    ...(request.searchPath.catalog === null ? [] : [request.searchPath.catalog]),
  ]);
  await standIns.define();
  await defineNames(connection, request.otherNames);
  // Faults of the statement have their places in it as it was written, not as literals make it.
  if (Object.keys(request.parameters).length > 0) await checkBinding(connection, request.sql);
  const sql = await withLiterals(connection, request.sql, request.parameters);
  const plan = await optimizedPlan(connection, sql).catch((error: unknown) => {
    if (!(error instanceof PlanError) || sql === request.sql) throw error;
    // Its place is in the text with literals, not in the statement.
    throw new PlanError({ ...error.error, offset: null });
  });
  if (plan === null) return tables.map(everythingOf);
  const needs = tables.map((table, index) => firstNeed(table, scansIn(plan, standIns, index)));
  for (const [index, need] of needs.entries()) {
    if (need === null || tables[index]!.partitionColumns === 0) continue;
    needs[index] = await prune(need, index);
  }
  return needs;

  async function prune(need: ScanNeed, index: number): Promise<ScanNeed> {
    const table = tables[index]!;
    const values = new Set(
      table.columns.slice(-table.partitionColumns).map((column) => column.name),
    );
    if (!need.columns.some((column) => values.has(column))) return need;
    let partitions: readonly number[] = need.partitions;
    const condition = need.filter === null ? null : filterOver(values, need.filter);
    if (condition !== null) {
      partitions = await standIns
        .partitionsThatMeet(index, partitions, filterSql(condition))
        // A value that is not of its column's type: the source that reads it says so.
        .catch((error: unknown) => {
          if (engineErrorOf(error).type === "conversion") return partitions;
          throw error;
        });
    }
    if (plan!.hasOtherConditions && partitions.length <= PARTITIONS_TOLD_APART) {
      partitions = await surviving(index, partitions);
    }
    return { ...need, partitions };
  }

  /** Partitions whose branch the optimizer keeps, in plans where their values are constants. */
  async function surviving(index: number, partitions: readonly number[]): Promise<number[]> {
    const kept: number[] = [];
    const several = partitions.length > PARTITIONS_IN_A_PLAN;
    for (let from = 0; from < partitions.length; from += PARTITIONS_IN_A_PLAN) {
      const part = partitions.slice(from, from + PARTITIONS_IN_A_PLAN);
      await standIns.tellApart(index, part, several);
      const told = await optimizedPlan(connection, sql);
      if (told === null) kept.push(...part);
      else kept.push(...markedIn(told, standIns, index, part, several));
    }
    await standIns.tellNoneApart(index);
    return kept;
  }
}

function firstNeed(table: TableShape, scans: readonly PlanScan[]): ScanNeed | null {
  if (scans.length === 0) return null;
  return needOf(
    scans,
    table.columns.map((column) => column.name),
    [...table.partitions.keys()],
  );
}

function everythingOf(table: TableShape): ScanNeed {
  return {
    columns: table.columns.map((column) => column.name),
    filter: null,
    limit: null,
    partitions: [...table.partitions.keys()],
  };
}

const scansIn = (plan: PlanScans, standIns: StandIns, index: number): PlanScan[] =>
  plan.scans.filter(
    (scan) => scan.catalog === standIns.catalog && scan.schema === standInSchema(index),
  );

/** Partitions whose mark is in the plan; all, where a scan's mark cannot be read. */
function markedIn(
  plan: PlanScans,
  standIns: StandIns,
  index: number,
  partitions: readonly number[],
  others: boolean,
): readonly number[] {
  const marked = new Set<number>();
  for (const scan of scansIn(plan, standIns, index)) {
    const mark = markOf(scan, standIns.marker);
    if (mark !== null) marked.add(mark);
    else if (!others || scan.columns.includes(standIns.marker)) return partitions;
  }
  return partitions.filter((partition) => marked.has(partition));
}

function markOf(scan: PlanScan, marker: string): number | null {
  const { filter } = scan.filter;
  const parts = filter === null ? [] : filter.kind === "and" ? filter.filters : [filter];
  for (const part of parts) {
    if (part.kind === "comparison" && part.column === marker && part.op === "eq") {
      return part.value.type === "number" ? Number(part.value.value) : null;
    }
  }
  return null;
}

async function checkBinding(connection: DuckDBConnection, sql: string): Promise<void> {
  const prepared = await connection.prepare(sql);
  prepared.destroySync();
}

/** Null where the plan cannot be written or read: then everything is needed. */
async function optimizedPlan(connection: DuckDBConnection, sql: string): Promise<PlanScans | null> {
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
  const parsed = readJson(text);
  if (!isObject(parsed)) return null;
  if (parsed["error"] === true) {
    const error = fromSerializedError({ ...objectOf(parsed) });
    // Plans that have no written form, or that DuckDB's writer of them cannot follow.
    if (["not implemented", "serialization", "internal"].includes(error.type)) return null;
    throw new PlanError(error);
  }
  return scansOf(parsed["plans"] ?? null);
}

function readJson(text: string): Json {
  try {
    return parseLossless(text);
  } catch {
    // DuckDB writes NaN and infinities bare, which JSON does not have.
    return null;
  }
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
