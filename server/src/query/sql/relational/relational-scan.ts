/**
 * A table of a warehouse: described by its snapshot or by the warehouse, and staged as one CSV file
 * of the columns, rows and number of rows that a query needs.
 */

import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { DataType, type Field, Precision, type Schema } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import {
  ANY_NUMBER,
  type SourceTableName,
  type Warehouse,
  type WarehouseRead,
} from "../../sources/warehouse.ts";
import { emptySql } from "../empty-select.ts";
import { castsLosslessly } from "../lossless-cast.ts";
import {
  type ScanDescription,
  ScanError,
  type ScanNeed,
  type ScanSource,
  type SchemaReader,
  type StageBudget,
  type StagedScan,
} from "../scan.ts";
import { countRows, rowsSql, writeRows } from "./csv-rows.ts";

export interface RelationalScanSettings {
  /** As errors are to name the table. */
  readonly tableName: string;
  readonly warehouse: Warehouse;
  readonly table: SourceTableName;
  /** The snapshot; null = the warehouse is asked. */
  readonly schema: Schema | null;
}

export class RelationalScan implements ScanSource {
  readonly label: string;
  readonly #settings: RelationalScanSettings;
  #schema: Schema | null = null;

  constructor(settings: RelationalScanSettings) {
    this.#settings = settings;
    this.label = `table ${shown(settings.table)}`;
  }

  async describe(_reader: SchemaReader, signal: AbortSignal): Promise<ScanDescription> {
    const { schema: snapshot, warehouse, table } = this.#settings;
    const schema = snapshot ?? (await warehouse.describe(table, signal));
    this.#schema = schema;
    return { schema, partitionColumns: 0, partitions: [{ values: [] }] };
  }

  async stage(
    need: ScanNeed,
    folder: string,
    budget: StageBudget,
    signal: AbortSignal,
  ): Promise<StagedScan> {
    const schema = this.#schema;
    if (schema === null) throw new Error("a table is described before it is staged");
    const fields = need.columns.map((name) => fieldOf(schema, name));
    if (need.partitions.length === 0) return { sql: emptySql(fields), fetchedBytes: 0 };
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const read: WarehouseRead = {
      table: this.#settings.table,
      schema,
      columns: need.columns,
      filter: need.filter,
      limit: need.limit,
    };
    // The snapshot saves a query the wait for a description, not the comparison with it.
    const [checked, staged] = await Promise.allSettled([
      this.#checkSnapshot(fields, both).catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
      this.#copy(read, fields, folder, budget, both),
    ]);
    signal.throwIfAborted();
    if (checked.status === "rejected") throw checked.reason;
    if (staged.status === "rejected") throw staged.reason;
    return staged.value;
  }

  async #copy(
    read: WarehouseRead,
    fields: readonly Field[],
    folder: string,
    budget: StageBudget,
    signal: AbortSignal,
  ): Promise<StagedScan> {
    const { warehouse, tableName } = this.#settings;
    const rows = warehouse.read(read, signal);
    if (fields.length === 0) {
      const counted = await countRows(rows);
      return {
        sql: `SELECT NULL AS counted FROM range(${counted.rows})`,
        fetchedBytes: counted.bytes,
      };
    }
    const home = await mkdtemp(join(folder, "rows-"));
    const path = join(home, "rows.csv");
    const { bytes, longestRecord } = await writeRows(rows, path, budget);
    if (bytes === 0) return { sql: emptySql(fields), fetchedBytes: 0 };
    return { sql: rowsSql(tableName, path, fields, longestRecord), fetchedBytes: bytes };
  }

  /** @throws ScanError naming the column that the source has otherwise */
  async #checkSnapshot(fields: readonly Field[], signal: AbortSignal): Promise<void> {
    const { schema, warehouse, table, tableName } = this.#settings;
    if (schema === null) return;
    const found = await warehouse.describe(table, signal);
    for (const field of fields) {
      const column = found.fields.find(({ name }) => name === field.name);
      const type = arrowTypeName(field.type);
      if (column === undefined) {
        throw new ScanError(
          `${tableName}: ${shown(table)} has no column ${field.name}, which the snapshot has as ${type}`,
        );
      }
      if (!castsLosslessly(column, field) && !holdsAnyNumber(column, field)) {
        throw new ScanError(
          `${tableName}: the column ${field.name} is ${arrowTypeName(column.type)} in ${shown(table)}, and the snapshot has it as ${type}`,
        );
      }
    }
  }
}

function shown({ catalog, schema, table }: SourceTableName): string {
  return [catalog, schema, table].join(".");
}

function fieldOf(schema: Schema, name: string): Field {
  const field = schema.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the scan has no column ${name}`);
  return field;
}

/** Each value of such a column is checked when it is read, so that a snapshot may say how. */
function holdsAnyNumber(found: Field, { type }: Field): boolean {
  if (!found.metadata.has(ANY_NUMBER)) return false;
  return DataType.isDecimal(type) || DataType.isUtf8(type) || isDouble(type);
}

function isDouble(type: DataType): boolean {
  return DataType.isFloat(type) && type.precision === Precision.DOUBLE;
}
