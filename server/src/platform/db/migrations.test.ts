import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { createLogger } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { type Migration, migrate, readMigrations, serverFault } from "./migrations.ts";
import { type Address, type Client, connect } from "./sql.ts";

const log = createLogger({ level: "silent" });
const folder = await mkdtemp(join(tmpdir(), "distillery-migrations-"));

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(async () => {
  await temporary.close();
  await rm(folder, { recursive: true, force: true });
});

let number = 0;

/** A database of its own on the test's server. */
async function fresh(): Promise<{ address: Address; client: Client }> {
  const name = `fresh_${number++}`;
  const owner = connect(temporary.address, { max: 1 });
  await owner.unsafe(`create database ${name}`);
  await owner.end();
  const { address: base } = temporary;
  if (!("socketFolder" in base)) throw new Error("it has no socket");
  const address = { ...base, database: name };
  return { address, client: connect(address, { max: 1 }) };
}

async function write(files: Readonly<Record<string, string>>): Promise<Migration[]> {
  const place = await mkdtemp(join(folder, "m-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
  return await readMigrations(place);
}

const versions = async (client: Client) =>
  (await client<{ version: number }[]>`select version from migrations order by version`).map(
    ({ version }) => version,
  );

describe("migrations", () => {
  test("those of this build run on an empty database, and again without effect", async () => {
    const { address, client } = await fresh();
    const migrations = await readMigrations();
    await migrate(address, log, migrations);
    await migrate(address, log, migrations);
    expect(await versions(client)).toEqual(migrations.map(({ version }) => version));
    await client.end();
  });

  test("only what is missing runs, in order", async () => {
    const { address, client } = await fresh();
    const first = { "0001_a.sql": "create table a (n integer)" };
    await migrate(address, log, await write(first));
    const more = {
      ...first,
      "0010_c.sql": "insert into b values (1)",
      "0002_b.sql": "create table b (n integer)",
    };
    await migrate(address, log, await write(more));
    expect(await versions(client)).toEqual([1, 2, 10]);
    expect(await client`select n from b`).toHaveLength(1);
    await client.end();
  });

  test("a failing one leaves nothing of itself, and those before it stay", async () => {
    const { address, client } = await fresh();
    const files = {
      "0001_a.sql": "create table a (n integer)",
      "0002_b.sql": "create table b (n integer); insert into b values ('x')",
    };
    await expect(migrate(address, log, await write(files))).rejects.toThrow(
      /^migration 2 \(b\) failed: invalid input syntax/,
    );
    expect(await versions(client)).toEqual([1]);
    const tables =
      await client`select 1 from pg_tables where schemaname = 'distillery' and tablename = 'b'`;
    expect(tables).toHaveLength(0);
    await client.end();
  });

  test("one that was edited after it ran stops the start", async () => {
    const { address, client } = await fresh();
    await migrate(address, log, await write({ "0001_a.sql": "create table a (n integer)" }));
    const edited = await write({ "0001_a.sql": "create table a (n bigint)" });
    await expect(migrate(address, log, edited)).rejects.toThrow(/migration 1 \(a\) was changed/);
    await client.end();
  });

  test("a database newer than the build stops the start", async () => {
    const { address, client } = await fresh();
    const files = { "0001_a.sql": "select 1", "0002_b.sql": "select 1" };
    await migrate(address, log, await write(files));
    const older = await write({ "0001_a.sql": "select 1" });
    await expect(migrate(address, log, older)).rejects.toThrow(/newer than this build: .* 2 \(b\)/);
    await client.end();
  });

  test("processes that start together run each once", async () => {
    const { address, client } = await fresh();
    const migrations = await write({
      "0001_a.sql": "create table a (n integer); select pg_sleep(0.1)",
      "0002_b.sql": "insert into a values (1)",
    });
    await Promise.all(Array.from({ length: 4 }, () => migrate(address, log, migrations)));
    expect(await client`select n from a`).toHaveLength(1);
    await client.end();
  });

  test("a database of another encoding than UTF-8 stops the start", async () => {
    const owner = connect(temporary.address, { max: 1 });
    await owner.unsafe("create database in_latin1 template template0 encoding 'LATIN1' locale 'C'");
    await owner.end();
    const latin1 = { ...temporary.address, database: "in_latin1" };
    await expect(migrate(latin1, log, await readMigrations())).rejects.toThrow(
      /holds texts in LATIN1: .*ENCODING 'UTF8'/,
    );
  });

  test("a server that is too old stops the start, whatever it lacks", () => {
    const server = { version: 150_014, name: "15.14 (Debian)", encoding: "UTF8" };
    expect(serverFault(server)).toMatch(/is PostgreSQL 15\.14 \(Debian\): it must be 16 or newer/);
    expect(serverFault({ ...server, version: 160_000 })).toBeNull();
  });

  test("a user who may not make the schema is told what it takes", async () => {
    const { address, client } = await fresh();
    await client.unsafe("create role guest login password 'guest'");
    await client.unsafe("grant distillery_app, distillery_system to guest");
    const guest = { ...address, user: "guest", password: "guest" };
    const migrations = await readMigrations();
    const told = /must own the database, or be granted CREATE .*ALTER DATABASE … OWNER TO/;
    await expect(migrate(guest, log, migrations)).rejects.toThrow(told);
    // Made by another user, it is not the guest's either.
    await client.unsafe("create schema distillery");
    await client.unsafe(
      `grant create on database ${(await client`select current_database() as name`)[0]!["name"]} to guest`,
    );
    await expect(migrate(guest, log, migrations)).rejects.toThrow(told);
    await client.end();
  });

  test("files are named by version, and versions are unique", async () => {
    await expect(write({ "1_a.sql": "" })).rejects.toThrow(StartupError);
    await expect(write({ "0001_a.sql": "", "0001_b.sql": "" })).rejects.toThrow(/0001/);
  });

  test("a user who may not create roles is told what an administrator must run", async () => {
    const { address, client } = await fresh();
    await client.unsafe("create role limited login password 'limited'");
    const { current } = (
      await client<{ current: string }[]>`select current_database() as current`
    )[0]!;
    await client.unsafe(`alter database ${current} owner to limited`);
    await client.end();
    if (!("socketFolder" in address)) throw new Error("it has no socket");
    const limited = { ...address, user: "limited", password: "limited" };
    const migrations = await readMigrations();
    await expect(migrate(limited, log, migrations)).rejects.toThrow(
      /administrator run CREATE ROLE/,
    );
    const owner = connect(temporary.address, { max: 1 });
    await owner.unsafe("grant distillery_app, distillery_system to limited");
    await migrate(limited, log, migrations);
    const again = connect(limited, { max: 1, role: "distillery_app" });
    expect([...(await again`select current_user`)]).toEqual([{ current_user: "distillery_app" }]);
    await again.end();
    await owner.end();
  });
});
