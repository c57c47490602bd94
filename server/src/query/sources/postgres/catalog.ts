/**
 * What is asked of PostgreSQL's catalog (12 or later): a table's columns, with domains taken down to
 * what they are made of, and the names of schemas and tables that the user may read.
 */

import { SourceError } from "../source-error.ts";
import type { SourceTableName } from "../warehouse.ts";
import { isUnboundedNumeric } from "./column-types.ts";
import { isName, quoteName, quoteText } from "./literal.ts";
import type { Row } from "./session.ts";
import type { ServerTraits, SourceColumn } from "./source-column.ts";

export type Query = (sql: string) => Promise<readonly Row[]>;

/** Tables, views, materialized views, partitioned and foreign tables. */
const READABLE = "('r', 'v', 'm', 'p', 'f')";

export interface TableColumns {
  readonly columns: readonly SourceColumn[];
  readonly server: ServerTraits;
}

/**
 * The columns that the user may read.
 *
 * @throws SourceError `not-found`, or `refused` where none may be read
 */
export async function tableColumns(
  query: Query,
  table: SourceTableName,
  place: string,
): Promise<TableColumns> {
  const name = `"${table.schema}.${table.table}"`;
  const missing = new SourceError("not-found", `${place} has no table ${name}.`);
  if (!isName(table.schema) || !isName(table.table)) throw missing;
  const rows = await query(columnsSql(table));
  const [first] = rows;
  if (first === undefined) throw missing;
  if (first["readable"] !== "t") {
    const sentence = `${place} does not allow this user to read the table ${name}.`;
    throw new SourceError("refused", sentence);
  }
  return {
    columns: rows.filter((row) => row["name"] !== null).map(sourceColumn),
    server: { encoding: first["encoding"] ?? "" },
  };
}

function columnsSql(table: SourceTableName): string {
  return `with recursive relation as (
      select c.oid, c.relkind, pg_catalog.has_schema_privilege(n.oid, 'USAGE')
          and pg_catalog.has_any_column_privilege(c.oid, 'SELECT') as readable
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${quoteText(table.schema)}::text
        and c.relname = ${quoteText(table.table)}::text and c.relkind in ${READABLE}
    ), made_of as (
      select a.attnum, a.attname, a.attnotnull, a.attcollation, a.atttypid as type,
          a.atttypmod as modifier
      from relation join pg_catalog.pg_attribute a on a.attrelid = relation.oid
      where a.attnum > 0 and not a.attisdropped
        and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
      union all
      select m.attnum, m.attname, m.attnotnull, m.attcollation, t.typbasetype,
          case when t.typtypmod >= 0 then t.typtypmod else m.modifier end
      from made_of m join pg_catalog.pg_type t on t.oid = m.type where t.typtype = 'd'
    )
    select relation.readable::char(1) as readable,
        pg_catalog.current_setting('server_encoding') as encoding,
        m.attname::text as name,
        (m.attnotnull and relation.relkind <> 'f')::char(1) as not_null, m.modifier::text as modifier,
        case when t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
          then t.typname::text end as built_in,
        t.typtype::text as kind,
        (t.typcategory = 'A' and t.typelem <> 0)::char(1) as is_array,
        coalesce(l.collisdeterministic, true)::char(1) as deterministic
    from relation
    left join (made_of m join pg_catalog.pg_type t on t.oid = m.type and t.typtype <> 'd') on true
    left join pg_catalog.pg_collation l on l.oid = m.attcollation
    order by m.attnum`;
}

function sourceColumn(row: Row): SourceColumn {
  return {
    name: row["name"] ?? "",
    builtIn: row["built_in"] ?? null,
    kind: row["kind"] ?? "",
    isArray: row["is_array"] === "t",
    modifier: Number(row["modifier"]),
    sampledDigits: null,
    notNull: row["not_null"] === "t",
    deterministic: row["deterministic"] === "t",
  };
}

/** Rows that the digits of numerics without bounds are sampled from. */
const SAMPLED_ROWS = 10_000;

/** The columns, with the digits of those numerics whose declaration does not tell them. */
export async function withSampledDigits(
  query: Query,
  table: SourceTableName,
  columns: readonly SourceColumn[],
): Promise<readonly SourceColumn[]> {
  const unbounded = columns.filter(isUnboundedNumeric);
  if (unbounded.length === 0) return columns;
  const names = unbounded.map(({ name }) => quoteName(name));
  // NaN and the infinities have no scale.
  const digits = names.map(
    (name, at) =>
      `pg_catalog.max(pg_catalog.scale(${name}))::text as fraction_${at}, pg_catalog.max(case when pg_catalog.scale(${name}) is not null then pg_catalog.length(pg_catalog.trunc(pg_catalog.abs(${name}))::text) end)::text as whole_${at}`,
  );
  const [row = {}] = await query(
    `select ${digits.join(", ")} from (select ${names.join(", ")} from ${quoteName(table.schema)}.${quoteName(table.table)} limit ${SAMPLED_ROWS}) as sample`,
  );
  return columns.map((column) => {
    const at = unbounded.indexOf(column);
    if (at < 0) return column;
    const whole = Number(row[`whole_${at}`] ?? 0);
    const fraction = Number(row[`fraction_${at}`] ?? 0);
    return { ...column, sampledDigits: { whole, fraction } };
  });
}

/** Names of the schemas whose tables may be seen, in byte order. */
export async function schemaNames(query: Query): Promise<readonly string[]> {
  const rows = await query(
    `select nspname::text as name from pg_catalog.pg_namespace
     where nspname !~ '^pg_' and nspname <> 'information_schema'
       and pg_catalog.has_schema_privilege(oid, 'USAGE')
     order by nspname::text collate "C"`,
  );
  return rows.map((row) => row["name"] ?? "");
}

/**
 * Names of the tables and views that may be read, in byte order.
 *
 * @throws SourceError `not-found` where there is no such schema
 */
export async function tableNames(
  query: Query,
  schema: string,
  place: string,
): Promise<readonly string[]> {
  const missing = new SourceError("not-found", `${place} has no schema "${schema}".`);
  if (!isName(schema)) throw missing;
  const rows = await query(
    `select c.relname::text as name from pg_catalog.pg_namespace n
     left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind in ${READABLE}
       and pg_catalog.has_schema_privilege(n.oid, 'USAGE')
       and pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
     where n.nspname = ${quoteText(schema)}::text
     order by c.relname::text collate "C"`,
  );
  if (rows.length === 0) throw missing;
  return rows.flatMap((row) => row["name"] ?? []);
}
