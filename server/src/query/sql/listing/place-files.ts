/**
 * Puts what a query needs of files into its session's folder, several at a time: whole files, or of
 * Parquet files whose source gives ranges only the footers and the column chunks that are needed.
 */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ObjectSource } from "../../sources/object-source.ts";
import type { ScanFilter } from "../../sources/scan-filter.ts";
import { SourceChangedError } from "../../sources/source-error.ts";
import type { ChunksRequest, FileChunks, SchemaReader, StageBudget } from "../scan.ts";
import type { FileCache } from "./file-cache.ts";
import { givesRanges, type RangedSource } from "./object-parts.ts";
import type { StagedFile } from "./staged-files.ts";

const FILES_AT_ONCE = 32;
/** Files up to this are fetched whole: parts of them cost as much. */
const SMALL_BYTES = 64 << 10;
/** A footer is placed beside the file's own path. */
const FOOTER_SUFFIX = ".footer";
const KEPT_SUFFIX = ".kept";

export interface PlacedFiles {
  /** With the versions that were placed; without files of which no row is needed. */
  readonly files: readonly StagedFile[];
  readonly fetchedBytes: number;
}

export interface Placement {
  readonly source: ObjectSource;
  readonly cache: FileCache;
  readonly budget: StageBudget;
  readonly signal: AbortSignal;
}

/** What is needed of the rows of Parquet files. */
export interface NeededRows {
  readonly columns: ChunksRequest["columns"];
  readonly filter: ScanFilter | null;
  /** Rows that are enough, of any of the files; null = all are needed. */
  readonly limit: number | null;
  readonly reader: SchemaReader;
}

/**
 * Whole files. An object that changed since it was listed is looked up again, once.
 *
 * @throws SourceChangedError where it is gone or changes again, SourceError
 */
export async function placeFiles(
  placement: Placement,
  files: readonly StagedFile[],
): Promise<PlacedFiles> {
  placement.budget.take(files.reduce((sum, { file }) => sum + file.object.bytes, 0));
  await makeFolders(files);
  const placed = await forEachFile(placement, files, placeWhole);
  return together(placed);
}

/**
 * Of Parquet files what the query needs.
 *
 * @throws as `placeFiles`
 */
export async function placeParquet(
  placement: Placement,
  files: readonly StagedFile[],
  needed: NeededRows,
): Promise<PlacedFiles> {
  const { source } = placement;
  if (!givesRanges(source)) return placeFiles(placement, files);
  await makeFolders(files);
  const placed: PlacedFile[] = [];
  let wanted = needed.limit;
  // Where some rows are enough, more and more files are looked at until they have them.
  for (let at = 0, count = 1; at < files.length && wanted !== 0; at += count, count *= 4) {
    if (wanted === null) count = files.length;
    const batch = await placeBatch({ ...placement, source }, files.slice(at, at + count), {
      ...needed,
      limit: wanted,
    });
    placed.push(...batch.placed);
    if (wanted !== null) wanted = Math.max(0, wanted - batch.rows);
  }
  return together(placed);
}

export interface PlacedFile {
  /** Null where no row of it is needed. */
  readonly file: StagedFile | null;
  readonly fetchedBytes: number;
}

type RangedPlacement = Placement & { readonly source: RangedSource };

async function placeBatch(
  placement: RangedPlacement,
  files: readonly StagedFile[],
  { columns, filter, limit, reader }: NeededRows,
): Promise<{ readonly placed: readonly PlacedFile[]; readonly rows: number }> {
  const begun = await forEachFile(placement, files, begin);
  // A file that lies there whole is asked for its rows alone, where so many of them are enough.
  const asked = begun.filter((one) => !one.isWhole || limit !== null);
  const request = {
    files: asked.map(({ file: { path }, isWhole }) => ({
      footer: isWhole ? path : path + FOOTER_SUFFIX,
      target: path + KEPT_SUFFIX,
    })),
    columns,
    filter,
    limit,
  };
  const chunks = asked.length === 0 ? [] : await reader.chunksOf(request);
  const chunksOfFile = new Map(asked.map((one, index) => [one, chunks[index] ?? null]));
  const placed = await forEachFile(placement, begun, async (inTime, one) => {
    const needed = chunksOfFile.get(one);
    if (one.isWhole && needed === undefined) return one;
    if (needed != null && needed.rows === 0) return { ...one, file: null };
    if (one.isWhole) return one;
    return finish(inTime, one, needed ?? null);
  });
  return { placed, rows: chunks.reduce((sum, one) => sum + (one?.rows ?? 0), 0) };
}

