/**
 * A fleet as the README tells to start one: API processes and workers, each on a home of its own,
 * that share a database, an object store and a secret.
 */

import { readFileSync } from "node:fs";
import { API_KEY, TestServer } from "./server.ts";
import { TestWorker } from "./worker.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The README's SQL: what an administrator runs once. */
export const SETUP_STATEMENTS: readonly string[] = (
  /^```sql\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? ""
)
  .split(";\n")
  .filter((statement) => statement.trim() !== "");

/** The variables that the README exports for every process of a fleet. */
export const FLEET_VARIABLES: readonly string[] = [
  ...readme.slice(readme.indexOf("### A fleet by hand")).matchAll(/^export (\w+)=/gm),
].map(([, name = ""]) => name);

/** The user and the password of the README's SQL. */
export const OWNER = { user: "distillery", password: "choose-one" };

export interface ObjectStoreAccess {
  /** `OBJECT_STORE_URL`. */
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
}

export class Fleet {
  readonly environment: Readonly<Record<string, string>>;
  readonly servers: TestServer[] = [];
  readonly workers: TestWorker[] = [];

  constructor(databaseUrl: string, store: ObjectStoreAccess) {
    this.environment = {
      DATABASE_URL: databaseUrl,
      OBJECT_STORE_URL: store.url,
      ...store.credentials,
      DISTILLERY_SECRET_KEY: "the secret that the fleet's processes share",
      DISTILLERY_API_KEY: API_KEY,
    };
  }

  /** Together, as a deployment starts them. */
  async startServers(count: number, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const env = { ...this.environment, ...more };
    const start = async () => this.servers.push(await TestServer.start({ workers: 0, env }));
    await allSettled(Array.from({ length: count }, start));
  }

  async startWorkers(count: number): Promise<void> {
    const env = this.environment;
    const start = async () => this.workers.push(await TestWorker.start({ env }));
    await allSettled(Array.from({ length: count }, start));
  }

  /** @returns the exit codes of all that still ran */
  async stop(): Promise<(number | null)[]> {
    const processes = [...this.workers, ...this.servers].map(({ process }) => process);
    const running = processes.filter((process) => !process.hasEnded);
    return await Promise.all(running.map((process) => process.stop()));
  }
}

/** As `Promise.all`, but fails only when all have come to an end: what did start is then known. */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) {
    if (one.status === "rejected") throw one.reason;
  }
}
