/**
 * A PostgreSQL server as an operator has one: on a TCP port, with passwords, a superuser whom the
 * service never sees, and databases that roles without rights over others own. The binaries are
 * those of the embedded server.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Account, serverAccount } from "../../server/src/platform/db/embedded/account.ts";
import { type Binaries, findBinaries } from "../../server/src/platform/db/embedded/binaries.ts";
import { connect } from "../../server/src/platform/db/sql.ts";
import { createLogger } from "../../server/src/platform/log.ts";

const SUPERUSER = "postgres";
const PASSWORD = "of-the-operator";
const START_MS = 240_000;

export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #account: Account;
  readonly #binaries: Binaries;
  #child: ChildProcess | null = null;
  #output = "";

  private constructor(folder: string, account: Account, binaries: Binaries, port: number) {
    this.#folder = folder;
    this.#account = account;
    this.#binaries = binaries;
    this.port = port;
  }

  /** A new, empty server, running. */
  static async create(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "distillery-postgres-"));
    const account = await serverAccount();
    const log = createLogger({ level: "silent" });
    const binaries = await findBinaries(account, join(folder, "binaries"), log);
    const passwordFile = join(folder, "password");
    await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
    if (account.switched) {
      for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
    }
    const server = new PostgresServer(folder, account, binaries, await freePort());
    await server.#run(binaries.initdb, [
      `--pgdata=${join(folder, "data")}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
    ]);
    await server.start();
    return server;
  }

  /** Starts it, again on the same port where it ran before. */
  async start(): Promise<void> {
    this.#output = "";
    const child = this.#spawn(this.#binaries.postgres, [
      ...["-D", join(this.#folder, "data"), "-p", String(this.port)],
      ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    ]);
    this.#child = child;
    const deadline = performance.now() + START_MS;
    while (!this.#output.includes("ready to accept connections")) {
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`PostgreSQL does not start:\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Cuts every session and ends. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill("SIGINT");
    await once(child, "exit");
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs statements one by one as the superuser. */
  async administer(statements: readonly string[], database = "postgres"): Promise<void> {
    const client = connect({ url: this.url(SUPERUSER, PASSWORD, database) }, { max: 1 });
    try {
      for (const statement of statements) await client.unsafe(statement);
    } finally {
      await client.end({ timeout: 5 });
    }
  }

  url(user: string, password: string, database: string): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  async #run(binary: string, parameters: readonly string[]): Promise<void> {
    const child = this.#spawn(binary, parameters);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${binary} ended with ${code}:\n${this.#output}`);
  }

  #spawn(binary: string, parameters: readonly string[]): ChildProcess {
    const child = spawn(binary, parameters, {
      cwd: "/",
      env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
      ...(this.#account.switched && { uid: this.#account.uid, gid: this.#account.gid }),
    });
    const read = (chunk: Buffer): void => {
      this.#output += chunk.toString();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    return child;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
