/**
 * Which bytes of Parquet files a query needs: the chunks of its columns in those row groups that the
 * statistics of its filter leave, as the footers tell. Row groups that are not needed are taken out of a
 * file's footer too, so that whoever reads the file cannot come upon bytes that are not there.
 *
 * A row group is left out only where its statistics rule out every row beyond doubt: of typed columns,
 * by `min_value` and `max_value` alone (the older fields have no defined order), never by what NaN may
 * have been left out of.
 */

import { open, writeFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ScanFilter, ScanOperator, ScanValue } from "../../../sources/scan-filter.ts";
import { quoteText, quoteTexts } from "../../../sql-text.ts";
import type { ChunksRequest, FileChunks } from "../../scan.ts";
import { filterOver, valueSql } from "./filter-sql.ts";
import { keepRowGroups } from "./parquet-footer.ts";

/** Writers before parquet-mr 1.3 left a page's header out of a chunk's length (PARQUET-816). */
const PADDING_BYTES = 100;
/** Ranges with less between them are fetched as one. */
const MAX_GAP_BYTES = 8 << 10;
const LENGTH_AND_MAGIC_BYTES = 8;

interface Chunk {
  readonly group: number;
  readonly rows: number;
  /** Null for the row that stands for a row group of which no column is needed. */
  readonly range: Range | null;
  /** A filter of its values, whose length some writers do not say. */
  readonly bloom: Range | "of unknown length" | null;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** @returns one a file; null for those that are to be read whole */
export async function neededChunks(
  connection: DuckDBConnection,
  request: ChunksRequest,
): Promise<(FileChunks | null)[]> {
  const paths = request.files.map(({ footer }) => footer);
  const found = await chunksOf(connection, paths, request);
  const answers: (FileChunks | null)[] = [];
  let wanted = request.limit ?? Number.POSITIVE_INFINITY;
  for (const [index, file] of request.files.entries()) {
    const { chunks, skipped } = found[index] ?? { chunks: null, skipped: new Set<number>() };
    const answer =
      chunks === null ? null : await fileChunks(file, chunks, skipped, Math.max(0, wanted));
    wanted -= answer?.rows ?? 0;
    answers.push(answer);
  }
  return answers;
}

interface Found {
  /** Null where the footer cannot be read, which is for the file's reader to say. */
  readonly chunks: readonly Chunk[] | null;
  readonly skipped: ReadonlySet<number>;
}

/** All files in one statement, or one by one where that fails. */
async function chunksOf(
  connection: DuckDBConnection,
  paths: readonly string[],
  request: ChunksRequest,
): Promise<Found[]> {
  try {
    const [chunks, skipped] = [
      await readChunks(connection, paths, request.columns),
      await skippedGroups(connection, paths, request),
    ];
    return paths.map((path) => ({
      chunks: chunks.get(path) ?? [],
      skipped: skipped.get(path) ?? new Set(),
    }));
  } catch (error) {
    if (paths.length === 1) return [{ chunks: null, skipped: new Set() }];
    if (paths.length === 0) throw error;
    const found: Found[] = [];
    for (const path of paths) found.push(...(await chunksOf(connection, [path], request)));
    return found;
  }
}

async function readChunks(
  connection: DuckDBConnection,
  paths: readonly string[],
  columns: ChunksRequest["columns"],
): Promise<Map<string, Chunk[]>> {
  const names = columns.map(({ name }) => name.toLowerCase());
  // A path's parts are joined by this, so that such a name cannot be told from a nested one.
  const root = names.some((name) => name.includes(", "))
    ? "true"
    : `list_contains(${quoteTexts(names)}::VARCHAR[], lower(split_part(path_in_schema, ', ', 1)))`;
  const rows = await connection.run(
    `SELECT file_name, row_group_id::INTEGER, row_group_num_rows::DOUBLE, ${root},
       least(if(dictionary_page_offset >= 4, dictionary_page_offset, data_page_offset), data_page_offset)::DOUBLE,
       total_compressed_size::DOUBLE, bloom_filter_offset::DOUBLE, bloom_filter_length::DOUBLE
     FROM parquet_metadata(${quoteTexts(paths)}) WHERE column_id = 0 OR ${root}
     ORDER BY file_name, row_group_id`,
  );
  const chunks = new Map<string, Chunk[]>();
  for (const row of await rows.getRowsJS()) {
    const [file, group, groupRows, isNeeded, from, length, bloomFrom, bloomLength] = row;
    const path = String(file);
    const ofFile = chunks.get(path) ?? [];
    chunks.set(path, ofFile);
    ofFile.push({
      group: Number(group),
      rows: Number(groupRows),
      range: isNeeded === true ? { from: Number(from), to: Number(from) + Number(length) } : null,
      bloom: isNeeded === true ? bloomOf(bloomFrom, bloomLength) : null,
    });
  }
  return chunks;
}

function bloomOf(from: unknown, length: unknown): Chunk["bloom"] {
  if (typeof from !== "number" || from < 4) return null;
  return typeof length === "number" ? { from, to: from + length } : "of unknown length";
}

/** By file, the row groups of which no row can meet the filter. */
async function skippedGroups(
  connection: DuckDBConnection,
  paths: readonly string[],
  { filter, columns }: ChunksRequest,
): Promise<Map<string, Set<number>>> {
  const skipped = new Map<string, Set<number>>();
  const typed = columns.filter(({ type }) => hasOrderedStatistics(type));
  const judged =
    filter === null ? null : filterOver(new Set(typed.map(({ name }) => name)), filter);
  if (judged === null) return skipped;
  const used = typed.filter(({ name }) => mentions(judged, name));
  const statistics = used.flatMap((column, index) => statisticsOf(column, index));
  const may = mayMeet(judged, (name) => {
    const index = used.findIndex((column) => column.name === name);
    return { index, isFloating: /^(FLOAT|DOUBLE)$/.test(used[index]!.type) };
  });
  const rows = await connection.run(
    `SELECT file_name, row_group_id::INTEGER FROM (
       SELECT file_name, row_group_id, ${statistics.join(", ")}
       FROM parquet_metadata(${quoteTexts(paths)}) GROUP BY ALL)
     WHERE NOT coalesce(${may}, true)`,
  );
  for (const [file, group] of await rows.getRowsJS()) {
    const path = String(file);
    skipped.set(path, (skipped.get(path) ?? new Set()).add(Number(group)));
  }
  return skipped;
}

/** Types whose statistics are written as texts that cast back to the very value, and order alike. */
function hasOrderedStatistics(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG)INT|U?INTEGER|DECIMAL\(.*\)|BOOLEAN|VARCHAR|FLOAT|DOUBLE|DATE|TIMESTAMP.*)$/.test(
    type,
  );
}

