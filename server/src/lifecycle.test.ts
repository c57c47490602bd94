import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { explain } from "./lifecycle.ts";
import { connect } from "./platform/db/sql.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** The port of a server that does so with whoever connects. */
async function listening(onFirst: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => onFirst(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it does not listen");
  return address.port;
}

/** What an operator is told of a start that asks this database. */
async function told(port: number, query = ""): Promise<string | undefined> {
  const client = connect({ url: `postgres://who:what@localhost:${port}/db${query}` }, { max: 1 });
  try {
    await client`select 1`;
    throw new Error("it was answered");
  } catch (error) {
    return explain(error);
  } finally {
    await client.end({ timeout: 0 });
  }
}

/** An ErrorResponse of PostgreSQL's protocol. */
function refusal(severity: string, code: string, message: string): Buffer {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

const pem = (name: string): Buffer =>
  readFileSync(new URL(`./testing/tls/${name}.pem`, import.meta.url));

describe("a database that a start cannot use", () => {
  test("says itself why: no such database, no more connections, a parameter that it does not know", async () => {
    for (const [code, message] of [
      ["3D000", 'database "db" does not exist'],
      ["53300", "sorry, too many clients already"],
      ["42704", 'unrecognized configuration parameter "sslrootcert"'],
    ] as const) {
      const port = await listening((socket) => socket.end(refusal("FATAL", code, message)));
      expect(await told(port)).toBe(`DATABASE_URL is refused by its server: ${message}`);
    }
  });

  test("is named where nothing listens", async () => {
    expect(await told(1)).toMatch(/^the database of DATABASE_URL does not answer: .*ECONNREFUSED/);
  });

  test("takes no TLS, or is of an authority that nobody knows", async () => {
    const plain = await listening((socket) => {
      socket.write("N");
      socket.once("data", () => socket.destroy());
    });
    expect(await told(plain, "?sslmode=require")).toMatch(/does not take TLS/);
    const certified = await listening((socket) => {
      socket.write("S");
      const options = { isServer: true, key: pem("localhost-key"), cert: pem("localhost") };
      new TLSSocket(socket, options).on("error", () => undefined);
    });
    expect(await told(certified, "?sslmode=verify-full")).toMatch(
      /certificate of DATABASE_URL's server is not to be trusted: .*NODE_EXTRA_CA_CERTS/,
    );
  });

  test("leaves what is no fault of the connection to its trace", async () => {
    expect(explain(new Error("unforeseen"))).toBeUndefined();
    const port = await listening((socket) => socket.end(refusal("ERROR", "42601", "syntax error")));
    expect(await told(port)).toBeUndefined();
  });
});
