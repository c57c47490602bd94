/**
 * Tables whose files are not their rows: in Delta Lake, Iceberg and Hudi a log says which files, and
 * which rows of them, are current; files that were removed or overwritten stay where they are. Such a
 * table is recognised by its log, at a path, above it or below it, so that it is not read as files.
 *
 * https://github.com/delta-io/delta/blob/master/PROTOCOL.md
 * https://iceberg.apache.org/spec/#file-system-tables
 * https://hudi.apache.org/tech-specs/
 */

import type { ObjectSource } from "../../sources/object-source.ts";
import { SourceError, SourceUrlError } from "../../sources/source-error.ts";
import { isPartitionPart } from "./partition-parts.ts";

/** A folder beside a table's files, and what names of objects in it tell the format. */
const LOGS = [
  { format: "Delta Lake", folder: "_delta_log", name: /./s },
  { format: "Iceberg", folder: "metadata", name: /\.metadata\.json(?:\.gz)?$/ },
  { format: "Hudi", folder: ".hoodie", name: /./s },
] as const;

/** Looked at beside and above a path; those of partitions are not counted. */
const FOLDERS_ABOVE = 2;
/** Objects of a folder that may be a log: Iceberg's holds manifests too. */
const LOOKED_AT = 2000;

export interface TableLog {
  readonly format: (typeof LOGS)[number]["format"];
  /** Key of the table's folder: empty, or with a slash at its end. */
  readonly root: string;
  /** Key of the log's folder, with a slash at its end. */
  readonly folder: string;
}

/** The log that an object is part of, by its key. */
export function tableLogOf(key: string): TableLog | null {
  const folders = key.split("/");
  const name = folders.pop()!;
  for (const log of LOGS) {
    const at = folders.indexOf(log.folder);
    if (at >= 0 && log.name.test(name)) return logIn(folders.slice(0, at), log);
  }
  return null;
}

function logIn(folders: readonly string[], { format, folder }: (typeof LOGS)[number]): TableLog {
  const root = folders.map((one) => `${one}/`).join("");
  return { format, root, folder: `${root}${folder}/` };
}

/**
 * The logs beside a folder and those above it, as far as the connector reaches.
 *
 * @param folder key that ends in a slash, or empty
 */
export async function tableLogsFrom(
  source: ObjectSource,
  folder: string,
  signal: AbortSignal,
): Promise<readonly TableLog[]> {
  const folders = folder.split("/").slice(0, -1);
  const roots: string[][] = [];
  for (let depth = folders.length; depth >= 0 && roots.length < FOLDERS_ABOVE; depth--) {
    const root = folders.slice(0, depth);
    // A partition's folder is no table's.
    if (!isPartitionPart(root.at(-1) ?? "")) roots.push(root);
  }
  const logs = roots.flatMap((root) => LOGS.map((log) => existing(source, root, log, signal)));
  return (await Promise.all(logs)).filter((log) => log !== null);
}

async function existing(
  source: ObjectSource,
  root: readonly string[],
  kind: (typeof LOGS)[number],
  signal: AbortSignal,
): Promise<TableLog | null> {
  const log = logIn(root, kind);
  let looked = 0;
  try {
    for await (const { key } of source.list(log.folder, signal)) {
      if (key.startsWith(log.folder) && kind.name.test(key)) return log;
      if (++looked >= LOOKED_AT) break;
    }
  } catch (error) {
    // What lies above the path may be out of the connector's reach, or its credentials'.
    const isClosed =
      error instanceof SourceUrlError ||
      (error instanceof SourceError && ["refused", "not-found"].includes(error.failure));
    if (!isClosed) throw error;
  }
  return null;
}

/** Why a table with this log is not read, and what can be; begins with a name. */
export function whyNotRead({ format, root, folder }: TableLog): string {
  const where = root === "" ? "the connector's folder" : root;
  return `${where} is a ${format} table (it has ${folder}), whose log tells which files hold its current rows; that format is not read here, and its files alone would bring removed rows back. Name a copy of its rows in Parquet files, or a warehouse's table of it`;
}

/** Whether an object is the table's data. Its log's own files are what they are. */
export function isDataOf(key: string, { root, folder }: TableLog): boolean {
  return key.startsWith(root) && !key.startsWith(folder);
}
