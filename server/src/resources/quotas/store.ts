/** The SQL of quotas, and of what is used of them. */

import type { Sql } from "../../platform/db/database.ts";

export const QUOTAS = [
  "dataset_bytes",
  "model_bytes",
  "total_bytes",
  "datasets",
  "models",
  "open_jobs",
] as const;
export type Quota = (typeof QUOTAS)[number];
/** Null = no bound. */
export type Quotas = Readonly<Record<Quota, number | null>>;

export const NO_QUOTAS: Quotas = {
  dataset_bytes: null,
  model_bytes: null,
  total_bytes: null,
  datasets: null,
  models: null,
  open_jobs: null,
};

const COLUMNS = QUOTAS.join(", ");

export async function findQuotas(sql: Sql, organizationId: string): Promise<Quotas> {
  const rows = await sql<Quotas[]>`
    select ${sql.unsafe(COLUMNS)} from quotas where organization_id = ${organizationId}`;
  return rows[0] ?? NO_QUOTAS;
}

/** Whoever else adds something waits until the transaction ends; null where nothing is bounded. */
export async function lockQuotas(sql: Sql, organizationId: string): Promise<Quotas | null> {
  const rows = await sql<Quotas[]>`
    select ${sql.unsafe(COLUMNS)} from quotas where organization_id = ${organizationId} for update`;
  return rows[0] ?? null;
}

export async function saveQuotas(sql: Sql, organizationId: string, quotas: Quotas): Promise<void> {
  await sql`
    insert into quotas ${sql({ organization_id: organizationId, ...quotas })}
    on conflict (organization_id) do update set ${sql(quotas, ...QUOTAS)}`;
}

export const USAGE_KINDS = [
  "datasets",
  "models",
  "documents",
  "jobs",
  "prediction_logs",
  "uploads",
] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export type Usage = Readonly<Record<UsageKind | "open_jobs", Amount>>;

/** Sums over rows; no listing of objects. */
export async function readUsage(sql: Sql, organizationId: string): Promise<Usage> {
  const rows = await sql<(Amount & { kind: UsageKind | "open_jobs" })[]>`
    select kind, count, bytes from organization_usage(${organizationId})`;
  const amount = (kind: UsageKind | "open_jobs"): Amount => {
    const row = rows.find((each) => each.kind === kind);
    return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
  };
  return {
    datasets: amount("datasets"),
    models: amount("models"),
    documents: amount("documents"),
    jobs: amount("jobs"),
    prediction_logs: amount("prediction_logs"),
    uploads: amount("uploads"),
    open_jobs: amount("open_jobs"),
  };
}
