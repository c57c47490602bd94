/** Child processes of tests, told apart by the lines they print. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  errors = "";
  readonly #waiting = new Set<() => void>();
  #ended = false;

  /** @param script a path relative to this file */
  constructor(script: string, parameters: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const path = fileURLToPath(new URL(script, import.meta.url));
    this.process = spawn(process.execPath, [path, ...parameters], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let rest = "";
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      this.lines.push(...parts);
      this.#changed();
    });
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.process.once("close", () => {
      this.#ended = true;
      this.#changed();
    });
  }

  /** The first line that matches, already printed or to come. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (this.#ended) {
        throw new Error(`it ended without ${pattern}: ${[...this.lines, this.errors].join("\n")}`);
      }
      await this.#change();
    }
  }

  /** Its exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals | null> {
    while (!this.#ended) await this.#change();
    return this.process.exitCode ?? this.process.signalCode;
  }

  async kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    this.process.kill(signal);
    return await this.end();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #changed(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
