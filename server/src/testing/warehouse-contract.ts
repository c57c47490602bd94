/**
 * What every warehouse must do, whatever it is: a suite of tests that is run over each of them. The
 * tables are made by who runs it, from the columns and rows of `warehouse-table.ts`.
 */

import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScanFilter } from "../query/sources/scan-filter.ts";
import { SourceError } from "../query/sources/source-error.ts";
import type { SourceTableName, Warehouse, WarehouseRead } from "../query/sources/warehouse.ts";
import { compared, FILTERS, PUSHED } from "./warehouse-filters.ts";
import { RowReader } from "./warehouse-rows.ts";
import { CONTRACT_COLUMNS, CONTRACT_ROWS } from "./warehouse-table.ts";

export interface WarehouseSubject {
  readonly warehouse: Warehouse;
  readonly catalog: string;
  readonly schema: string;
  /** `contract_rows` and `contract_empty` lie there. */
  readonly version: RegExp;
  /** A warehouse whose credentials the server refuses; null where it takes all. */
  readonly refused: Warehouse | null;
  /** Secrets that no message may show. */
  readonly secrets: readonly string[];
  /** A warehouse at an address of this machine, with a second to connect. */
  at(port: number): Warehouse;
  /** A statement of this table takes longer than a test waits, or gives more than it reads. */
  readonly endless: SourceTableName;
  close(): Promise<void>;
}

