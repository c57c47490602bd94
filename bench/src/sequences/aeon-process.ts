/** aeon in a Python process; `aeon_peer.py` says what is spoken. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { lengthOf } from "../../../engine/src/sequences/sequence-set.ts";
import type { LabelledSequences, SequenceData } from "./sequence-data.ts";

const SCRIPT = fileURLToPath(new URL("aeon_peer.py", import.meta.url));

export type AeonTransform = "minirocket" | "multirocket";

export class AeonProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #folder = mkdtempSync(join(tmpdir(), "bench-aeon-"));
  version = "";

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Null where `python` cannot be started or has no aeon. */
  static async start(python: string): Promise<AeonProcess | null> {
    const one = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", NUMBA_NUM_THREADS: "1" };
    const child = spawn(python, ["-W", "ignore", SCRIPT], { env: { ...process.env, ...one } });
    child.stderr.resume();
    child.stdin.on("error", () => child.kill());
    const failed = new Promise<null>((resolve) => child.once("error", () => resolve(null)));
    const aeon = new AeonProcess(child);
    const greeted = aeon.#ask({ command: "hello" }).then(
      (hello) => {
        aeon.version = String(hello["aeon"]);
        return aeon;
      },
      () => null,
    );
    const started = await Promise.race([failed, greeted]);
    if (started === null) await aeon.close();
    return started;
  }

  /** False where the sequences differ in length, which aeon's transforms do not take. */
  async load(data: SequenceData): Promise<boolean> {
    const { train, test } = data;
    const steps = lengthOf(train.set, 0);
    const equal = [train, test].every(({ set }) =>
      Array.from({ length: set.count }, (_, i) => lengthOf(set, i)).every((each) => each === steps),
    );
    if (!equal) return false;
    const path = join(this.#folder, "data.f64");
    const numbers = [...cases(train), ...cases(test), train.target, test.target];
    writeFileSync(path, Buffer.concat(numbers.map((part) => new Uint8Array(part.slice().buffer))));
    await this.#ask({
      command: "load",
      path,
      train: train.set.count,
      test: test.set.count,
      channels: train.set.channels,
      steps,
      classes: data.classes,
    });
    return true;
  }

  /** What the transform with a ridge regression predicts for the test sequences. */
  async predict(transform: AeonTransform, seed: number): Promise<Float64Array> {
    const { predictions } = await this.#ask({ command: "score", transform, seed });
    if (!Array.isArray(predictions)) throw new Error("aeon predicted nothing.");
    return Float64Array.from(predictions, Number);
  }

  /** Of one warm transformation of the test sequences, by one thread. */
  async seconds(transform: AeonTransform): Promise<number> {
    return Number((await this.#ask({ command: "time", transform }))["seconds"]);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.pid === undefined) resolve(null);
      else this.#child.once("exit", resolve);
    });
    this.#child.stdin.end();
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error("aeon's process ended.");
    const answer: Record<string, unknown> = JSON.parse(line.value);
    if (typeof answer["error"] === "string") throw new Error(answer["error"]);
    return answer;
  }
}

/** One array a sequence: channel after channel. */
function* cases({ set }: LabelledSequences): Generator<Float64Array> {
  for (let i = 0; i < set.count; i++) {
    for (const values of set.values) yield values.slice(set.offsets[i], set.offsets[i + 1]);
  }
}
