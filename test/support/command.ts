/** One command of the service (`start` or `worker`) as a child process, and what it says. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../server/src/cli.ts", import.meta.url));
const START_MS = 240_000;

export class CommandProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #onOutput = new Set<() => void>();
  /** All it has written so far. */
  output = "";

  constructor(parameters: readonly string[], env: Readonly<Record<string, string>>) {
    this.#name = parameters[0] ?? "";
    this.#child = spawn(process.execPath, [CLI, ...parameters], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const read = (chunk: Buffer): void => {
      this.output += chunk.toString();
      for (const look of this.#onOutput) look();
    };
    this.#child.stdout?.on("data", read);
    this.#child.stderr?.on("data", read);
  }

  /** Waits until its output matches. A process that ends first, or takes too long, is an error. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    let look = (): void => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<RegExpExecArray>((resolve, reject) => {
        look = () => {
          const match = pattern.exec(this.output);
          if (match) resolve(match);
        };
        this.#onOutput.add(look);
        look();
        const ended = () => reject(new Error(`${this.#name} ended:\n${this.output}`));
        if (this.hasEnded) ended();
        // Its last words may come after its end.
        this.#child.once("close", ended);
        timer = setTimeout(() => {
          this.#child.kill("SIGKILL");
          reject(new Error(`${this.#name} did not say ${pattern} in time:\n${this.output}`));
        }, START_MS);
      });
    } finally {
      clearTimeout(timer);
      this.#onOutput.delete(look);
    }
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** In order, as Ctrl-C would. @returns its exit code */
  async stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Waits for its own end. @returns its exit code */
  async ends(): Promise<number | null> {
    if (!this.hasEnded) await once(this.#child, "exit");
    return this.#child.exitCode;
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.hasEnded) this.#child.kill(signal);
    return this.ends();
  }
}
