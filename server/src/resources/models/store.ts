/** The SQL of models, and the only place of it. */

import type { ModelDocument, ModelFile } from "@distillery/engine";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import { hasTags, type ModelFilter } from "./model-filter.ts";

export type ModelStatus = "pending" | "running" | "completed" | "failed";

/** What of `model.json` the card shows; the feature schema stays in the file. */
export type StoredDocument = Omit<ModelDocument, "schema">;

export interface ModelRow {
  readonly id: string;
  readonly job_id: string;
  readonly dataset_id: string;
  /** Null for a model of an older version whose dataset was deleted before. */
  readonly data: ModelData | null;
  readonly dataset_deleted_at: Date | null;
  /** The registered one, or what the run called it. */
  readonly name: string;
  /** Of a registered name. */
  readonly version: number | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly notes: string;
  /** That lead to it, `name@alias` each. */
  readonly aliases: readonly string[];
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
  /** The name that it becomes the next version of when it is completed. */
  readonly registerAs?: string | null;
  /** Null: that of the other models of its job. */
  readonly data: ModelData | null;
}

/** Of the dataset that a model learned from, though it may be deleted. */
export interface ModelData {
  readonly name: string;
  readonly hash: string;
  readonly rows: number;
  /** What else says which rows are scored and how they are split. */
  readonly apart: Readonly<Record<string, unknown>>;
}

const COLUMNS = `id, job_id, dataset_id, coalesce(registered_name, name) as name, version, tags, notes,
  data, dataset_deleted_at, status, task, error_message, created_at, updated_at,
  case when exists (select 1 from model_aliases where model_id = models.id)
    then aliases_of_model(organization_id, id) else '[]' end as aliases`;

/** In the transaction that registers its job, or that selects it. */
export async function insertModel(
  sql: Sql,
  organizationId: string,
  model: NewModel,
): Promise<void> {
  await sql`
    with known as (
      select ${JSON.stringify(model.task)}::text::json as task,
             coalesce(${model.data && JSON.stringify(model.data)}::text::json,
                      (select data from models
                       where job_id = ${model.jobId} and data is not null limit 1)) as data
    )
    insert into models (id, organization_id, job_id, dataset_id, name, status, task, register_as,
                        data, comparable)
    select ${model.id}, ${organizationId}, ${model.jobId}, ${model.datasetId}, ${model.name},
           ${model.status}, task, ${model.registerAs ?? null}, data, comparable_runs(data, task)
    from known
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

/** What a run has made of a model's row. */
export interface TrainedResult {
  readonly document: StoredDocument;
  readonly files: readonly ModelFile[];
  readonly timing: {
    /** Of the whole run that made it. */
    readonly fit_seconds: number;
    /** Of 1,000 rows; null where no fold's predicting was timed. */
    readonly predict_seconds: number | null;
  };
}

const familiesOf = ({ members }: StoredDocument): readonly string[] =>
  [...new Set(members.map(({ family }) => family))].sort();

/** @returns what its row asks to be registered as, where it has no name yet */
export async function completeModel(
  sql: Sql,
  id: string,
  { document, files, timing }: TrainedResult,
): Promise<{ readonly organizationId: string; readonly name: string } | null> {
  const [row] = await sql<{ organization_id: string; register_as: string | null }[]>`
    update models
    set status = 'completed', document = ${JSON.stringify(document)}::text::json,
        files = ${JSON.stringify(files)}::text::json,
        scores = ${JSON.stringify(document.card.scores)}::text::json,
        families = ${JSON.stringify(familiesOf(document))}::text::json,
        size_bytes = ${files.reduce((sum, { bytes }) => sum + bytes, 0)},
        timing = ${JSON.stringify(timing)}::text::json, updated_at = now()
    where id = ${id}
    returning organization_id, case when version is null then register_as end as register_as`;
  if (row?.register_as == null) return null;
  return { organizationId: row.organization_id, name: row.register_as };
}

/** What people have written on a model. */
export type ModelWriting = Pick<ModelRow, "tags" | "notes" | "version"> & {
  readonly registered_name: string | null;
};

/** Locks the row until the transaction ends. */
export async function lockWriting(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<ModelWriting | null> {
  const rows = await sql<ModelWriting[]>`
    select registered_name, version, tags, notes from models
    where organization_id = ${organizationId} and id = ${id} for update`;
  return rows[0] ?? null;
}

/** @param named a version of a name, or neither */
export async function saveName(
  sql: Sql,
  organizationId: string,
  id: string,
  named: { readonly name: string; readonly version: number } | null,
): Promise<void> {
  await sql`
    update models
    set registered_name = ${named?.name ?? null}, version = ${named?.version ?? null},
        register_as = null, updated_at = now()
    where organization_id = ${organizationId} and id = ${id}`;
}

export async function saveWriting(
  sql: Sql,
  organizationId: string,
  id: string,
  { tags, notes }: Pick<ModelWriting, "tags" | "notes">,
): Promise<void> {
  await sql`
    update models
    set tags = ${JSON.stringify(tags)}::text::json, notes = ${notes}, updated_at = now()
    where organization_id = ${organizationId} and id = ${id}`;
}

/** @param version null = the latest that is completed */
export async function findVersion(
  db: Database,
  organizationId: string,
  name: string,
  version: number | null,
): Promise<string | null> {
  const rows = await db.read<{ id: string }[]>(
    organizationId,
    (sql) => sql`
      select id from models
      where organization_id = ${organizationId} and registered_name = ${name}
        ${version === null ? sql`and status = 'completed'` : sql`and version = ${version}`}
      order by version desc limit 1`,
  );
  return rows[0]?.id ?? null;
}

/** Latest first; one more than `limit` where there is a further page. */
export async function listVersions(
  db: Database,
  organizationId: string,
  name: string,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): Promise<readonly ModelRow[]> {
  return db.read<ModelRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from models
      where organization_id = ${organizationId} and registered_name = ${name}
        ${before === null ? sql`` : sql`and version < ${before}`}
      order by version desc
      limit ${limit + 1}`,
  );
}

