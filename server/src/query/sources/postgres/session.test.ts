import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import process from "node:process";
import { getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, connect as connectSuperuser } from "../../../platform/db/sql.ts";
import { PostgresWarehouseServer } from "../../../testing/postgres-warehouse.ts";
import { SourceError } from "../source-error.ts";
import type { SourceTableName, Warehouse } from "../warehouse.ts";

let server: PostgresWarehouseServer;
let superuser: Client;
const signal = AbortSignal.timeout(120_000);

beforeAll(async () => {
  server = await PostgresWarehouseServer.create();
  superuser = connectSuperuser({ url: server.superuserUrl() }, { max: 1 });
  await server.prepare([
    "CREATE TABLE sales.small AS SELECT i FROM generate_series(1, 10) AS s (i)",
    "CREATE VIEW sales.endless AS SELECT generate_series(1, 1000000000000) AS i",
    "CREATE VIEW sales.slow AS SELECT pg_sleep(600)::text AS i",
    "CREATE VIEW sales.failing AS SELECT 1000 / (500 - i) AS i FROM generate_series(1, 1000) AS s (i)",
    "CREATE TABLE sales.written (i int)",
    `CREATE FUNCTION sales.writes() RETURNS int LANGUAGE sql VOLATILE SECURITY DEFINER AS
       'INSERT INTO sales.written VALUES (1) RETURNING 1'`,
    "CREATE VIEW sales.writing AS SELECT sales.writes() AS i",
  ]);
});
afterAll(async () => {
  await superuser.end();
  await server.close();
});

const named = (table: string): SourceTableName => ({ catalog: "shop", schema: "sales", table });

/** What the reader's sessions run, and in which state they are. */
async function sessions(): Promise<readonly string[]> {
  const rows = await superuser<{ state: string; query: string }[]>`
    SELECT state, query FROM pg_stat_activity WHERE usename = 'reader' ORDER BY backend_start`;
  return rows.map(({ state, query }) => `${state}: ${query}`);
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await check()); tries++) {
    if (tries > 500) throw new Error("it did not come to be");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function openRead(warehouse: Warehouse, table: string, readSignal = signal) {
  const schema = await warehouse.describe(named(table), signal);
  const read = { table: named(table), schema, columns: ["i"], filter: null, limit: null };
  return warehouse.read(read, readSignal)[Symbol.asyncIterator]();
}

async function failure(work: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceError)) throw error ?? new Error("it did not fail");
  return error;
}

async function rowCount(warehouse: Warehouse, table: string): Promise<number> {
  const rows = await openRead(warehouse, table);
  let text = "";
  for (let one = await rows.next(); !one.done; one = await rows.next()) {
    text += Buffer.from(one.value).toString();
  }
  return text.split("\n").length - 1;
}

