/**
 * Whether what an organization is about to add fits its quotas: early, before bytes are read, and for
 * certain in the transaction that adds it.
 */

import type { Database, Sql } from "../../platform/db/database.ts";
import { Problem } from "../../platform/input/problem.ts";
import {
  findQuotas,
  lockQuotas,
  QUOTAS,
  type Quota,
  type Quotas,
  readUsage,
  USAGE_KINDS,
  type Usage,
} from "./store.ts";

/** Seconds after which a job may have ended. */
const RETRY_SECONDS = 30;

/** 507 of what is stored, as RFC 4331 has it; 429 of jobs, for those end by themselves. */
export class QuotaExceeded extends Problem {
  /** @param would what would be in use then, at least */
  constructor(quota: Quota, limit: number, would: number) {
    const unit = quota.endsWith("_bytes") ? " bytes" : "";
    const detail = `The organization's quota ${quota} is ${limit}${unit}, and with this there would be ${would}.`;
    if (quota === "open_jobs") {
      super("too-many-requests", `${detail} Try again once a job has ended.`, {
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    } else {
      super("insufficient-storage", `${detail} Delete something, or raise it at /v1/retention.`);
    }
  }
}

export const totalBytes = (usage: Usage): number =>
  USAGE_KINDS.reduce((sum, kind) => sum + usage[kind].bytes, 0);

/** What of each quota is in use. */
export const usedOf = (usage: Usage): Readonly<Record<Quota, number>> => ({
  dataset_bytes: usage.datasets.bytes,
  model_bytes: usage.models.bytes,
  total_bytes: totalBytes(usage),
  datasets: usage.datasets.count,
  models: usage.models.count,
  open_jobs: usage.open_jobs.count,
});

/** How much of it will be added, at least. */
export type Adding = Readonly<Partial<Record<Quota, number>>>;

function refuse(quotas: Quotas, usage: Usage, adding: Adding): void {
  const used = usedOf(usage);
  for (const quota of QUOTAS) {
    const limit = quotas[quota];
    const more = adding[quota];
    if (limit === null || more === undefined) continue;
    if (used[quota] + more > limit) {
      throw new QuotaExceeded(quota, limit, used[quota] + more);
    }
  }
}

/**
 * Behind what a transaction has added, which is among what is in use then: nothing is added twice where a
 * request is repeated. Whoever adds something beside it waits. Where the transaction takes the registry's
 * lock as well, it does so before.
 *
 * @param more what else will come of it, at least, by the quotas that it counts towards
 * @throws QuotaExceeded
 */
export async function keepWithinQuotas(
  sql: Sql,
  organizationId: string,
  more: Adding,
): Promise<void> {
  const quotas = await lockQuotas(sql, organizationId);
  if (quotas === null) return;
  refuse(quotas, await readUsage(sql, organizationId), more);
}

/** What may still come, as it was at a look: for bodies while they come. */
export class Room {
  readonly #quotas: Quotas;
  readonly #usage: Usage;

  constructor(quotas: Quotas, usage: Usage) {
    this.#quotas = quotas;
    this.#usage = usage;
  }

  /** @throws QuotaExceeded where there is no room for it */
  check(adding: Adding): void {
    refuse(this.#quotas, this.#usage, adding);
  }
}

export async function roomOf(db: Database, organizationId: string): Promise<Room> {
  return await db.forOrganization(organizationId, async (sql) => {
    const quotas = await findQuotas(sql, organizationId);
    return new Room(quotas, await readUsage(sql, organizationId));
  });
}

/** Of multipart, around the files. */
const FRAME_BYTES = 65_536;

/**
 * Bytes that a body has at the least, by what its headers say; 1 where they do not say.
 */
export function leastBytes(headers: {
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
}): number {
  if (headers["content-encoding"] !== undefined) return 1;
  const length = Number(headers["content-length"] ?? 0);
  const isFramed = headers["content-type"]?.toLowerCase().startsWith("multipart/") ?? false;
  return Math.max(1, isFramed ? length - FRAME_BYTES : length);
}

export { findQuotas, type Quotas, readUsage, saveQuotas } from "./store.ts";
