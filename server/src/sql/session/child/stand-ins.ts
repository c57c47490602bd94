/**
 * Empty tables in the place of those that a statement names, so that the optimizer can say what the
 * statement needs of each. A table is a view over its stand-in; a stand-in lies in a catalog that no
 * statement can name. Where partitions are told apart, the view is their union, each with its values
 * as constants, and each marked by a condition that stays in the plan.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../sql-text.ts";
import type { TableShape } from "../messages.ts";
import { columnList, quotePath, runAll } from "./definitions.ts";

export class StandIns {
  /** Of its own; each stand-in lies in a schema named by its table's place. */
  readonly catalog: string;
  readonly #connection: DuckDBConnection;
  readonly #tables: readonly TableShape[];
  /** Name of the column that tells partitions apart; no table has it. */
  readonly marker: string;

  /** @param catalogs names that are taken */
  constructor(
    connection: DuckDBConnection,
    tables: readonly TableShape[],
    catalogs: readonly string[],
  ) {
    this.#connection = connection;
    this.#tables = tables;
    this.catalog = unlike("_", catalogs);
    this.marker = unlike(
      "_partition",
      tables.flatMap((table) => table.columns.map((column) => column.name)),
    );
  }

  async define(): Promise<void> {
    if (this.#tables.length === 0) return;
    const statements = [`ATTACH ':memory:' AS ${quoteName(this.catalog)}`];
    for (const [index, table] of this.#tables.entries()) {
      const columns = [...table.columns, { name: this.marker, type: "INTEGER" }];
      statements.push(`CREATE SCHEMA ${quotePath(this.catalog, standInSchema(index))}`);
      statements.push(`CREATE TABLE ${this.#standIn(index)} (${columnList(columns)})`);
      statements.push(this.#view(index, this.#branch(index, null)));
    }
    await runAll(this.#connection, statements);
  }

  /** Shows each of the partitions with its values; all others stay one branch of unknown values. */
  async tellApart(index: number, partitions: readonly number[], others: boolean): Promise<void> {
    const branches = partitions.map((partition) => this.#branch(index, partition));
    if (others) branches.push(this.#branch(index, null));
    await this.#connection.run(this.#view(index, branches.join(" UNION ALL ")));
  }

  async tellNoneApart(index: number): Promise<void> {
    await this.#connection.run(this.#view(index, this.#branch(index, null)));
  }

  /** Partitions, of those asked about, whose values meet the condition. */
  async partitionsThatMeet(
    index: number,
    partitions: readonly number[],
    condition: string,
  ): Promise<number[]> {
    const table = this.#tables[index]!;
    const columns = table.columns.slice(-table.partitionColumns);
    const rows = partitions.map(
      (partition) =>
        `(${partition}, ${table.partitions[partition]!.map((value) => (value === null ? "NULL" : quoteText(value))).join(", ")})`,
    );
    const casts = columns.map(
      (column) => `CAST(${quoteName(column.name)} AS ${column.type}) AS ${quoteName(column.name)}`,
    );
    const names = [quoteName(this.marker), ...columns.map((column) => quoteName(column.name))];
    const result = await this.#connection.run(
      `SELECT m FROM (SELECT ${quoteName(this.marker)} AS m, ${casts.join(", ")} FROM (VALUES ${rows.join(", ")}) AS p(${names.join(", ")})) WHERE ${condition} ORDER BY m`,
    );
    return (await result.getRowsJS()).map(([partition]) => Number(partition));
  }

  #standIn(index: number): string {
    return quotePath(this.catalog, standInSchema(index), this.#tables[index]!.name.table);
  }

  #view(index: number, select: string): string {
    const { catalog, schema, table } = this.#tables[index]!.name;
    return `CREATE OR REPLACE VIEW ${quotePath(catalog, schema, table)} AS ${select}`;
  }

  #branch(index: number, partition: number | null): string {
    const table = this.#tables[index]!;
    const values = partition === null ? [] : table.partitions[partition]!;
    const stored = table.columns.length - values.length;
    const columns = table.columns.map((column, at) => {
      const name = quoteName(column.name);
      if (at < stored) return name;
      const value = values[at - stored] ?? null;
      return `CAST(${value === null ? "NULL" : quoteText(value)} AS ${column.type}) AS ${name}`;
    });
    const from = `SELECT ${columns.join(", ")} FROM ${this.#standIn(index)}`;
    return partition === null ? from : `${from} WHERE ${quoteName(this.marker)} = ${partition}`;
  }
}

/** Of a table's place; plans that are shown have it in them. */
export const standInSchema = (index: number): string => `t${index}`;

/** The name with as many underscores before it as tell it from all of those. */
function unlike(name: string, others: readonly string[]): string {
  const taken = new Set(others.map((other) => other.toLowerCase()));
  let unique = name;
  while (taken.has(unique)) unique = `_${unique}`;
  return unique;
}