export function warehouseContract(name: string, open: () => Promise<WarehouseSubject>): void {
  describe(`${name} as a warehouse`, () => {
    let subject: WarehouseSubject;
    let reader: RowReader;
    const signal = AbortSignal.timeout(300_000);
    const all = CONTRACT_COLUMNS.map((column) => column.name);
    const byId = [...CONTRACT_ROWS].sort((a, b) => (BigInt(a[0]!) < BigInt(b[0]!) ? -1 : 1));

    beforeAll(async () => {
      subject = await open();
      reader = await RowReader.open();
    }, 120_000);
    afterAll(async () => {
      await reader?.close();
      await subject?.close();
    });

    const tableOf = (table: string): SourceTableName => ({
      catalog: subject.catalog,
      schema: subject.schema,
      table,
    });

    async function readOf(rest: Partial<WarehouseRead> = {}): Promise<WarehouseRead> {
      const table = rest.table ?? tableOf("contract_rows");
      const schema = await subject.warehouse.describe(table, signal);
      return { table, schema, columns: all, filter: null, limit: null, ...rest };
    }

    async function failure(work: Promise<unknown>): Promise<SourceError> {
      const error = await work.then(
        () => new Error("it did not fail"),
        (reason: unknown) => reason,
      );
      if (!(error instanceof SourceError)) throw error;
      for (const secret of subject.secrets) {
        expect(`${error.message} ${error.stack}`).not.toContain(secret);
      }
      expect(error.message).toMatch(/\.$/);
      return error;
    }

    async function drain(warehouse: Warehouse, read: WarehouseRead): Promise<number> {
      let bytes = 0;
      for await (const chunk of warehouse.read(read, signal)) bytes += chunk.length;
      return bytes;
    }

    test("says its version", async () => {
      expect((await subject.warehouse.check(signal)).version).toMatch(subject.version);
    });

    test("lists schemas and tables", async () => {
      const { warehouse, catalog, schema } = subject;
      const schemas = await warehouse.listSchemas(catalog, signal);
      expect(schemas).toContain(schema);
      expect(schemas).not.toContain("information_schema");
      expect(schemas).toEqual([...schemas].sort());
      const tables = await warehouse.listTables(catalog, schema, signal);
      expect(tables).toEqual(expect.arrayContaining(["contract_empty", "contract_rows"]));
      expect(tables).toEqual([...tables].sort());
    });

    test("describes a table's columns in their order", async () => {
      const schema = await subject.warehouse.describe(tableOf("contract_rows"), signal);
      expect(schema.fields.map((field) => [field.name, String(field.type)])).toEqual(
        CONTRACT_COLUMNS.map((column) => [column.name, column.arrow]),
      );
    });

    test("says what it does not have", async () => {
      const { warehouse, catalog, schema } = subject;
      const read = await readOf();
      const missing: readonly (() => Promise<unknown>)[] = [
        () => warehouse.describe(tableOf("no_such_table"), signal),
        () => warehouse.describe({ ...read.table, schema: "no_such_schema" }, signal),
        () => warehouse.describe({ ...read.table, catalog: "no_such_catalog" }, signal),
        () => warehouse.describe(tableOf('contract_rows" --'), signal),
        () => warehouse.listTables(catalog, "no_such_schema", signal),
        () => warehouse.listTables("no_such_catalog", schema, signal),
        () => warehouse.listSchemas("no_such_catalog", signal),
        () => drain(warehouse, { ...read, columns: ["no_such_column"] }),
        () => drain(warehouse, { ...read, table: tableOf("no_such_table") }),
      ];
      for (const work of missing) expect((await failure(work())).failure).toBe("not-found");
    });

    test("gives all rows, every value as it is", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf(), { orderBy: "id" });
      expect(rows).toEqual(byId);
    });

    test("gives the columns asked for in the order asked for", async () => {
      const columns = ["name", "id", "born"];
      const rows = await reader.rows(subject.warehouse, await readOf({ columns }), {
        orderBy: "id",
      });
      expect(rows).toEqual(byId.map((one) => columns.map((name) => one[all.indexOf(name)])));
    });

    test("keeps NULL and the empty text apart in a column by itself", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf({ columns: ["name"] }));
      const names = rows.map(([value]) => value ?? "NULL itself");
      expect(names.sort()).toEqual(byId.map((one) => one[8] ?? "NULL itself").sort());
    });

    test("gives no rows of an empty table", async () => {
      const table = tableOf("contract_empty");
      expect(await reader.rows(subject.warehouse, await readOf({ table }))).toEqual([]);
      expect(await drain(subject.warehouse, await readOf({ table, columns: [] }))).toBe(0);
    });

    test("gives rows without columns as line feeds", async () => {
      const filter = compared("medium", "eq", { type: "number", value: "3" });
      const count = (rest: Partial<WarehouseRead>) =>
        readOf({ columns: [], ...rest }).then((read) => drain(subject.warehouse, read));
      expect(await count({})).toBe(CONTRACT_ROWS.length);
      expect(await count({ limit: 5 })).toBe(5);
      expect(await count({ filter })).toBe(2);
      expect(await count({ filter, limit: 1 })).toBe(1);
    });

    test("stops at a limit", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf({ limit: 3 }));
      expect(rows).toHaveLength(3);
      expect(await reader.rows(subject.warehouse, await readOf({ limit: 0 }))).toEqual([]);
    });

    test("leaves out no row that meets a filter, and honours limits within it", async () => {
      const whole = await readOf();
      const table = await reader.load(subject.warehouse, whole);
      for (const [index, filter] of FILTERS.entries()) {
        const read = { ...whole, columns: [...new Set(["id", ...columnsOf(filter)])] };
        const then = { schema: read.schema, filter, orderBy: "id" };
        const wanted = await reader.select(table, read.columns, then);
        const label = JSON.stringify(filter);
        const got = await reader.rows(subject.warehouse, { ...read, filter }, then);
        expect(got, label).toEqual(wanted);
        if (index % 5 !== 0) continue;
        const limited = { ...read, filter, limit: 2 };
        const some = await reader.rows(subject.warehouse, limited, { filter });
        expect(some.length, label).toBeGreaterThanOrEqual(Math.min(2, wanted.length));
      }
    }, 300_000);

    test("applies the filters that mean the same at the source there", async () => {
      const read = await readOf({ columns: ["id"] });
      for (const [filter, ids] of PUSHED) {
        const rows = await reader.rows(
          subject.warehouse,
          { ...read, filter },
          {
            orderBy: "id",
          },
        );
        expect(
          rows.map(([id]) => id),
          JSON.stringify(filter),
        ).toEqual(ids);
      }
    });

    test("ends when its signal is aborted, before and during", async () => {
      const { warehouse, endless } = subject;
      const reason = new Error("the caller went away");
      const gone = AbortSignal.abort(reason);
      await expect(warehouse.check(gone)).rejects.toBe(reason);
      await expect(warehouse.describe(tableOf("contract_rows"), gone)).rejects.toBe(reason);
      const schema = await warehouse.describe(endless, signal);
      const controller = new AbortController();
      const [column] = schema.fields;
      const read = { table: endless, schema, columns: [column!.name], filter: null, limit: null };
      const reading = (async () => {
        for await (const _ of warehouse.read(read, controller.signal));
      })();
      setTimeout(() => controller.abort(reason), 200);
      await expect(reading).rejects.toBe(reason);
      expect((await warehouse.check(signal)).version).toMatch(subject.version);
    });

    test("says that a signal's time ran out", async () => {
      const { warehouse, endless } = subject;
      const schema = await warehouse.describe(endless, signal);
      const columns = [schema.fields[0]!.name];
      const read = { table: endless, schema, columns, filter: null, limit: null };
      const error = await failure(
        (async () => {
          for await (const _ of warehouse.read(read, AbortSignal.timeout(200)));
        })(),
      );
      expect(error.failure).toBe("timeout");
    });

    test("says that credentials are refused", async ({ skip }) => {
      if (subject.refused === null) return skip();
      const error = await failure(subject.refused.check(signal));
      expect(error.failure).toBe("refused");
      await subject.refused.close();
    });

    test("says that nobody listens", async () => {
      const server = await listening(() => undefined);
      const port = portOf(server);
      await new Promise((resolve) => server.close(resolve));
      const warehouse = subject.at(port);
      expect((await failure(warehouse.check(signal))).failure).toBe("unreachable");
      await warehouse.close();
    });

    test("says that a server is silent, hangs up or talks nonsense", async () => {
      const cases: readonly [(server: Server) => void, RegExp][] = [
        [(server) => server.on("connection", () => undefined), /^timeout$/],
        [(server) => server.on("connection", (socket) => socket.end()), /^unreachable$/],
        [(server) => server.on("connection", (socket) => socket.destroy()), /^unreachable$/],
        [
          (server) => server.on("connection", (socket) => socket.end("N220 mail ready\r\n\r\n")),
          /^(broken|unreachable)$/,
        ],
      ];
      for (const [behave, expected] of cases) {
        const server = await listening(behave);
        const warehouse = subject.at(portOf(server));
        expect((await failure(warehouse.check(signal))).failure).toMatch(expected);
        await warehouse.close();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });
}

async function listening(behave: (server: Server) => void): Promise<Server> {
  const server = createServer();
  server.on("connection", (socket) => socket.on("error", () => undefined).resume());
  behave(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

function columnsOf(filter: ScanFilter): readonly string[] {
  return "filters" in filter ? filter.filters.flatMap(columnsOf) : [filter.column];
}
