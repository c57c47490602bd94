/**
 * A staged file's partition in the names of its folders, from where DuckDB's readers take columns that
 * are constant over a file: as fast as none, however many partitions one call reads.
 *
 * Values are texts behind a `v`, so that none is taken for NULL or for nothing; NULL is Hive's name of
 * it. Values that are too long for a name have no such folders; their partitions are read one by one.
 */

import { quoteName, quoteText } from "../../sql-text.ts";

const NULL_NAME = "__HIVE_DEFAULT_PARTITION__";
/** A name has at most 255 bytes on every file system, a path 4,096. */
const MAX_NAME = 200;
const MAX_NAMES = 2000;

const columnName = (at: number): string => `__staged_partition_${at}`;

/** Relative path with a folder a value, or null where they do not fit. */
export function partitionFolders(values: readonly (string | null)[]): string | null {
  const names = values.map((value) => (value === null ? NULL_NAME : `v${encoded(value)}`));
  const path = names.map((name, at) => `${columnName(at)}=${name}`).join("/");
  return names.some((name) => name.length > MAX_NAME) || path.length > MAX_NAMES ? null : path;
}

/** The value in a reader's row, as a text. */
export function partitionText(at: number): string {
  return `substr(${quoteName(columnName(at))}, 2)`;
}

/** What a reader is told: without columns it must not look for any in the path. */
export function partitionArguments(columns: number): string[] {
  if (columns === 0) return ["hive_partitioning=false"];
  const types = Array.from({ length: columns }, (_, at) => `${quoteText(columnName(at))}: VARCHAR`);
  return ["hive_partitioning=true", `hive_types={${types.join(", ")}}`];
}

function encoded(value: string): string {
  return [...Buffer.from(value)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
