/** Opens the database of a configuration: embedded or given by URL, migrated and ready for use. */
import type { Config } from "../config.ts";
import { dropAttrsVariable } from "../database-hosts.ts";
import type { Logger } from "../log.ts";
import { Database } from "./database.ts";
import { joinEmbedded, openEmbedded } from "./embedded/embedded.ts";
import { migrate, readMigrations } from "./migrations.ts";
import type { Address } from "./sql.ts";

export interface OpenDatabase {
  readonly database: Database;
  /** Ends every connection, and the embedded server if this process owns it. */
  close(): Promise<void>;
}

/** @param role a `worker` joins the embedded server that another process owns */
export async function openDatabase(
  config: Pick<Config, "databaseUrl" | "home">,
  log: Logger,
  role: "server" | "worker",
): Promise<OpenDatabase> {
  dropAttrsVariable();
  if (config.databaseUrl !== undefined) return await prepared({ url: config.databaseUrl }, log);
  if (role === "worker") return await prepared(await joinEmbedded(config.home), log);
  const embedded = await openEmbedded(config.home, log);
  try {
    const { database, close } = await prepared(embedded.address, log);
    return {
      database,
      close: async () => {
        await close();
        await embedded.close();
      },
    };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

async function prepared(address: Address, log: Logger): Promise<OpenDatabase> {
  await migrate(address, log, await readMigrations());
  const database = new Database(address);
  return { database, close: () => database.close() };
}
