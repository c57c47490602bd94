/** A server as a child process, stopped with this one. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CLI = fileURLToPath(new URL("../../server/src/cli.ts", import.meta.url));

export interface DemoServer {
  readonly baseUrl: string;
  readonly stopping: boolean;
  /** Resolves when the server has ended. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

/** A link that opens the console of the server of this home, once. */
export async function consoleLink(home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, "link", "--home", home]);
  return stdout.trim();
}

/** Ready, and ours: another server on this port would refuse the key. */
async function answers(baseUrl: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const probes = ["/readyz", "/v1/organization"].map((path) => fetch(baseUrl + path, { headers }));
  const responses = await Promise.allSettled(probes);
  return responses.every((response) => response.status === "fulfilled" && response.value.ok);
}

export async function startServer(options: {
  readonly port: string;
  readonly key: string;
  readonly home: string;
}): Promise<DemoServer> {
  const child = spawn(
    process.execPath,
    [CLI, "start", "--port", options.port, "--home", options.home],
    {
      // Its log would drown the demo's own lines; faults come on stderr.
      // The channel tells the server when this process is gone, however it went.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, DISTILLERY_API_KEY: options.key },
      // Its own process group: Ctrl-C reaches this process alone, which then stops it in order.
      detached: true,
    },
  );
  const state = { stopping: false };
  const exited = once(child, "exit");
  const stop = async (): Promise<void> => {
    state.stopping = true;
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exited;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      process.once(signal, () => child.kill("SIGKILL"));
      void stop();
    });
  }
  const baseUrl = `http://127.0.0.1:${options.port}`;
  for (;;) {
    if (child.exitCode !== null) process.exit(child.exitCode);
    if (state.stopping) process.exit(130);
    if (await answers(baseUrl, options.key)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    baseUrl,
    get stopping() {
      return state.stopping;
    },
    exited,
    stop,
  };
}
