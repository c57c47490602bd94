/** The SQL of serving endpoints, and the only place of it. */

import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import { MOST_EDITS } from "../../platform/input/near-names.ts";
import type { PredictionLogSetting } from "./prediction-log/settings.ts";
import type { Split } from "./split.ts";

export interface EndpointRow extends Split {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly split_revision: number;
  readonly shadow_model_id: string | null;
  readonly shadow_percent: number;
  readonly prediction_log: PredictionLogSetting;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What of an endpoint a request writes. */
export interface WrittenEndpoint extends Split {
  readonly name: string;
  readonly shadow_model_id: string | null;
  readonly shadow_percent: number;
  readonly prediction_log: PredictionLogSetting;
}

export interface SplitRow extends Split {
  readonly revision: number;
  readonly restored_revision: number | null;
  readonly created_at: Date;
}

const COLUMNS = `id, name, revision, split_revision, models, slots, shadow_model_id, shadow_percent,
  prediction_log, created_at, updated_at`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The endpoint that has this id, or else this name. */
const named = (sql: Sql, organizationId: string, reference: string) =>
  UUID.test(reference)
    ? sql`organization_id = ${organizationId} and id = ${reference}::uuid`
    : sql`organization_id = ${organizationId} and name = ${reference}`;

/** Ids in lower case. */
const referencesOf = ({ models, shadow_model_id: shadow }: WrittenEndpoint): string[] =>
  [...models.map(({ model_id }) => model_id), ...(shadow === null ? [] : [shadow])].map(
    (reference) => (UUID.test(reference) ? reference.toLowerCase() : reference),
  );

const json = (value: unknown): string => JSON.stringify(value);
const jsonOrNull = (value: unknown): string | null => (value === null ? null : json(value));

/** Null where an endpoint of this id, or of this name, is there already. */
export async function insertEndpoint(
  sql: Sql,
  organizationId: string,
  id: string,
  endpoint: WrittenEndpoint,
): Promise<EndpointRow | null> {
  const rows = await sql<EndpointRow[]>`
    insert into serving_endpoints (id, organization_id, name, models, slots, shadow_model_id,
                                   shadow_percent, prediction_log, model_references)
    values (${id}, ${organizationId}, ${endpoint.name}, ${json(endpoint.models)}::text::json,
            ${json(endpoint.slots)}::text::json, ${endpoint.shadow_model_id},
            ${endpoint.shadow_percent}, ${jsonOrNull(endpoint.prediction_log)}::text::json,
            ${referencesOf(endpoint)}::text[])
    on conflict do nothing
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

/** @throws unique_violation where another endpoint has the name */
export async function updateEndpoint(
  sql: Sql,
  organizationId: string,
  id: string,
  endpoint: WrittenEndpoint & { readonly split_revision: number },
): Promise<EndpointRow> {
  const [row] = await sql<[EndpointRow]>`
    update serving_endpoints
    set name = ${endpoint.name}, models = ${json(endpoint.models)}::text::json,
        slots = ${json(endpoint.slots)}::text::json, split_revision = ${endpoint.split_revision},
        shadow_model_id = ${endpoint.shadow_model_id}, shadow_percent = ${endpoint.shadow_percent},
        prediction_log = ${jsonOrNull(endpoint.prediction_log)}::text::json,
        model_references = ${referencesOf(endpoint)}::text[], revision = revision + 1,
        updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}
    returning ${sql.unsafe(COLUMNS)}`;
  return row;
}

/** With the revision with which it came, in the transaction of that change. */
export async function insertSplit(
  sql: Sql,
  organizationId: string,
  { id, split_revision, models, slots }: EndpointRow,
  restoredRevision: number | null,
): Promise<void> {
  await sql`
    insert into serving_splits (endpoint_id, organization_id, revision, models, slots,
                                restored_revision)
    values (${id}, ${organizationId}, ${split_revision}, ${json(models)}::text::json,
            ${json(slots)}::text::json, ${restoredRevision})`;
}

export async function findEndpoint(
  db: Database,
  organizationId: string,
  reference: string,
): Promise<EndpointRow | null> {
  const rows = await db.read<EndpointRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from serving_endpoints
      where ${named(sql, organizationId, reference)}`,
  );
  return rows[0] ?? null;
}

