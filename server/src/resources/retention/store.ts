/** The SQL of retention's rules, and the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { RULES, type Rules } from "./select.ts";

export const NO_RULES: Rules = {
  keep_versions: null,
  unnamed_model_days: null,
  failed_job_days: null,
  job_report_days: null,
  output_days: null,
  unused_dataset_days: null,
  audit_event_days: null,
};

const COLUMNS = RULES.join(", ");

export interface KeptRules extends Rules {
  readonly applied_at: Date | null;
}

export async function findRules(sql: Sql, organizationId: string): Promise<KeptRules> {
  const rows = await sql<KeptRules[]>`
    select ${sql.unsafe(COLUMNS)}, applied_at from retention_rules
    where organization_id = ${organizationId}`;
  return rows[0] ?? { ...NO_RULES, applied_at: null };
}

/** Until the transaction ends, nobody else changes the organization's rules and quotas. */
export async function lockSettings(sql: Sql, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`retention ${organizationId}`}, 0))`;
}

export async function saveRules(sql: Sql, organizationId: string, rules: Rules): Promise<void> {
  await sql`
    insert into retention_rules ${sql({ organization_id: organizationId, ...rules })}
    on conflict (organization_id) do update set ${sql(rules, ...RULES)}`;
}

/**
 * Takes an organization whose rules were not applied for a day, so that no other process does; null where
 * there is none.
 */
export async function claimDue(
  db: Database,
): Promise<(Rules & { readonly organization_id: string }) | null> {
  const rows = await db.systemQuery(
    (sql) => sql<(Rules & { organization_id: string })[]>`
      update retention_rules set applied_at = now()
      where organization_id = (
        select organization_id from retention_rules
        where num_nonnulls(${sql.unsafe(COLUMNS)}) > 0
          and (applied_at is null or applied_at <= now() - interval '1 day')
        order by applied_at nulls first
        limit 1
        for update skip locked
      )
      returning organization_id, ${sql.unsafe(COLUMNS)}`,
  );
  return rows[0] ?? null;
}

/** Of the database, whose times the records have. */
export async function currentTime(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ now: Date }]>`select clock_timestamp()::timestamptz(3) as now`;
  return row.now;
}
