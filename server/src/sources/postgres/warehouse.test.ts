import { PostgresServer } from "../../../../test/support/postgres.ts";
import { GuardedOutbound } from "../../net/guarded-outbound.ts";
import {
  CONTRACT_COLUMNS,
  CONTRACT_ROWS,
  warehouseContract,
} from "../../testing/warehouse-contract.ts";
import type { Warehouse } from "../warehouse.ts";
import { quoteText } from "./literal.ts";
import { openPostgresWarehouse } from "./warehouse.ts";

const PASSWORD = "p@ss/w'ord of the reader";

warehouseContract("PostgreSQL", async () => {
  const server = await PostgresServer.create();
  const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
  const columns = CONTRACT_COLUMNS.map(({ name, postgres }) => `${name} ${postgres}`);
  await server.administer([
    `CREATE ROLE reader LOGIN PASSWORD ${quoteText(PASSWORD)}`,
    "CREATE DATABASE shop ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0",
  ]);
  await server.administer(
    [
      "CREATE SCHEMA sales",
      "GRANT USAGE ON SCHEMA sales TO reader",
      `CREATE TABLE sales.contract_rows (${columns.join(", ")})`,
      "CREATE TABLE sales.contract_empty (LIKE sales.contract_rows)",
      `INSERT INTO sales.contract_rows VALUES ${CONTRACT_ROWS.map(
        (row) => `(${row.map((value, index) => literal(value, CONTRACT_COLUMNS[index]!.name))})`,
      ).join(", ")}`,
      "CREATE VIEW sales.endless AS SELECT i FROM generate_series(1, 1000000000000) AS s (i)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader",
    ],
    "shop",
  );
  const at = (port: number, password: string, connectTimeoutMs?: number): Warehouse =>
    openPostgresWarehouse(
      {
        url: `postgres://127.0.0.1:${port}/shop`,
        credentials: { username: "reader", password },
        cacheScope: "test",
        ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
      },
      outbound,
    );
  const warehouse = at(server.port, PASSWORD);
  return {
    warehouse,
    catalog: "shop",
    schema: "sales",
    version: /^PostgreSQL \d+\.\d+$/,
    refused: at(server.port, "another secret"),
    secrets: [PASSWORD, "another secret"],
    at: (port) => at(port, PASSWORD, 300),
    endless: { catalog: "shop", schema: "sales", table: "endless" },
    close: async () => {
      await warehouse.close();
      await outbound.close();
      await server.remove();
    },
  };
});

function literal(value: string | null, column: string): string {
  if (value === null) return "NULL";
  if (column === "data") return `'\\x${value}'`;
  return quoteText(value);
}
