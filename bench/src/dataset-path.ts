/**
 * From an upload to the first fit, over the whole service: processor seconds, wall time and the peak of
 * memory of all its processes, the database left out. With `--checkout`, another version of the service is
 * measured alternately, in the same minutes.
 */

import { openAsBlob } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Findings } from "./findings/findings.ts";
import { AUTHORIZATION, type ServerProcess, send, withService } from "./service.ts";
import { median, textTable } from "./text-table.ts";

const FEATURES = 28;
const LOOK_MS = 100;
const TICKS = 100;

export interface DatasetPathOptions {
  readonly rows: number;
  readonly formats: readonly ("parquet" | "csv")[];
  readonly repeats: number;
  /** Folder of another version, with its packages; null = this one alone. */
  readonly checkout: string | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  /** While the dataset is registered, and while it is trained on. */
  readonly registering: number;
  readonly training: number;
}

export async function benchDatasetPath(options: DatasetPathOptions): Promise<void> {
  const { rows, formats, repeats, checkout, findings, print } = options;
  const folder = await mkdtemp(join(tmpdir(), "distillery-dataset-"));
  try {
    await makeFiles(folder, rows, formats);
    print(
      `\nFrom upload to first fit: ${rows} × ${FEATURES}, gbdt, one holdout split, one thread\n`,
    );
    const bins = rows * (Math.ceil(FEATURES / 16) * 16 + FEATURES);
    const found: string[][] = [];
    for (const format of formats) {
      const path = join(folder, `data.${format}`);
      const times = new Map<string, number[]>();
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const [version, cli] of versions(checkout)) {
          const { wall, cpu, registering, training } = await measure(path, format, cli);
          times.set(version, [...(times.get(version) ?? []), cpu]);
          found.push([
            `${format}, ${version}`,
            wall.toFixed(1),
            cpu.toFixed(1),
            (registering / 1e6).toFixed(0),
            (training / 1e6).toFixed(0),
          ]);
        }
      }
      const [own, other] = [THIS, OTHER].map((version) => times.get(version));
      const what = `${rows} rows of ${format}, from upload to first fit`;
      if (own && other) {
        const shared = { what, unit: "CPU s", better: "smaller", against: OTHER } as const;
        findings.compare({ ...shared, ours: median(own), theirs: median(other) });
      } else if (own) findings.note(what, "CPU s", median(own));
      found.push([`${format} file, MB`, ((await stat(path)).size / 1e6).toFixed(0)]);
    }
    const head = ["", "wall s", "CPU s", "peak MB, registering", "peak MB, training"];
    print(`${textTable(head, found)}\n`);
    print(
      `bins, by row and by column: ${(bins / 1e6).toFixed(0)} MB; 2.5 × bins + 400: ${((2.5 * bins) / 1e6 + 400).toFixed(0)} MB\n`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const THIS = "this version";
const OTHER = "the other version";

function versions(checkout: string | null): (readonly [string, string | undefined])[] {
  const own = [THIS, undefined] as const;
  return checkout === null ? [own] : [[OTHER, join(checkout, "server", "src", "cli.ts")], own];
}

/** Normals of single precision, and a label that some of them make. */
async function makeFiles(folder: string, rows: number, formats: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const normal = "(sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()))::FLOAT";
  const columns = Array.from({ length: FEATURES }, (_, f) => `${normal} AS x${f}`);
  await connection.run("SELECT setseed(0.5)");
  for (const format of formats) {
    const path = join(folder, `data.${format}`);
    const how = format === "csv" ? "FORMAT csv, HEADER" : "FORMAT parquet";
    await connection.run(
      `COPY (SELECT *, (x0 * x1 + sin(2 * x2) + x3 > 0)::INTEGER AS y
             FROM (SELECT ${columns.join(", ")} FROM range(${rows}))) TO '${path}' (${how})`,
    );
  }
  connection.closeSync();
  instance.closeSync();
}

const TYPES = { csv: "text/csv", parquet: "application/vnd.apache.parquet" } as const;

function measure(
  path: string,
  format: "csv" | "parquet",
  cli: string | undefined,
): Promise<Measured> {
  const env = { DISTILLERY_WORKERS: "1" };
  return withService(
    env,
    async (server) => {
      const watch = new Watch(server.pid);
      const begun = performance.now();
      const response = await fetch(`${server.url}/v1/datasets?name=data`, {
        method: "POST",
        headers: { ...AUTHORIZATION, "content-type": TYPES[format] },
        body: await openAsBlob(path),
      });
      if (!response.ok) throw new Error(await response.text());
      const { dataset_id } = (await response.json()) as { dataset_id: string };
      const registering = watch.takePeak();
      const { job_id } = await send<{ job_id: string }>(server, "POST", "/v1/trainer/run", {
        dataset_id,
        task: { task_kind: "binclass", label_column: "y" },
        hpo_space: {
          models: [{ family: "gbdt", fixed: { n_estimators: 5, num_leaves: 255 } }],
        },
        n_trials: 1,
        n_cv_splits: null,
      });
      await firstFit(server, job_id);
      const wall = (performance.now() - begun) / 1000;
      const cpu = await watch.cpu();
      await ended(server, job_id);
      await watch.end();
      return { wall, cpu, registering, training: watch.takePeak() };
    },
    [],
    cli,
  );
}

async function firstFit(server: ServerProcess, job: string): Promise<void> {
  for (;;) {
    const { metrics } = await send<{ metrics: unknown }>(server, "GET", `/v1/jobs/${job}/metrics`);
    if (/"fold_values":\[[^\]]/.test(JSON.stringify(metrics))) return;
    await delay(LOOK_MS);
  }
}

async function ended(server: ServerProcess, job: string): Promise<void> {
  for (;;) {
    const state = await send<{ status: string; error_message: string }>(
      server,
      "GET",
      `/v1/training_jobs/${job}`,
    );
    if (state.status === "failed") throw new Error(state.error_message);
    if (state.status === "completed") return;
    await delay(LOOK_MS);
  }
}

/** The processes of a service below one, but PostgreSQL's. */
class Watch {
  readonly #root: number;
  readonly #timer: NodeJS.Timeout;
  /** Processor seconds by process: those that have ended count with what they had last. */
  readonly #seconds = new Map<number, number>();
  #peak = 0;
  #looking: Promise<void> = Promise.resolve();

  constructor(root: number) {
    this.#root = root;
    this.#timer = setInterval(() => {
      this.#looking = this.#look();
    }, LOOK_MS);
  }

  takePeak(): number {
    const peak = this.#peak;
    this.#peak = 0;
    return peak;
  }

  async cpu(): Promise<number> {
    await this.#look();
    return [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const parents = new Map<number, { parent: number; name: string; rss: number; cpu: number }>();
    for (const entry of await readdir("/proc")) {
      const pid = Number(entry);
      if (!Number.isInteger(pid)) continue;
      const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
      if (text === null) continue;
      const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
      const fields = text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const [parent = 0, user = 0, system = 0, pages = 0] = [1, 11, 12, 21].map((at) => fields[at]);
      parents.set(pid, { parent, name, rss: pages * 4096, cpu: (user + system) / TICKS });
    }
    let sum = 0;
    for (const [pid, { name, rss, cpu }] of parents) {
      if (name.startsWith("postgres") || !isBelow(pid, this.#root, parents)) continue;
      sum += rss;
      this.#seconds.set(pid, cpu);
    }
    this.#peak = Math.max(this.#peak, sum);
  }
}

function isBelow(
  pid: number,
  root: number,
  processes: ReadonlyMap<number, { readonly parent: number }>,
): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; ) {
    if (at === root) return true;
    at = processes.get(at)?.parent;
  }
  return false;
}
