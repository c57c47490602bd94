/** The SQL of labels of documents, and the only place of it. */

import type { PageEnd } from "../../../api/paging/page-end.ts";
import type { Database, Sql } from "../../../platform/db/database.ts";
import type { LabelValue, Said } from "./value.ts";

export interface LabelRow {
  readonly id: string;
  readonly document_id: string;
  readonly document_name: string;
  readonly question: string;
  readonly value: LabelValue;
  readonly unit: string | null;
  readonly labelled_by: string;
  /** Null where it was no key. */
  readonly key_name: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface NewLabel {
  /** Of a label that is new. */
  readonly id: string;
  readonly schemaId: string;
  readonly documentId: string;
  readonly question: string;
  readonly said: Said;
  readonly by: { readonly subject: string; readonly keyId: string | null };
}

const labels = (sql: Sql) => sql`
  select label.id, label.document_id, documents.name as document_name, label.question, label.value,
         label.unit, label.labelled_by, api_keys.name as key_name, label.created_at, label.updated_at
  from document_labels label join documents on documents.id = label.document_id
  left join api_keys on api_keys.id = label.key_id`;

export async function saveLabel(
  sql: Sql,
  organizationId: string,
  { id, schemaId, documentId, question, said, by }: NewLabel,
): Promise<LabelRow> {
  await sql`
    insert into document_labels (id, organization_id, schema_id, document_id, question, value,
                                 unit, labelled_by, key_id)
    values (${id}, ${organizationId}, ${schemaId}, ${documentId}, ${question},
            ${JSON.stringify(said.value)}::text::json, ${said.unit}, ${by.subject}, ${by.keyId})
    on conflict (organization_id, schema_id, document_id, question) do update
    set value = excluded.value, unit = excluded.unit, labelled_by = excluded.labelled_by,
        key_id = excluded.key_id, updated_at = now()`;
  const [row] = await sql<LabelRow[]>`
    ${labels(sql)}
    where label.organization_id = ${organizationId} and label.schema_id = ${schemaId}
      and label.document_id = ${documentId} and label.question = ${question}`;
  if (row === undefined) throw new Error("the label was not stored");
  return row;
}

/** @returns its id; null where there was none */
export async function deleteLabel(
  db: Database,
  organizationId: string,
  of: { readonly schemaId: string; readonly documentId: string; readonly question: string },
): Promise<string | null> {
  const rows = await db.query(
    organizationId,
    (sql) => sql<{ id: string }[]>`
      delete from document_labels
      where organization_id = ${organizationId} and schema_id = ${of.schemaId}
        and document_id = ${of.documentId} and question = ${of.question}
      returning id`,
  );
  return rows[0]?.id ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listLabels(
  db: Database,
  organizationId: string,
  filter: {
    readonly schemaId: string;
    readonly documentId: string | undefined;
    readonly question: string | undefined;
  },
  limit: number,
  after: PageEnd | null,
): Promise<readonly LabelRow[]> {
  const { schemaId, documentId, question } = filter;
  return await db.read(
    organizationId,
    (sql) => sql<LabelRow[]>`
      ${labels(sql)}
      where label.organization_id = ${organizationId} and label.schema_id = ${schemaId}
        ${documentId === undefined ? sql`` : sql`and label.document_id = ${documentId}`}
        ${question === undefined ? sql`` : sql`and label.question = ${question}`}
        ${after ? sql`and (label.created_at, label.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by label.created_at desc, label.id desc
      limit ${limit + 1}`,
  );
}

/** Of one document and question. */
export interface Label {
  readonly document_id: string;
  readonly question: string;
  readonly value: LabelValue;
  /** Null where nobody said one; absent of jobs that are older than labels' units. */
  readonly unit?: string | null;
}

/** Of these documents, in the order of documents and questions. */
export const labelsOf = (
  sql: Sql,
  organizationId: string,
  schemaId: string,
  documents: readonly string[],
) => sql<Label[]>`
  select document_id, question, value, unit from document_labels
  where organization_id = ${organizationId} and schema_id = ${schemaId}
    and document_id = any(${[...documents]}::uuid[])
  order by document_id, question`;
