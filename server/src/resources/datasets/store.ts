/** The SQL of datasets, and the only place of it. */

import type { ColumnKind, TableFormat } from "@distillery/engine";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { OwnerKind } from "../../platform/objects/holds.ts";

export interface DatasetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
}

export interface DatasetRow {
  readonly id: string;
  readonly name: string;
  readonly format: TableFormat;
  /** Of the bytes that were sent; null where they are not kept. */
  readonly object_key: string | null;
  /** See `table-file.ts`; null for a dataset of an older version that was not read since. */
  readonly table_key: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly columns: readonly DatasetColumn[];
  readonly warnings: readonly string[];
  readonly created_at: Date;
  /** Shortest name in SQL: `sql_slug` for the newest of those that share it, else the stable one. */
  readonly sql_name: string;
  /** Name in SQL that no later dataset takes. */
  readonly sql_stable_name: string;
}

export interface NewDataset
  extends Omit<DatasetRow, "created_at" | "sql_name" | "sql_stable_name"> {
  /** JSON. */
  readonly profile: string;
}

/** Of a row of `datasets`. The end of an id is random; its beginning is that of its neighbours in time. */
const stableName = (sql: Sql) => sql`datasets.sql_slug || '_' || right(datasets.id::text, 12)`;

const sqlNames = (sql: Sql) => sql`
  case when exists (
    select from datasets as later
    where later.organization_id = datasets.organization_id and later.sql_slug = datasets.sql_slug
      and (later.created_at, later.id) > (datasets.created_at, datasets.id))
  then ${stableName(sql)} else datasets.sql_slug end as sql_name,
  ${stableName(sql)} as sql_stable_name`;

/** Registering an id again keeps what is there: a repeated request meets its first run's row. */
export async function insertDataset(
  sql: Sql,
  organizationId: string,
  dataset: NewDataset,
): Promise<DatasetRow> {
  const [row] = await sql<[DatasetRow]>`
      insert into datasets (id, organization_id, name, format, object_key, table_key, rows,
                            bytes, hash, source, columns, profile, warnings)
      values (${dataset.id}, ${organizationId}, ${dataset.name}, ${dataset.format},
              ${dataset.object_key}, ${dataset.table_key}, ${dataset.rows}, ${dataset.bytes},
              ${dataset.hash},
              ${JSON.stringify(dataset.source)}::text::json,
              ${JSON.stringify(dataset.columns)}::text::json,
              ${dataset.profile}::text::json,
              ${JSON.stringify(dataset.warnings)}::text::json)
      on conflict (id) do update set id = excluded.id
      returning id, name, format, object_key, table_key, rows, bytes, hash, source, columns,
                warnings, created_at, ${sqlNames(sql)}`;
  return row;
}

