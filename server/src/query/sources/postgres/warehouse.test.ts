import { PostgresWarehouseServer, READER_PASSWORD } from "../../../testing/postgres-warehouse.ts";
import { warehouseContract } from "../../../testing/warehouse-contract.ts";
import { CONTRACT_COLUMNS, CONTRACT_ROWS } from "../../../testing/warehouse-table.ts";
import { quoteText } from "./literal.ts";

warehouseContract("PostgreSQL", async () => {
  const server = await PostgresWarehouseServer.create();
  const columns = CONTRACT_COLUMNS.map(({ name, postgres }) => `${name} ${postgres}`);
  await server.prepare([
    `CREATE TABLE sales.contract_rows (${columns.join(", ")})`,
    "CREATE TABLE sales.contract_empty (LIKE sales.contract_rows)",
    `INSERT INTO sales.contract_rows VALUES ${CONTRACT_ROWS.map(
      (row) => `(${row.map((value, index) => literal(value, CONTRACT_COLUMNS[index]!.name))})`,
    ).join(", ")}`,
    "CREATE VIEW sales.endless AS SELECT generate_series(1, 1000000000000) AS i",
  ]);
  return {
    warehouse: server.open(),
    catalog: "shop",
    schema: "sales",
    version: /^PostgreSQL \d+\.\d+$/,
    refused: server.open({ password: "another secret" }),
    secrets: [READER_PASSWORD, "another secret"],
    at: (port) => server.open({ port, connectTimeoutMs: 1_000 }),
    endless: { catalog: "shop", schema: "sales", table: "endless" },
    close: () => server.close(),
  };
});

function literal(value: string | null, column: string): string {
  if (value === null) return "NULL";
  if (column === "data") return `'\\x${value}'`;
  return quoteText(value);
}
