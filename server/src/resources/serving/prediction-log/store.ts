/** The SQL of prediction logs and of feedback, and the only place of it. */

import type { PageEnd } from "../../../api/paging/page-end.ts";
import type { Database, Sql } from "../../../platform/db/database.ts";
import type { OwnerKind } from "../../../platform/objects/holds.ts";

/** Whose objects are whose, for the sweeper: each file is an owner of its own. */
export const predictionLogOwners: OwnerKind = {
  folder: "prediction-logs",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from prediction_log_files where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};

export interface LogFileRow {
  readonly id: string;
  readonly rows: number;
  readonly bytes: number;
  /** Rows by the id of the model. */
  readonly models: Readonly<Record<string, number>>;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly expires_at: Date;
  readonly created_at: Date;
}

const COLUMNS = "id, rows, bytes, models, first_at, last_at, expires_at, created_at";

export interface NewLogFile extends Omit<LogFileRow, "created_at" | "expires_at"> {
  readonly endpointId: string;
  readonly keepDays: number;
}

/** @throws foreign_key_violation where the endpoint is gone */
export async function insertLogFile(
  sql: Sql,
  organizationId: string,
  { id, endpointId, rows, bytes, models, first_at, last_at, keepDays }: NewLogFile,
): Promise<void> {
  await sql`
    insert into prediction_log_files (id, organization_id, endpoint_id, rows, bytes, models, first_at,
                                      last_at, expires_at)
    values (${id}, ${organizationId}, ${endpointId}, ${rows}, ${bytes},
            ${JSON.stringify(models)}::text::json, ${first_at}, ${last_at},
            ${last_at}::timestamptz + make_interval(days => ${keepDays}))`;
}

/** What is there already goes by the new number of days, too. */
export async function keepLogFor(
  sql: Sql,
  organizationId: string,
  endpointId: string,
  keepDays: number,
): Promise<void> {
  await sql`
    update prediction_log_files set expires_at = last_at + make_interval(days => ${keepDays})
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}`;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listLogFiles(
  db: Database,
  organizationId: string,
  endpointId: string,
  limit: number,
  after: PageEnd | null,
): Promise<readonly LogFileRow[]> {
  return db.read<LogFileRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from prediction_log_files
      where organization_id = ${organizationId} and endpoint_id = ${endpointId}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** Ids of files of an endpoint, some. */
export async function someLogFiles(
  db: Database,
  organizationId: string,
  endpointId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.read<{ id: string }[]>(
    organizationId,
    (sql) => sql`
      select id from prediction_log_files
      where organization_id = ${organizationId} and endpoint_id = ${endpointId} limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

/** Of predictions between two times. */
export interface Window {
  readonly endpointId: string;
  readonly since: Date;
  /** Not included. */
  readonly until: Date;
}

/** Rows by model, of files whose last prediction is in the window. */
export async function countLogged(
  sql: Sql,
  organizationId: string,
  { endpointId, since, until }: Window,
): Promise<readonly { readonly model_id: string; readonly rows: number }[]> {
  return await sql<{ model_id: string; rows: number }[]>`
    select key as model_id, sum(value::bigint)::bigint as rows
    from prediction_log_files, json_each_text(models)
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and last_at >= ${since} and last_at < ${until}
    group by key order by key`;
}

export interface LabelRow {
  readonly prediction_id: string;
  readonly row_index: number;
  readonly label: string;
  readonly predicted_at: Date;
}

/** Of the latest predictions first. */
export async function listLabels(
  sql: Sql,
  organizationId: string,
  { endpointId, since, until }: Window,
  limit: number,
): Promise<readonly LabelRow[]> {
  return await sql<LabelRow[]>`
    select prediction_id, row_index, label, predicted_at from prediction_feedback
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and predicted_at >= ${since} and predicted_at < ${until}
    order by predicted_at desc, prediction_id, row_index
    limit ${limit}`;
}

export type LabelledFile = Pick<LogFileRow, "id" | "bytes" | "first_at" | "last_at">;

/** Files that have labelled predictions of the window, the latest first. */
export async function labelledFiles(
  sql: Sql,
  organizationId: string,
  { endpointId, since, until }: Window,
  limit: number,
): Promise<readonly LabelledFile[]> {
  return await sql<LabelledFile[]>`
    select id, bytes, first_at, last_at from prediction_log_files as files
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and last_at >= ${since} and first_at < ${until}
      and exists (
        select from prediction_feedback as feedback
        where feedback.endpoint_id = files.endpoint_id
          and feedback.predicted_at between greatest(files.first_at, ${since}::timestamptz) and files.last_at)
    order by last_at desc, id
    limit ${limit}`;
}

/** @returns how many are new, and how many stand in the place of another label */
export async function saveLabels(
  db: Database,
  organizationId: string,
  endpointId: string,
  labels: readonly LabelRow[],
): Promise<{ readonly added: number; readonly replaced: number }> {
  const rows = await db.query<{ is_new: boolean }[]>(
    organizationId,
    (sql) => sql`
      insert into prediction_feedback as kept
        (endpoint_id, organization_id, prediction_id, row_index, label, predicted_at)
      select ${endpointId}::uuid, ${organizationId}::uuid, given.*
      from json_to_recordset(${JSON.stringify(labels)}::text::json)
        as given (prediction_id text, row_index integer, label text, predicted_at timestamptz)
      order by prediction_id, row_index
      on conflict (endpoint_id, prediction_id, row_index) do update
        set label = excluded.label, labelled_at = now()
        where kept.label <> excluded.label
      returning xmax = 0 as is_new`,
  );
  const added = rows.filter(({ is_new }) => is_new).length;
  return { added, replaced: rows.length - added };
}

export interface ExpiredFile {
  readonly id: string;
  readonly organization_id: string;
  readonly endpoint_id: string;
}

/** Takes files whose time is over out of the list, in any organization. */
export async function dropExpired(db: Database, limit: number): Promise<readonly ExpiredFile[]> {
  return db.systemQuery(
    (sql) => sql<ExpiredFile[]>`
      delete from prediction_log_files where id in (
        select id from prediction_log_files where expires_at <= now()
        order by expires_at limit ${limit} for update skip locked)
      returning id, organization_id, endpoint_id`,
  );
}

/** Labels of predictions whose file is gone: files end in the order of their times. */
export async function dropStaleLabels(db: Database, endpointIds: readonly string[]): Promise<void> {
  await db.systemQuery(
    (sql) => sql`
      delete from prediction_feedback as feedback
      where endpoint_id = any(${[...endpointIds]}::uuid[])
        and predicted_at < now() - interval '1 day' and not exists (
        select from prediction_log_files as files
        where files.endpoint_id = feedback.endpoint_id and files.last_at >= feedback.predicted_at)`,
  );
}
