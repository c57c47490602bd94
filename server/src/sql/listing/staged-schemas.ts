/** The columns of staged files, and which files hold the same ones. */

import { Field, Schema } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import type { ObjectSource } from "../../sources/object-source.ts";
import type { SchemaReader } from "../scan.ts";
import type { FileCache } from "./file-cache.ts";
import { readFileSchemas } from "./file-schemas.ts";
import type { ReadOptions } from "./format-options.ts";
import { arrowRelation, csvNamesRelation, parquetRelation } from "./relations.ts";
import type { StagedFile } from "./staged-files.ts";
import type { FileGroup } from "./staged-sql.ts";

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
  // JSON has its columns by name in every object, so that there is nothing to know of a file.
  if ("json" in staged.options) return [{ schema: new Schema([]), files }];
  const schemas = await schemasOf(staged, files, reader);
  const groups = new Map<string, { schema: Schema; files: StagedFile[] }>();
  for (const [index, file] of files.entries()) {
    const schema = schemas[index]!;
    const id = JSON.stringify(schema.fields.map((field) => [field.name, duckdbTypeOf(field)]));
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { schema, files: [file] });
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
  const unknown = files.flatMap((file, index) =>
    cache.schemas.get(keys[index]!) === undefined ? [{ file, index }] : [],
  );
  const found = await readFileSchemas(
    table,
    unknown.map(({ file }) => ({ key: file.file.object.key, path: file.path })),
    (path) => relation(options, path),
    reader,
  );
  const fresh = new Map(unknown.map(({ index }, at) => [index, found[at]!]));
  for (const [index, schema] of fresh) cache.schemas.set(keys[index]!, schema);
  return files.map((_, index) =>
    byPosition(staged, fresh.get(index) ?? cache.schemas.get(keys[index]!)!),
  );
}

function relation(options: ReadOptions, path: string): string {
  if (options.format === "parquet") return parquetRelation([path], options.binaryAsString);
  if ("csv" in options) return csvNamesRelation(path, options.csv);
  return arrowRelation([path]);
}

function byPosition({ options, fileSchema }: StagedSchemas, schema: Schema): Schema {
  if (!("csv" in options) || options.csv.hasHeader) return schema;
  return new Schema(
    schema.fields.map(
      ({ type }, index) =>
        new Field(fileSchema.fields[index]?.name ?? `column_${index + 1}`, type, true),
    ),
  );
}
