/** What keeps a model or an alias from being deleted, beside open jobs. */

import type { Sql } from "../../platform/db/database.ts";
import { conflict } from "../../platform/input/problem.ts";
import type { ModelUser } from "./kind.ts";

/**
 * In the transaction that deletes, under the registry's lock.
 *
 * @param references see `ModelUser.whyKept`
 * @throws 409 in the words of the first that uses one
 */
export async function refuseWhileKept(
  sql: Sql,
  users: readonly ModelUser[],
  organizationId: string,
  references: readonly string[],
): Promise<void> {
  for (const user of users) {
    const why = await user.whyKept(sql, organizationId, references);
    if (why !== null) throw conflict(why);
  }
}