interface BegunFile {
  readonly file: StagedFile;
  readonly fetchedBytes: number;
  /** Or its footer alone. */
  readonly isWhole: boolean;
}

async function begin(placement: RangedPlacement, file: StagedFile): Promise<BegunFile> {
  const { source, cache, budget, signal } = placement;
  const { object } = file.file;
  try {
    if (await cache.placeKnown(source, object, file.path, signal)) {
      budget.take(object.bytes);
      return { file, fetchedBytes: 0, isWhole: true };
    }
    if (object.bytes > SMALL_BYTES) {
      const footer = file.path + FOOTER_SUFFIX;
      const fetchedBytes = await cache.placeFooter(source, object, footer, signal);
      return { file, fetchedBytes, isWhole: false };
    }
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
  }
  budget.take(object.bytes);
  return { ...(await placeWhole(placement, file)), isWhole: true };
}

async function finish(
  placement: RangedPlacement,
  { file, fetchedBytes }: BegunFile,
  needed: FileChunks | null,
): Promise<PlacedFile> {
  const { source, cache, budget, signal } = placement;
  const { object } = file.file;
  const whole = async (): Promise<PlacedFile> => {
    budget.take(object.bytes);
    const placed = await placeWhole(placement, file);
    return { ...placed, fetchedBytes: placed.fetchedBytes + fetchedBytes };
  };
  if (needed === null) return whole();
  const { groups, ranges, footerOffset } = needed;
  const footer =
    groups === null
      ? { path: file.path + FOOTER_SUFFIX, from: footerOffset, offset: footerOffset }
      : { path: file.path + KEPT_SUFFIX, from: 0, offset: footerOffset };
  try {
    budget.take(ranges.reduce((sum, { length }) => sum + length, 0));
    const parts = { groups, ranges, footer };
    const more = await cache.placeParts(source, object, parts, file.path, signal);
    return { file, fetchedBytes: fetchedBytes + more };
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    return whole();
  }
}

export async function placeWhole(
  { source, cache, budget, signal }: Placement,
  staged: StagedFile,
): Promise<{ readonly file: StagedFile; readonly fetchedBytes: number }> {
  const listed = staged.file.object;
  try {
    return { file: staged, fetchedBytes: await cache.place(source, listed, staged.path, signal) };
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    const object = await source.head(listed.key, signal);
    if (object === null || object.bytes === 0) throw error;
    budget.take(Math.max(0, object.bytes - listed.bytes));
    const fetchedBytes = await cache.place(source, object, staged.path, signal);
    return { file: { ...staged, file: { ...staged.file, object } }, fetchedBytes };
  }
}

export async function makeFolders(files: readonly StagedFile[]): Promise<void> {
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}

export function together(placed: readonly PlacedFile[]): PlacedFiles {
  return {
    files: placed.flatMap(({ file }) => (file === null ? [] : [file])),
    fetchedBytes: placed.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0),
  };
}

/** Several at a time, ended together; results in the files' order. */
async function forEachFile<Given, Result, Placing extends Placement>(
  placement: Placing,
  files: readonly Given[],
  place: (placement: Placing, file: Given) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const inTime = { ...placement, signal: AbortSignal.any([placement.signal, stop.signal]) };
  const results: Result[] = new Array(files.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const at = next++;
      results[at] = await place(inTime, files[at]!);
    }
  };
  const workers = Array.from({ length: Math.min(FILES_AT_ONCE, files.length) }, work);
  try {
    await Promise.all(workers);
  } catch (error) {
    stop.abort();
    // Nothing is written to the folder after this has failed.
    await Promise.allSettled(workers);
    throw error;
  }
  return results;
}
