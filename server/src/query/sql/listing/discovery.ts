/**
 * Which objects a listing table's paths stand for, by DataFusion's rules (`table-path.ts`), with
 * these on top:
 *
 * - names below a path that begin with `_` or `.` are hidden (`_SUCCESS`, `_temporary/`, `.part.crc`),
 *   but not `_column=value` folders; an object that a path names itself is never hidden;
 * - folders that are no `name=value` parts are not entered, unless a pattern says so: DataFusion's
 *   `listing_table_ignore_subdirectory`, as in Hive;
 * - empty objects are passed over, and an object that several paths find is taken once.
 */

import type { ObjectSource, SourceObject } from "../../sources/object-source.ts";
import { ScanError } from "../scan.ts";
import { isPartitionPart } from "./partition-parts.ts";
import { isDataOf, type TableLog, tableLogOf, tableLogsFrom } from "./table-log.ts";
import { parseTablePath } from "./table-path.ts";

const MAX_LISTED_OBJECTS = 100_000;

export interface DiscoveredFile {
  readonly object: SourceObject;
  /** The folders between the path's own and the file's name; empty for an object that is a path. */
  readonly folders: readonly string[];
  /** Whether a path names the object itself. */
  readonly isNamed: boolean;
}

export interface Discovery {
  /** In the order of their keys. */
  readonly files: readonly DiscoveredFile[];
  /** One of the keys that lie in folders that are not entered, or null. */
  readonly unentered: string | null;
  /** Logs of tables at the paths, above and below them. */
  readonly logs: readonly TableLog[];
}

/**
 * The log that says what of the files counts, where there is one: they alone are not the rows.
 *
 * @param files those of the discovery that are read
 */
export function governingLog(
  { logs, unentered }: Discovery,
  files: readonly DiscoveredFile[],
): TableLog | null {
  if (files.length > 0) {
    return logs.find((log) => files.some(({ object }) => isDataOf(object.key, log))) ?? null;
  }
  return logs.find(({ root }) => unentered?.startsWith(root) ?? true) ?? null;
}

/**
 * @param suffix keys that do not end in it are passed over
 * @throws ScanError beyond `maxObjects`; SourceError, SourceUrlError
 */
export async function discoverFiles(
  source: ObjectSource,
  table: string,
  paths: readonly string[],
  suffix: string,
  signal: AbortSignal,
  maxObjects = MAX_LISTED_OBJECTS,
): Promise<Discovery> {
  const found = new Map<string, DiscoveredFile>();
  let unentered: string | null = null;
  let listed = 0;
  const logs = new Map<string, TableLog>();
  const looking = new Map<string, Promise<readonly TableLog[]>>();
  const lookFrom = (folder: string): void => {
    if (looking.has(folder)) return;
    const found = tableLogsFrom(source, folder, signal);
    // Told when it is waited for.
    found.catch(() => undefined);
    looking.set(folder, found);
  };
  const consider = (object: SourceObject, folders: readonly string[], isNamed = false): void => {
    if (object.bytes === 0 || !object.key.endsWith(suffix) || found.has(object.key)) return;
    found.set(object.key, { object, folders, isNamed });
  };
  for (const url of paths) {
    const path = parseTablePath(url);
    const key = source.keyOf(path.base);
    if (path.pattern === null && key !== "" && !key.endsWith("/")) {
      const object = await source.head(key, signal);
      if (object !== null) {
        lookFrom(folderOf(key));
        consider(object, [], true);
        continue;
      }
    }
    const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
    // What lies beside it and below is listed here.
    if (prefix !== "") lookFrom(folderOf(prefix.slice(0, -1)));
    for await (const object of source.list(prefix, signal)) {
      if (++listed > maxObjects) {
        throw new ScanError(
          `${table} has more than ${maxObjects} objects below its paths; name paths or patterns that hold fewer`,
        );
      }
      const log = tableLogOf(object.key);
      if (log !== null) logs.set(log.folder, log);
      const segments = object.key.slice(prefix.length).split("/");
      // A folder's own marker, such as consoles of object stores make.
      if (segments.at(-1) === "") continue;
      if (segments.some(isHidden)) continue;
      const folders = segments.slice(0, -1);
      if (path.pattern !== null) {
        if (path.pattern.test(segments.join("/"))) consider(object, folders);
      } else if (folders.every(isPartitionPart)) {
        consider(object, folders);
      } else if (object.key.endsWith(suffix)) {
        unentered ??= object.key;
      }
    }
  }
  for (const log of (await Promise.all(looking.values())).flat()) logs.set(log.folder, log);
  const files = [...found.values()].sort((a, b) => (a.object.key < b.object.key ? -1 : 1));
  return { files, unentered, logs: [...logs.values()] };
}

/** Key of the folder that a key lies in: empty, or with a slash at its end. */
const folderOf = (key: string): string => key.slice(0, key.lastIndexOf("/") + 1);

function isHidden(segment: string): boolean {
  return segment.startsWith(".") || (segment.startsWith("_") && !isPartitionPart(segment));
}
