/**
 * Of text and Arrow files no more than have the rows that are enough: the first lines of a large file,
 * else one file after another.
 */

import { rm } from "node:fs/promises";
import { SqlError } from "../query.ts";
import { ScanError } from "../scan.ts";
import type { ReadOptions } from "./format-options.ts";
import { FIRST_BYTES, isCut } from "./infer-schema.ts";
import {
  makeFolders,
  type PlacedFile,
  type PlacedFiles,
  type Placement,
  placeFiles,
  placeWhole,
  together,
} from "./place-files.ts";
import type { StagedFile } from "./staged-files.ts";
import { beginsArray, readHead, writeFirstLines } from "./text-sample.ts";

/** Files that are looked at one by one; after them all are placed at once. */
const FILES_TRIED = 4;

/**
 * @param areEnough whether these files have rows enough
 * @throws SourceChangedError, SourceError
 */
export async function placeFirstRows(
  placement: Placement,
  files: readonly StagedFile[],
  options: ReadOptions,
  areEnough: (files: readonly StagedFile[]) => Promise<boolean>,
): Promise<PlacedFiles> {
  // What cannot be read is said where the statement is run.
  const haveEnough = (placed: readonly StagedFile[]): Promise<boolean> =>
    areEnough(placed).catch((error: unknown) => {
      if (error instanceof SqlError || error instanceof ScanError) return false;
      throw error;
    });
  await makeFolders(files);
  const [first] = files;
  if (first !== undefined && isCut(options, first.file.object)) {
    const placed = await placeFirstLines(placement, first, options);
    if (placed !== null) {
      if (await haveEnough([first])) return together([placed]);
      await rm(first.path);
    }
  }
  const placed: PlacedFile[] = [];
  for (const file of files.slice(0, FILES_TRIED)) {
    placement.budget.take(file.file.object.bytes);
    placed.push(await placeWhole(placement, file));
    const { files: sofar } = together(placed);
    if (sofar.length === files.length || (await haveEnough(sofar))) return together(placed);
  }
  const rest = await placeFiles(placement, files.slice(FILES_TRIED));
  const tried = together(placed);
  return {
    files: [...tried.files, ...rest.files],
    fetchedBytes: tried.fetchedBytes + rest.fetchedBytes,
  };
}

/** Null where a beginning is no file of its own: that of an array in JSON. */
async function placeFirstLines(
  { source, budget, signal }: Placement,
  file: StagedFile,
  options: ReadOptions,
): Promise<PlacedFile | null> {
  budget.take(FIRST_BYTES);
  const head = await readHead(source, file.file.object, FIRST_BYTES, signal);
  if ("json" in options && beginsArray(head)) return null;
  await writeFirstLines(head, file.path, "csv" in options ? options.csv.quote : "");
  return { file, fetchedBytes: head.byteLength };
}
