/** A migrated database of its own for a test file: a real server on a temporary home. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../platform/db/database.ts";
import { openEmbedded } from "../platform/db/embedded/embedded.ts";
import { migrate, readMigrations } from "../platform/db/migrations.ts";
import type { Address } from "../platform/db/sql.ts";
import { createLogger } from "../platform/log.ts";
import { prepareHome } from "./prepared-home.ts";

export interface TemporaryDatabase {
  readonly database: Database;
  readonly address: Address;
  readonly home: string;
  close(): Promise<void>;
}

export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const log = createLogger({ level: "silent" });
  const home = await mkdtemp(join(tmpdir(), "distillery-test-"));
  await prepareHome(home);
  const { address, close } = await openEmbedded(home, log);
  // What a prepared home may lack.
  await migrate(address, log, await readMigrations());
  const database = new Database(address);
  return {
    database,
    address,
    home,
    close: async () => {
      await database.close();
      await close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
