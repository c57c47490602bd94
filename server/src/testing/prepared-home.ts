/**
 * Homes with a database that is made and migrated already. Of a run of tests the first that asks
 * makes one, and all others copy it, which takes a small part of the time; what a home's very first
 * start does is for the tests of the embedded server and of the service's life.
 */

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { openEmbedded } from "../platform/db/embedded/embedded.ts";
import { migrate, readMigrations } from "../platform/db/migrations.ts";
import { errorCode } from "../platform/db/sql.ts";
import { createLogger } from "../platform/log.ts";
import { SHARED_VARIABLE } from "./shared-folder.ts";

const run = promisify(execFile);

const DATA = join("postgres", "data");
const PASSWORD = "postgres.password";

/** Puts the database into a home that is empty, or leaves it to be made by the first start. */
export async function prepareHome(home: string): Promise<void> {
  const shared = process.env[SHARED_VARIABLE];
  if (shared === undefined) return;
  const made = join(shared, "home");
  if (!(await exists(made))) await makeIn(shared, made);
  // Where PostgreSQL's user cannot reach the home, the data lies elsewhere.
  if (!(await exists(join(made, DATA)))) return;
  await mkdir(join(home, "postgres"), { mode: 0o700 });
  await run("cp", ["-a", join(made, DATA), join(home, DATA)]);
  await cp(join(made, PASSWORD), join(home, PASSWORD));
}

/** Of several that make one at the same time, the first to be done is taken. */
async function makeIn(shared: string, made: string): Promise<void> {
  const home = await mkdtemp(join(shared, "making-"));
  const log = createLogger({ level: "silent" });
  const { address, close } = await openEmbedded(home, log);
  await migrate(address, log, await readMigrations());
  await close();
  try {
    await rename(home, made);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
    await rm(home, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
