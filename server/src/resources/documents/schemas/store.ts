/** The SQL of document schemas, and the only place of it. */

import type { PageEnd } from "../../../api/paging/page-end.ts";
import type { Database, Sql } from "../../../platform/db/database.ts";
import type { DocumentSchema } from "../../../reading/induction/schema.ts";
import type { ModelFilter } from "../../models/model-filter.ts";

const SCHEMA_STATUSES = ["pending", "running", "completed", "failed"] as const;
export type SchemaStatus = (typeof SCHEMA_STATUSES)[number];

export interface SchemaFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface SchemaRow {
  readonly id: string;
  readonly model_id: string;
  readonly job_id: string;
  readonly skill: string;
  readonly use_case: string;
  readonly documents: number;
  readonly status: SchemaStatus;
  readonly error_message: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SchemaRowWithContent extends SchemaRow {
  readonly schema: DocumentSchema | null;
  readonly files: readonly SchemaFile[];
}

export type NewSchema = Pick<
  SchemaRow,
  "id" | "model_id" | "job_id" | "skill" | "use_case" | "documents"
>;

const COLUMNS =
  "id, model_id, job_id, skill, use_case, documents, status, error_message, created_at, updated_at";

/** False where the organization has a schema of that id already. */
export async function insertSchema(
  sql: Sql,
  organizationId: string,
  schema: NewSchema,
): Promise<boolean> {
  const rows = await sql`
    insert into document_schemas (id, organization_id, model_id, job_id, skill, use_case, documents,
                                  status)
    values (${schema.id}, ${organizationId}, ${schema.model_id}, ${schema.job_id}, ${schema.skill},
            ${schema.use_case}, ${schema.documents}, 'pending')
    on conflict (organization_id, model_id) do nothing
    returning id`;
  return rows.length > 0;
}

export async function findSchema(
  db: Database,
  organizationId: string,
  modelId: string,
): Promise<SchemaRowWithContent | null> {
  const rows = await db.read<SchemaRowWithContent[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)}, schema, files from document_schemas
      where organization_id = ${organizationId} and model_id = ${modelId}`,
  );
  return rows[0] ?? null;
}

/** Schemas of these rows or jobs. */
export async function findRelatedSchemas(
  db: Database,
  organizationId: string,
  { ids, jobs }: { readonly ids: readonly string[]; readonly jobs: readonly string[] },
): Promise<readonly SchemaRow[]> {
  if (ids.length + jobs.length === 0) return [];
  return db.read<SchemaRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from document_schemas
      where organization_id = ${organizationId}
        and (id = any(${[...ids]}::uuid[]) or job_id = any(${[...jobs]}::uuid[]))`,
  );
}

/** Newest first; one more than `limit` where there are further ones. */
export async function listSchemas(
  db: Database,
  organizationId: string,
  { name, tags }: ModelFilter,
  limit: number,
  after: PageEnd | null,
): Promise<readonly SchemaRow[]> {
  // They have no tags.
  if (tags.length > 0) return [];
  return db.read<SchemaRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from document_schemas
      where organization_id = ${organizationId}
        ${name === null ? sql`` : sql`and model_id = ${name}`}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** Keeps a completed schema from being deleted until the transaction ends; false where it is gone. */
export async function keepSchema(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    select id from document_schemas
    where organization_id = ${organizationId} and id = ${id} and status = 'completed'
    for share`;
  return rows.length > 0;
}

export async function deleteSchema(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from document_schemas where organization_id = ${organizationId} and id = ${id}
    returning id`;
  return rows.length > 0;
}

/** Of the job's schema, unless it is completed. */
export async function setSchemaStatus(
  sql: Sql,
  jobId: string,
  status: SchemaStatus,
  errorMessage = "",
): Promise<void> {
  await sql`
    update document_schemas
    set status = ${status}, error_message = ${errorMessage}, updated_at = now()
    where job_id = ${jobId} and status <> 'completed'`;
}

export async function completeSchema(
  sql: Sql,
  jobId: string,
  schema: DocumentSchema,
  files: readonly SchemaFile[],
): Promise<void> {
  await sql`
    update document_schemas
    set status = 'completed', schema = ${JSON.stringify(schema)}::text::json,
        files = ${JSON.stringify(files)}::text::json, updated_at = now()
    where job_id = ${jobId}`;
}

export async function existingSchemas(
  sql: Sql,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from document_schemas where id = any(${[...ids]}::uuid[])`;
  return rows.map(({ id }) => id);
}