/** Some of the names of about so many letters: few enough to compare. */
export async function namesOfLength(
  db: Database,
  organizationId: string,
  length: number,
): Promise<readonly string[]> {
  const rows = await db.read<{ name: string }[]>(
    organizationId,
    (sql) => sql`
      select name from serving_endpoints
      where organization_id = ${organizationId}
        and length(name) between ${length - MOST_EDITS} and ${length + MOST_EDITS}
      order by name
      limit 1000`,
  );
  return rows.map(({ name }) => name);
}

/** Within a transaction, until whose end it stays as it is. */
export async function lockEndpoint(
  sql: Sql,
  organizationId: string,
  reference: string,
): Promise<EndpointRow | null> {
  const rows = await sql<EndpointRow[]>`
    select ${sql.unsafe(COLUMNS)} from serving_endpoints
    where ${named(sql, organizationId, reference)} for update`;
  return rows[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listEndpoints(
  db: Database,
  organizationId: string,
  limit: number,
  after: PageEnd | null,
): Promise<readonly EndpointRow[]> {
  return db.read<EndpointRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from serving_endpoints
      where organization_id = ${organizationId}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** The id of the endpoint that was deleted; null where there is none. */
export async function deleteEndpoint(
  db: Database,
  organizationId: string,
  reference: string,
): Promise<string | null> {
  const rows = await db.query<{ id: string }[]>(
    organizationId,
    (sql) => sql`
      delete from serving_endpoints where ${named(sql, organizationId, reference)} returning id`,
  );
  return rows[0]?.id ?? null;
}

/** Every endpoint, within a transaction. */
export async function allEndpoints(
  sql: Sql,
  organizationId: string,
): Promise<readonly EndpointRow[]> {
  return await sql<EndpointRow[]>`
    select ${sql.unsafe(COLUMNS)} from serving_endpoints
    where organization_id = ${organizationId} order by name`;
}

/** Latest first; one more than `limit` where there are further ones. */
export async function listSplits(
  sql: Sql,
  organizationId: string,
  endpointId: string,
  limit: number,
  before: number | null,
): Promise<readonly SplitRow[]> {
  return sql<SplitRow[]>`
    select revision, models, slots, restored_revision, created_at from serving_splits
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      ${before === null ? sql`` : sql`and revision < ${before}`}
    order by revision desc
    limit ${limit + 1}`;
}

/** The names of endpoints that have any of the references. */
export async function endpointsWith(
  sql: Sql,
  organizationId: string,
  references: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from serving_endpoints
    where organization_id = ${organizationId} and model_references && ${[...references]}::text[]
    order by name`;
  return rows.map(({ name }) => name);
}

/** Organizations that have endpoints. */
export async function organizationsThatServe(db: Database): Promise<readonly string[]> {
  const rows = await db.systemQuery(
    (sql) => sql<{ organization_id: string }[]>`
      select distinct organization_id from serving_endpoints`,
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** What endpoints serve and shadow by, those of the latest endpoints first. */
export async function servedReferences(
  db: Database,
  organizationId: string,
): Promise<readonly string[]> {
  const rows = await db.read<{ model_references: string[] }[]>(
    organizationId,
    (sql) => sql`
      select model_references from serving_endpoints where organization_id = ${organizationId}
      order by updated_at desc`,
  );
  return [...new Set(rows.flatMap(({ model_references }) => model_references))];
}

/** Ids of the endpoints that serve or shadow by one of these references. */
export async function endpointsOf(
  sql: Sql,
  organizationId: string,
  references: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from serving_endpoints
    where organization_id = ${organizationId} and model_references && ${[...references]}::text[]
    order by id`;
  return rows.map(({ id }) => id);
}

/** The names of an organization's endpoints, or of all. @param organizationId null = every one */
export async function nameEndpoints(
  db: Database,
  organizationId: string | null,
): Promise<readonly { id: string; organization_id: string; name: string }[]> {
  return db.systemQuery(
    (sql) => sql<{ id: string; organization_id: string; name: string }[]>`
      select id, organization_id, name from serving_endpoints
      where ${organizationId}::uuid is null or organization_id = ${organizationId}::uuid
      order by organization_id, created_at, id`,
  );
}
