/**
 * A table over files in an object store: found by DataFusion's rules for listing tables, described
 * from their snapshot or from a few of them, and staged as local files of the partitions that a query
 * needs. One scan serves one query: what `describe` listed is what `stage` fetches.
 */

import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { Field, Schema } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import type { ObjectSource } from "../../sources/object-source.ts";
import {
  COLUMN_WARNING,
  type DateOrders,
  type ScanDescription,
  ScanError,
  type ScanNeed,
  type ScanSource,
  type SchemaReader,
  type StageBudget,
  type StagedScan,
} from "../scan.ts";
import { filterOver } from "../session/child/filter-sql.ts";
import { withLearnedOrders } from "./csv-files.ts";
import { withDeclaredCutTimes } from "./cut-times.ts";
import { discoverFiles, governingLog } from "./discovery.ts";
import type { FileCache } from "./file-cache.ts";
import { checkFits, checkNames } from "./fit-schema.ts";
import { parseReadOptions, type ReadOptions } from "./format-options.ts";
import { compressionOf, inferFileSchema } from "./infer-schema.ts";
import { type FilePartition, type Partitioning, partitionFiles } from "./partitions.ts";
import { placeFiles, placeParquet } from "./place-files.ts";
import { placeFirstRows } from "./place-first-rows.ts";
import { inferFormat, leftOut, selectFiles } from "./select-files.ts";
import { type StagedFile, stagedPaths } from "./staged-files.ts";
import { groupBySchema } from "./staged-schemas.ts";
import { type FileGroup, partitionRowsSql, stagedSql } from "./staged-sql.ts";
import { whyNotRead } from "./table-log.ts";

/** ListingTableOptions of the interface, with its schema read. */
export interface ListingOptions {
  readonly fileType: string;
  readonly formatOptions: Readonly<Record<string, string>>;
  /** Empty = the suffixes of the format. */
  readonly fileExtension: string;
  /** Null = inferred from the paths. */
  readonly partitionSchema: Schema | null;
}

export interface ListingScanSettings {
  /** As errors are to name the table. */
  readonly tableName: string;
  readonly objects: ObjectSource;
  /** URLs of the source. */
  readonly paths: readonly string[];
  /** Columns of the files without those of the partitions; null = inferred. */
  readonly fileSchema: Schema | null;
  /** Null = all of it inferred. */
  readonly options: ListingOptions | null;
  readonly cache: FileCache;
}

interface Described {
  readonly reader: SchemaReader;
  /** Null where there are no files, and so nothing that would need it. */
  readonly options: ReadOptions | null;
  readonly partitioning: Partitioning;
  readonly fileSchema: Schema;
  readonly description: ScanDescription;
}

const LABELLED_PATHS = 3;

export class ListingScan implements ScanSource {
  readonly label: string;
  readonly #settings: ListingScanSettings;
  #described: Described | null = null;

  constructor(settings: ListingScanSettings) {
    this.#settings = settings;
    const { paths } = settings;
    const more = paths.length > LABELLED_PATHS ? `, and ${paths.length - LABELLED_PATHS} more` : "";
    this.label = `listing of ${paths.slice(0, LABELLED_PATHS).join(", ")}${more}`;
  }

