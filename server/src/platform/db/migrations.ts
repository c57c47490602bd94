/**
 * Migrations: `server/migrations/NNNN_name.sql`, forward only, each in a transaction of its own,
 * one process at a time under an advisory lock.
 *
 * A migration that has run is never edited: its checksum is kept and compared at every start.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import {
  type Address,
  APP_ROLE,
  type Client,
  connect,
  errorCode,
  SCHEMA,
  SYSTEM_ROLE,
} from "./sql.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, lowercase hex. */
  readonly checksum: string;
}

const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** "migr" in ASCII: the key of the lock that one migrating process holds. */
const LOCK = 0x6d696772;

/** Memberships of roles are asked as PostgreSQL has them from 16 on. */
const OLDEST_SERVER = 160_000;

/** The folder's migrations in order of version. */
export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(folder)).sort()) {
    if (!file.endsWith(".sql")) continue;
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
    if (!match) throw new StartupError(`${file} must be named NNNN_name.sql`);
    const version = Number(match[1]);
    if (migrations.at(-1)?.version === version) {
      throw new StartupError(`two migrations have the version ${match[1]}`);
    }
    const text = await readFile(join(folder, file), "utf8");
    const checksum = createHash("sha256").update(text).digest("hex");
    migrations.push({ version, name: match[2]!, text, checksum });
  }
  return migrations;
}

/**
 * Brings the database at `address` to the given migrations and makes the two roles usable by the
 * address's own user.
 *
 * @throws StartupError a migration failed, was edited after it ran, or is newer than this build
 */
export async function migrate(
  address: Address,
  log: Logger,
  migrations: readonly Migration[],
): Promise<void> {
  const client = connect(address, { max: 1 });
  try {
    await checkServer(client);
    await client`select pg_advisory_lock(${LOCK})`;
    await prepare(client);
    await apply(client, log, migrations);
  } finally {
    // Ends the session, and with it the lock.
    await client.end({ timeout: 5 });
  }
}

interface ServerState {
  /** `server_version_num`, such as 160004. */
  readonly version: number;
  readonly name: string;
  readonly encoding: string;
}

/** What no migration mends, said before any of them fails by it; null where there is nothing. */
export function serverFault({ version, name, encoding }: ServerState): string | null {
  if (version < OLDEST_SERVER) {
    const oldest = OLDEST_SERVER / 10_000;
    return `the server of DATABASE_URL is PostgreSQL ${name}: it must be ${oldest} or newer`;
  }
  if (encoding === "UTF8") return null;
  return (
    `the database of DATABASE_URL holds texts in ${encoding}: make one with ` +
    "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'"
  );
}

async function checkServer(client: Client): Promise<void> {
  const [state] = await client<[ServerState]>`
    select current_setting('server_version_num')::int as version,
           current_setting('server_version') as name,
           current_setting('server_encoding') as encoding`;
  const fault = serverFault(state);
  if (fault !== null) throw new StartupError(fault);
}

async function prepare(client: Client): Promise<void> {
  try {
    await client.unsafe(`
      create schema if not exists ${SCHEMA};
      create table if not exists ${SCHEMA}.migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`);
  } catch (error) {
    if (errorCode(error) !== "42501" || !(error instanceof Error)) throw error;
    throw new StartupError(
      `the database's user must own the database, or be granted CREATE on it and own the schema ${SCHEMA} ` +
        `where that is there (${error.message}): let an administrator run ALTER DATABASE … OWNER TO …`,
    );
  }
  try {
    for (const role of [APP_ROLE, SYSTEM_ROLE]) await ensureRole(client, role);
  } catch (error) {
    if (errorCode(error) !== "42501") throw error;
    throw new StartupError(
      `the database's user may not create roles: let an administrator run ` +
        `CREATE ROLE ${APP_ROLE} NOLOGIN; CREATE ROLE ${SYSTEM_ROLE} NOLOGIN; ` +
        `and GRANT both to the user of DATABASE_URL`,
    );
  }
}

/** Creates the role unless it is there, and lets this user act as it. */
async function ensureRole(client: Client, role: string): Promise<void> {
  const known = await client`select rolsuper, rolbypassrls from pg_roles where rolname = ${role}`;
  if (known.length === 0) {
    // Roles belong to the whole server: another database's start may create it at this moment.
    await client.unsafe(`
      do $$ begin create role ${role} nologin nosuperuser nobypassrls;
      exception when duplicate_object or unique_violation then null; end $$`);
  } else if (known[0]!["rolsuper"] || known[0]!["rolbypassrls"]) {
    throw new StartupError(`the role ${role} must have neither SUPERUSER nor BYPASSRLS`);
  }
  const [member] = await client`select pg_has_role(current_user, ${role}, 'set') as may`;
  if (!member?.["may"]) await client.unsafe(`grant ${role} to current_user`);
}

async function apply(client: Client, log: Logger, migrations: readonly Migration[]): Promise<void> {
  const rows = await client<{ version: number; name: string; checksum: string }[]>`
    select version, name, checksum from migrations order by version`;
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of rows) {
    const migration = known.get(row.version);
    if (migration === undefined) {
      throw new StartupError(
        `the database is newer than this build: it has migration ${row.version} (${row.name})`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new StartupError(
        `migration ${row.version} (${row.name}) was changed after it had run on this database`,
      );
    }
  }
  const applied = new Set(rows.map((row) => row.version));
  const missing = migrations.filter(({ version }) => !applied.has(version));
  for (const migration of missing) await applyOne(client, log, migration);
  const last = missing.at(-1);
  if (last === undefined) return;
  const from = rows.at(-1)?.version ?? 0;
  log.info({ from, to: last.version, migrations: missing.length }, "the database was migrated");
}

async function applyOne(client: Client, log: Logger, migration: Migration): Promise<void> {
  const { version, name, checksum } = migration;
  try {
    await client.begin(async (sql) => {
      await sql.unsafe(migration.text).simple();
      await sql`insert into migrations (version, name, checksum)
        values (${version}, ${name}, ${checksum})`;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`migration ${version} (${name}) failed: ${reason}`, { cause: error });
  }
  log.debug({ version, name }, "migration applied");
}
