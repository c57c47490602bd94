/**
 * A server of Trino's client protocol for tests: statements are put on a queue, answered page by
 * page (some without columns or rows), can be asked for the same page again and can be cancelled.
 * What they mean is DuckDB's matter, to which the few words of Trino's that it lacks are translated.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

export interface TrinoServiceOptions {
  /** Rows of a page; 2 unless told. */
  readonly pageRows?: number;
  /** The `authorization` that it wants; any or none unless told. */
  readonly authorization?: string;
}

/** What happens to a request instead of its answer. */
export type Mishap =
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string | Buffer;
    }
  | { readonly breaks: true }
  /** The answer is announced whole, and its connection broken after so many bytes of it. */
  | { readonly cutAfter: number }
  | { readonly waitsMs: number };

interface Statement {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: Iterator<readonly unknown[]>;
  readonly error: Readonly<Record<string, unknown>> | null;
  token: number;
  answer: string;
}

export class TrinoService {
  /** Method and path of every request, in order. */
  readonly requests: { readonly line: string; readonly headers: IncomingMessage["headers"] }[] = [];
  /** Taken from the front, one a request. */
  readonly mishaps: (Mishap | null)[] = [];
  /** Set to answer every statement with this. */
  scripted: ((sql: string, page: number) => unknown) | null = null;
  cancelled = 0;
  /** What the answers say of where they are continued; its own address unless told. */
  publicOrigin: string | null = null;
  readonly #options: TrinoServiceOptions;
  readonly #server: Server;
  readonly #connection: DuckDBConnection;
  readonly #declared = new Map<string, string>();
  readonly #statements = new Map<string, Statement>();
  #count = 0;

  private constructor(options: TrinoServiceOptions, server: Server, connection: DuckDBConnection) {
    this.#options = options;
    this.#server = server;
    this.#connection = connection;
  }

  static async start(options: TrinoServiceOptions = {}): Promise<TrinoService> {
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run("CREATE MACRO is_nan(x) AS isnan(x)");
    const server = createServer();
    const service = new TrinoService(options, server, connection);
    server.on("request", (request, response) => {
      service.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return service;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it has no port");
    return address.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Runs a statement of DuckDB's. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** Columns of this name are of this type of Trino's, whatever DuckDB has for it. */
  declare(name: string, type: string): void {
    this.#declared.set(name, type);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
    this.#connection.closeSync();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    this.requests.push({ line, headers: request.headers });
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const mishap = this.mishaps.shift() ?? null;
    if (mishap !== null && "breaks" in mishap) return void response.destroy();
    if (mishap !== null && "status" in mishap) {
      response.writeHead(mishap.status, mishap.headers ?? {});
      return void response.end(mishap.body ?? "");
    }
    if (mishap !== null && "waitsMs" in mishap) {
      await new Promise((resolve) => setTimeout(resolve, mishap.waitsMs));
    }
    const cutAfter = mishap !== null && "cutAfter" in mishap ? mishap.cutAfter : null;
    const { authorization } = this.#options;
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401, { "www-authenticate": "Basic" });
      return void response.end("Invalid credentials");
    }
    if (request.method === "POST" && request.url === "/v1/statement") {
      if (!request.headers["x-trino-user"] && authorization === undefined) {
        response.writeHead(400);
        return void response.end("User must be set");
      }
      const id = `20240229_${this.#count++}`;
      if (this.scripted === null) this.#statements.set(id, await this.#plan(body));
      else this.#statements.set(id, this.#script(body, this.scripted));
      return this.#json(response, this.#queued(id), cutAfter);
    }
    const [, id = "", token = ""] =
      /^\/v1\/statement\/executing\/([^/]+)\/(\d+)$/.exec(request.url ?? "") ?? [];
    const statement = this.#statements.get(id);
    if (statement === undefined) return void response.writeHead(404).end();
    if (request.method === "DELETE") {
      this.cancelled++;
      this.#statements.delete(id);
      return void response.writeHead(204).end();
    }
    this.#json(response, this.#page(id, statement, Number(token)), cutAfter);
  }

  #json(response: ServerResponse, text: string, cutAfter: number | null): void {
    const length = Buffer.byteLength(text);
    response.writeHead(200, { "content-type": "application/json", "content-length": length });
    if (cutAfter === null) return void response.end(text);
    response.flushHeaders();
    response.write(text.slice(0, cutAfter), () => response.destroy());
  }

  /** Where a page of the latest statement is asked for. */
  page(token: number): string {
    return this.#next(`20240229_${this.#count - 1}`, token);
  }

