import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { type Client, connect, errorCode } from "./sql.ts";

describe("arrays", () => {
  let temporary: TemporaryDatabase;
  let client: Client;

  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
    client = connect(temporary.address, { max: 1 });
  });
  afterAll(async () => {
    await client.end();
    await temporary.close();
  });

  const texts = fc.array(fc.string({ unit: "binary" }).filter((text) => !text.includes("\0")));
  const integers = fc.array(fc.integer());
  const bigints = fc.array(fc.maxSafeInteger());
  const uuids = fc.array(fc.uuid());

  test("come back as they were sent, whatever their elements are", async () => {
    await fc.assert(
      fc.asyncProperty(texts, uuids, integers, bigints, async (some, ids, small, large) => {
        const rows = await client`
          select ${some}::text[] as some, ${ids}::uuid[] as ids, ${small}::int4[] as small,
            ${large}::int8[] as large`;
        expect([...rows]).toEqual([{ some, ids, small, large }]);
      }),
    );
  });

  test("of one text each are what the server sees", async () => {
    const hard = ["", "NULL", "null", ",", "{}", '"', "\\", '\\"', " a ", "\n", "é", "{a,b}"];
    const rows = await client<{ element: string; at: number }[]>`
      select element, at from unnest(${hard}::text[]) with ordinality as listed (element, at)`;
    expect(rows.map(({ element }) => element)).toEqual(hard);
    const [absent] = await client`select array['a', null, 'NULL'] as some`;
    expect(absent).toEqual({ some: ["a", null, "NULL"] });
  });

  test("of integers beyond 2^53 are an error", async () => {
    await expect(client`select array[9007199254740993::int8]`).rejects.toThrow(/beyond 2\^53/);
  });
});

describe("a session that ends before its first answer", () => {
  let server: Server;
  const asked: string[] = [];
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);

  /** Takes anybody in, and cuts each session off at the first statement. */
  const cutting = async (cut: (socket: Socket) => void): Promise<string> => {
    const READY = Buffer.from("5200000008000000005a0000000549", "hex");
    server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write(READY);
        socket.on("data", (message) => {
          asked.push(message.toString("latin1"));
          server.close();
          cut(socket);
        });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `postgres://somebody:something@127.0.0.1:${address.port}/somewhere`;
  };
  afterEach(() => {
    server.close();
    asked.length = 0;
  });

  test.each([
    ["closed", (socket: Socket) => socket.end()],
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ])("is the error of the statement alone when it is %s", async (_, cut) => {
    process.on("unhandledRejection", note);
    const closed = Promise.withResolvers<void>();
    const client = connect({ url: await cutting(cut) }, { max: 1, onClose: closed.resolve });
    const error = await client`select 1 as mine`.catch((reason: unknown) => reason);
    await closed.promise;
    await client.end({ timeout: 0 });
    process.off("unhandledRejection", note);
    expect(["CONNECTION_CLOSED", "ECONNRESET"]).toContain(errorCode(error));
    expect(asked).toEqual([expect.stringContaining("select 1 as mine")]);
    expect(unhandled).toEqual([]);
  });
});
