/** Small runs on every tabular set, exported as ONNX: what ONNX Runtime answers beside what the model does. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { exportOnnx, hasClasses, type Model, readTableFromFile, train } from "@distillery/engine";
import { coerceColumn, missingColumn } from "../../../engine/src/data/coerce.ts";
import type { Table } from "../../../engine/src/data/table.ts";
import { type TaskKind, taskType } from "../../../engine/src/tasks/index.ts";
import { listDatasets, readMeta } from "../bench-data.ts";
import { shortNumber, textTable } from "../text-table.ts";

const SCRIPT = fileURLToPath(new URL("onnx_peer.py", import.meta.url));

export interface OnnxOptions {
  readonly folder: string;
  /** Data sets to take; empty = all. */
  readonly only: readonly string[];
  readonly rows: number;
  readonly trials: number;
  readonly python: string;
  readonly print: (text: string) => void;
}

export async function benchOnnx(options: OnnxOptions): Promise<void> {
  const { folder, only, print, python } = options;
  const peer = await Runtime.start(python);
  if (peer === null) {
    print(`\nonnx: left out: ${python} has no onnxruntime and onnx\n`);
    return;
  }
  const sets = listDatasets(folder).filter(
    ({ name, task }) =>
      taskType(task).framing === null && (only.length === 0 || only.includes(name)),
  );
  const lines: string[][] = [];
  try {
    for (const { name, task } of sets) {
      const line = await compared(join(folder, name), task, options, peer);
      print(`${line.join("  ")}\n`);
      lines.push(line);
    }
  } finally {
    await peer.close();
  }
  const heads = ["", "rows", "families", "MB", "labels differ", "values differ", "verdict"];
  print(
    `\nonnx: beside onnxruntime ${peer.version}; values relative to the larger of 1 and theirs\n`,
  );
  print(`${textTable(heads, lines)}\n`);
}

async function compared(
  folder: string,
  task: TaskKind,
  { rows, trials }: OnnxOptions,
  peer: Runtime,
): Promise<string[]> {
  const meta = readMeta(folder);
  const scratch = mkdtempSync(join(tmpdir(), "bench-onnx-"));
  try {
    const path = join(scratch, "data.csv");
    const file = meta.files.find((each) => /^(data|train)/.test(each)) ?? "data.csv";
    writeFileSync(path, someLines(readFileSync(join(folder, file)), rows));
    const { model } = await train(
      { path, format: "csv" },
      {
        task: { taskKind: task, labelColumn: meta.target },
        nTrials: trials,
        nCvSplits: 2,
        ensemble: true,
      },
    );
    const families = [...new Set(model.document.members.map(({ family }) => family))].join("+");
    const { table } = await readTableFromFile(path, { format: "csv" });
    const bytes = exportOnnx(model);
    writeFileSync(join(scratch, "model.onnx"), bytes);
    writeFileSync(join(scratch, "rows.json"), JSON.stringify(cellsOf(model, table)));
    const answer = await peer.ask({
      model: join(scratch, "model.onnx"),
      rows: join(scratch, "rows.json"),
    });
    const { labels, values } = difference(model, table, answer);
    const agrees = labels === 0 && values <= 1e-5;
    return [
      meta.name,
      String(table.rows),
      families,
      shortNumber(bytes.length / 1e6),
      labels === null ? "" : String(labels),
      values.toExponential(1),
      agrees || (labels === null && values <= 1e-5) ? "equal" : "NOT EQUAL",
    ];
  } catch (fault) {
    return [meta.name, "", "", "", "", "", String(fault)];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The header and at most so many of the lines after it, evenly spread. */
function someLines(bytes: Uint8Array, most: number): string {
  const text = Buffer.from(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
  const [header, ...lines] = text.toString().trimEnd().split("\n");
  const step = Math.max(1, lines.length / most);
  const kept = Array.from(
    { length: Math.min(most, lines.length) },
    (_, i) => lines[Math.floor(i * step)],
  );
  return [header, ...kept].join("\n");
}

function cellsOf(model: Model, table: Table): Record<string, string[]> {
  return Object.fromEntries(
    model.document.schema.columns.map(({ name, kind }) => {
      const given = table.columns.find((column) => column.name === name);
      const column = given ? coerceColumn(given, kind) : missingColumn(name, kind, table.rows);
      switch (column.kind) {
        case "categorical":
          return [name, Array.from(column.codes, (code) => column.categories[code] ?? "")];
        case "text":
          return [name, column.values.map((text) => text ?? "")];
        case "boolean":
          return [name, Array.from(column.values, (v) => (v === 255 ? "NaN" : String(v)))];
        default:
          return [name, Array.from(column.values, String)];
      }
    }),
  );
}

interface RuntimeAnswer {
  readonly labels: readonly string[] | null;
  readonly values: readonly (readonly number[])[];
}

function difference(
  model: Model,
  table: Table,
  answer: RuntimeAnswer,
): { readonly labels: number | null; readonly values: number } {
  const { task } = model.document;
  const predictions = model.predict(table);
  const { values, outputs } = predictions;
  let largest = 0;
  for (const [row, found] of answer.values.entries()) {
    const own = found.length > outputs ? found.slice(1) : found;
    for (const [k, value] of own.entries()) {
      const ours = values[row * outputs + k];
      largest = Math.max(largest, Math.abs(value - ours) / Math.max(1, Math.abs(ours)));
    }
  }
  if (!hasClasses(task)) return { labels: null, values: largest };
  const places = [...model.decide(predictions)];
  const differing = places.filter((place, row) => task.classes[place] !== answer.labels?.[row]);
  return { labels: differing.length, values: largest };
}

/** ONNX Runtime in a Python process. */
class Runtime {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  version = "";

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Null where `python` cannot be started or has no ONNX Runtime. */
  static async start(python: string): Promise<Runtime | null> {
    const child = spawn(python, ["-W", "ignore", SCRIPT]);
    child.stderr.resume();
    child.stdin.on("error", () => child.kill());
    const failed = new Promise<null>((resolve) => child.once("error", () => resolve(null)));
    const runtime = new Runtime(child);
    const hello = runtime.#next().then((line) => {
      if (line === null) return null;
      runtime.version = String(line["onnxruntime"]);
      return runtime;
    });
    return Promise.race([failed, hello]);
  }

  async ask(request: Record<string, string>): Promise<RuntimeAnswer> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const answer = await this.#next();
    if (answer === null) throw new Error("ONNX Runtime's process ended.");
    const { error, labels, values } = answer;
    if (typeof error === "string") throw new Error(error);
    if (!Array.isArray(values)) throw new Error("ONNX Runtime answered nothing.");
    return { values, labels: Array.isArray(labels) ? labels.map(String) : null };
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.pid === undefined) resolve(null);
      else this.#child.once("exit", resolve);
    });
    this.#child.stdin.end();
    await ended;
  }

  async #next(): Promise<Record<string, unknown> | null> {
    const line = await this.#lines.next();
    return line.done ? null : JSON.parse(line.value);
  }
}