  async describe(
    reader: SchemaReader,
    signal: AbortSignal,
    dates?: DateOrders,
  ): Promise<ScanDescription> {
    const { options, partitioning: found, warnings } = await this.#list(signal);
    const read = await this.#fileSchema(options, found, reader, signal);
    const held = dates === undefined ? read : await withLearnedOrders(read, dates);
    // A column that the files hold as well is the partition's.
    const isHeld = ({ name }: Field): boolean =>
      held.fields.some((field) => sameName(field.name, name));
    const fields = found.fields.map((field) => (isHeld(field) ? hiding(field) : field));
    const partitioning = { ...found, fields };
    const { partitions } = partitioning;
    const fileSchema = new Schema(
      held.fields.filter(({ name }) => !fields.some((field) => sameName(field.name, name))),
    );
    const schema = new Schema([...fileSchema.fields, ...fields]);
    checkNames(this.#settings.tableName, schema.fields, null);
    const description: ScanDescription = {
      schema,
      partitionColumns: fields.length,
      partitions: partitions.map(({ values }) => ({ values })),
      warnings,
    };
    this.#described = { reader, options, partitioning, fileSchema, description };
    return description;
  }

  async stage(
    need: ScanNeed,
    folder: string,
    budget: StageBudget,
    signal: AbortSignal,
  ): Promise<StagedScan> {
    const described = this.#described;
    if (described === null) throw new Error("a listing is described before it is staged");
    const { tableName, objects, cache } = this.#settings;
    const { options, partitioning, fileSchema, reader, description } = described;
    const partitions = need.partitions.map((index) => partitioning.partitions[index]!);
    const staged = {
      table: tableName,
      columns: need.columns.map((name) => fieldOf(description.schema, name)),
      partitionFields: partitioning.fields,
      partitions: partitions.map(({ values }) => values),
    };
    if (options === null || partitions.every(({ files }) => files.length === 0)) {
      return { sql: stagedSql({ ...staged, options: { format: "arrow" } }, []), fetchedBytes: 0 };
    }
    const home = await mkdtemp(join(folder, "listing-"));
    const fileColumns = staged.columns.filter((field) => !partitioning.fields.includes(field));
    // Of a partition that surely has rows, one is known without a look at its files.
    const isKnown = ({ files }: FilePartition): boolean =>
      need.distinct &&
      fileColumns.length === 0 &&
      staged.columns.length > 0 &&
      files.some(({ object }) => object.bytes > emptyFileBytes(description.schema));
    const wanted = stagedPaths(home, partitions, options.format, compressionOf(options)).filter(
      ({ partition }) => !isKnown(partitions[partition]!),
    );
    const sqlOf = async (files: readonly StagedFile[]): Promise<string> => {
      const groups = await groupBySchema(
        { table: tableName, source: objects, options, cache, fileSchema },
        files,
        reader,
      );
      for (const group of groups) this.#checkGroup(options, group, fileColumns);
      return stagedSql({ ...staged, options }, groups);
    };
    const filter =
      need.filter && filterOver(new Set(fileSchema.fields.map(({ name }) => name)), need.filter);
    const placement = { source: objects, cache, budget, signal };
    // The partitions' own part of a filter is met by all that are left.
    const limit = filter === null ? need.limit : null;
    const placed =
      options.format === "parquet"
        ? await placeParquet(placement, wanted, {
            columns: fileColumns.map((field) => ({ name: field.name, type: duckdbTypeOf(field) })),
            filter,
            limit,
            reader,
          })
        : limit === null
          ? await placeFiles(placement, wanted)
          : await placeFirstRows(placement, wanted, options, async (files) =>
              hasRows(reader, await sqlOf(files), limit),
            );
    const known = partitions.filter(isKnown).map(({ values }) => values);
    const parts = [
      ...(known.length === 0 ? [] : [partitionRowsSql(staged, known)]),
      ...(known.length > 0 && placed.files.length === 0 ? [] : [await sqlOf(placed.files)]),
    ];
    return { sql: parts.join("\nUNION ALL\n"), fetchedBytes: placed.fetchedBytes };
  }

  /** The types of JSON and of texts are checked value by value. */
  #checkGroup(options: ReadOptions, { schema, files }: FileGroup, columns: readonly Field[]): void {
    const { tableName, fileSchema } = this.#settings;
    const { key } = files[0]!.file.object;
    const isTyped = !("csv" in options || "json" in options);
    checkFits(
      tableName,
      key,
      schema,
      columns,
      fileSchema === null
        ? {
            origin: "what was inferred from other files",
            advice: "; a snapshot's fileSchema says what is meant",
            isTyped,
          }
        : { origin: "the snapshot", advice: "", isTyped },
    );
  }

  async #list(signal: AbortSignal): Promise<{
    readonly options: ReadOptions | null;
    readonly partitioning: Partitioning;
    readonly warnings: readonly string[];
  }> {
    const { tableName, objects, paths, options: given } = this.#settings;
    const suffix = given?.fileExtension ?? "";
    const options =
      given === null ? null : parseReadOptions(tableName, given.fileType, given.formatOptions);
    const discovery = await discoverFiles(objects, tableName, paths, suffix, signal);
    const { files, unentered } = discovery;
    const read = options ?? inferredOptions(tableName, inferFormat(tableName, files));
    const selected =
      read === null ? [] : selectFiles(tableName, files, read.format, suffix, compressionOf(read));
    const log = governingLog(discovery, selected);
    if (log !== null) throw new ScanError(`${tableName}: ${whyNotRead(log)}`);
    if (selected.length === 0 && unentered !== null) {
      throw new ScanError(
        `${tableName}: no file lies directly below its paths; ${unentered} lies in a folder that is not a name=value part: give the path of that folder, or a pattern such as **/*`,
      );
    }
    const partitioning = partitionFiles(tableName, selected, given?.partitionSchema ?? null);
    // Who says what a file is called or is means to leave out the others.
    const warning = given === null && read !== null ? leftOut(files, selected, read.format) : null;
    return { options: read, partitioning, warnings: warning === null ? [] : [warning] };
  }

  async #fileSchema(
    options: ReadOptions | null,
    { partitions }: Partitioning,
    reader: SchemaReader,
    signal: AbortSignal,
  ): Promise<Schema> {
    const { tableName, objects, paths, fileSchema, cache } = this.#settings;
    const files = partitions.flatMap((partition) => partition.files);
    if (fileSchema === null && (options === null || files.length === 0)) {
      throw new ScanError(
        `${tableName}: there are no files at ${paths.join(", ")}, and no snapshot says what its columns are`,
      );
    }
    if (fileSchema !== null) return withDeclaredCutTimes(fileSchema);
    return await inferFileSchema(
      { table: tableName, source: objects, options: options!, cache },
      files,
      reader,
      signal,
    );
  }
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function hiding({ name, type, nullable, metadata }: Field): Field {
  const warning = `the column ${name} is that of the folders' names (${name}=…); the column ${name} in the files themselves is not read`;
  return new Field(name, type, nullable, new Map([...metadata, [COLUMN_WARNING, warning]]));
}

async function hasRows(reader: SchemaReader, sql: string, rows: number): Promise<boolean> {
  const [count] = await reader.textsOf(`SELECT count(*) FROM (FROM (${sql}) LIMIT ${rows})`);
  return Number(count) === rows;
}

/** No file without rows is larger: it has names and types of columns, and what writers say of them. */
function emptyFileBytes({ fields }: Schema): number {
  return (8 << 10) + 512 * fields.length;
}

function inferredOptions(table: string, format: string | null): ReadOptions | null {
  return format === null ? null : parseReadOptions(table, format, {});
}

function fieldOf(schema: Schema, name: string): Field {
  const field = schema.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the scan has no column ${name}`);
  return field;
}
