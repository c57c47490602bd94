/** The service, and servers beside it, as processes of their own on a home that ends with them. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../server/src/cli.ts", import.meta.url));
const API_KEY = "key-of-the-bench-0123";

export const AUTHORIZATION = { authorization: `Bearer ${API_KEY}` };

export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** @param says names the URL in its output by its first group */
  static async start(
    parameters: readonly string[],
    says: RegExp,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const child = spawn(process.execPath, parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-10_000);
        const found = says.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("close", () => reject(new Error(`${parameters.join(" ")} ended:\n${output}`)));
    });
    return new ServerProcess(url, child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}

/** Starts the service on a home. @param flags of Node @param cli of another version */
export function serve(
  home: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  cli = CLI,
): Promise<ServerProcess> {
  return ServerProcess.start(
    [...flags, cli, "start", "--port", "0", "--home", home],
    /API +(http:\/\/\S+)\/v1/,
    { DISTILLERY_API_KEY: API_KEY, DISTILLERY_WORKERS: "0", ...env },
  );
}

/**
 * Runs `use` against a service on a new home.
 *
 * @param flags of Node
 * @param cli of another version
 */
export async function withService<Result>(
  env: Readonly<Record<string, string>>,
  use: (server: ServerProcess, home: string) => Promise<Result>,
  flags: readonly string[] = [],
  cli = CLI,
): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "distillery-bench-"));
  try {
    const server = await serve(home, env, flags, cli);
    try {
      return await use(server, home);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** @throws with the answer's text where it is no success */
export async function send<Answer>(
  server: ServerProcess,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...AUTHORIZATION, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
