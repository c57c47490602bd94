/**
 * Tables for tests: rows kept in a DuckDB of the test, staged as Parquet files that hold exactly what
 * the plan asked for and nothing else, so that a plan that asks for too little shows as a wrong result.
 */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { columnsOf, schemaOfColumns } from "../../arrow/result-batches.ts";
import { quoteName, quoteText } from "../../sql-text.ts";
import type { SqlTable, TableName, TableReference, TableResolver } from "../query.ts";
import type { ScanDescription, ScanNeed, ScanSource, StagedScan } from "../scan.ts";
import { filterSql } from "../session/child/filter-sql.ts";

export class StoredTables implements TableResolver {
  readonly #connection: DuckDBConnection;
  readonly #tables = new Map<string, SqlTable>();
  /** What was asked for, by table, in the order of asking. */
  readonly needs: { readonly table: string; readonly need: ScanNeed }[] = [];
  #default: { readonly catalog: string; readonly schema: string };

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
    this.#default = { catalog: "lake", schema: "main" };
  }

  static async open(): Promise<StoredTables> {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new StoredTables(connection);
  }

  get connection(): DuckDBConnection {
    return this.#connection;
  }

  setDefaults(catalog: string, schema: string): void {
    this.#default = { catalog, schema };
  }

  /**
   * @param rows a SELECT; its last columns are the partitions', where it has such
   * @param partitionColumns how many
   */
  async add(
    rows: string,
    name: Partial<TableName> & { readonly table: string },
    partitionColumns = 0,
  ): Promise<void> {
    const full = { ...this.#default, ...name };
    const stored = `t${randomUUID().replaceAll("-", "")}`;
    await this.#connection.run(`CREATE TABLE ${stored} AS ${rows}`);
    const result = await this.#connection.run(`SELECT * FROM ${stored} LIMIT 0`);
    const schema = schemaOfColumns(columnsOf(result));
    const values = schema.fields.slice(schema.fields.length - partitionColumns);
    const partitions = await this.#partitions(
      stored,
      values.map((field) => field.name),
    );
    const description: ScanDescription = { schema, partitionColumns, partitions };
    this.#tables.set(keyOf(full), { name: full, source: this.#source(full, stored, description) });
  }

  addSource(name: TableName, source: ScanSource): void {
    this.#tables.set(keyOf(name), { name, source });
  }

  async resolve(references: readonly TableReference[]): Promise<readonly SqlTable[]> {
    const found = references.flatMap((reference) => {
      const { catalog, schema, table } = reference;
      const meanings =
        schema !== null && catalog === null
          ? [
              { catalog: this.#default.catalog, schema, table },
              { catalog: schema, schema: "main", table },
            ]
          : [
              {
                catalog: catalog ?? this.#default.catalog,
                schema: schema ?? this.#default.schema,
                table,
              },
            ];
      return meanings.flatMap((name) => this.#tables.get(keyOf(name)) ?? []);
    });
    return [...new Set(found)];
  }

  async names(): Promise<readonly TableName[]> {
    return [...this.#tables.values()].map((table) => table.name);
  }

  async #partitions(
    stored: string,
    columns: readonly string[],
  ): Promise<{ readonly values: readonly (string | null)[] }[]> {
    if (columns.length === 0) return [{ values: [] }];
    const names = columns.map((name) => `CAST(${quoteName(name)} AS VARCHAR)`);
    const result = await this.#connection.run(
      `SELECT DISTINCT ${names.join(", ")} FROM ${stored} ORDER BY ALL`,
    );
    return (await result.getRowsJS()).map((row) => ({
      values: row.map((value) => (value === null ? null : String(value))),
    }));
  }

  #source(name: TableName, stored: string, description: ScanDescription): ScanSource {
    return {
      label: `test of ${name.table}`,
      describe: async () => description,
      stage: async (need, folder): Promise<StagedScan> => {
        this.needs.push({ table: name.table, need });
        const file = join(folder, "rows.parquet");
        const fields = description.schema.fields;
        const columns = fields.slice(fields.length - description.partitionColumns);
        const within =
          columns.length === 0
            ? "true"
            : need.partitions
                .map((partition) =>
                  description.partitions[partition]!.values.map(
                    (value, index) =>
                      `CAST(${quoteName(columns[index]!.name)} AS VARCHAR) IS NOT DISTINCT FROM ${value === null ? "NULL" : quoteText(value)}`,
                  ).join(" AND "),
                )
                .map((condition) => `(${condition})`)
                .join(" OR ");
        const filter = need.filter === null ? "true" : filterSql(need.filter);
        const selected =
          need.columns.length === 0 ? "1 AS nothing" : need.columns.map(quoteName).join(", ");
        const limit = need.limit === null ? "" : ` LIMIT ${need.limit}`;
        await this.#connection.run(
          `COPY (SELECT ${need.distinct ? "DISTINCT" : ""} ${selected} FROM ${stored} WHERE (${within || "false"}) AND (${filter})${limit}) TO ${quoteText(file)} (FORMAT parquet)`,
        );
        return { sql: `SELECT * FROM read_parquet(${quoteText(file)})`, fetchedBytes: 0 };
      },
    };
  }
}

const keyOf = ({ catalog, schema, table }: TableName): string =>
  `${catalog}.${schema}.${table}`.toLowerCase();