function mentions(filter: ScanFilter, name: string): boolean {
  return "column" in filter
    ? filter.column === name
    : filter.filters.some((part) => mentions(part, name));
}

/** `min_N`, `max_N`, `nulls_N` and `values_N` of a row group; NULL where it is not sure. */
function statisticsOf(
  { name, type }: { readonly name: string; readonly type: string },
  index: number,
): string[] {
  // One column of the name, in any case as SQL has it, and not part of a nested one.
  const own = `lower(path_in_schema) = ${quoteText(name.toLowerCase())}`;
  const single = (value: string): string =>
    `CASE WHEN count(*) FILTER (${own}) = 1 THEN any_value(${value}) FILTER (${own}) END`;
  const bound = (text: string): string => {
    // A text with a backslash may be one of bytes that are no text.
    if (type === "VARCHAR") return single(`if(contains(${text}, '\\'), NULL, ${text})`);
    const cast =
      type === "FLOAT" || type === "DOUBLE"
        ? `if(type = 'FLOAT', TRY_CAST(${text} AS FLOAT)::DOUBLE, TRY_CAST(${text} AS DOUBLE))`
        : `TRY_CAST(${text} AS ${type})`;
    const sure = type === "FLOAT" || type === "DOUBLE" ? `if(isnan(${cast}), NULL, ${cast})` : cast;
    return single(`if(type = 'INT96', NULL, ${sure})`);
  };
  return [
    `${bound("stats_min_value")} AS min_${index}`,
    `${bound("stats_max_value")} AS max_${index}`,
    `${single("stats_null_count")} AS nulls_${index}`,
    `${single("num_values")} AS values_${index}`,
  ];
}

