/**
 * A process for one job of our own code over a stranger's data: it talks by Node's channel, has an
 * almost empty environment, a bounded heap, and is the first to go when memory is short.
 *
 * A process and not a thread: what a thread dies of may end the service with it, and threads that
 * come and go over wasm (by which Node loads TypeScript) did: `docs/decisions/job-processes.md`.
 */

import { type ChildProcess, fork } from "node:child_process";
import { endFirst } from "./process-memory.ts";

/** @param main the module that it runs */
export function forkedProcess(main: string, heapMegabytes: number): ChildProcess {
  const child = fork(main, {
    serialization: "advanced",
    execArgv: ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMegabytes}`],
    env: { TZ: "UTC", LANG: "C.UTF-8" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  if (child.pid !== undefined) void endFirst(child.pid);
  return child;
}

/** Ends it, and resolves when it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
