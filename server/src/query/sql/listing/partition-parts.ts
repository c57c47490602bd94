/**
 * Hive's `name=value` folders: both sides percent-decoded, `__HIVE_DEFAULT_PARTITION__` is NULL.
 */

const NULL_VALUE = "__HIVE_DEFAULT_PARTITION__";

export function isPartitionPart(segment: string): boolean {
  return segment.indexOf("=") > 0;
}

/** Of a file's folders, in their order; of a name that comes twice the first counts. */
export function partitionParts(folders: readonly string[]): ReadonlyMap<string, string | null> {
  const parts = new Map<string, string | null>();
  for (const folder of folders) {
    const equals = folder.indexOf("=");
    if (equals <= 0) continue;
    const name = decoded(folder.slice(0, equals));
    const value = decoded(folder.slice(equals + 1));
    if (!parts.has(name)) parts.set(name, value === NULL_VALUE ? null : value);
  }
  return parts;
}

/** As written where it is no percent-encoding, as in names that were never encoded. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
