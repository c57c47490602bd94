/** What adapters this machine has, without opening one: asked once, of a process apart. */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ownModule } from "../own-file.ts";
import { type AdapterFacts, NoDeviceError, requireDawn } from "./adapters.ts";
import type { AdapterChoice } from "./device-settings.ts";

/** An adapter, as others are told of it. */
export interface ProbedAdapter extends AdapterFacts {
  /** `vulkan`, `metal`, `d3d12`; null where that is not known. */
  readonly backend: string | null;
  /** Bytes of one buffer, at most; adapters do not tell their memory. */
  readonly maxBufferSize: number;
}

/** What came of one choice: an adapter, or a sentence that says why there is none. */
export type Probed = { readonly adapter: ProbedAdapter } | { readonly missing: string };

const PATIENCE_MS = 15_000;

export interface ProbeOptions {
  /** Default 15 s. */
  readonly patienceMs?: number;
  /** The module of the process; tests have one whose driver fails. */
  readonly module?: URL;
}

/** @returns what came of each choice, in their order; it rejects for no driver's fault */
export async function probeAdapters(
  choices: readonly AdapterChoice[],
  { patienceMs = PATIENCE_MS, module }: ProbeOptions = {},
): Promise<readonly Probed[]> {
  try {
    // Most machines without a GPU are told by that, and need no process.
    requireDawn();
    return await asked(choices, patienceMs, module ?? ownModule("probe-process", import.meta.url));
  } catch (error) {
    if (!(error instanceof NoDeviceError)) throw error;
    return choices.map(() => ({ missing: error.message }));
  }
}

async function asked(
  choices: readonly AdapterChoice[],
  patienceMs: number,
  module: URL,
): Promise<readonly Probed[]> {
  const child = fork(fileURLToPath(module), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<readonly Probed[]>();
  const refuse = (reason: string): void =>
    reject(new NoDeviceError(`The adapters of this machine are not known: ${reason}.`));
  const late = setTimeout(
    () => refuse(`the process that looks for them said nothing within ${patienceMs / 1000} s`),
    patienceMs,
  );
  child.once("message", (probed: readonly Probed[]) => resolve(probed));
  child.once("error", ({ message }) => refuse(message));
  child.once("exit", (code, signal) =>
    refuse(`the process that looks for them ended (${signal ?? `code ${code}`})`),
  );
  const choice = choices.map(({ name }) => ({ name }));
  // Where it has ended already, its end says so.
  child.send(choice, () => undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
  }
}
