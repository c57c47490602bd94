/**
 * The engine of queries: DuckDB in processes of its own, each query in a session behind walls.
 *
 *   enter (a slot) ─► parse ─► resolve, describe ─► plan over stand-ins ─► stage ─► run ─► leave
 */

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { constants, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type PlannedQuery,
  type PlannedTable,
  planQuery,
  stageTables,
  tableWarnings,
} from "./prepared-query.ts";
import {
  type ArrowResult,
  type ExportedFile,
  type ExportFormat,
  type JsonResult,
  type QueryPlan,
  type QueryRequest,
  type ResultFile,
  type ResultLimits,
  type ScanReport,
  type SqlEngine,
  SqlError,
} from "./query.ts";
import { Admission } from "./session/admission.ts";
import { filterSql } from "./session/child/filter-sql.ts";
import { limitsOfMachine, type SessionLimits } from "./session/limits.ts";
import type { Ran, ResultOutput } from "./session/messages.ts";
import { ProcessPool } from "./session/process-pool.ts";
import { QuerySession, schemaOfColumns } from "./session/query-session.ts";
import { openSessionFolder } from "./session/session-folder.ts";

/** Bytes that an Arrow stream or an array of rows has over its rows. */
const FRAMING_BYTES = 64 << 20;
/** Of a result's file, read at a time. */
const READ_BYTES = 256 << 10;

/**
 * @param root a folder for the sessions of every process of this home
 * @param limits default: of this machine
 */
export async function openSqlEngine(
  root: string,
  limits: Partial<SessionLimits> = {},
): Promise<SqlEngine> {
  const folder = await openSessionFolder(root);
  return new DuckDBEngine(folder, { ...limitsOfMachine(), ...limits });
}

class DuckDBEngine implements SqlEngine {
  readonly #folder: string;
  readonly #limits: SessionLimits;
  readonly #admission: Admission;
  readonly #pool: ProcessPool;

  constructor(folder: string, limits: SessionLimits) {
    this.#folder = folder;
    this.#limits = limits;
    this.#admission = new Admission(limits);
    this.#pool = new ProcessPool(folder, limits);
    this.#pool.warm();
  }

