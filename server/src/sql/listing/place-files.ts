/** Puts the files of a query into its session's folder, several at a time. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ObjectSource } from "../../sources/object-source.ts";
import { SourceChangedError } from "../../sources/source-error.ts";
import type { StageBudget } from "../scan.ts";
import type { FileCache } from "./file-cache.ts";
import type { StagedFile } from "./staged-files.ts";

const FILES_AT_ONCE = 32;

export interface PlacedFiles {
  /** With the versions that were placed. */
  readonly files: readonly StagedFile[];
  readonly fetchedBytes: number;
}

/**
 * An object that changed since it was listed is looked up again, once.
 *
 * @throws SourceChangedError where it is gone or changes again, SourceError
 */
export async function placeFiles(
  source: ObjectSource,
  cache: FileCache,
  files: readonly StagedFile[],
  budget: StageBudget,
  signal: AbortSignal,
): Promise<PlacedFiles> {
  budget.take(files.reduce((sum, { file }) => sum + file.object.bytes, 0));
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const placed: StagedFile[] = new Array(files.length);
  let fetchedBytes = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const at = next++;
      const done = await placeFile(source, cache, files[at]!, budget, both);
      placed[at] = done.file;
      fetchedBytes += done.fetchedBytes;
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
  return { files: placed, fetchedBytes };
}

async function placeFile(
  source: ObjectSource,
  cache: FileCache,
  staged: StagedFile,
  budget: StageBudget,
  signal: AbortSignal,
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
