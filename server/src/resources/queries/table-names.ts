/** What a name in a statement may mean: which tables of the catalog, in the order of preference. */

import type { TableName, TableReference } from "../../query/sql/query.ts";
import { SEGMENT_ID } from "../workspaces/names.ts";

/** DuckDB's schema of a catalog that is named without one. */
export const MAIN = "main";

export interface NameDefaults {
  readonly catalog: string | null;
  readonly schema: string | null;
}

/**
 * Names are compared without regard to case, as SQL does; those that no table can have are left
 * out. Two parts are a schema of the default catalog, or a catalog and its schema `main`.
 */
export function meanings(reference: TableReference, defaults: NameDefaults): TableName[] {
  const table = reference.table.toLowerCase();
  const schema = reference.schema?.toLowerCase() ?? null;
  const catalog = reference.catalog?.toLowerCase() ?? null;
  const candidates: [string | null, string | null][] =
    catalog !== null
      ? [[catalog, schema ?? MAIN]]
      : schema !== null
        ? [
            [defaults.catalog, schema],
            [schema, MAIN],
          ]
        : [[defaults.catalog, defaults.schema ?? MAIN]];
  return candidates.flatMap(([inCatalog, inSchema]) => {
    if (inCatalog === null || inSchema === null) return [];
    const name = { catalog: inCatalog, schema: inSchema, table };
    return [inCatalog, inSchema, table].every((part) => SEGMENT_ID.test(part)) ? [name] : [];
  });
}

/** For keys of maps: segments hold no dots. */
export const keyOf = ({ catalog, schema, table }: TableName): string =>
  `${catalog}.${schema}.${table}`;

/** Each name once, in the order of first sight. */
export function distinctNames(names: readonly TableName[]): TableName[] {
  return [...new Map(names.map((name) => [keyOf(name), name])).values()];
}
