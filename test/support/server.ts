/** A real server as a child process on a home of its own, and a bare client for it. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const API_KEY = "test_key_0123456789abcdef";
const CLI = fileURLToPath(new URL("../../server/src/cli.ts", import.meta.url));
const START_MS = 60_000;

export interface ServerOptions {
  /** Default: a new folder, removed when the test's homes are. */
  readonly home?: string;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class TestServer {
  readonly home: string;
  readonly baseUrl: string;
  readonly #child: ChildProcess;

  private constructor(home: string, baseUrl: string, child: ChildProcess) {
    this.home = home;
    this.baseUrl = baseUrl;
    this.#child = child;
  }

  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const home = options.home ?? (await newHome());
    const child = spawn(process.execPath, [CLI, "start", "--port", "0", "--home", home], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        DISTILLERY_API_KEY: API_KEY,
        DISTILLERY_WORKERS: String(options.workers ?? 2),
        ...options.env,
      },
    });
    const baseUrl = await new Promise<string>((resolve, reject) => {
      let output = "";
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`The server did not start in time:\n${output}`));
      }, START_MS);
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        const url = /API +(http:\/\/\S+)\/v1/.exec(output)?.[1];
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => {
        clearTimeout(timer);
        reject(new Error(`The server ended with ${code}:\n${output}`));
      });
    });
    return new TestServer(home, baseUrl, child);
  }

  request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.baseUrl + path, {
      ...init,
      method,
      headers: { authorization: `Bearer ${API_KEY}`, ...init.headers },
    });
  }

  async get<T>(path: string): Promise<T> {
    return expectOk(await this.request("GET", path));
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    return expectOk(await this.postRaw(path, body));
  }

  postRaw(path: string, body: unknown): Promise<Response> {
    return this.request("POST", path, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async uploadCsv(name: string, csv: string): Promise<string> {
    const { dataset_id } = await expectOk<{ dataset_id: string }>(
      await this.request("POST", `/v1/datasets?name=${encodeURIComponent(name)}`, {
        headers: { "content-type": "text/csv" },
        body: csv,
      }),
    );
    return dataset_id;
  }

  /** In order, as Ctrl-C would. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGTERM");
      await once(this.#child, "exit");
    }
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

async function expectOk<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

const homes: string[] = [];

export async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "distillery-home-"));
  homes.push(home);
  return home;
}

export async function removeHomes(): Promise<void> {
  for (const home of homes.splice(0)) await rm(home, { recursive: true, force: true });
}

export async function fixture(path: string): Promise<string> {
  return readFile(new URL(`../../fixtures/${path}`, import.meta.url), "utf8");
}
