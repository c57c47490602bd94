/** Files of a listing as they lie in a session's folder. */

import { join } from "node:path";
import type { DiscoveredFile } from "./discovery.ts";
import { type Compression, type FileFormat, readFileName } from "./file-format.ts";
import { partitionFolders } from "./partition-folders.ts";
import type { FilePartition } from "./partitions.ts";

export interface StagedFile {
  readonly file: DiscoveredFile;
  /** Absolute. */
  readonly path: string;
  /** Which of the staged partitions it is of. */
  readonly partition: number;
}

/** What readers tell compression by; the source's own name may say otherwise or nothing. */
const COMPRESSION_SUFFIX: Readonly<Record<Compression, string>> = {
  none: "",
  gzip: ".gz",
  zstd: ".zst",
};

/** @returns paths that are unique in the folder; errors of DuckDB show their last segment */
export function stagedPaths(
  folder: string,
  partitions: readonly FilePartition[],
  format: FileFormat,
  compression: Compression | null,
): StagedFile[] {
  return partitions.flatMap(({ files, values }, partition) => {
    const below = join(folder, String(partition), partitionFolders(values) ?? "");
    const taken = new Set<string>();
    return files.map((file, index) => {
      const name = stagedName(file.object.key, format, compression);
      const unique = taken.has(name) ? `${index}-${name}` : name;
      taken.add(unique);
      return { file, partition, path: join(below, unique) };
    });
  });
}

/** A name of plain characters whose suffix tells format and compression. */
export function stagedName(
  key: string,
  format: FileFormat,
  compression: Compression | null,
): string {
  const named = readFileName(key);
  const last = key.slice(key.lastIndexOf("/") + 1);
  const bare = last.replace(/(?:\.(?:gz|gzip|zst|zstd))$/i, "");
  const stem = bare.slice(0, bare.length - named.suffix.length).replace(/[^A-Za-z0-9._-]/g, "_");
  const suffix = /^\.[a-z0-9]{1,16}$/.test(named.suffix) ? named.suffix : `.${format}`;
  return `${stem.slice(0, 120) || "file"}${suffix}${COMPRESSION_SUFFIX[compression ?? named.compression]}`;
}
