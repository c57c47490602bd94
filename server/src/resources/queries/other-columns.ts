/** Columns of a table whose cells are no single values, such as bytes and lists, in its profile. */

import type { ColumnKind, Inspection } from "@distillery/engine";
import { quoteName } from "../../query/sql-text.ts";

/** Of a column that no dataset can hold as it is. */
export const OTHER = "other";

export interface ProfiledTable extends Omit<Inspection, "columns"> {
  readonly columns: readonly {
    readonly name: string;
    readonly kind: ColumnKind | typeof OTHER;
    readonly nullable: boolean;
  }[];
}

/** The table with such columns as whether they have a value. @param from with the table at its end */
export function withoutValues(from: string, others: ReadonlyMap<string, string>): string {
  const has = [...others.keys()].map(quoteName).map((name) => `${name} IS NOT NULL AS ${name}`);
  return from.replace(/^SELECT \*/, () => `SELECT * REPLACE (${has.join(", ")})`);
}

/**
 * What was found of the rows of `withoutValues`, as it is of the table.
 *
 * @param others types by name
 */
export function ofOthers(found: Inspection, others: ReadonlyMap<string, string>): ProfiledTable {
  const missing = new Map(
    found.profile.map(({ name, top_values: top }) => [
      name,
      Array.isArray(top) ? (top.find(({ value }) => value === "false")?.count ?? 0) : 0,
    ]),
  );
  return {
    rows: found.rows,
    columns: found.columns.map((column) => {
      const { name } = column;
      return others.has(name) ? { name, kind: OTHER, nullable: missing.get(name) > 0 } : column;
    }),
    profile: found.profile.map((profile) => {
      const name = String(profile["name"]);
      const type = others.get(name);
      if (type === undefined) return profile;
      return { name, kind: OTHER, type, count: found.rows, missing: missing.get(name) };
    }),
    warnings: [
      ...found.warnings,
      ...[...others].map(
        ([name, type]) =>
          `Column ${JSON.stringify(name)} is of the type ${type}, which does not have one value per row: its missing values are counted, and nothing else is told of it.`,
      ),
    ],
  };
}
