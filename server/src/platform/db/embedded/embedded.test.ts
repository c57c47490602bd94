import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { Child } from "../../../testing/child.ts";
import { createLogger } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import { connect } from "../sql.ts";
import { serverAccount } from "./account.ts";
import { type EmbeddedDatabase, joinEmbedded, openEmbedded } from "./embedded.ts";
import { canReach, placeServer } from "./placement.ts";
import { postmasterState } from "./postmaster.ts";

const log = createLogger({ level: "silent" });
const folder = await mkdtemp(join(tmpdir(), "distillery-embedded-"));
// Run by root, the server has another user, who must get to the homes.
await chmod(folder, 0o711);

const opened: EmbeddedDatabase[] = [];
const children: Child[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill("SIGKILL");
  for (const database of opened.splice(0)) await database.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(home: string): Promise<EmbeddedDatabase> {
  const database = await openEmbedded(home, log);
  opened.push(database);
  return database;
}

function service(home: string, role: "server" | "worker" = "server"): Child {
  const child = new Child("./service-process.ts", [role, home]);
  children.push(child);
  return child;
}

async function dataFolder(home: string): Promise<string> {
  return (await placeServer(home, await serverAccount())).data;
}

async function count(database: EmbeddedDatabase): Promise<number> {
  const client = connect(database.address, { max: 1 });
  try {
    const [row] = await client<{ n: number }[]>`select count(*) as n from kept`;
    return row?.n ?? -1;
  } finally {
    await client.end();
  }
}

describe("the embedded server", () => {
  /** Each test leaves it closed. */
  const home = join(folder, "home");

  test("keeps what was written over an orderly end and a new start", async () => {
    const first = await open(home);
    expect(first.adopted).toBe(false);
    const client = connect(first.address, { max: 1 });
    await client.unsafe(`
      create schema distillery;
      create table kept (n integer);
      insert into kept values (1)`);
    await client.end();
    await first.close();
    expect(await postmasterState(await dataFolder(home))).toEqual({ kind: "none" });
    const second = await open(home);
    expect(second.adopted).toBe(false);
    expect(await count(second)).toBe(1);
  });

  test("takes no password but its own, and listens on its socket alone", async () => {
    const { address } = await open(home);
    if (!("socketFolder" in address)) throw new Error("it has no socket");
    const wrong = connect({ ...address, password: "guess" }, { max: 1 });
    await expect(wrong`select 1`).rejects.toMatchObject({ code: "28P01" });
    await wrong.end();
    const client = connect(address, { max: 1 });
    expect([...(await client`show listen_addresses`)]).toEqual([{ listen_addresses: "" }]);
    await client.end();
    expect((await stat(join(home, "postgres.password"))).mode & 0o777).toBe(0o600);
    expect((await stat(address.socketFolder)).mode & 0o077).toBe(0);
  });

  test("a second start on a home is refused in one line, and the first goes on", async () => {
    const first = await open(home);
    const second = service(home);
    expect(await second.end()).toBe(1);
    expect(second.errors.trim()).toMatch(/^another process uses .*home: stop it, or choose/);
    expect(second.errors.trim()).not.toContain("\n");
    const client = connect(first.address, { max: 1 });
    expect(await client`select 1`).toHaveLength(1);
    await client.end();
  });

  test("two first starts at the same moment: one wins, one is refused", async () => {
    const home = join(folder, "race");
    const both = [service(home), service(home)];
    const ends = await Promise.all(
      both.map((child) =>
        Promise.race([child.line(/^ready$/).catch(() => "refused"), child.end()]),
      ),
    );
    expect(ends.filter((end) => end === "ready")).toHaveLength(1);
    const refused = both.find((child) => child.errors !== "");
    expect(refused?.errors).toMatch(/another process uses/);
    for (const child of both) await child.kill("SIGTERM");
    expect(await postmasterState(await dataFolder(home))).toEqual({ kind: "none" });
  });

  test("SIGTERM leaves no process behind", async () => {
    const child = service(home);
    await child.line(/^ready$/);
    const state = await postmasterState(await dataFolder(home));
    expect(state.kind).toBe("ready");
    expect(await child.kill("SIGTERM")).toBe(0);
    expect(await postmasterState(await dataFolder(home))).toEqual({ kind: "none" });
  });

  test("after SIGKILL the next start takes the running server over, with all that was written", async () => {
    const child = service(home);
    await child.line(/^ready$/);
    const client = connect(await joinEmbedded(home), { max: 1 });
    await client`truncate kept`;
    for (let n = 0; n < 20; n++) await client`insert into kept values (${n})`;
    await client.end();
    await child.kill("SIGKILL");
    const state = await postmasterState(await dataFolder(home));
    expect(state.kind).toBe("ready");
    const second = await open(home);
    expect(second.adopted).toBe(true);
    expect(await count(second)).toBe(20);
    await second.close();
    expect(await postmasterState(await dataFolder(home))).toEqual({ kind: "none" });
  });

  test("after the server and its parent are both killed, the next start recovers every row", async () => {
    const child = service(home);
    await child.line(/^ready$/);
    const client = connect(await joinEmbedded(home), { max: 1 });
    await client`truncate kept`;
    for (let n = 0; n < 20; n++) await client`insert into kept values (${n})`;
    const state = await postmasterState(await dataFolder(home));
    if (state.kind !== "ready") throw new Error("it does not run");
    await child.kill("SIGKILL");
    process.kill(state.pid, "SIGKILL");
    await client.end({ timeout: 0 });
    const second = await open(home);
    expect(second.adopted).toBe(false);
    expect(await count(second)).toBe(20);
  });

  test("a pid file whose number now belongs to another process is stale", async () => {
    const first = await open(home);
    await first.close();
    const other = spawn("sleep", ["600"], { stdio: "ignore" });
    try {
      const data = await dataFolder(home);
      await writeFile(
        join(data, "postmaster.pid"),
        `${other.pid}\n${data}\n0\n5432\n\n\n\nready\n`,
      );
      expect(await postmasterState(data)).toEqual({ kind: "none" });
      await writeFile(
        join(data, "postmaster.pid"),
        `${other.pid}\n${data}\n0\n5432\n\n\n\nready\n`,
      );
      const second = await open(home);
      expect(second.adopted).toBe(false);
    } finally {
      other.kill();
      await once(other, "exit");
    }
  });

  test("a server that cannot start says why", async () => {
    const home = join(folder, "broken");
    const first = await open(home);
    await first.close();
    const control = join(await dataFolder(home), "global", "pg_control");
    const bytes = await readFile(control);
    await writeFile(control, Buffer.alloc(bytes.length));
    await expect(openEmbedded(home, log)).rejects.toThrow(StartupError);
    await expect(openEmbedded(home, log)).rejects.toThrow(/does not start: .*PANIC|FATAL/s);
  });

  test("a worker joins a home that a server runs on, and no other", async () => {
    await expect(joinEmbedded(home)).rejects.toThrow(/no server runs on/);
    const server = service(home);
    await server.line(/^ready$/);
    const worker = service(home, "worker");
    await worker.line(/^ready$/);
    expect(await worker.kill("SIGTERM")).toBe(0);
    expect((await postmasterState(await dataFolder(home))).kind).toBe("ready");
    await server.kill("SIGTERM");
  });

  test("a home whose path is too long for a socket is served all the same", async () => {
    const long = join(folder, "l".repeat(120));
    const { address } = await open(long);
    const client = connect(address, { max: 1 });
    expect(await client`select 1`).toHaveLength(1);
    await client.end();
    if ("socketFolder" in address) await rm(address.socketFolder, { recursive: true });
  });
});

describe("the server's user", () => {
  const passwd = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n";

  test("is ours unless we are root, then postgres or nobody", async () => {
    expect(await serverAccount(1000, 1001, passwd)).toEqual({
      uid: 1000,
      gid: 1001,
      switched: false,
    });
    expect(await serverAccount(0, 0, passwd)).toEqual({ uid: 65534, gid: 65534, switched: true });
    const both = `${passwd}postgres:x:101:104::/var/lib/postgresql:/bin/bash\n`;
    expect(await serverAccount(0, 0, both)).toEqual({ uid: 101, gid: 104, switched: true });
    await expect(serverAccount(0, 0, "root:x:0:0::/:/bin/sh")).rejects.toThrow(/DATABASE_URL/);
  });

  test("reaches a folder only if every folder above lets it through", async () => {
    const stranger = { uid: 54321, gid: 54321, switched: true };
    const closed = join(folder, "closed");
    const inner = join(closed, "inner");
    await mkdir(inner, { recursive: true, mode: 0o755 });
    await chmod(closed, 0o700);
    expect(await canReach(stranger, inner)).toBe(false);
    await chmod(closed, 0o711);
    expect(await canReach(stranger, inner)).toBe(true);
  });

  test.runIf(process.getuid?.() === 0)(
    "root with a home below a 0700 folder keeps its data outside, and finds it when moved",
    async () => {
      const closed = join(folder, "private");
      await mkdir(closed, { mode: 0o700 });
      const first = await openEmbedded(join(closed, "home"), log);
      const place = await dataFolder(join(closed, "home"));
      expect(place.startsWith("/var/lib/distillery/")).toBe(true);
      await first.close();
      const { rename } = await import("node:fs/promises");
      await rename(join(closed, "home"), join(closed, "moved"));
      const second = await openEmbedded(join(closed, "moved"), log);
      expect(await dataFolder(join(closed, "moved"))).toBe(place);
      await second.close();
      await rm(join(place, ".."), { recursive: true });
    },
  );
});

test("a server that has made its file and not yet written it keeps it; an old empty one goes", async () => {
  const data = await mkdtemp(join(folder, "empty-"));
  const path = join(data, "postmaster.pid");
  await writeFile(path, "");
  expect(await postmasterState(data)).toEqual({ kind: "starting" });
  expect((await stat(path)).isFile()).toBe(true);
  const before = Date.now() / 1000 - 60;
  await utimes(path, before, before);
  expect(await postmasterState(data)).toEqual({ kind: "none" });
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
});
