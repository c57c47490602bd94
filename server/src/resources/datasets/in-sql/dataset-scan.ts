/**
 * A dataset as a table of a statement, read from its own file (`engine/src/data/stored/`). A session holds
 * a link to the file, or a copy out of the bounded cache of source files where objects lie in a bucket, so that
 * a dataset that is deleted meanwhile is read to its end.
 *
 *   numeric      BIGINT where all of it are whole numbers below 2^53, else DOUBLE
 *   boolean      BOOLEAN
 *   timestamp    TIMESTAMPTZ where every time had a zone, or was one by its type, else TIMESTAMP; dates that could be
 *                of either order of day and month are in that of who asks
 *   categorical, text    VARCHAR
 */

import { mkdtemp, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  Bool,
  DataType,
  Field,
  Float64,
  Int64,
  Schema,
  TimestampMicrosecond,
  Utf8,
} from "apache-arrow";
import type { Services } from "../../../api/services.ts";
import { linkOrCopy } from "../../../platform/files/link-or-copy.ts";
import { Problem } from "../../../platform/input/problem.ts";
import { ObjectNotFoundError } from "../../../platform/objects/object-store.ts";
import type { ScanFilter } from "../../../query/sources/scan-filter.ts";
import { readAsLearned } from "../../../query/sql/date-order.ts";
import type {
  DateOrder,
  DateOrders,
  ScanDescription,
  ScanNeed,
  ScanSource,
  SchemaReader,
  StageBudget,
  StagedScan,
} from "../../../query/sql/scan.ts";
import { ScanError } from "../../../query/sql/scan.ts";
import { quoteName, quoteText } from "../../../query/sql-text.ts";
import { sourceFiles } from "../../queries/table-scan.ts";
import type { DatasetColumn, DatasetRow } from "../store.ts";
import { withTableFile } from "../table-file.ts";
import { bucketSource } from "./bucket-source.ts";

interface Placed {
  readonly path: string;
  readonly bytes: number;
  readonly columns: readonly PlacedColumn[];
}

interface PlacedColumn {
  readonly field: Field;
  /** Of the function that reads the file. */
  readonly sql: string;
  /** Whether it is not the value that the file's statistics are of. */
  readonly isOtherDate?: boolean;
}

interface StoredTimes {
  readonly zoned: boolean;
  /** The order of day and month that dates which could be of either were read in. */
  readonly readAs: string | null;
}

export class DatasetScan implements ScanSource {
  readonly label: string;
  readonly #services: Services;
  readonly #organizationId: string;
  readonly #dataset: DatasetRow;
  #placed: Placed | null = null;

  constructor(services: Services, organizationId: string, dataset: DatasetRow) {
    this.#services = services;
    this.#organizationId = organizationId;
    this.#dataset = dataset;
    this.label = `dataset ${dataset.name} (${dataset.id})`;
  }