export async function findModel(
  db: Database,
  organizationId: string,
  id: string,
): Promise<ModelRowWithDocument | null> {
  const rows = await db.read<ModelRowWithDocument[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)}, document, files from models where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listModels(
  db: Database,
  organizationId: string,
  { name, tags }: ModelFilter,
  limit: number,
  after: PageEnd | null,
): Promise<readonly ModelRow[]> {
  return db.read<ModelRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from models
      where organization_id = ${organizationId}
        ${name === null ? sql`` : sql`and coalesce(registered_name, name) = ${name}`}
        ${hasTags(sql, tags)}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** Models of a dataset that are made or being made, newest first. */
export async function learnersOf(
  sql: Sql,
  organizationId: string,
  datasetId: string,
): Promise<readonly Pick<ModelRow, "id" | "name" | "version">[]> {
  return await sql<Pick<ModelRow, "id" | "name" | "version">[]>`
    select id, coalesce(registered_name, name) as name, version from models
    where organization_id = ${organizationId} and dataset_id = ${datasetId} and status <> 'failed'
    order by created_at desc, id desc`;
}

/** A model as retention looks at it. */
export interface KeepableRow
  extends Pick<ModelRow, "id" | "job_id" | "dataset_id" | "name" | "status" | "updated_at"> {
  readonly registered_name: string | null;
  readonly version: number | null;
  readonly bytes: number;
  readonly has_alias: boolean;
}

export async function listKeepable(
  sql: Sql,
  organizationId: string,
): Promise<readonly KeepableRow[]> {
  return await sql<KeepableRow[]>`
    select id, job_id, dataset_id, coalesce(registered_name, name) as name, registered_name, version,
           status, updated_at, coalesce(size_bytes, 0) as bytes,
           exists (select 1 from model_aliases where model_id = models.id) as has_alias
    from models where organization_id = ${organizationId}`;
}

export type RelatedRow = Pick<
  ModelRow,
  | "id"
  | "name"
  | "version"
  | "aliases"
  | "status"
  | "job_id"
  | "dataset_id"
  | "data"
  | "dataset_deleted_at"
  | "created_at"
>;

/** Of a lineage that is shown. */
const MOST_RELATED = 1000;

/** Models of these ids, jobs or datasets; newest first. */
export async function findRelated(
  db: Database,
  organizationId: string,
  { ids, jobs, datasets }: Readonly<Record<"ids" | "jobs" | "datasets", readonly string[]>>,
): Promise<readonly RelatedRow[]> {
  if (ids.length + jobs.length + datasets.length === 0) return [];
  return db.read<RelatedRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from models
      where organization_id = ${organizationId} and (
        id = any(${[...ids]}::uuid[]) or job_id = any(${[...jobs]}::uuid[])
        or dataset_id = any(${[...datasets]}::uuid[]))
      order by created_at desc, id desc limit ${MOST_RELATED}`,
  );
}

export async function noteDatasetDeleted(
  sql: Sql,
  organizationId: string,
  datasetId: string,
): Promise<void> {
  await sql`
    update models set dataset_deleted_at = now()
    where organization_id = ${organizationId} and dataset_id = ${datasetId}`;
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
