/**
 * The columns of files that no snapshot describes: those of a few files, evenly spread over all, as
 * the session reads them. Of Parquet files only the footers are fetched where the source gives ranges,
 * of large text files only the first lines; what is small or cannot be cut is fetched whole, into the
 * cache that the query reads from as well.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Field, Schema } from "apache-arrow";
import type { ObjectSource, SourceObject } from "../../sources/object-source.ts";
import type { CsvFile } from "../csv-look.ts";
import { ScanError, type SchemaReader } from "../scan.ts";
import { foundCsv, lookAtFiles } from "./csv-files.ts";
import { withCutTimes } from "./cut-times.ts";
import type { DiscoveredFile } from "./discovery.ts";
import type { FileCache } from "./file-cache.ts";
import { type Compression, readFileName } from "./file-format.ts";
import { type LocalFile, readFileSchemas } from "./file-schemas.ts";
import { checkNames } from "./fit-schema.ts";
import type { ReadOptions } from "./format-options.ts";
import { readKeys } from "./json-keys.ts";
import { nullsAsTexts, withoutJsonTypes } from "./json-mixed.ts";
import { withExactNumbers } from "./json-numbers.ts";
import type { JsonOptions } from "./json-options.ts";
import { withZones } from "./json-zones.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { givesRanges } from "./object-parts.ts";
import {
  arrowRelation,
  csvTypesRelation,
  jsonTypesRelation,
  parquetRelation,
} from "./relations.ts";
import { stagedName } from "./staged-files.ts";
import { withoutTypes, withSamples } from "./text-columns.ts";
import { beginsArray, readHead, writeFirstLines } from "./text-sample.ts";

const FOOTERS = 8;
const WHOLE_FILES = 4;
/** Files after the first are left out of a sample beyond this. */
const WHOLE_BYTES = 64 << 20;
/** Text files up to this are fetched whole, of larger ones so many bytes. */
const SMALL_TEXT_BYTES = 16 << 20;
export const FIRST_BYTES = 4 << 20;
/** A larger file is not fetched only to see its columns. */
const MAX_WHOLE_BYTES = 2 ** 30;

export interface Inference {
  readonly table: string;
  readonly source: ObjectSource;
  readonly options: ReadOptions;
  readonly cache: FileCache;
}

