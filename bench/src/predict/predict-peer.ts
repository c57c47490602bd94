/** LightGBM and shap, in a Python process: `predict_peer.py` says what is spoken. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const SCRIPT = fileURLToPath(new URL("predict_peer.py", import.meta.url));

const versionsSchema = z.object({ lightgbm: z.string(), shap: z.string().nullable() });
const timeSchema = z.object({ ms: z.number() });

export interface PeerData {
  readonly path: string;
  readonly rows: number;
  readonly columns: number;
  readonly held_out: number;
}

export class PredictPeer {
  readonly versions: z.infer<typeof versionsSchema>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
    versions: z.infer<typeof versionsSchema>,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.versions = versions;
  }

  /** Trained on the data; null where that Python has no LightGBM. */
  static async start(python: string, data: PeerData): Promise<PredictPeer | null> {
    const child = spawn(python, [SCRIPT], { stdio: ["pipe", "pipe", "pipe"] });
    const started = await new Promise<boolean>((resolve) => {
      child.once("spawn", () => resolve(true));
      child.once("error", () => resolve(false));
    });
    if (!started) return null;
    // What libraries say to stderr is theirs; it must only not fill the pipe. Nor is a pipe that a
    // process without LightGBM has closed news.
    child.stderr.resume();
    child.stdin.on("error", () => undefined);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stdin.write(`${JSON.stringify({ command: "train", ...data })}\n`);
    const first = await lines.next();
    if (first.done) return null;
    return new PredictPeer(child, lines, versionsSchema.parse(JSON.parse(first.value)));
  }

  /** Milliseconds, the median of so many times. */
  async predict(rows: number, threads: number, times: number): Promise<number> {
    return this.#time({ command: "predict", rows, threads, times });
  }

  async contributions(rows: number, library: "lightgbm" | "shap"): Promise<number> {
    return this.#time({ command: "contributions", rows, library });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await ended;
  }

  async #time(request: object): Promise<number> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error("The peers' process ended.");
    return timeSchema.parse(JSON.parse(line.value)).ms;
  }
}
