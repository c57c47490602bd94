/**
 * One secret for all servers of a database: what one has sealed or signed (stored credentials, kept
 * answers, page tokens) the others must be able to open. The first server records its secret's id;
 * one that comes with another would fail now and then for no visible reason, so it does not start.
 */
import { ConfigError } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Sealer } from "./seal.ts";

/** @throws ConfigError the database's servers have another secret */
export async function agreeOnSecret(db: Database, sealer: Sealer): Promise<void> {
  await db.systemQuery(
    (sql) => sql`insert into secret_key (id) values (${sealer.keyId}) on conflict do nothing`,
  );
  const [row] = await db.systemQuery((sql) => sql<{ id: string }[]>`select id from secret_key`);
  if (row?.id === sealer.keyId) return;
  throw new ConfigError(
    "DISTILLERY_SECRET_KEY must be the same for every server of this database (a first server " +
      "that was given none keeps its own in secret.key of its home); if that one is lost, run " +
      "DELETE FROM distillery.secret_key and enter every stored credential again",
  );
}