  #next(id: string, token: number): string {
    const origin = this.publicOrigin ?? this.origin;
    return `${origin}/v1/statement/executing/${id}/${token}`;
  }

  #queued(id: string): string {
    const base = { id, infoUri: `${this.origin}/ui/${id}`, stats: { state: "QUEUED" } };
    return JSON.stringify({ ...base, nextUri: this.#next(id, 0) });
  }

  /** The last answer is given again to who asks for it again. */
  #page(id: string, statement: Statement, token: number): string {
    if (token === statement.token) return statement.answer;
    statement.token = token;
    const infoUri = `${this.origin}/ui/${id}`;
    const base = { id, infoUri, stats: { state: "RUNNING" } };
    // The first page has neither columns nor rows, and every third has no rows.
    if (token === 0) {
      statement.answer = JSON.stringify({ ...base, nextUri: this.#next(id, 1) });
      return statement.answer;
    }
    if (statement.error !== null) {
      statement.answer = JSON.stringify({
        ...base,
        stats: { state: "FAILED" },
        error: statement.error,
      });
      return statement.answer;
    }
    const columns = statement.columns.map(({ name, type }) => ({
      ...{ name, type },
      typeSignature: signatureOf(type),
    }));
    const data: unknown[] = [];
    let ended = false;
    while (token % 3 !== 0 && !ended && data.length < (this.#options.pageRows ?? 2)) {
      const row = statement.rows.next();
      if (row.done) ended = true;
      else data.push(row.value);
    }
    statement.answer = JSON.stringify({
      ...base,
      ...(columns.length > 0 && { columns }),
      ...(data.length > 0 && { data }),
      ...(ended ? { stats: { state: "FINISHED" } } : { nextUri: this.#next(id, token + 1) }),
    });
    return statement.answer;
  }

  #script(sql: string, script: (sql: string, page: number) => unknown): Statement {
    const statement = { columns: [], rows: [][Symbol.iterator](), error: null, token: -1 };
    return {
      ...statement,
      get answer() {
        return JSON.stringify(script(sql, this.token));
      },
      set answer(_) {},
    };
  }

  async #plan(sql: string): Promise<Statement> {
    const started = { token: -1, answer: "" };
    if (/"endless"/.test(sql)) {
      const columns = [{ name: "i", type: "integer" }];
      const rows = /LIMIT 0$/.test(sql) ? [][Symbol.iterator]() : endless();
      return { ...started, columns, rows, error: null };
    }
    try {
      const [columns, rows] = await this.#select(translated(sql));
      return { ...started, columns, rows: rows[Symbol.iterator](), error: null };
    } catch (error) {
      return { ...started, columns: [], rows: [][Symbol.iterator](), error: faultOf(error) };
    }
  }

  async #select(sql: string): Promise<[Statement["columns"], readonly unknown[][]]> {
    const described = await this.#connection.runAndReadAll(`DESCRIBE ${sql}`);
    const columns = described.getRows().map(([name, type]) => ({
      name: String(name),
      type: this.#declared.get(String(name)) ?? TYPES[String(type)] ?? String(type).toLowerCase(),
    }));
    const texts = columns.map(({ name, type }) => {
      const column = `"${name.replaceAll('"', '""')}"`;
      return type === "varbinary" ? `to_base64(${column})` : `${column}::VARCHAR`;
    });
    const result = await this.#connection.runAndReadAll(`SELECT ${texts.join(", ")} FROM (${sql})`);
    const rows = result
      .getRows()
      .map((row) =>
        row.map((value, index) =>
          value === null ? null : jsonOf(String(value), columns[index]!.type),
        ),
      );
    return [columns, rows];
  }
}

const TYPES: Readonly<Record<string, string>> = {
  BLOB: "varbinary",
  FLOAT: "real",
  TIMESTAMP: "timestamp(6)",
  TIME: "time(6)",
  "TIMESTAMP WITH TIME ZONE": "timestamp(6) with time zone",
};

function* endless(): Generator<readonly unknown[]> {
  for (let i = 0; ; i++) yield [i];
}

/** Literals, zones and SHOW as DuckDB has them. */
function translated(sql: string): string {
  const schemas = /^SHOW SCHEMAS FROM "(.*)"$/.exec(sql);
  const tables = /^SHOW TABLES FROM "(.*)"\."(.*)"$/.exec(sql);
  if (schemas !== null) {
    return `(SELECT schema_name FROM duckdb_schemas() WHERE database_name = '${schemas[1]}'
      UNION SELECT 'information_schema'
      UNION SELECT error('Catalog ${schemas[1]} does not exist') WHERE NOT EXISTS
        (FROM duckdb_databases() WHERE database_name = '${schemas[1]}'))`;
  }
  if (tables !== null) {
    const [, catalog, schema] = tables;
    return `(SELECT table_name FROM duckdb_tables()
        WHERE database_name = '${catalog}' AND schema_name = '${schema}'
      UNION SELECT error('Schema ${schema} does not exist') WHERE NOT EXISTS
        (FROM duckdb_schemas() WHERE database_name = '${catalog}' AND schema_name = '${schema}'))`;
  }
  return sql
    .replaceAll(" AT TIME ZONE 'UTC'", "")
    .replace(/DECIMAL '(-?[0-9.]+)'/g, "$1")
    .replace(/TIMESTAMP '([0-9-]+ [0-9:.]+) UTC'/g, "TIMESTAMPTZ '$1+00'");
}

function jsonOf(text: string, type: string): unknown {
  if (type === "boolean") return text === "true";
  if (/^(tinyint|smallint|integer|bigint|double|real)$/.test(type)) {
    const special = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" }[text];
    const raw: (text: string) => unknown = Reflect.get(JSON, "rawJSON");
    return special ?? raw(text);
  }
  const length = /^char\((\d+)\)$/.exec(type)?.[1];
  if (length !== undefined) return text.padEnd(Number(length));
  if (type.endsWith("with time zone")) return text.replace(/\+00$/, " UTC");
  return text;
}

/** The signature of a type without members. */
function signatureOf(type: string): unknown {
  const [, name, numbers = "", rest = ""] =
    /^([a-z ]+?)(?:\(([0-9, ]+)\))?( with.*)?$/.exec(type) ?? [];
  return {
    rawType: `${name}${rest}`,
    arguments: numbers
      .split(",")
      .filter((number) => number !== "")
      .map((value) => ({ kind: "LONG", value: Number(value) })),
  };
}

function faultOf(error: unknown): Readonly<Record<string, unknown>> {
  const message = error instanceof Error ? error.message : String(error);
  const errorName = /does not exist/.test(message) ? "TABLE_NOT_FOUND" : "GENERIC_INTERNAL_ERROR";
  return { message, errorName, errorCode: 1, errorType: "USER_ERROR" };
}
