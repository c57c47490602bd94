/**
 * The output of a COPY in packets of any cut, from a server that says what the test wants it to: where
 * a packet ends must not matter, and neither must how fast the rows are read.
 */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GuardedOutbound } from "../../../platform/net/guarded-outbound.ts";
import { parsePostgresUrl } from "./address.ts";
import { PostgresSession } from "./session.ts";

const message = (letter: string, body: Uint8Array | string = ""): Buffer => {
  const bytes = Buffer.from(body);
  const frame = Buffer.alloc(5 + bytes.length);
  frame.write(letter, 0, "latin1");
  frame.writeUInt32BE(4 + bytes.length, 1);
  bytes.copy(frame, 5);
  return frame;
};
const READY = message("Z", "T");
const GREETING = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I")]);
const DONE = Buffer.concat([message("C", "SELECT 0\0"), READY]);
const COPY_BEGINS = message("H", Buffer.alloc(3));
const COPY_DONE = message("c");
const COPY_COMPLETE = message("C", "COPY 1\0");
const FAILURE = message("E", "SERROR\0C22012\0Mdivision by zero\0\0");

/** What a slow reader takes at a time. */
const REST_BYTES = 16_384;

/** Not a packet: the server closes the connection. */
const HANG_UP = Buffer.alloc(0);

/** Answers a COPY with the test's packets, and every other statement with its completion. */
class ScriptedServer {
  readonly #server: Server;
  #packets: readonly Buffer[] = [];

  private constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
  }

  static async listen(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What the next COPY gives. */
  script(packets: readonly Buffer[]): void {
    this.#packets = packets;
  }

  close(): void {
    this.#server.close();
  }

  #serve(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    let isStarted = false;
    let received = Buffer.alloc(0);
    // The driver sends a statement before the last one is answered; answers go in their order.
    let last = Promise.resolve();
    socket.on("data", (chunk: Buffer) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(GREETING);
        return;
      }
      received = Buffer.concat([received, chunk]);
      while (received.length > 4 && received.length > received.readUInt32BE(1)) {
        const statement = received.subarray(0, received.readUInt32BE(1) + 1);
        received = received.subarray(statement.length);
        const packets = statement.includes("COPY") ? this.#packets : [DONE];
        last = last.then(() => send(socket, packets));
      }
    });
  }
}

async function send(socket: Socket, packets: readonly Buffer[]): Promise<void> {
  for (const packet of packets) {
    if (packet === HANG_UP) {
      socket.end();
      return;
    }
    await new Promise((resolve) => socket.write(packet, resolve));
    // The reader sees each alone.
    await sleep(1);
  }
}

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.listen();
});
afterAll(() => server.close());

function openSession(): Promise<PostgresSession> {
  return PostgresSession.open(
    {
      address: parsePostgresUrl(`postgres://127.0.0.1:${server.port}/shop?sslmode=disable`),
      credentials: { username: "reader" },
      connectTimeoutMs: 10_000,
    },
    new GuardedOutbound({ allowPrivateNetwork: true }),
    new AbortController().signal,
  );
}

/** The bytes of a COPY, read with rests between them; the session is of use afterwards. */
async function copied(session: PostgresSession, restMs: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let untilRest = 0;
  for await (const piece of session.copy(AbortSignal.timeout(120_000), async () => "COPY")) {
    pieces.push(piece);
    untilRest -= piece.byteLength;
    if (restMs === 0 || untilRest > 0) continue;
    untilRest = REST_BYTES;
    await sleep(restMs);
  }
  await session.transaction(AbortSignal.timeout(120_000), (query) => query("select 1"));
  return Buffer.concat(pieces).toString();
}

/** @param places counted from the end where they are negative */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const inside = places.map((place) => ((place % bytes.length) + bytes.length) % bytes.length);
  const cuts = [...new Set([0, ...inside, bytes.length])];
  cuts.sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

const rowsOf = (bytes: number, rowBytes: number): string[] =>
  Array.from({ length: Math.ceil(bytes / rowBytes) }, (_, row) => {
    const text = `${row},`;
    return `${text.padEnd(Math.min(rowBytes, bytes - row * rowBytes) - 1, "x")}\n`;
  });

describe("the output of a COPY", () => {
  it("ends where its end comes in the packet that fills the reader's buffer", async () => {
    const session = await openSession();
    for (const bytes of [60_000, 65_536, 80_000, 131_072, 200_000]) {
      const rows = rowsOf(bytes, 1000);
      const data = rows.map((row) => message("d", row));
      server.script([
        Buffer.concat([COPY_BEGINS, ...data, COPY_DONE]),
        Buffer.concat([COPY_COMPLETE, READY]),
      ]);
      expect(await copied(session, 5)).toBe(rows.join(""));
    }
    await session.close();
  });

  it("leaves a session of use where a failure comes in that packet", async () => {
    const session = await openSession();
    for (const bytes of [80_000, 131_072, 200_000]) {
      const data = rowsOf(bytes, 1000).map((row) => message("d", row));
      server.script([Buffer.concat([COPY_BEGINS, ...data, FAILURE]), READY]);
      await expect(copied(session, 5)).rejects.toThrow("failed with 22012: division by zero.");
      expect(session.usable).toBe(true);
    }
    await session.close();
  });

  it("is whole in packets of any cut, at any speed of its reader", async () => {
    const session = await openSession();
    const buffer = 65_536;
    const near = fc
      .tuple(
        fc.constantFrom(0, 8192, buffer, 2 * buffer, 3 * buffer),
        fc.integer({ min: -9, max: 9 }),
      )
      .map(([middle, off]) => Math.max(0, middle + off));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(near, fc.integer({ min: 0, max: 4 * buffer })),
        fc.oneof(
          fc.integer({ min: 20, max: 3000 }),
          near.map((bytes) => Math.max(20, bytes)),
        ),
        fc.array(
          fc.oneof(
            near,
            fc.nat(),
            fc.integer({ min: 1, max: 40 }).map((back) => -back),
          ),
          {
            maxLength: 6,
          },
        ),
        fc.constantFrom(0, 0, 1),
        async (bytes, rowBytes, cuts, restMs) => {
          const rows = rowsOf(bytes, rowBytes);
          const data = rows.map((row) => message("d", row));
          const all = Buffer.concat([COPY_BEGINS, ...data, COPY_DONE, COPY_COMPLETE, READY]);
          server.script(cutAt(all, cuts));
          expect(await copied(session, restMs)).toBe(rows.join(""));
        },
      ),
      { numRuns: 300 },
    );
    await session.close();
  });

  it("that breaks off with the connection is no shorter output", async () => {
    for (const bytes of [0, 1000, 65_536, 200_000]) {
      const session = await openSession();
      const data = rowsOf(bytes, 1000).map((row) => message("d", row));
      server.script([Buffer.concat([COPY_BEGINS, ...data]), HANG_UP]);
      await expect(copied(session, 1)).rejects.toMatchObject({ failure: "unreachable" });
      expect(session.usable).toBe(false);
      await session.close();
    }
  });
});
