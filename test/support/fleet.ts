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
export const FLEET_VARIABLES: readonly string[] = [...readme.matchAll(/^export (\w+)=/gm)].map(
  ([, name = ""]) => name,
);

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
    const started = Array.from({ length: count }, () => TestServer.start({ workers: 0, env }));
    this.servers.push(...(await Promise.all(started)));
  }

  async startWorkers(count: number): Promise<void> {
    const env = this.environment;
    const started = Array.from({ length: count }, () => TestWorker.start({ env }));
    this.workers.push(...(await Promise.all(started)));
  }

  /** @returns the exit codes of all that still ran */
  async stop(): Promise<(number | null)[]> {
    const processes = [...this.workers, ...this.servers].map(({ process }) => process);
    const running = processes.filter((process) => !process.hasEnded);
    return await Promise.all(running.map((process) => process.stop()));
  }
}
