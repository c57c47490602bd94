/**
 * One secret for all servers of a database: what one has sealed or signed (stored credentials, kept
 * answers, page tokens) the others must be able to open. The first server records its secret's id;
 * one that comes with another would fail now and then for no visible reason, so it does not start.
 */

import type { Database } from "../db/database.ts";
import { StartupError } from "../startup-error.ts";
import type { Sealer } from "./seal.ts";

/**
 * A server to which the recorded secret is a previous one puts its own in its place: that is how a
 * fleet changes its secret, one server after the other, while each knows both.
 *
 * @throws StartupError the database's servers have another secret
 */
export async function agreeOnSecret(db: Database, sealer: Sealer): Promise<void> {
  await db.systemQuery(
    (sql) => sql`insert into secret_key (id) values (${sealer.keyId}) on conflict do nothing`,
  );
  const [row] = await db.systemQuery((sql) => sql<{ id: string }[]>`select id from secret_key`);
  if (row?.id === sealer.keyId) return;
  if (row !== undefined && sealer.knows(row.id)) {
    await db.systemQuery(
      (sql) => sql`
        update secret_key set id = ${sealer.keyId}, since = now() where id = ${row.id}`,
    );
    return;
  }
  throw new StartupError(
    "DISTILLERY_SECRET_KEY must be the same for every server of this database (a first server " +
      "that was given none keeps its own in secret.key of its home); to change it, name the one " +
      "of before in DISTILLERY_PREVIOUS_SECRET_KEYS; if that one is lost, run " +
      "DELETE FROM distillery.secret_key and enter every stored credential again",
  );
}