  /** @throws ScanError where it was deleted since its name was looked up */
  async describe(
    reader: SchemaReader,
    signal: AbortSignal,
    dates?: DateOrders,
  ): Promise<ScanDescription> {
    const folder = await mkdtemp(join(reader.folder, "dataset-"));
    const path = join(folder, "table");
    const bytes = await this.#place(path, signal);
    const { fields } = await reader.schemaOf(`SELECT * FROM ${relation(path, null)}`);
    const names = sqlColumnNames(this.#dataset.columns.map(({ name }) => name));
    const times = await this.#times(reader, path);
    const columns = await Promise.all(
      this.#dataset.columns.map(async (column, place) => {
        const placed = placedColumn(column, names[place] ?? column.name, fields[place], place);
        const time = times.get(`c${place}`);
        const order = time?.readAs ? await dates?.(column.name) : null;
        const read = order == null || order === time?.readAs ? placed : inOtherOrder(placed, order);
        return time?.zoned ? asInstants(read) : read;
      }),
    );
    this.#placed = { path, bytes, columns };
    const schema = new Schema(columns.map(({ field }) => field));
    return { schema, partitionColumns: 0, partitions: [{ values: [] }] };
  }

  async stage(need: ScanNeed, _folder: string, budget: StageBudget): Promise<StagedScan> {
    if (this.#placed === null) throw new Error("a dataset is described before it is staged");
    const { path, bytes, columns } = this.#placed;
    if (need.columns.length === 0 && need.filter === null) {
      const { rows } = this.#dataset;
      return { sql: `SELECT NULL AS counted FROM range(${rows})`, fetchedBytes: 0 };
    }
    budget.take(bytes);
    const places = new Map(columns.map(({ field }, place) => [field.name, place]));
    const selected = need.columns.map((name) => {
      const column = columns[places.get(name) ?? -1];
      if (column === undefined) throw new Error(`the dataset has no column ${name}`);
      return `${column.sql} AS ${quoteName(name)}`;
    });
    // It only leaves out groups by their statistics.
    const canFilter = !columns.some(({ isOtherDate }) => isOtherDate === true);
    const filter =
      need.filter === null || !canFilter
        ? null
        : byPlace(need.filter, (name) => places.get(name) ?? -1);
    return {
      sql: `SELECT ${selected.length === 0 ? "NULL AS counted" : selected.join(", ")} FROM ${relation(path, filter)}`,
      fetchedBytes: 0,
    };
  }

  /** What the file says of its columns of times, by their names there. */
  async #times(reader: SchemaReader, path: string): Promise<ReadonlyMap<string, StoredTimes>> {
    if (!this.#dataset.columns.some(({ kind }) => kind === "timestamp")) return new Map();
    const rows = await reader.textsOf(
      `SELECT concat_ws(' ', name, zoned, read_as) FROM dataset_times(${quoteText(path)})`,
    );
    return new Map(
      rows.map((row) => {
        const [name = "", zoned, readAs = null] = row.split(" ");
        return [name, { zoned: zoned === "true", readAs }];
      }),
    );
  }

  /** @returns the file's bytes */
  async #place(path: string, signal: AbortSignal): Promise<number> {
    const services = this.#services;
    const { objects, config } = services;
    const { table_key: key } = this.#dataset;
    const organizationId = this.#organizationId;
    try {
      if (key === null || config.objectStore.kind === "files") {
        const options = { services, organizationId, dataset: this.#dataset, signal };
        await withTableFile(options, ({ path: file }) => linkOrCopy(file, path));
      } else {
        const head = await objects.head(key);
        if (head === null) throw new ObjectNotFoundError(key);
        const source = bucketSource(objects);
        const object = { ...head, version: "1" };
        await (await sourceFiles(services)).place(source, object, path, signal);
      }
      const { size } = await stat(path);
      return size;
    } catch (error) {
      if (!(error instanceof ObjectNotFoundError) && !isNotFound(error)) throw error;
      const { name, id } = this.#dataset;
      throw new ScanError(`The dataset ${JSON.stringify(name)} (${id}) was deleted`);
    }
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Problem && error.kind === "not-found";

const relation = (path: string, filter: ScanFilter | null): string =>
  `read_dataset(${quoteText(path)}, ${quoteText(filter === null ? "" : JSON.stringify(filter))})`;

/** Names that differ in their case alone are one to SQL: the later ones get a number. */
function sqlColumnNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  return names.map((name) => {
    let own = name;
    if (seen.has(name.toLowerCase())) {
      for (let number = 1; taken.has(own.toLowerCase()); number++) own = `${name}_${number}`;
      taken.add(own.toLowerCase());
    }
    seen.add(own.toLowerCase());
    return own;
  });
}

function placedColumn(
  { kind }: DatasetColumn,
  name: string,
  stored: Field | undefined,
  place: number,
): PlacedColumn {
  if (stored === undefined) throw new ScanError("The dataset's file is damaged");
  const source = `c${place}`;
  const as = (type: DataType, sql: string): PlacedColumn => ({
    field: new Field(name, type, true),
    sql,
  });
  switch (kind) {
    case "numeric":
      return DataType.isInt(stored.type)
        ? as(new Int64(), `CAST(${source} AS BIGINT)`)
        : as(new Float64(), `CAST(${source} AS DOUBLE)`);
    case "boolean":
      return as(new Bool(), source);
    case "timestamp":
      // Times that are no whole microseconds are milliseconds in doubles; those beyond SQL's are NULL.
      return as(
        new TimestampMicrosecond(),
        DataType.isFloat(stored.type)
          ? `make_timestamp(TRY_CAST(${source} * 1000 AS BIGINT))`
          : `CAST(${source} AS TIMESTAMP)`,
      );
    case "categorical":
    case "text":
      return as(new Utf8(), `CAST(${source} AS VARCHAR)`);
  }
}

/** Day and month change places, which they can in all of the column's dates. */
function inOtherOrder({ field, sql }: PlacedColumn, order: DateOrder): PlacedColumn {
  const date = `make_timestamp(year(${sql}), day(${sql}), month(${sql}), 0, 0, 0)`;
  return {
    field: readAsLearned(field, order),
    sql: `${date} + (${sql} - date_trunc('day', ${sql}))`,
    isOtherDate: true,
  };
}

/** Times in UTC as the instants that they are. */
const asInstants = ({ field, sql, ...placed }: PlacedColumn): PlacedColumn => ({
  ...placed,
  field: field.clone({ type: new TimestampMicrosecond("UTC") }),
  sql: `make_timestamptz(epoch_us(${sql}))`,
});

function byPlace(filter: ScanFilter, placeOf: (name: string) => number): ScanFilter {
  return "filters" in filter
    ? { ...filter, filters: filter.filters.map((part) => byPlace(part, placeOf)) }
    : { ...filter, column: `c${placeOf(filter.column)}` };
}
