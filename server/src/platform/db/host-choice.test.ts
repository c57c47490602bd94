/** `target_session_attrs` with hosts of which some are away or in another state. */

import { once } from "node:events";
import { createServer, connect as dial, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { targetAttrs, withAttrs, withoutAttrs } from "../database-hosts.ts";
import { createLogger } from "../log.ts";
import { openDatabase } from "./open.ts";
import { connect, errorCode } from "./sql.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

describe("the member of a URL", () => {
  test.each([
    ["postgres://u:p@a,b/d?target_session_attrs=any", "any", "postgres://u:p@a,b/d"],
    ["postgres://a/d?x=1&target_session_attrs=primary", "primary", "postgres://a/d?x=1"],
    ["postgres://a/d?target_session_attrs=primary&x=1", "primary", "postgres://a/d?x=1"],
    ["postgres://a/d?x=1&y=2", undefined, "postgres://a/d?x=1&y=2"],
    ["postgres://a/d?x=target_session_attrs", undefined, "postgres://a/d?x=target_session_attrs"],
  ])("of %s", (url, attrs, rest) => {
    expect([targetAttrs(url), withoutAttrs(url)]).toEqual([attrs, rest]);
  });
});

test.each([
  ["postgres://a/d", "postgres://a/d?target_session_attrs=primary"],
  ["postgres://a/d?x=1#y", "postgres://a/d?x=1&target_session_attrs=primary#y"],
])("what the environment asks for is added to %s", (url, asked) => {
  expect(withAttrs(url, "primary")).toBe(asked);
  expect(targetAttrs(asked)).toBe("primary");
});

describe("the host", () => {
  let temporary: TemporaryDatabase;
  let server: Server;
  let port: number;
  let url: (attrs: string) => string;

  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
    const { address } = temporary;
    if ("url" in address) throw new Error("it has no folder");
    const path = join(address.socketFolder, ".s.PGSQL.5432");
    server = createServer((socket) => {
      const through = dial(path);
      socket.on("error", () => through.destroy());
      through.on("error", () => socket.destroy());
      socket.pipe(through).pipe(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const place = server.address();
    if (place === null || typeof place === "string") throw new Error("no port");
    port = place.port;
    const { user, password, database } = address;
    // Nobody listens at the first.
    url = (attrs) =>
      `postgres://${user}:${password}@127.0.0.2:${port},127.0.0.1:${port}/${database}?target_session_attrs=${attrs}`;
  });
  afterAll(async () => {
    server.close();
    await temporary.close();
  });

  const asked = async (address: string): Promise<unknown> => {
    const client = connect({ url: address }, { max: 2 });
    try {
      const rows = await Promise.all([client`select 1 as one`, client`select 1 as one`]);
      return rows.map(([row]) => row?.["one"]);
    } catch (error) {
      return error;
    } finally {
      await client.end({ timeout: 0 });
    }
  };

  test.each(["any", "read-write", "primary"])("is one that is there and %s", async (attrs) => {
    expect(await asked(url(attrs))).toEqual([1, 1]);
  });

  test("is an error that says why of each, where none is in the state", async () => {
    const client = connect(temporary.address, { max: 1 });
    await client`alter role current_user set default_transaction_read_only = on`;
    expect(await asked(url("primary"))).toEqual([1, 1]);
    const error = await asked(url("read-write"));
    await client`set default_transaction_read_only = off`;
    await client`alter role current_user reset default_transaction_read_only`;
    await client.end();
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(error).toMatchObject({
      message: `no host has a session that is read-write, as target_session_attrs asks (127.0.0.2:${port}: connect ECONNREFUSED 127.0.0.2:${port}; 127.0.0.1:${port}: it is read-only)`,
    });
  });

  test("is one that is there where each has a port of its own", async () => {
    const at = (places: string): string => url("any").replace(/(?<=@)[^/]+/, places);
    expect(await asked(at(`127.0.0.1:1,127.0.0.1:${port}`))).toEqual([1, 1]);
    expect(await asked(at(`127.0.0.1:${port},127.0.0.1:1`))).toEqual([1, 1]);
    const error = await asked(at("127.0.0.1:1,127.0.0.1:2"));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(error).toMatchObject({
      message:
        "no host can be reached (127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; 127.0.0.1:2: connect ECONNREFUSED 127.0.0.1:2)",
    });
  });

  test.each(["any", "standby"])("is not what the environment says alone: %s", async (attrs) => {
    const kept = process.env["PGTARGETSESSIONATTRS"];
    process.env["PGTARGETSESSIONATTRS"] = attrs;
    try {
      const config = { databaseUrl: url("primary"), home: "" };
      const { database, close } = await openDatabase(
        config,
        createLogger({ level: "silent" }),
        "server",
      );
      expect(await database.systemQuery((sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
      await close();
      expect(process.env["PGTARGETSESSIONATTRS"]).toBeUndefined();
    } finally {
      if (kept !== undefined) process.env["PGTARGETSESSIONATTRS"] = kept;
    }
  });

  test("is such an error at once where all are away", async () => {
    const error = await asked(
      "postgres://u:p@127.0.0.1:1,127.0.0.2:1/d?target_session_attrs=primary",
    );
    expect(errorCode(error)).toBe("CONNECTION_CLOSED");
    expect(String(error)).toContain("127.0.0.1:1: connect ECONNREFUSED");
    expect(String(error)).toContain("127.0.0.2:1: connect ECONNREFUSED");
  });
});
