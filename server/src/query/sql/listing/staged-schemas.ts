/** The columns of staged files, and which files hold the same ones. */

import { Field, Schema } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import type { ObjectSource } from "../../sources/object-source.ts";
import type { SchemaReader } from "../scan.ts";
import {
  dialectOf,
  endsLong,
  foundCsv,
  isForeign,
  lookAtFiles,
  mayEndLong,
  withDialect,
} from "./csv-files.ts";
import type { FileCache } from "./file-cache.ts";
import { fileFault, type LocalFile, readFileSchemas } from "./file-schemas.ts";
import type { ReadOptions } from "./format-options.ts";
import { keysOfColumns, readKeys } from "./json-keys.ts";
import { arrowRelation, csvNamesRelation, parquetRelation } from "./relations.ts";
import type { StagedFile } from "./staged-files.ts";
import type { FileGroup } from "./staged-sql.ts";
import { markWideDecimals, WIDE_DECIMAL } from "./wide-decimals.ts";

export interface StagedSchemas {
  readonly table: string;
  readonly source: ObjectSource;
  readonly options: ReadOptions;
  readonly cache: FileCache;
  /** The table's columns but the partitions', which a file without a header has by position. */
  readonly fileSchema: Schema;
}

/** @throws ScanError naming a file that cannot be read */
export async function groupBySchema(
  staged: StagedSchemas,
  files: readonly StagedFile[],
  reader: SchemaReader,
): Promise<FileGroup[]> {
  if (files.length === 0) return [];
  const schemas = await schemasOf(staged, files, reader);
  const groups = new Map<string, FileGroup & { files: StagedFile[] }>();
  for (const [index, file] of files.entries()) {
    const schema = schemas[index]!;
    // A column that cannot be read has the type of one that can.
    const columns = schema.fields.map((field) => [
      field.name,
      duckdbTypeOf(field),
      field.metadata.has(WIDE_DECIMAL),
    ]);
    const isSequential =
      "csv" in staged.options && (endsLong(schema) || (await mayEndLong(file.path)));
    const id = JSON.stringify([columns, dialectOf(schema), isSequential]);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { schema, files: [file], isSequential });
    else group.files.push(file);
  }
  return [...groups.values()];
}

async function schemasOf(
  staged: StagedSchemas,
  files: readonly StagedFile[],
  reader: SchemaReader,
): Promise<Schema[]> {
  const { table, source, options, cache } = staged;
  const keys = files.map(({ file: { object } }) =>
    JSON.stringify(["file", source.cacheScope, options, object.key, object.version]),
  );
  // Held here: what is learnt of some files may have others forgotten.
  const known = keys.map((key) => cache.schemas.get(key));
  const unknown = files.flatMap((file, index) =>
    known[index] === undefined ? [{ file, index }] : [],
  );
  const local = unknown.map(({ file }) => localOf(file));
  const lastLines: number[] = [];
  for (const file of local) lastLines.push(await checkWhole(table, file, "csv" in options, reader));
  if ("csv" in options) {
    // What was written anew for another session is here as it came.
    const foreign = files.filter((_, index) => {
      const schema = known[index];
      return schema !== undefined && isForeign(schema);
    });
    await lookAtFiles(table, foreign.map(localOf), options.csv, 0, reader);
  }
  const found = await readSchemas(table, options, local, lastLines, reader);
  const fresh = new Map(unknown.map(({ index }, at) => [index, found[at]!]));
  for (const [index, schema] of fresh) cache.schemas.set(keys[index]!, schema);
  return files.map((_, index) => asNamed(staged, fresh.get(index) ?? known[index]!));
}

/**
 * What is known of a version of a file, it is known of the whole: it is looked at but once.
 *
 * @returns bytes of a packed file's last line, where it is asked for
 */
async function checkWhole(
  table: string,
  file: LocalFile,
  hasLines: boolean,
  reader: SchemaReader,
): Promise<number> {
  if (!/\.(?:gz|zst)$/.test(file.path)) return 0;
  try {
    return await reader.checkPacked(file.path, hasLines);
  } catch (error) {
    throw fileFault(table, file, error);
  }
}

async function readSchemas(
  table: string,
  options: ReadOptions,
  files: readonly LocalFile[],
  lastLines: readonly number[],
  reader: SchemaReader,
): Promise<Schema[]> {
  if ("json" in options) return readKeys(table, files, options.json, reader);
  if ("csv" in options) {
    const looks = await lookAtFiles(table, files, options.csv, 0, reader);
    const byPath = new Map(files.map(({ path }, index) => [path, looks[index]!]));
    const named = await readFileSchemas(
      table,
      files,
      (path) => csvNamesRelation(path, foundCsv(options.csv, byPath.get(path)!)),
      reader,
    );
    return named.map((schema, index) => withDialect(schema, looks[index]!, lastLines[index]!));
  }
  const found = await readFileSchemas(table, files, (path) => relation(options, path), reader);
  const paths = files.map(({ path }) => path);
  return markWideDecimals(paths, found, options.format, reader);
}

function localOf({ file, path }: StagedFile): LocalFile {
  return { key: file.object.key, path };
}

function relation(
  options: Exclude<ReadOptions, { json: unknown } | { csv: unknown }>,
  path: string,
): string {
  if (options.format === "parquet") return parquetRelation([path], options.binaryAsString);
  return arrowRelation([path]);
}

/** The columns as the table's files are read: by position without a header, of JSON those it asks for. */
function asNamed({ options, fileSchema }: StagedSchemas, schema: Schema): Schema {
  if ("json" in options) return keysOfColumns(fileSchema, schema);
  if (!("csv" in options) || options.csv.hasHeader) return schema;
  return new Schema(
    schema.fields.map(
      ({ type }, index) =>
        new Field(fileSchema.fields[index]?.name ?? `column_${index + 1}`, type, true),
    ),
    schema.metadata,
  );
}
