/** A real server as a child process on a home of its own, and a bare client for one. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "../../server/src/testing/prepared-home.ts";
import { CommandProcess } from "./command.ts";
import { recordRequests } from "./request-log.ts";

export const API_KEY = "test_key_0123456789abcdef";

export interface ServerOptions {
  /** Default: a new folder, removed when the test's homes are. */
  readonly home?: string;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Asks a server as one organization. */
export class ServerUser {
  readonly baseUrl: string;
  /** An API key or an access token. */
  readonly key: string;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.baseUrl + path, {
      ...init,
      method,
      headers: { authorization: `Bearer ${this.key}`, ...init.headers },
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
}

/** A server of a test's own; what needs no such thing shares one (`shared-server.ts`). */
export class TestServer extends ServerUser {
  readonly home: string;
  readonly process: CommandProcess;

  private constructor(home: string, baseUrl: string, process: CommandProcess) {
    super(baseUrl, API_KEY);
    this.home = home;
    this.process = process;
  }

  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const home = options.home ?? (await preparedHome(options.env));
    const process = new CommandProcess(["start", "--port", "0", "--home", home], {
      DISTILLERY_API_KEY: API_KEY,
      DISTILLERY_WORKERS: String(options.workers ?? 2),
      ...options.env,
    });
    const [, url = ""] = await process.says(/API +(http:\/\/\S+)\/v1/);
    await recordRequests(url);
    return new TestServer(home, url, process);
  }

  /** In order, as Ctrl-C would. */
  stop(): Promise<number | null> {
    return this.process.stop();
  }

  kill(): Promise<void> {
    return this.process.kill();
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

/** One that has its database, if it is to hold one: the server begins in half the time. */
export async function preparedHome(env: ServerOptions["env"] = {}): Promise<string> {
  const home = await newHome();
  if (env["DATABASE_URL"] === undefined) await prepareHome(home);
  return home;
}

export async function removeHomes(): Promise<void> {
  for (const home of homes.splice(0)) await rm(home, { recursive: true, force: true });
}

export async function fixture(path: string): Promise<string> {
  return readFile(new URL(`../../fixtures/${path}`, import.meta.url), "utf8");
}
