/** Names near to one that does not exist. */

import { nearNames } from "../../platform/input/near-names.ts";
import type { TableName } from "./query.ts";

/**
 * The table whose name is nearest by edit distance, written as the statement may name it; null where
 * none is near.
 */
export function nearestName(
  missing: string,
  names: readonly TableName[],
  defaults: { readonly catalog: string | null; readonly schema: string | null },
): string | null {
  const [near] = nearNames(missing, new Set(names.map(({ table }) => table)), 1);
  const nearest = names.find(({ table }) => table === near);
  if (nearest === undefined) return null;
  const { catalog, schema, table } = nearest;
  if (same(catalog, defaults.catalog)) {
    return same(schema, defaults.schema ?? "main") ? table : `${schema}.${table}`;
  }
  // DuckDB reads two parts as a catalog and its schema main, unless the default catalog has such a schema.
  const isShort =
    same(schema, "main") &&
    names.every((name) => !same(name.catalog, defaults.catalog) || !same(name.schema, catalog));
  return isShort ? `${catalog}.${table}` : `${catalog}.${schema}.${table}`;
}

const same = (name: string, other: string | null): boolean =>
  name.toLowerCase() === other?.toLowerCase();

/** Pairs of letters that two names must share of all that they have, for one to be like the other. */
const LEAST_LIKENESS = 0.3;

/** Of the names those that are most like one that does not exist, by Dice's coefficient of their bigrams. */
export function likeNames(missing: string, names: readonly string[], most: number): string[] {
  const wanted = bigramsOf(missing);
  return names
    .map((name) => ({ name, likeness: likenessOf(wanted, bigramsOf(name)) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ name }) => name);
}

function bigramsOf(name: string): Set<string> {
  const bounded = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: bounded.length - 1 }, (_, at) => bounded.slice(at, at + 2)));
}

function likenessOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const bigram of left) if (right.has(bigram)) shared++;
  return (2 * shared) / (left.size + right.size);
}