describe("a session", () => {
  test("is used again, and ends with the warehouse", async () => {
    const warehouse = server.open();
    for (let i = 0; i < 5; i++) expect(await rowCount(warehouse, "small")).toBe(10);
    expect(await sessions()).toEqual(["idle: commit"]);
    await warehouse.close();
    await eventually(async () => (await sessions()).length === 0);
    expect((await failure(warehouse.check(signal))).failure).toBe("unreachable");
  });

  test("is one of a few, however many ask", async () => {
    const warehouse = server.open();
    const counts = Array.from({ length: 40 }, () => rowCount(warehouse, "small"));
    expect(new Set(await Promise.all(counts))).toEqual(new Set([10]));
    expect((await sessions()).length).toBeLessThanOrEqual(8);
    await warehouse.close();
  });

  test("that a failed statement leaves is used again", async () => {
    const warehouse = server.open();
    for (let i = 0; i < 3; i++) {
      const error = await failure(rowCount(warehouse, "failing"));
      expect([error.failure, error.message]).toEqual([
        "broken",
        expect.stringMatching(/failed with 22012: division by zero\.$/),
      ]);
      expect(await rowCount(warehouse, "small")).toBe(10);
    }
    expect(await sessions()).toHaveLength(1);
    await warehouse.close();
  });

  test("changes nothing, whatever a view does", async () => {
    const warehouse = server.open();
    const error = await failure(rowCount(warehouse, "writing"));
    expect(error.message).toMatch(/cannot execute INSERT in a read-only transaction/);
    expect(await rowCount(warehouse, "written")).toBe(0);
    await warehouse.close();
  });

  test("knows nothing of what the service's own environment has for PostgreSQL", async () => {
    const before = { ...process.env };
    const own = { PGUSER: "postgres", PGPASSWORD: "of-the-operator", PGHOST: "nowhere.invalid" };
    Object.assign(own, { PGDATABASE: "postgres", PGSSL: "require", PGPORT: "1" });
    Object.assign(process.env, own);
    try {
      expect((await failure(server.open({ password: "" }).check(signal))).failure).toBe("refused");
      expect((await server.open().check(signal)).version).toMatch(/^PostgreSQL/);
    } finally {
      for (const name of Object.keys(own)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test("that the server ended is told, and replaced", async () => {
    const warehouse = server.open();
    const rows = await openRead(warehouse, "endless");
    await rows.next();
    await superuser`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'`;
    const drain = async (): Promise<void> => {
      while (!(await rows.next()).done);
    };
    expect((await failure(drain())).failure).toBe("unreachable");
    expect(await rowCount(warehouse, "small")).toBe(10);
    await superuser`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'`;
    await eventually(async () => (await sessions()).length === 0);
    // When this side hears of it is the socket's affair.
    const count = () => rowCount(warehouse, "small").catch(() => "not yet");
    await expect.poll(count).toBe(10);
    await warehouse.close();
  });

  test("of no such database says so", async () => {
    expect((await failure(server.open({ database: "nowhere" }).check(signal))).failure).toBe(
      "not-found",
    );
  });
});

describe("cancelling", () => {
  const running = async (): Promise<boolean> =>
    (await sessions()).some((one) => one.startsWith("active"));

  test("a reading that ends early ends its statement at the server", async () => {
    const warehouse = server.open();
    const rows = await openRead(warehouse, "endless");
    expect((await rows.next()).done).toBe(false);
    expect(await running()).toBe(true);
    await rows.return?.();
    await eventually(async () => !(await running()));
    expect(await rowCount(warehouse, "small")).toBe(10);
    await warehouse.close();
  });

  test("an aborted signal ends a statement that has given nothing yet", async () => {
    const warehouse = server.open();
    const controller = new AbortController();
    const rows = await openRead(warehouse, "slow", controller.signal);
    const reading = rows.next();
    await eventually(running);
    const reason = new Error("the caller went away");
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await eventually(async () => !(await running()));
    await warehouse.close();
  });

  test("closing the warehouse ends what it reads", async () => {
    const warehouse = server.open();
    const reading = (await openRead(warehouse, "slow")).next();
    await eventually(running);
    const failed = failure(reading);
    await warehouse.close();
    expect((await failed).failure).toBe("unreachable");
    await eventually(async () => !(await running()));
  });

  test("a slow reader holds the server back, not the rows in memory", async () => {
    const warehouse = server.open();
    const rows = await openRead(warehouse, "endless");
    await rows.next();
    const before = process.memoryUsage().arrayBuffers;
    await eventually(async () => {
      const waiting = await superuser`
        SELECT 1 FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'ClientWrite'`;
      return waiting.length === 1;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
    await rows.return?.();
    await warehouse.close();
  });
});

/** A server of the test's own, with the sockets that came to it. */
async function listening(serve: (socket: Socket) => void): Promise<[Server, number]> {
  const front = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    serve(socket);
  });
  front.listen(0, "localhost");
  await once(front, "listening");
  const address = front.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return [front, address.port];
}

describe("TLS", () => {
  const folder = new URL("../../../testing/tls/", import.meta.url);
  const trusted = getCACertificates("default");
  let encrypting: Server;
  let declining: Server;
  let tlsPort: number;
  let plainPort: number;

  beforeAll(async () => {
    const [key, cert] = await Promise.all(
      ["localhost-key.pem", "localhost.pem"].map((name) => readFile(new URL(name, folder))),
    );
    [encrypting, tlsPort] = await listening((socket) => {
      // What asks for TLS gets it; its plain text goes on to the server.
      socket.once("data", () => {
        socket.write("S");
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        const behind = connect(server.port, "127.0.0.1");
        behind.on("error", () => secure.destroy());
        secure.pipe(behind).pipe(secure);
        // Of a client that went the server hears by its packets only: its output is taken, as if it were read.
        secure.on("error", () => undefined);
        secure.on("close", () => behind.end().resume());
      });
    });
    [declining, plainPort] = await listening((socket) => {
      const behind = connect(server.port, "127.0.0.1");
      behind.on("error", () => socket.destroy());
      socket.on("close", () => behind.destroy());
      socket.pipe(behind).pipe(socket);
    });
  });
  afterAll(() => {
    setDefaultCACertificates(trusted);
    encrypting.close();
    declining.close();
  });

  const version = (options: { port: number; sslMode?: string; host?: string }) =>
    server.open({ host: "localhost", ...options }).check(signal);

  test("is used where it is offered, and cancelling goes through it", async () => {
    for (const sslMode of [undefined, "prefer", "require"]) {
      expect((await version({ port: tlsPort, ...(sslMode && { sslMode }) })).version).toMatch(
        /^Post/,
      );
    }
    const warehouse = server.open({ host: "localhost", port: tlsPort, sslMode: "require" });
    const rows = await openRead(warehouse, "endless");
    await rows.next();
    await rows.return?.();
    await eventually(async () => !(await sessions()).some((one) => one.startsWith("active")));
  });

  test("that is not offered is done without, or refused", async () => {
    for (const sslMode of ["disable", "prefer"]) {
      expect((await version({ port: plainPort, sslMode })).version).toMatch(/^PostgreSQL/);
    }
    for (const sslMode of ["require", "verify-ca", "verify-full"]) {
      const error = await failure(version({ port: plainPort, sslMode }));
      expect(error.failure).toBe("refused");
      expect(error.message).toContain(`offers no TLS, which sslmode=${sslMode} asks for`);
    }
  });

  test("of an unknown authority, or of another name, is refused where it is verified", async () => {
    for (const sslMode of ["verify-ca", "verify-full"]) {
      const error = await failure(version({ port: tlsPort, sslMode }));
      expect([error.failure, error.message]).toEqual([
        "refused",
        expect.stringMatching(/failed the TLS handshake/),
      ]);
    }
    const authority = await readFile(new URL("authority.pem", folder), "utf8");
    setDefaultCACertificates([...trusted, authority]);
    for (const sslMode of ["verify-ca", "verify-full"]) {
      expect((await version({ port: tlsPort, sslMode })).version).toMatch(/^PostgreSQL/);
    }
    const loopback = { port: tlsPort, host: "127.0.0.1" };
    const error = await failure(version({ ...loopback, sslMode: "verify-full" }));
    expect(error.failure).toBe("refused");
    expect((await version({ ...loopback, sslMode: "verify-ca" })).version).toMatch(/^PostgreSQL/);
  });
});

describe("a hostile server", () => {
  const message = (letter: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(letter), length, body]);
  };
  const int32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const authenticate = (kind: number, rest = ""): Buffer =>
    message("R", Buffer.concat([int32(kind), Buffer.from(rest)]));
  const ready = message("Z", Buffer.from("I"));
  const greeting = Buffer.concat([
    authenticate(0),
    message("K", Buffer.concat([int32(1), int32(2)])),
    ready,
  ]);

  test.each([
    [
      "asks for a key of two thousand million rounds",
      [authenticate(10, "SCRAM-SHA-256\0\0"), authenticate(11, "r=abc,s=c2FsdA==,i=2147483647")],
      /derived in more than/,
    ],
    [
      "asks for few rounds, and then for many",
      [
        authenticate(10, "SCRAM-SHA-256\0\0"),
        authenticate(11, "r=abc,s=c2FsdA==,i=4096,i=2147483647"),
      ],
      /does not answer as/,
    ],
    [
      "asks for a key again and again",
      [
        authenticate(10, "SCRAM-SHA-256\0\0"),
        Buffer.concat(Array(2_000).fill(authenticate(11, "r=abc,s=c2FsdA==,i=100000"))),
      ],
      /does not answer as/,
    ],
    [
      "asks for a key once it is ready",
      [Buffer.concat([greeting, authenticate(11, "r=abc,s=c2FsdA==,i=2147483647")])],
      /does not answer as/,
    ],
    [
      "announces a message of 4 GiB",
      [greeting, Buffer.concat([Buffer.from("D"), int32(0xffffffff)])],
      /sent a row of 4294967295 bytes/,
    ],
    [
      "announces a message of no length",
      [Buffer.concat([Buffer.from("R"), int32(0)])],
      /does not answer as/,
    ],
    ["says hello in another protocol", ["HTTP/1.1 400 Bad Request\r\n\r\n"], /does not answer as/],
    [
      "talks without end before it is ready",
      [Buffer.concat([Buffer.from("N"), int32(1 << 20)])],
      /does not answer as/,
    ],
  ] as const)("that %s is left", async (_, answers, sentence) => {
    const [front, port] = await listening((socket) => {
      let at = 0;
      socket.on("data", () => {
        const answer = answers[at++];
        if (answer !== undefined) socket.write(answer);
      });
    });
    const warehouse = server.open({
      host: "localhost",
      port,
      sslMode: "disable",
      connectTimeoutMs: 10_000,
    });
    const error = await failure(warehouse.check(signal));
    expect([error.failure, error.message]).toEqual(["broken", expect.stringMatching(sentence)]);
    front.close();
  });

  test("that answers without end is left", async () => {
    const column = Buffer.concat([Buffer.from("\0\x01v\0"), Buffer.alloc(18)]);
    const cell = Buffer.concat([Buffer.from("\0\x01"), int32(1), Buffer.from("1")]);
    const rows = Buffer.concat(Array(20_000).fill(message("D", cell)));
    const [front, port] = await listening((socket) => {
      socket.once("data", () => {
        socket.write(greeting);
        socket.once("data", () => {
          const flood = (): void => {
            while (!socket.destroyed && socket.write(rows));
          };
          socket.on("drain", flood);
          socket.write(message("T", column));
          flood();
        });
      });
    });
    const warehouse = server.open({ host: "localhost", port, sslMode: "disable" });
    const error = await failure(warehouse.check(signal));
    expect([error.failure, error.message]).toEqual([
      "broken",
      expect.stringMatching(/tells more of its catalog than is taken/),
    ]);
    front.close();
  });

  test("that answers byte by byte is understood", async () => {
    const [front, port] = await listening((socket) => {
      const behind = connect(server.port, "127.0.0.1");
      behind.on("error", () => socket.destroy());
      socket.on("close", () => behind.destroy());
      socket.pipe(behind);
      behind.on("data", (chunk: Buffer) => {
        for (const byte of chunk) socket.write(Buffer.of(byte));
      });
    });
    const dripping = server.open({ host: "localhost", port, sslMode: "disable" });
    expect(await rowCount(dripping, "small")).toBe(10);
    front.close();
  });
});
