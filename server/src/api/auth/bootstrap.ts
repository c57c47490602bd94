/**
 * The first organization and its first key. A service that has never had a key makes one and tells
 * it once; `DISTILLERY_API_KEY` sets one instead, and replaces it when it changes. A key that was
 * revoked does not come back by a restart.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../../platform/db/database.ts";
import { createApiKey, hashApiKey, visiblePrefix } from "./api-key.ts";
import { anyKeyExists, ensureOrganization, insertKey, setConfiguredKey } from "./key-store.ts";

export const FIRST_ORGANIZATION = "default";
/** Of the advisory lock under which processes that start together make one key, not two. */
const LOCK = 7_310_584_221;

export interface Bootstrap {
  readonly organizationId: string;
  /** The key, if this call made it: to be shown to the operator, once. */
  readonly createdKey: string | null;
  /** Whether the configured key was revoked, so that it opens nothing. */
  readonly configuredKeyRevoked: boolean;
}

export async function bootstrap(
  db: Database,
  configuredKey: string | undefined,
): Promise<Bootstrap> {
  return await db.system(async (sql) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    const organizationId = await ensureOrganization(sql, FIRST_ORGANIZATION);
    if (configuredKey !== undefined) {
      const usable = await setConfiguredKey(sql, organizationId, hashApiKey(configuredKey));
      return { organizationId, createdKey: null, configuredKeyRevoked: !usable };
    }
    const none = { organizationId, createdKey: null, configuredKeyRevoked: false };
    if (await anyKeyExists(sql)) return none;
    const key = createApiKey();
    await insertKey(sql, organizationId, {
      id: randomUUID(),
      name: "bootstrap",
      hash: hashApiKey(key),
      prefix: visiblePrefix(key),
      scopes: ["*"],
      origin: "bootstrap",
      createdBy: null,
      expiresAt: null,
    });
    return { ...none, createdKey: key };
  });
}
