/** Servers that close connections which they never answered, and whose certificates are of another name. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { type Address, connect, errorCode } from "./sql.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

let server: Server;
let taken = 0;
afterEach(() => {
  server.close();
  taken = 0;
});

/** @param at a port or a path */
async function closing(at: number | string): Promise<string> {
  server = createServer((socket) => {
    taken++;
    socket.on("error", () => undefined);
    socket.resume().end();
  });
  if (typeof at === "number") server.listen(at, "127.0.0.1");
  else server.listen(at);
  await once(server, "listening");
  const address = server.address();
  return address === null || typeof address === "string" ? "" : `127.0.0.1:${address.port}`;
}

async function failure(address: Address): Promise<unknown> {
  const client = connect(address, { max: 1 });
  const error: unknown = await client`select 1`.catch((reason: unknown) => reason);
  await client.end({ timeout: 0 });
  return error;
}

test.each([
  ["in plain text", ""],
  ["by TLS", "?sslmode=require"],
])("are an error of the statement, and asked once %s", async (_, query) => {
  const place = await closing(0);
  const error = await failure({ url: `postgres://somebody:something@${place}/somewhere${query}` });
  expect(errorCode(error)).toBe("CONNECTION_CLOSED");
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(error).toMatchObject({ message: `${place} closed the connection before it answered` });
  expect(taken).toBe(1);
});

test("are such an error behind the socket of an embedded server too", async () => {
  const socketFolder = await mkdtemp(join(tmpdir(), "distillery-sockets-"));
  const path = join(socketFolder, ".s.PGSQL.5432");
  await closing(path);
  const error = await failure({ socketFolder, user: "u", password: "p", database: "d" });
  expect(errorCode(error)).toBe("CONNECTION_CLOSED");
  expect(error).toMatchObject({ message: `${path} closed the connection before it answered` });
  await rm(socketFolder, { recursive: true });
});

test("are such an error where they are no PostgreSQL servers", async () => {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  for (const query of ["", "?sslmode=require"]) {
    const error = await failure({ url: `postgres://u:p@127.0.0.1:${address.port}/d${query}` });
    expect(errorCode(error)).toBe("CONNECTION_CLOSED");
    expect(error).toMatchObject({ message: expect.stringContaining("not as PostgreSQL does") });
  }
});

test("are such an error where all of several hosts are away, and the next is taken where one is", async () => {
  const place = await closing(0);
  const port = place.split(":")[1];
  // The server listens at the first address of this machine alone.
  const next = await failure({ url: `postgres://u:p@127.0.0.2:${port},127.0.0.1:${port}/d` });
  expect(next).toMatchObject({ message: expect.stringContaining("closed the connection") });
  expect(taken).toBe(1);
  server.close();
  await once(server, "close");
  const error = await failure({ url: `postgres://u:p@127.0.0.2:${port},127.0.0.1:${port}/d` });
  expect(errorCode(error)).toBe("ECONNREFUSED");
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(error).toMatchObject({
    message: `connect ECONNREFUSED 127.0.0.2:${port}, connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

test("have the certificate of the name or address that they are reached by", async () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../../testing/tls/${name}.pem`, import.meta.url), "utf8");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, pem("authority")]);
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write("S");
      const identity = { key: pem("localhost-key"), cert: pem("localhost") };
      const secure = new TLSSocket(socket, { isServer: true, ...identity });
      secure.on("error", () => undefined);
      secure.once("data", () => secure.end(Buffer.from("5200000008000000005a0000000549", "hex")));
    });
  });
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const codeBy = async (host: string, mode: string): Promise<string | undefined> => {
    const url = `postgres://somebody:something@${host}:${address.port}/somewhere?sslmode=${mode}`;
    return errorCode(await failure({ url }));
  };
  expect(await codeBy("localhost", "verify-full")).toBe("CONNECTION_CLOSED");
  expect(await codeBy("127.0.0.1", "verify-full")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(await codeBy("127.0.0.1", "require")).toBe("CONNECTION_CLOSED");
  setDefaultCACertificates(trusted);
});
