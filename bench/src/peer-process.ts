/** The other libraries, in a Python process: `peers/peers.py` says what is spoken. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { featureColumns } from "../../engine/src/data/feature-columns.ts";
import type { BenchData } from "./bench-data.ts";

export interface EqualSettings {
  readonly rounds: number;
  readonly learning_rate: number;
  readonly leaves: number;
  readonly min_data: number;
  readonly l2: number;
}

export interface PeerFitOptions {
  readonly threads?: number;
  /** The library's own, beside or in place of the equal settings. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
}

export interface TimedFit {
  readonly binSeconds: number;
  readonly trainSeconds: number;
  readonly predictSeconds: number;
  /** Of the test rows, row-major, rows × outputs. */
  readonly predictions: Float64Array;
}

export interface TuneRequest {
  readonly seconds: number;
  readonly threads: number;
  readonly seed: number;
}

/** Searches of others, by what `peers.py` calls them. */
const SEARCHES = { "LightGBM under Optuna": "tune", AutoGluon: "autogluon" } as const;
export type SearchPeer = keyof typeof SEARCHES;

export interface TunedPredictions {
  /** Of the test rows, row-major, rows × outputs. */
  readonly predictions: Float64Array;
  readonly trials: number;
  readonly seconds: number;
}

const SCRIPT = fileURLToPath(new URL("peers/peers.py", import.meta.url));

export class PeerProcess {
  /** Version of each library that is there. */
  readonly libraries: ReadonlyMap<string, string>;
  /** What is not there, and why. */
  readonly missing: readonly string[];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #folder: string;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
    hello: Record<string, unknown>,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.#folder = mkdtempSync(join(tmpdir(), "bench-peers-"));
    const texts = (value: unknown): [string, string][] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([key, text]) => [key, String(text)])
        : [];
    this.libraries = new Map(texts(hello["libraries"]));
    this.missing = texts(hello["missing"]).map(([name, why]) => `${name}: ${why}`);
  }

  /** Null where there is no such Python, or it has none of the libraries. */
  static async start(python: string): Promise<PeerProcess | null> {
    const child = spawn(python, [SCRIPT], { stdio: ["pipe", "pipe", "pipe"] });
    const started = await new Promise<boolean>((resolve) => {
      child.once("spawn", () => resolve(true));
      child.once("error", () => resolve(false));
    });
    if (!started) return null;
    // What libraries say to stderr is theirs; it must only not fill the pipe.
    child.stderr.resume();
    const reader: Interface = createInterface({ input: child.stdout });
    const lines = reader[Symbol.asyncIterator]();
    child.stdin.write('{"command":"hello"}\n');
    const first = await lines.next();
    if (first.done) return null;
    const peers = new PeerProcess(child, lines, JSON.parse(first.value));
    if (peers.libraries.size > 0) return peers;
    await peers.close();
    return null;
  }

  async load(data: BenchData): Promise<void> {
    const path = join(this.#folder, "data.f64");
    const rows = Uint32Array.from([...data.train, ...data.test]);
    const source = featureColumns(data.schema, data.table, rows);
    writeColumns(path, source.columns(), data.target, rows);
    await this.#ask({
      command: "load",
      path,
      train_rows: data.train.length,
      test_rows: data.test.length,
      categories: source.features.map((feature) =>
        feature.kind === "categorical" ? feature.categories.length : 0,
      ),
      task: data.task.kind,
      classes: data.task.classes.length,
    });
  }

  /** `settings` null = the library's own defaults. */
  async fit(
    library: string,
    settings: EqualSettings | null,
    seed: number,
    { threads = 1, parameters = {} }: PeerFitOptions = {},
  ): Promise<TimedFit> {
    const out = join(this.#folder, "predictions.f64");
    const request = { command: "fit", library, settings, threads, parameters, seed, out };
    const answer = await this.#ask(request);
    const seconds = (name: string): number => Number(answer[name]);
    return {
      binSeconds: seconds("bin_s"),
      trainSeconds: seconds("train_s"),
      predictSeconds: seconds("predict_s"),
      predictions: this.#readPredictions(out),
    };
  }

  #readPredictions(path: string): Float64Array {
    const bytes = readFileSync(path);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  /** A whole search for that long; the data must have been loaded. */
  async search(peer: SearchPeer, request: TuneRequest): Promise<TunedPredictions> {
    const out = join(this.#folder, "predictions.f64");
    const answer = await this.#ask({ command: SEARCHES[peer], ...request, out });
    return {
      predictions: this.#readPredictions(out),
      trials: Number(answer["trials"]),
      seconds: Number(answer["seconds"]),
    };
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error("The peers' process ended.");
    const answer: Record<string, unknown> = JSON.parse(line.value);
    if (typeof answer["error"] === "string") throw new Error(answer["error"]);
    return answer;
  }
}

/** Each column of the features, then the target, as little-endian f64. */
export function writeColumns(
  path: string,
  columns: Iterable<Float64Array>,
  target: Float64Array,
  rows: Uint32Array,
): void {
  const file = openSync(path, "w");
  for (const column of columns) writeSync(file, asBytes(column));
  writeSync(file, asBytes(Float64Array.from(rows, (row) => target[row])));
  closeSync(file);
}

const asBytes = (column: Float64Array): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
