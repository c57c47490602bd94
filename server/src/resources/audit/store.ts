/** The SQL of the audit log, and the only place of it. */

import { randomUUID } from "node:crypto";
import type { AuditedChange } from "../../api/context/audited-change.ts";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";

export interface AuditRow {
  readonly id: string;
  readonly created_at: Date;
  readonly operation: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly path: string;
  readonly status: number;
  readonly request_id: string;
  readonly address: string;
  readonly caller_kind: "api_key" | "oidc" | null;
  readonly subject: string | null;
  readonly key_id: string | null;
  /** Null where it was no key, or the key's row is gone. */
  readonly key_name: string | null;
  readonly is_session: boolean;
  readonly is_replay: boolean;
}

/** Names may be as long as a request's head has room for. */
const LONGEST = 1_000;

/** As PostgreSQL takes it. */
const storable = (text: string): string =>
  text.slice(0, LONGEST).toWellFormed().replaceAll("\0", "\u{fffd}");

/** @param unknown the organization that changes by nobody knows whom are told to */
export async function insertEvents(
  db: Database,
  unknown: string,
  changes: readonly AuditedChange[],
): Promise<void> {
  const rows = changes.map(({ by, resourceId, ...change }) => ({
    id: randomUUID(),
    organization_id: by?.organizationId ?? unknown,
    created_at: change.at,
    operation: change.operation,
    resource_type: change.resourceType,
    resource_id: resourceId === null ? null : storable(resourceId),
    path: storable(change.path),
    status: change.status,
    request_id: change.requestId,
    address: change.address,
    caller_kind: by?.kind ?? null,
    subject: by === null ? null : storable(by.subject),
    key_id: by?.keyId ?? null,
    is_session: by?.isSession ?? false,
    is_replay: change.isReplay,
  }));
  await db.systemQuery((sql) => sql`insert into audit_events ${sql(rows)}`);
}

export const OUTCOMES = ["succeeded", "refused", "failed"] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

export interface AuditFilter {
  readonly since?: Date | undefined;
  readonly before?: Date | undefined;
  readonly operation?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listEvents(
  db: Database,
  organizationId: string,
  filter: AuditFilter,
  limit: number,
  after: PageEnd | null,
): Promise<readonly AuditRow[]> {
  const { since, before, operation, resourceType, resourceId, keyId, outcome } = filter;
  return await db.read(
    organizationId,
    (sql) => sql<AuditRow[]>`
      select event.id, event.created_at, operation, resource_type, resource_id, path, status,
             request_id, address, caller_kind, subject, key_id, api_keys.name as key_name, is_session, is_replay
      from audit_events event left join api_keys on api_keys.id = key_id
      where event.organization_id = ${organizationId}
        ${since ? sql`and event.created_at >= ${since}` : sql``}
        ${before ? sql`and event.created_at < ${before}` : sql``}
        ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
        ${resourceType === undefined ? sql`` : sql`and resource_type = ${resourceType}`}
        ${resourceId === undefined ? sql`` : sql`and resource_id = ${resourceId}`}
        ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
        ${outcome === undefined ? sql`` : ended(sql, outcome)}
        ${after ? sql`and (event.created_at, event.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by event.created_at desc, event.id desc
      limit ${limit + 1}`,
  );
}

const ended = (sql: Sql, outcome: AuditOutcome) =>
  outcome === "succeeded"
    ? sql`and status < 400`
    : outcome === "refused"
      ? sql`and status in (401, 403)`
      : sql`and status >= 400 and status not in (401, 403)`;

export const outcomeOf = (status: number): AuditOutcome =>
  status < 400 ? "succeeded" : status === 401 || status === 403 ? "refused" : "failed";

/** The events of one day, UTC. */
export interface AuditDay {
  /** `2031-05-30`. */
  readonly day: string;
  readonly count: number;
}

/** Days that have ended, oldest first. */
export async function countByDay(sql: Sql, organizationId: string): Promise<readonly AuditDay[]> {
  return await sql<AuditDay[]>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::integer as count
    from audit_events
    where organization_id = ${organizationId}
      and created_at < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
    group by 1 order by 1`;
}

/** As the system, for organizations only add to their logs. */
export async function deleteDay(db: Database, organizationId: string, day: string): Promise<void> {
  await db.systemQuery(
    (sql) => sql`
      delete from audit_events
      where organization_id = ${organizationId}
        and created_at >= ${`${day}T00:00:00Z`}::timestamptz
        and created_at < ${`${day}T00:00:00Z`}::timestamptz + interval '1 day'`,
  );
}
