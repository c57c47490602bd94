/** A call of `predict` as a table of the statement around it: described before it is run, read behind it. */

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Field, type Schema, Schema as SchemaOf } from "apache-arrow";
import type { OutputField, OutputType } from "../../../platform/compute/scoring/output-column.ts";
import { linkOrCopy } from "../../../platform/files/link-or-copy.ts";
import type {
  ScanDescription,
  ScanNeed,
  ScanSource,
  SchemaReader,
  StageBudget,
  StagedScan,
} from "../../../query/sql/scan.ts";
import { quoteName, quoteText } from "../../../query/sql-text.ts";

const SQL_TYPES: Readonly<Record<OutputType, string>> = {
  double: "DOUBLE",
  integer: "INTEGER",
  long: "BIGINT",
  boolean: "BOOLEAN",
  text: "VARCHAR",
  timestamp: "TIMESTAMP",
};

const nothing = (fields: readonly OutputField[]): string =>
  fields
    .map(({ name, type }) => `CAST(NULL AS ${SQL_TYPES[type]}) AS ${quoteName(name)}`)
    .join(", ");

/** What a plan sees: the columns of the rows, where they stay, and those of predictions. */
export class PlannedScan implements ScanSource {
  readonly label: string;
  readonly #rows: Schema | null;
  readonly #fields: readonly OutputField[];

  constructor(label: string, rows: Schema | null, fields: readonly OutputField[]) {
    this.label = label;
    this.#rows = rows;
    this.#fields = fields;
  }

  async describe(reader: SchemaReader): Promise<ScanDescription> {
    const predicted = await reader.schemaOf(`SELECT ${nothing(this.#fields)}`);
    const fields = [...(this.#rows?.fields ?? []), ...predicted.fields].map(
      ({ name, type, metadata }) => new Field(name, type, true, metadata),
    );
    return described(new SchemaOf(fields));
  }

  stage(): Promise<StagedScan> {
    return Promise.reject(new TypeError("a plan reads no rows"));
  }
}

export interface PredictedFiles {
  /** The rows, in Parquet; null where predictions are not of single rows. */
  readonly rows: string | null;
  /** In the order of the rows, in Parquet; null where there is no row. */
  readonly predictions: string | null;
}

export class PredictedScan implements ScanSource {
  readonly label: string;
  readonly #files: PredictedFiles;
  readonly #fields: readonly OutputField[];
  #description: ScanDescription | null = null;

  constructor(label: string, files: PredictedFiles, fields: readonly OutputField[]) {
    this.label = label;
    this.#files = files;
    this.#fields = fields;
  }

  async describe(reader: SchemaReader): Promise<ScanDescription> {
    this.#description ??= described(await reader.schemaOf(await this.#bring(reader.folder)));
    return this.#description;
  }

  async stage(_need: ScanNeed, folder: string, budget: StageBudget): Promise<StagedScan> {
    for (const path of Object.values(this.#files)) {
      if (path !== null) budget.take((await stat(path)).size);
    }
    return { sql: await this.#bring(folder), fetchedBytes: 0 };
  }

  /** Both files keep the order in which they were written, and have as many rows as each other. */
  async #bring(folder: string): Promise<string> {
    const { rows, predictions } = this.#files;
    const read = async (path: string): Promise<string> => {
      const brought = join(folder, `${randomUUID()}.parquet`);
      await linkOrCopy(path, brought);
      return `read_parquet(${quoteText(brought)})`;
    };
    if (predictions === null) {
      const none = nothing(this.#fields);
      return rows === null
        ? `SELECT ${none} LIMIT 0`
        : `SELECT *, ${none} FROM ${await read(rows)} LIMIT 0`;
    }
    if (rows === null) return `SELECT * FROM ${await read(predictions)}`;
    return `SELECT * FROM ${await read(rows)} POSITIONAL JOIN ${await read(predictions)}`;
  }
}

const described = (schema: Schema): ScanDescription => ({
  schema,
  partitionColumns: 0,
  partitions: [{ values: [] }],
});