  queryJson(request: QueryRequest, limits: ResultLimits): Promise<JsonResult> {
    return this.#within(request, async (session, signal) => {
      const result = await this.#collect(session, request, signal, "json", limits);
      const { pieces, file, ran, warnings } = result;
      const { columns, rows: rowCount, truncated } = ran;
      return { columns, rows: pieces, file, rowCount, truncated, warnings };
    });
  }

  queryArrow(request: QueryRequest, limits: ResultLimits): Promise<ArrowResult> {
    return this.#within(request, async (session, signal) => {
      const result = await this.#collect(session, request, signal, "arrow", limits);
      const { pieces, file, ran, warnings } = result;
      const bytes = Buffer.concat(pieces);
      return { bytes, file, rowCount: ran.rows, truncated: ran.truncated, warnings };
    });
  }

  explain(request: QueryRequest): Promise<QueryPlan> {
    return this.#within(request, async (session, signal) => {
      const { parameters, tables } = await planQuery(session, request, signal);
      const { text, schema, repeated } = await session.request({
        kind: "explain",
        sql: request.sql,
        parameters,
      });
      return { text, schema: schemaOfColumns(schema), repeated, scans: tables.map(reportOf) };
    });
  }

  exportParquet<Result>(
    request: QueryRequest,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result> {
    return this.exportFile(request, "parquet", use);
  }

  async exportFile<Result>(
    request: QueryRequest,
    format: ExportFormat,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result> {
    // Beside the sessions' folders, so that the session can end while the file is used.
    const path = join(this.#folder, `export-${randomUUID()}.${format}`);
    try {
      const { ran, warnings } = await this.#within(request, async (session, signal) => {
        const written = join(session.folder, `result.${format}`);
        const planned = await planQuery(session, request, signal);
        const output = { kind: "file", format, path: written } as const;
        const ran = await session.watchingFile(written, () =>
          this.#run(session, request, planned, signal, output),
        );
        await rename(written, path);
        return { ran, warnings: warningsOf(request, planned) };
      });
      const { rows, repeated } = ran;
      return await use({ path, rows, schema: schemaOfColumns(ran.schema), repeated, warnings });
    } finally {
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    this.#admission.close();
    await this.#pool.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #collect(
    session: QuerySession,
    request: QueryRequest,
    signal: AbortSignal,
    kind: "json" | "arrow",
    { maxRows, maxBytes, fileBeyondBytes }: ResultLimits,
  ): Promise<{
    readonly pieces: readonly Buffer[];
    readonly file: ResultFile | null;
    readonly ran: Ran;
    readonly warnings: readonly string[];
  }> {
    const pieces: Buffer[] = [];
    let length = 0;
    const planned = await planQuery(session, request, signal);
    const warnings = warningsOf(request, planned);
    const path = join(session.folder, `answer-${randomUUID()}`);
    const spool = fileBeyondBytes === undefined ? null : { path, beyondBytes: fileBeyondBytes };
    const ran = await this.#run(
      session,
      request,
      planned,
      signal,
      { kind, maxRows, maxBytes, warnings, spool },
      (piece) => {
        length += piece.length;
        // The process counts for itself; this holds where it does not.
        if (length > maxBytes + FRAMING_BYTES) throw new Error("a result beyond its limit");
        pieces.push(piece);
      },
    );
    const file =
      spool !== null && ran.isSpooled ? await openResult(path, maxBytes + FRAMING_BYTES) : null;
    return { pieces, file, ran, warnings };
  }

  async #run(
    session: QuerySession,
    request: QueryRequest,
    planned: PlannedQuery,
    signal: AbortSignal,
    output: ResultOutput,
    onData: ((piece: Buffer) => void) | null = null,
  ): Promise<Ran> {
    const tables = await stageTables(session, planned, this.#limits.stagedBytes, signal);
    return session.request(
      {
        kind: "run",
        sql: request.sql,
        parameters: planned.parameters,
        tables,
        otherNames: planned.otherNames,
        searchPath: planned.searchPath,
        asTables: planned.looksAtCatalog,
        output,
      },
      onData,
    );
  }

  /** Runs the work in a session of the request's organization, within its time. */
  async #within<Result>(
    request: QueryRequest,
    work: (session: QuerySession, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const inTime = new AbortController();
    const timer = setTimeout(() => inTime.abort(), request.timeoutMs);
    // Ends what is still being described or staged when one of the tables has failed.
    const failed = new AbortController();
    const signal = AbortSignal.any([request.signal, inTime.signal]);
    try {
      const leave = await this.#admission.enter(request.organizationId, signal);
      try {
        const process = await this.#pool.acquire(request.organizationId);
        const session = new QuerySession(process, this.#limits, signal);
        try {
          return await work(session, AbortSignal.any([signal, failed.signal]));
        } finally {
          failed.abort();
          session.end();
          this.#pool.release(process, request.organizationId, session.healthy);
        }
      } finally {
        leave();
      }
    } catch (error) {
      if (request.signal.aborted) {
        throw new SqlError("cancelled", "The query was cancelled", { cause: error });
      }
      if (inTime.signal.aborted) {
        throw new SqlError(
          "timeout",
          `The query did not end within ${request.timeoutMs / 1000} seconds`,
          { cause: error },
        );
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * What a process wrote, read without its name: it can be read to its end, and is gone then.
 *
 * @throws Error where the process did not keep to its limit, or put something else there
 */
async function openResult(path: string, mostBytes: number): Promise<ResultFile> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    await rm(path);
    const status = await file.stat();
    if (!status.isFile() || status.size > mostBytes) throw new Error("a result beyond its limit");
    const stream = file.createReadStream({ highWaterMark: READ_BYTES });
    return { bytes: status.size, stream };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const warningsOf = (request: QueryRequest, planned: PlannedQuery): string[] => [
  ...tableWarnings(planned),
  ...(request.tables.leftOut?.() ?? []),
  ...(request.tables.warnings?.() ?? []),
];

function reportOf({ table, description, need }: PlannedTable): ScanReport {
  const { catalog, schema, table: name } = table.name;
  return {
    table: `${catalog}.${schema}.${name}`,
    source: table.source.label,
    columns: need?.columns ?? [],
    filter: need === null || need.filter === null ? null : filterSql(need.filter),
    limit: need?.limit ?? null,
    partitions: { read: need?.partitions.length ?? 0, all: description.partitions.length },
  };
}
