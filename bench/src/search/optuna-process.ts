/** Optuna in a Python process, asked and told by `optuna_peer.py`. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parameterOrder } from "../../../engine/src/search/activation.ts";
import { parameterValueSchema } from "../../../engine/src/search/parameter-value.ts";
import type { Parameters, SearchSpace } from "../../../engine/src/search/space.ts";

const SCRIPT = fileURLToPath(new URL("optuna_peer.py", import.meta.url));

export class OptunaProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Null where `python` cannot be started or has no Optuna. */
  static async start(python: string): Promise<OptunaProcess | null> {
    const child = spawn(python, ["-W", "ignore", SCRIPT]);
    child.stderr.resume();
    child.stdin.on("error", () => child.kill());
    const couldNotStart = new Promise<null>((resolve) => child.once("error", () => resolve(null)));
    const optuna = new OptunaProcess(child);
    const begun = optuna
      .begin({ x: { type: "float", low: 0, high: 1 } }, 0)
      .then(() => optuna)
      .catch(() => null);
    return Promise.race([couldNotStart, begun]);
  }

  /** A new study. @returns Optuna's version */
  async begin(space: SearchSpace, seed: number): Promise<string> {
    const order = parameterOrder(space);
    const answer = await this.#ask({ command: "start", space, order, seed, objectives: 1 });
    return String(answer["optuna"]);
  }

  async suggest(): Promise<Parameters> {
    const { parameters } = await this.#ask({ command: "ask" });
    return Object.fromEntries(
      Object.entries(parameters ?? {}).map(([name, value]) => [
        name,
        parameterValueSchema.parse(value),
      ]),
    );
  }

  async tell(loss: number | null): Promise<void> {
    await this.#ask({ command: "tell", losses: loss === null ? null : [loss] });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await ended;
  }

  async #ask(request: object): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error("Optuna's process ended.");
    const answer: unknown = JSON.parse(line.value);
    return { ...(typeof answer === "object" ? answer : null) };
  }
}
