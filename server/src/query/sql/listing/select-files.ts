/**
 * The format of a listing's files, and which of the discovered files are of it.
 *
 * With a `fileExtension` all files that end in it are. With none, those with a suffix of the format;
 * where no file has one, those whose names tell of no format, such as `part-00000`. Without options
 * the format is that of the first file that tells one.
 */

import { ScanError } from "../scan.ts";
import type { DiscoveredFile } from "./discovery.ts";
import {
  type Compression,
  FILE_FORMATS,
  type FileFormat,
  formatOfKey,
  hasSuffixOf,
  mayBeCompressed,
  readFileName,
} from "./file-format.ts";

/** Formats that read each other's files. */
const KIN: readonly (readonly FileFormat[])[] = [
  ["parquet"],
  ["csv", "tsv"],
  ["json", "ndjson"],
  ["arrow"],
];

/** @returns null where there are no files @throws ScanError where their names tell nothing */
export function inferFormat(table: string, files: readonly DiscoveredFile[]): FileFormat | null {
  for (const { object } of files) {
    const format = formatOfKey(object.key);
    if (format !== null) return format;
  }
  const first = files[0];
  if (first === undefined) return null;
  throw new ScanError(
    `${table}: the name ${first.object.key} does not tell the format; give the snapshot's options with a fileType, which is one of ${FILE_FORMATS.join(", ")}`,
  );
}

/**
 * @param suffix `fileExtension`, which the files end in already; empty = by the format
 * @param compression what the options say, or null
 * @throws ScanError where a name contradicts the format or the compression
 */
export function selectFiles(
  table: string,
  files: readonly DiscoveredFile[],
  format: FileFormat,
  suffix: string,
  compression: Compression | null,
): readonly DiscoveredFile[] {
  const selected = suffix === "" ? byFormat(files, format) : files;
  for (const { object } of selected) checkName(table, object.key, format, compression);
  return selected;
}

/** Says which files with the name of a format are not selected, where there are any. */
export function leftOut(
  files: readonly DiscoveredFile[],
  selected: readonly DiscoveredFile[],
  format: FileFormat,
): string | null {
  const read = new Set(selected);
  const others = files.filter((file) => !read.has(file) && formatOfKey(file.object.key) !== null);
  const first = others[0];
  if (first === undefined) return null;
  const count = others.length === 1 ? "1 file" : `${others.length} files`;
  return `only its ${format} files are read, and ${count} of another format (first ${first.object.key}) not; a fileType and a fileExtension in the snapshot's options say what is meant`;
}

function byFormat(files: readonly DiscoveredFile[], format: FileFormat): readonly DiscoveredFile[] {
  const isOfFormat = ({ isNamed, object }: DiscoveredFile) =>
    isNamed || hasSuffixOf(object.key, format);
  const found = files.filter(isOfFormat);
  return found.length > 0 ? found : files.filter(({ object }) => formatOfKey(object.key) === null);
}

function checkName(
  table: string,
  key: string,
  format: FileFormat,
  compression: Compression | null,
): void {
  const named = readFileName(key);
  const told = formatOfKey(key);
  if (told !== null && !KIN.some((kin) => kin.includes(told) && kin.includes(format))) {
    throw new ScanError(
      `${table}: ${key} is named as ${told}, and the table's files are ${format}`,
    );
  }
  if (named.compression === "none") return;
  if (!mayBeCompressed(format)) {
    throw new ScanError(
      `${table}: ${key} is named as ${named.compression}, and ${format} files are not compressed as a whole`,
    );
  }
  if (compression !== null && compression !== named.compression) {
    throw new ScanError(
      `${table}: ${key} is named as ${named.compression}, and the option compression is ${compression === "none" ? "uncompressed" : compression}`,
    );
  }
}
