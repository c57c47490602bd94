/**
 * Answers by `Idempotency-Key` in Postgres, for 24 hours. They are sealed: the answer that creates
 * an API key holds the key, which must lie nowhere in the clear.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Database } from "../../../platform/db/database.ts";
import type { Sealer } from "../../../platform/secrets/seal.ts";
import type { Claim, IdempotencyStore } from "./idempotency-store.ts";

const headersSchema = z.record(z.string(), z.string());

interface Row {
  /** Null until the request is done. */
  readonly fingerprint: string | null;
  readonly status: number | null;
  readonly headers: unknown;
  readonly body: string | null;
  /** Until the claim lapses, where nobody renews it. */
  readonly retry_after_s: number;
}

/** A claim that was not renewed for this long is of a process that died. */
const LEASE = "60 seconds";
const KEPT = "24 hours";

export function postgresIdempotency(db: Database, sealer: Sealer): IdempotencyStore {
  const owner = (organizationId: string, operation: string, key: string) => [
    "idempotency",
    organizationId,
    operation,
    key,
  ];
  return {
    async claim(organizationId, operation, key): Promise<Claim> {
      const token = randomUUID();
      const [claimed] = await db.query(
        organizationId,
        (sql) => sql<{ epoch: string }[]>`
          insert into idempotency_keys as known (organization_id, operation, key, token)
          values (${organizationId}, ${operation}, ${key}, ${token})
          on conflict (organization_id, operation, key) do update
            set token = excluded.token, claimed_at = now(), completed_at = null,
                fingerprint = null, status = null, headers = null, body = null,
                epoch = case when known.began_at < now() - ${KEPT}::interval
                             then excluded.epoch else known.epoch end,
                began_at = case when known.began_at < now() - ${KEPT}::interval
                                then now() else known.began_at end
            where (known.completed_at is null and known.claimed_at < now() - ${LEASE}::interval)
               or known.completed_at < now() - ${KEPT}::interval
          returning epoch`,
      );
      if (claimed) return { state: "claimed", token, epoch: claimed.epoch };
      const [row] = await db.query(
        organizationId,
        (sql) => sql<Row[]>`
          select fingerprint, status, headers, body,
                 greatest(1, ceil(extract(epoch from
                   greatest(claimed_at, now() - ${LEASE}::interval) + ${LEASE}::interval - now()
                 )))::int as retry_after_s
          from idempotency_keys
          where organization_id = ${organizationId} and operation = ${operation} and key = ${key}`,
      );
      // No row: it was forgotten between the two statements.
      if (row === undefined) return { state: "running", retryAfterS: 1 };
      if (row.fingerprint === null) return { state: "running", retryAfterS: row.retry_after_s };
      return {
        state: "done",
        fingerprint: row.fingerprint,
        answer: {
          status: row.status ?? 200,
          headers: headersSchema.parse(row.headers),
          body: sealer.open(row.body ?? "", owner(organizationId, operation, key)),
        },
      };
    },

    async renew(organizationId, operation, key, token) {
      await db.query(
        organizationId,
        (sql) => sql`
          update idempotency_keys set claimed_at = now()
          where organization_id = ${organizationId} and operation = ${operation} and key = ${key}
            and token = ${token}`,
      );
    },

    async complete(organizationId, operation, key, token, fingerprint, answer) {
      const body = sealer.seal(answer.body, owner(organizationId, operation, key));
      await db.query(
        organizationId,
        (sql) => sql`
          update idempotency_keys
          set completed_at = now(), fingerprint = ${fingerprint}, status = ${answer.status},
              headers = ${JSON.stringify(answer.headers)}::text::jsonb, body = ${body}
          where organization_id = ${organizationId} and operation = ${operation} and key = ${key}
            and token = ${token}`,
      );
    },

    async release(organizationId, operation, key, token) {
      await db.query(
        organizationId,
        (sql) => sql`
          update idempotency_keys set claimed_at = '-infinity'
          where organization_id = ${organizationId} and operation = ${operation} and key = ${key}
            and token = ${token}`,
      );
    },

    async purge() {
      await db.systemQuery(
        (sql) => sql`
          delete from idempotency_keys
          where coalesce(completed_at, greatest(claimed_at, began_at)) < now() - ${KEPT}::interval`,
      );
    },
  };
}