/** Whether a row group may have rows that meet the filter; NULL where that is not known. */
function mayMeet(
  filter: ScanFilter,
  columnOf: (name: string) => { readonly index: number; readonly isFloating: boolean },
): string {
  switch (filter.kind) {
    case "and":
    case "or":
      return `(${filter.filters.map((part) => `coalesce(${mayMeet(part, columnOf)}, true)`).join(` ${filter.kind} `)})`;
    case "is_null":
      return `nulls_${columnOf(filter.column).index} > 0`;
    case "is_not_null": {
      const { index } = columnOf(filter.column);
      return `nulls_${index} < values_${index}`;
    }
    case "comparison":
      return mayCompare(filter.op, filter.value, columnOf(filter.column));
    case "in": {
      const column = columnOf(filter.column);
      return `(${filter.values.map((value) => `coalesce(${mayCompare("eq", value, column)}, true)`).join(" or ") || "false"})`;
    }
  }
}

function mayCompare(
  op: ScanOperator,
  value: ScanValue,
  { index, isFloating }: { readonly index: number; readonly isFloating: boolean },
): string {
  const literal = valueSql(value);
  switch (op) {
    case "eq":
      return `(min_${index} <= ${literal} AND max_${index} >= ${literal})`;
    case "lt":
      return `min_${index} < ${literal}`;
    case "le":
      return `min_${index} <= ${literal}`;
    // NaN, which is greater than every number, is in no statistics.
    case "gt":
      return isFloating ? "true" : `max_${index} > ${literal}`;
    case "ge":
      return isFloating ? "true" : `max_${index} >= ${literal}`;
    case "ne":
      return "true";
  }
}

async function fileChunks(
  file: ChunksRequest["files"][number],
  chunks: readonly Chunk[],
  skipped: ReadonlySet<number>,
  limit: number,
): Promise<FileChunks | null> {
  const rowsOfGroup = new Map(chunks.map(({ group, rows }) => [group, rows]));
  const kept: number[] = [];
  let rows = 0;
  for (const [group, groupRows] of rowsOfGroup) {
    if (skipped.has(group) || groupRows === 0 || rows >= limit) continue;
    kept.push(group);
    rows += groupRows;
  }
  const groups = new Set(kept);
  const needed = chunks.filter(({ group }) => groups.has(group));
  if (needed.some(({ bloom }) => bloom === "of unknown length")) return null;
  const isWhole = kept.length === rowsOfGroup.size;
  const footer = await readFooter(file.footer, !isWhole);
  const ranges = needed.flatMap(({ range, bloom }) => [
    ...(range === null ? [] : [{ from: range.from, to: range.to + PADDING_BYTES }]),
    ...(bloom === null || bloom === "of unknown length" ? [] : [bloom]),
  ]);
  if (ranges.some(({ from, to }) => !(from >= 4 && to > from && from < footer.offset))) return null;
  if (footer.bytes !== null) {
    await writeFooter(file.target, keepRowGroups(footer.bytes, kept, rows));
  }
  return {
    rows,
    groups: isWhole ? null : kept,
    ranges: merged(ranges, footer.offset).map(({ from, to }) => ({
      offset: from,
      length: to - from,
    })),
    footerOffset: footer.offset,
  };
}

/** Where `FileMetaData` lies, and its bytes where they are wanted: of all row groups, none are. */
async function readFooter(
  path: string,
  isWanted: boolean,
): Promise<{ readonly offset: number; readonly bytes: Buffer | null }> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(LENGTH_AND_MAGIC_BYTES);
    await file.read(end, 0, end.length, size - end.length);
    const length = end.readUInt32LE(0);
    const offset = size - end.length - length;
    if (!isWanted) return { offset, bytes: null };
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, offset);
    return { offset, bytes };
  } finally {
    await file.close();
  }
}

/** The footer as it stands at a file's end. */
async function writeFooter(path: string, footer: Buffer): Promise<void> {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  await writeFile(path, [footer, length, Buffer.from("PAR1")], { flag: "wx", mode: 0o600 });
}

/** In order, those that overlap or nearly touch as one; none goes beyond the end. */
function merged(ranges: readonly Range[], end: number): Range[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    const until = Math.min(to, end);
    if (last !== undefined && from - last.to <= MAX_GAP_BYTES) last.to = Math.max(last.to, until);
    else result.push({ from, to: until });
  }
  return result;
}