export async function findDataset(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DatasetRow | null> {
  const rows = await db.read<DatasetRow[]>(
    organizationId,
    (sql) => sql`
      select id, name, format, object_key, table_key, rows, bytes, hash, source, columns, warnings,
             created_at, ${sqlNames(sql)}
      from datasets where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Of a lineage that is shown. */
const MOST_LINKS = 1000;

/** Datasets of these ids, and those made by these jobs, with these models or of these datasets; newest first. */
export async function findDatasets(
  db: Database,
  organizationId: string,
  {
    ids,
    jobs,
    models,
    datasets,
  }: Readonly<Record<"ids" | "jobs" | "models" | "datasets", readonly string[]>>,
): Promise<readonly Pick<DatasetRow, "id" | "name" | "rows" | "hash" | "source" | "created_at">[]> {
  if (ids.length + jobs.length + models.length + datasets.length === 0) return [];
  return db.read<DatasetRow[]>(
    organizationId,
    (sql) => sql`
      select id, name, rows, hash, source, created_at from datasets
      where organization_id = ${organizationId} and (
        id = any(${[...ids]}::uuid[]) or source ->> 'job_id' = any(${[...jobs]}::text[])
        or exists (select from json_array_elements(source -> 'models') as used
          where used ->> 'model_id' = any(${[...models]}::text[]))
        or source ->> 'dataset_id' = any(${[...datasets]}::text[])
        or exists (select from json_array_elements(source -> 'tables') as used
          where used ->> 'dataset_id' = any(${[...datasets]}::text[])))
      order by created_at desc, id desc limit ${MOST_LINKS}`,
  );
}

/** The profile as JSON: of a wide table it is some megabytes, which the loop need not read. */
export async function findProfile(
  db: Database,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const rows = await db.read<{ profile: string }[]>(
    organizationId,
    (sql) => sql`
      select profile::text as profile from datasets
      where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0]?.profile ?? null;
}

/** A dataset with as many of its columns as were asked for. */
export type ListedDataset = DatasetRow & { readonly column_count: number };

/**
 * Newest first; one more than `limit` where there is a further page.
 *
 * @param hasColumns false = none of their columns, which of wide tables are most of a row
 * @param contains of their name or their name in SQL, in capitals or not; null = all
 */
export async function listDatasets(
  db: Database,
  organizationId: string,
  {
    limit,
    after,
    hasColumns,
    contains,
  }: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly hasColumns: boolean;
    readonly contains: string | null;
  },
): Promise<readonly ListedDataset[]> {
  return db.read<ListedDataset[]>(
    organizationId,
    (sql) => sql`
      select id, name, format, object_key, table_key, rows, bytes, hash, source,
             ${hasColumns ? sql`columns` : sql`'[]'::json as columns`},
             json_array_length(columns) as column_count, warnings, created_at,
             ${sqlNames(sql)}
      from datasets
      where organization_id = ${organizationId}
        ${contains === null ? sql`` : sql`and (strpos(lower(name), lower(${contains})) > 0 or strpos(${stableName(sql)}, lower(${contains})) > 0)`}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/**
 * Those of the names in SQL that mean a dataset now, each with the name that was asked for.
 *
 * @param names slugs, or stable names
 */
export async function findDatasetsByName(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<readonly (DatasetRow & { readonly asked: string })[]> {
  if (names.length === 0) return [];
  const slugs = names.flatMap((name) => /^(.+)_[0-9a-f]{12}$/.exec(name)?.[1] ?? []);
  return db.read<(DatasetRow & { asked: string })[]>(
    organizationId,
    (sql) => sql`
      select id, name, format, object_key, table_key, rows, bytes, hash, source, columns, warnings,
             created_at, ${sqlNames(sql)}, sql_slug as asked
      from datasets
      where id in (
        select distinct on (sql_slug) id from datasets
        where organization_id = ${organizationId} and sql_slug = any(${[...names]}::text[])
        order by sql_slug, created_at desc, id desc)
      union all
      select id, name, format, object_key, table_key, rows, bytes, hash, source, columns, warnings,
             created_at, ${sqlNames(sql)}, ${stableName(sql)} as asked
      from datasets
      where organization_id = ${organizationId} and sql_slug = any(${slugs}::text[])
        and ${stableName(sql)} = any(${[...names]}::text[])`,
  );
}

/** The shortest names in SQL, of the newest datasets first. */
export async function listDatasetNames(
  db: Database,
  organizationId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.read<{ sql_name: string }[]>(
    organizationId,
    (sql) => sql`
      select ${sqlNames(sql)} from datasets where organization_id = ${organizationId}
      order by created_at desc, id desc limit ${limit}`,
  );
  return rows.map(({ sql_name }) => sql_name);
}

/** A dataset as retention looks at it. */
export type KeepableDataset = Pick<DatasetRow, "id" | "name" | "bytes" | "created_at">;

export async function listKeepableDatasets(
  sql: Sql,
  organizationId: string,
): Promise<readonly KeepableDataset[]> {
  return await sql<KeepableDataset[]>`
    select id, name, bytes, created_at from datasets where organization_id = ${organizationId}`;
}

/** Keeps the dataset from being deleted until the transaction ends; false where it is gone. */
export async function keepDataset(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from datasets where organization_id = ${organizationId} and id = ${id} for share`;
  return rows.length > 0;
}

/** Whether the dataset is still there. */
export async function setTableKey(
  db: Database,
  organizationId: string,
  id: string,
  key: string,
): Promise<boolean> {
  const rows = await db.query(
    organizationId,
    (sql) => sql`
      update datasets set table_key = ${key}
      where organization_id = ${organizationId} and id = ${id} returning id`,
  );
  return rows.length > 0;
}

/** Whether there was such a dataset. */
export async function deleteDataset(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`
    delete from datasets where organization_id = ${organizationId} and id = ${id} returning id`;
  return rows.length > 0;
}

/** Whose objects are whose, for the sweeper. */
export const datasetOwners: OwnerKind = {
  folder: "datasets",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from datasets where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};
