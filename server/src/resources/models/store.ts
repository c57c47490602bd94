/** The SQL of models, and the only place of it. */

import type { ModelDocument, ModelFile } from "@distillery/engine";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";

export type ModelStatus = "pending" | "running" | "completed" | "failed";

/** What of `model.json` the card shows; the feature schema stays in the file. */
export type StoredDocument = Omit<ModelDocument, "schema">;

export interface ModelRow {
  readonly id: string;
  readonly job_id: string;
  readonly dataset_id: string;
  readonly name: string;
  readonly status: ModelStatus;
  readonly task: Readonly<Record<string, unknown>>;
  readonly error_message: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface ModelRowWithDocument extends ModelRow {
  readonly document: StoredDocument | null;
  readonly files: readonly ModelFile[];
}

export interface NewModel {
  readonly id: string;
  readonly jobId: string;
  readonly datasetId: string;
  readonly name: string;
  readonly task: Readonly<Record<string, unknown>>;
  readonly status: "pending" | "running";
}

/** In the transaction that registers its job, or that selects it. */
export async function insertModel(
  sql: Sql,
  organizationId: string,
  model: NewModel,
): Promise<void> {
  await sql`
    insert into models (id, organization_id, job_id, dataset_id, name, status, task)
    values (${model.id}, ${organizationId}, ${model.jobId}, ${model.datasetId}, ${model.name},
            ${model.status}, ${JSON.stringify(model.task)}::text::json)
    on conflict (id) do nothing`;
}

/** Deletes the rows of a job's models but for those. */
export async function deleteModelsExcept(
  sql: Sql,
  jobId: string,
  keep: readonly string[],
): Promise<void> {
  await sql`delete from models where job_id = ${jobId} and id <> all(${[...keep]}::uuid[])`;
}

/** Of all models of a job that are not completed. */
export async function setModelsStatus(
  sql: Sql,
  jobId: string,
  status: ModelStatus,
  errorMessage = "",
): Promise<void> {
  await sql`
    update models set status = ${status}, error_message = ${errorMessage}, updated_at = now()
    where job_id = ${jobId} and status <> 'completed'`;
}

export async function completeModel(
  sql: Sql,
  id: string,
  document: StoredDocument,
  files: readonly ModelFile[],
): Promise<void> {
  await sql`
    update models
    set status = 'completed', document = ${JSON.stringify(document)}::text::json,
        files = ${JSON.stringify(files)}::text::json, updated_at = now()
    where id = ${id}`;
}

export async function findModel(
  db: Database,
  organizationId: string,
  id: string,
): Promise<ModelRowWithDocument | null> {
  const rows = await db.read<ModelRowWithDocument[]>(
    organizationId,
    (sql) => sql`
      select id, job_id, dataset_id, name, status, task, error_message, document, files,
             created_at, updated_at
      from models where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listModels(
  db: Database,
  organizationId: string,
  limit: number,
  after: PageEnd | null,
): Promise<readonly ModelRow[]> {
  return db.read<ModelRow[]>(
    organizationId,
    (sql) => sql`
      select id, job_id, dataset_id, name, status, task, error_message, created_at, updated_at
      from models
      where organization_id = ${organizationId}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** Keeps a completed model from being deleted until the transaction ends; false where it is gone. */
export async function keepModel(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    select id from models
    where organization_id = ${organizationId} and id = ${id} and status = 'completed'
    for share`;
  return rows.length > 0;
}

export async function deleteModel(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql<{ id: string }[]>`
    delete from models where organization_id = ${organizationId} and id = ${id} returning id`;
  return rows.length > 0;
}

export async function existingModels(sql: Sql, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from models where id = any(${[...ids]}::uuid[])`;
  return rows.map(({ id }) => id);
}
