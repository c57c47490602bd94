/** The SQL of documents, and the only place of it. */

import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { OwnerKind } from "../../platform/objects/holds.ts";

export const DOCUMENT_STATUSES = ["parsing", "ready", "failed"] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export interface DocumentRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly hash: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly status: DocumentStatus;
  readonly pages: number | null;
  readonly warnings: readonly string[];
  readonly error_message: string;
  readonly created_at: Date;
}

export type NewDocument = Pick<
  DocumentRow,
  "id" | "name" | "hash" | "bytes" | "media_type" | "status" | "pages" | "warnings"
>;

/** What parsing has found. */
export interface ParsedFacts {
  readonly mediaType: string;
  readonly pages: number;
  readonly warnings: readonly string[];
}

const COLUMNS = `id, organization_id, name, hash, bytes, media_type, status, pages, warnings,
  error_message, created_at`;

/**
 * Registers a document, or gives the one of the same bytes that is there. One that had failed gets a
 * second life, under the id and the name that it has.
 */
export async function upsertDocument(
  sql: Sql,
  organizationId: string,
  document: NewDocument,
): Promise<DocumentRow> {
  const [row] = await sql<DocumentRow[]>`
    insert into documents (id, organization_id, name, hash, bytes, media_type, status, pages,
                           warnings)
    values (${document.id}, ${organizationId}, ${document.name}, ${document.hash},
            ${document.bytes}, ${document.media_type}, ${document.status}, ${document.pages},
            ${JSON.stringify(document.warnings)}::text::json)
    on conflict (organization_id, hash) do update
    set status = excluded.status, media_type = excluded.media_type, pages = excluded.pages,
        warnings = excluded.warnings, error_message = '', updated_at = now()
    where documents.status = 'failed'
    returning ${sql.unsafe(COLUMNS)}`;
  if (row) return row;
  const [there] = await sql<DocumentRow[]>`
    select ${sql.unsafe(COLUMNS)} from documents
    where organization_id = ${organizationId} and hash = ${document.hash}`;
  if (!there) throw new Error("a document was deleted while the same bytes were registered");
  return there;
}

export async function findDocument(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DocumentRow | null> {
  const [row] = await findDocuments(db, organizationId, [id]);
  return row ?? null;
}

/** Those of the ids that are there, in no order. */
export async function findDocuments(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly DocumentRow[]> {
  return db.read<DocumentRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from documents
      where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`,
  );
}

export async function findDocumentsByHash(
  db: Database,
  organizationId: string,
  hashes: readonly string[],
): Promise<readonly DocumentRow[]> {
  return db.read<DocumentRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from documents
      where organization_id = ${organizationId} and hash = any(${[...hashes]}::text[])`,
  );
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listDocuments(
  db: Database,
  organizationId: string,
  page: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly status: DocumentStatus | null;
  },
): Promise<readonly DocumentRow[]> {
  const { after, status, limit } = page;
  return db.read<DocumentRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from documents
      where organization_id = ${organizationId}
        ${status ? sql`and status = ${status}` : sql``}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** Keeps the documents from being deleted until the transaction ends. @returns those that are there */
export async function keepDocuments(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from documents
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    order by id
    for share`;
  return rows.map(({ id }) => id);
}

export async function deleteDocument(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`
    delete from documents where organization_id = ${organizationId} and id = ${id} returning id`;
  return rows.length > 0;
}

/** For the worker. */
export async function findDocumentAsSystem(db: Database, id: string): Promise<DocumentRow | null> {
  const rows = await db.systemQuery(
    (sql) => sql<DocumentRow[]>`
      select ${sql.unsafe(COLUMNS)} from documents where id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Of a document that is being parsed; another stays as it is. */
export async function markParsed(sql: Sql, id: string, facts: ParsedFacts): Promise<void> {
  await sql`
    update documents
    set status = 'ready', media_type = ${facts.mediaType}, pages = ${facts.pages},
        warnings = ${JSON.stringify(facts.warnings)}::text::json, updated_at = now()
    where id = ${id} and status = 'parsing'`;
}

/** Of a document that is being parsed; another stays as it is. */
export async function markUnreadable(sql: Sql, id: string, message: string): Promise<void> {
  await sql`
    update documents set status = 'failed', error_message = ${message}, updated_at = now()
    where id = ${id} and status = 'parsing'`;
}

/** Of the bytes and their parsed form. */
export const documentOwners: OwnerKind = {
  folder: "documents",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from documents where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};

/** What lists of many documents show. */
export async function findNames(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly Pick<DocumentRow, "id" | "name" | "status" | "pages" | "created_at">[]> {
  if (ids.length === 0) return [];
  return db.read<DocumentRow[]>(
    organizationId,
    (sql) => sql`
      select id, name, status, pages, created_at from documents
      where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`,
  );
}
