import process from "node:process";
import { GuardedOutbound } from "../../../platform/net/guarded-outbound.ts";
import { TrinoService } from "../../../testing/trino-service.ts";
import { warehouseContract } from "../../../testing/warehouse-contract.ts";
import { CONTRACT_COLUMNS, CONTRACT_ROWS } from "../../../testing/warehouse-table.ts";
import { quoteText } from "../../sql-text.ts";
import type { WarehouseCredentials } from "../warehouse-settings.ts";
import { parseTrinoUrl } from "./address.ts";
import { TrinoClient } from "./protocol.ts";
import { openTrinoWarehouse } from "./warehouse.ts";

/**
 * A Trino of which `memory` and `tpch` are catalogs, and which takes every user, such as
 * http://127.0.0.1:8080: the contract runs over it too. It makes and drops a schema `contract`.
 */
const REAL = process.env["DISTILLERY_TEST_TRINO_URL"];

function opened(url: string, credentials: WarehouseCredentials | null, connectTimeoutMs?: number) {
  return openTrinoWarehouse(
    {
      ...{ url, credentials, cacheScope: "test" },
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    },
    outbound,
  );
}

const outbound = new GuardedOutbound({ allowPrivateNetwork: true });

warehouseContract("Trino's protocol", async () => {
  const service = await TrinoService.start({ pageRows: 5 });
  const columns = CONTRACT_COLUMNS.map(({ name, trino }) => `"${name}" ${inDuckDb(trino)}`);
  await service.run("CREATE SCHEMA contract");
  await service.run(`CREATE TABLE contract.contract_rows (${columns.join(", ")})`);
  await service.run(`CREATE TABLE contract.contract_empty (${columns.join(", ")})`);
  for (const row of CONTRACT_ROWS) {
    const values = row.map((value, index) => {
      if (value === null) return "NULL";
      const text = `'${value.replaceAll("'", "''")}'`;
      return CONTRACT_COLUMNS[index]!.trino === "varbinary" ? `unhex(${text})` : text;
    });
    await service.run(`INSERT INTO contract.contract_rows VALUES (${values.join(", ")})`);
  }
  for (const { name, trino } of CONTRACT_COLUMNS) service.declare(name, trino);
  const warehouse = opened(service.origin, null);
  return {
    warehouse,
    catalog: "memory",
    schema: "contract",
    version: /^Trino \S+$/,
    refused: opened(service.origin, { username: "reader", password: "a secret" }),
    secrets: ["a secret"],
    at: (port) => opened(`trino://127.0.0.1:${port}`, { username: "reader" }, 1_000),
    endless: { catalog: "memory", schema: "contract", table: "endless" },
    close: async () => {
      await warehouse.close();
      await service.close();
    },
  };
});

function inDuckDb(type: string): string {
  if (type === "varbinary") return "BLOB";
  return type.replace(/^timestamp\(6\)/, "timestamp").replace(/^time\(6\)/, "time");
}

if (REAL !== undefined) {
  warehouseContract("Trino", async () => {
    const address = parseTrinoUrl(REAL);
    const client = new TrinoClient(
      { address, credentials: null, connectTimeoutMs: 10_000 },
      outbound,
    );
    const run = async (sql: string): Promise<void> => {
      for await (const _ of client.run(sql, AbortSignal.timeout(60_000)));
    };
    const columns = CONTRACT_COLUMNS.map(({ name, trino }) => `"${name}" ${trino}`).join(", ");
    await run("CREATE SCHEMA memory.contract");
    await run(`CREATE TABLE memory.contract.contract_rows (${columns})`);
    await run(`CREATE TABLE memory.contract.contract_empty (${columns})`);
    const rows = CONTRACT_ROWS.map(
      (row) => `(${row.map((value, index) => typed(value, CONTRACT_COLUMNS[index]!.trino))})`,
    );
    await run(`INSERT INTO memory.contract.contract_rows VALUES ${rows.join(", ")}`);
    const warehouse = opened(REAL, null);
    return {
      warehouse,
      catalog: "memory",
      schema: "contract",
      version: /^Trino \S+$/,
      refused: opened(REAL, { username: "reader", password: "a secret" }),
      secrets: ["a secret"],
      at: (port) => opened(`trino://127.0.0.1:${port}`, { username: "reader" }, 1_000),
      endless: { catalog: "tpch", schema: "sf1000", table: "lineitem" },
      close: async () => {
        await warehouse.close();
        for (const table of ["contract_rows", "contract_empty"]) {
          await run(`DROP TABLE memory.contract.${table}`);
        }
        await run("DROP SCHEMA memory.contract");
      },
    };
  });
}

/** A value of the contract as a literal of Trino's. */
function typed(value: string | null, type: string): string {
  if (value === null) return `CAST(NULL AS ${type})`;
  if (type === "varbinary") return `from_hex('${value}')`;
  const text = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" }[value] ?? value;
  const zoned = type.endsWith("time zone") ? text.replace(/\+00$/, " UTC") : text;
  return `CAST(${quoteText(zoned)} AS ${type})`;
}
