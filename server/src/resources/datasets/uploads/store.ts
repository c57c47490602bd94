/** The SQL of uploads in parts, and the only place of it. */

import type { ColumnKind, TableFormat } from "@distillery/engine";
import type { PageEnd } from "../../../api/paging/page-end.ts";
import type { Database, Sql } from "../../../platform/db/database.ts";
import type { OwnerKind } from "../../../platform/objects/holds.ts";

export interface UploadRow {
  readonly id: string;
  readonly name: string;
  readonly format: TableFormat;
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  readonly source: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly received_bytes: number;
  readonly dataset_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export type NewUpload = Pick<
  UploadRow,
  "id" | "name" | "format" | "kinds" | "source" | "bytes" | "sha256"
>;

export interface UploadPart {
  readonly start: number;
  readonly bytes: number;
  readonly object_key: string;
}

/** Of silence, after which an upload is given up. */
export const KEPT_DAYS = 7;

const COLUMNS = `id, name, format, kinds, source, bytes, sha256, received_bytes, dataset_id, created_at,
  expires_at`;

/** Until the transaction ends no other upload of the organization begins, so that what is counted holds. */
export async function lockBeginning(sql: Sql, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads of ${organizationId}`}, 0))`;
}

/** Null where the organization has `most` of them under way. Creating an id again gives what is there. */
export async function insertUpload(
  sql: Sql,
  organizationId: string,
  upload: NewUpload,
  most: number,
): Promise<UploadRow | null> {
  const rows = await sql<UploadRow[]>`
    insert into uploads (id, organization_id, name, format, kinds, source, bytes, sha256, expires_at)
    select ${upload.id}::uuid, ${organizationId}::uuid, ${upload.name}, ${upload.format},
           ${JSON.stringify(upload.kinds)}::text::json, ${JSON.stringify(upload.source)}::text::json,
           ${upload.bytes}::bigint, ${upload.sha256}::text, now() + make_interval(days => ${KEPT_DAYS})
    where (select count(*) from uploads
           where organization_id = ${organizationId} and dataset_id is null
             and id <> ${upload.id}::uuid) < ${most}
    on conflict (id) do update set id = excluded.id
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

export async function findUpload(
  db: Database,
  organizationId: string,
  id: string,
): Promise<UploadRow | null> {
  const rows = await db.read<UploadRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from uploads
      where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listUploads(
  db: Database,
  organizationId: string,
  limit: number,
  after: PageEnd | null,
): Promise<readonly UploadRow[]> {
  return db.read<UploadRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from uploads
      where organization_id = ${organizationId}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

interface OpenBytes {
  /** That their files will have. */
  readonly whole: number;
  /** That are still to come. */
  readonly missing: number;
}

/** Of uploads under way, which are no datasets yet. */
export async function openBytes(sql: Sql, organizationId: string): Promise<OpenBytes> {
  const [row] = await sql<[OpenBytes]>`
    select coalesce(sum(bytes), 0)::bigint as whole,
           coalesce(sum(bytes - received_bytes), 0)::bigint as missing
    from uploads where organization_id = ${organizationId} and dataset_id is null`;
  return row;
}

/** The part becomes one of the upload's; null where the upload is not at its offset (any more). */
export async function addPart(
  sql: Sql,
  organizationId: string,
  id: string,
  part: UploadPart,
): Promise<UploadRow | null> {
  const rows = await sql<UploadRow[]>`
    update uploads
    set received_bytes = received_bytes + ${part.bytes},
        expires_at = now() + make_interval(days => ${KEPT_DAYS})
    where organization_id = ${organizationId} and id = ${id} and dataset_id is null
      and received_bytes = ${part.start}
    returning ${sql.unsafe(COLUMNS)}`;
  if (rows[0] === undefined) return null;
  await sql`
    insert into upload_parts (upload_id, organization_id, start, bytes, object_key)
    values (${id}, ${organizationId}, ${part.start}, ${part.bytes}, ${part.object_key})`;
  return rows[0];
}

/** In their order. */
export async function listParts(
  db: Database,
  organizationId: string,
  id: string,
): Promise<readonly UploadPart[]> {
  return db.read<UploadPart[]>(
    organizationId,
    (sql) => sql`
      select start, bytes, object_key from upload_parts
      where organization_id = ${organizationId} and upload_id = ${id} order by start`,
  );
}

/** Whether it was the first dataset that the upload became. */
export async function setDataset(
  sql: Sql,
  organizationId: string,
  id: string,
  datasetId: string,
): Promise<boolean> {
  const rows = await sql`
    update uploads set dataset_id = ${datasetId}
    where organization_id = ${organizationId} and id = ${id}
      and (dataset_id is null or dataset_id = ${datasetId}) returning id`;
  return rows.length > 0;
}

/** @returns its id as it was stored; null where there was none */
export async function deleteUpload(
  db: Database,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const rows = await db.query(
    organizationId,
    (sql) => sql<{ id: string }[]>`
      delete from uploads where organization_id = ${organizationId} and id = ${id} returning id`,
  );
  return rows[0]?.id ?? null;
}

/** Those of any organization that were given up, at most `limit`; their objects go behind them. */
export async function dropExpired(
  db: Database,
  limit: number,
): Promise<readonly { readonly id: string; readonly organization_id: string }[]> {
  return db.systemQuery(
    (sql) => sql<{ id: string; organization_id: string }[]>`
      delete from uploads where id in (
        select id from uploads where expires_at <= now()
        order by expires_at limit ${limit} for update skip locked)
      returning id, organization_id`,
  );
}

/** Whose objects are whose, for the sweeper. The row is there before the first part. */
export const uploadOwners: OwnerKind = {
  folder: "uploads",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from uploads where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};