/** @param files at least one @throws ScanError, SourceError */
export async function inferFileSchema(
  inference: Inference,
  files: readonly DiscoveredFile[],
  reader: SchemaReader,
  signal: AbortSignal,
): Promise<Schema> {
  const { table, source, options, cache } = inference;
  const objects = sample(inference, files);
  const memoKey = JSON.stringify([
    "inferred",
    source.cacheScope,
    options,
    objects.map(({ key, version }) => [key, version]),
  ]);
  const known = cache.schemas.get(memoKey);
  if (known !== undefined) return known;
  const folder = await mkdtemp(join(reader.folder, "schema-"));
  try {
    const compression = compressionOf(options);
    const local = objects.map((object, index) => ({
      key: object.key,
      path: join(folder, `${index}-${stagedName(object.key, options.format, compression)}`),
    }));
    await Promise.all(
      objects.map((object, index) => place(inference, object, local[index]!.path, signal)),
    );
    if ("json" in options) await checkKeys(table, local, options.json, reader);
    const looks =
      "csv" in options
        ? await lookAtFiles(table, local, options.csv, options.csv.inferRows, reader)
        : [];
    const relationOf = (path: string): string =>
      relation(options, path, looks[local.findIndex((file) => file.path === path)]);
    const found = await readFileSchemas(table, local, relationOf, reader).catch(
      (error: unknown) => {
        // DuckDB says of a sample that it is damaged, and not where.
        const at = looks.findIndex(({ fault }) => fault !== null);
        if (at < 0 || !(error instanceof ScanError)) throw error;
        throw new ScanError(`${table}: ${local[at]!.key}: ${looks[at]!.fault}`, { cause: error });
      },
    );
    const asFound = found.map((schema, index) => ({
      key: objects[index]!.key,
      schema: withDefaultNames(options, schema),
    }));
    const named =
      "json" in options
        ? await withoutJsonTypes(asFound, local, options.json, reader)
        : asFound.map(({ key, schema }, index) => ({
            key,
            schema: withoutTypes(schema, looks[index]?.columns ?? []),
          }));
    const isText = options.format !== "parquet" && options.format !== "arrow";
    const types = mergeSchemas(table, named, isText);
    const merged =
      "csv" in options
        ? withSamples(
            nullsAsTexts(types),
            options.csv,
            looks.map(({ columns }, index) => ({ ...named[index]!, columns })),
          )
        : "json" in options
          ? await withZones(
              await withExactNumbers(nullsAsTexts(types), named, local, options.json, reader),
              named,
              local,
              options.json,
              reader,
            )
          : await withCutTimes(types, local, options.format, reader);
    cache.schemas.set(memoKey, merged);
    return merged;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** DuckDB would give a key a name of its own that has none, or differs from another in case alone. */
async function checkKeys(
  table: string,
  files: readonly LocalFile[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<void> {
  const keys = await readKeys(table, files, json, reader);
  for (const [index, { fields }] of keys.entries()) {
    const { key } = files[index]!;
    if (fields.some(({ name }) => name === "")) {
      throw new ScanError(
        `${table}: ${key} has a member without a name, and every column needs one; name it, or a snapshot's fileSchema says which members are columns`,
      );
    }
    checkNames(table, fields, key);
  }
}

/** `null` = by each file's suffix. */
export function compressionOf(options: ReadOptions): Compression | null {
  if ("csv" in options) return options.csv.compression;
  if ("json" in options) return options.json.compression;
  return "none";
}

/** Files without a header have DataFusion's names instead of DuckDB's. */
function withDefaultNames(options: ReadOptions, schema: Schema): Schema {
  if (!("csv" in options) || options.csv.hasHeader) return schema;
  return new Schema(
    schema.fields.map(
      ({ type, nullable }, index) => new Field(`column_${index + 1}`, type, nullable),
    ),
  );
}

/** The first, the last and some between. */
function sample({ source, options }: Inference, files: readonly DiscoveredFile[]): SourceObject[] {
  const byFooter = options.format === "parquet" && source.readRange !== undefined;
  const count = Math.min(files.length, byFooter ? FOOTERS : WHOLE_FILES);
  const chosen = Array.from({ length: count }, (_, index) => {
    const at = count === 1 ? 0 : Math.round((index * (files.length - 1)) / (count - 1));
    return files[at]!.object;
  });
  if (byFooter) return chosen;
  let bytes = 0;
  return chosen.filter((object, index) => {
    bytes += object.bytes;
    return index === 0 || bytes <= WHOLE_BYTES;
  });
}

async function place(
  { table, source, options, cache }: Inference,
  object: SourceObject,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const placeWhole = async (): Promise<void> => {
    if (object.bytes > MAX_WHOLE_BYTES) {
      throw new ScanError(
        `${table}: ${object.key} has ${object.bytes} bytes and would be fetched whole to see its columns; give the snapshot's fileSchema`,
      );
    }
    await cache.place(source, object, path, signal);
  };
  if (options.format === "parquet" && givesRanges(source)) {
    await cache.placeFooter(source, object, path, signal);
  } else if (!isCut(options, object)) {
    await placeWhole();
  } else {
    const head = await readHead(source, object, FIRST_BYTES, signal);
    // The beginning of an array is no JSON.
    if ("json" in options && beginsArray(head)) await placeWhole();
    else await writeFirstLines(head, path, "csv" in options ? options.csv.quote : "");
  }
}

/** Whether the first lines of a file are enough to see what it holds. */
export function isCut(options: ReadOptions, object: SourceObject): boolean {
  if (options.format === "parquet" || options.format === "arrow") return false;
  const compression = compressionOf(options) ?? readFileName(object.key).compression;
  return compression === "none" && object.bytes > SMALL_TEXT_BYTES;
}

function relation(options: ReadOptions, path: string, look: CsvFile | undefined): string {
  switch (options.format) {
    case "parquet":
      return parquetRelation([path], options.binaryAsString);
    case "csv":
    case "tsv":
      if (look === undefined) throw new Error("a file of delimited text is looked at first");
      return csvTypesRelation(path, foundCsv(options.csv, look));
    case "json":
    case "ndjson":
      return jsonTypesRelation(path, options.json);
    case "arrow":
      return arrowRelation([path]);
  }
}
