/**
 * Batch predictions over REST: rows of a dataset by 500 trees into a Parquet file, with all columns beside
 * the predictions and with none, by the time that the job takes and by the processor time of the service.
 */

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { AUTHORIZATION, type ServerProcess, send, serve, withService } from "../service.ts";
import { manyTrees, type ServedModel } from "../serving/served-models.ts";
import { median, shortNumber, textTable } from "../text-table.ts";

export interface BatchOptions {
  readonly quick: boolean;
  /** Of another version, whose server takes its turns; null: none. */
  readonly cli: string | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const ENV = { DISTILLERY_WORKERS: "2" };
/** Of the system's clock, as Linux counts processor time. */
const TICKS = 100;
/** What a job is to reach. */
const ROWS_A_SECOND = 300_000;

interface Measured {
  readonly seconds: number;
  /** Of processor time. */
  readonly busy: number;
}

export async function benchBatch({ quick, cli, findings, print }: BatchOptions): Promise<void> {
  const count = quick ? 200_000 : 1_000_000;
  const turns = quick ? 2 : 3;
  await withService(ENV, async (first, home) => {
    const model = await manyTrees(first, quick);
    const dataset = await registered(first, model, count);
    await first.stop();
    const found: string[][] = [];
    const versions = [["here", undefined] as const, ...(cli ? [["there", cli] as const] : [])];
    const times = new Map<string, Measured[]>();
    for (let turn = 0; turn < turns; turn++) {
      for (const [version, path] of versions) {
        const server = await serve(home, ENV, [], path);
        try {
          const body = { model_id: model.id, source: { dataset_id: dataset } };
          // Threads start with the first job of a process, and are compiled while it runs.
          await timed(server, body);
          for (const columns of [null, []]) {
            const measured = await timed(server, { ...body, output: { columns } });
            const name = `${columns === null ? "all columns" : "predictions alone"}, ${version}`;
            times.set(name, [...(times.get(name) ?? []), measured]);
            print(`${name}: ${shortNumber(measured.seconds)} s, ${measured.busy} s of processor\n`);
          }
        } finally {
          await server.stop();
        }
      }
    }
    const rates = new Map<string, number>();
    for (const [name, measured] of times) {
      const seconds = median(measured.map((each) => each.seconds));
      const busy = median(measured.map((each) => each.busy));
      const rate = count / seconds;
      rates.set(name, rate);
      found.push([
        name,
        shortNumber(rate / 1000),
        shortNumber(count / busy / 1000),
        shortNumber(busy / seconds, 2),
      ]);
    }
    for (const columns of ["all columns", "predictions alone"]) {
      const shared = { what: `500 trees, ${columns}`, unit: "rows/s", better: "larger" } as const;
      const ours = rates.get(`${columns}, here`) ?? Number.NaN;
      const theirs = rates.get(`${columns}, there`) ?? Number.NaN;
      findings.compare({ ...shared, ours, against: ASKED_FOR, theirs: ROWS_A_SECOND });
      findings.compare({ ...shared, ours, against: "the other version", theirs });
    }
    const header = ["", "thousand rows/s", "a second of processor", "cores"];
    print(`\n${count.toLocaleString("en")} rows of 30 columns, 500 trees, into Parquet\n`);
    print(`${textTable(header, found)}\n`);
  });
}

async function timed(server: ServerProcess, asked: object): Promise<Measured> {
  const before = processorSeconds(server.pid);
  const { job_id } = await send<{ job_id: string }>(server, "POST", "/v1/batch_predictions", asked);
  for (;;) {
    const job = await send<{
      status: string;
      error_message: string;
      progress: { seconds: number };
    }>(server, "GET", `/v1/batch_predictions/${job_id}`);
    if (job.status === "failed") throw new Error(job.error_message);
    if (job.status === "completed") {
      const busy = Math.round(10 * (processorSeconds(server.pid) - before)) / 10;
      return { seconds: job.progress.seconds, busy };
    }
    await sleep(50);
  }
}

/** Of a process and all its threads, on Linux; NaN elsewhere. */
function processorSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
}

/** The model's rows, over and over, as a dataset. */
async function registered(
  server: ServerProcess,
  { columns, rows }: ServedModel,
  count: number,
): Promise<string> {
  const vectors = columns.map((name, place): [string, Float64Array] => [
    name,
    Float64Array.from({ length: count }, (_, row) => Number(rows[row % rows.length][place])),
  ]);
  const table = tableFromArrays(Object.fromEntries(vectors));
  const response = await fetch(`${server.url}/v1/datasets?name=rows`, {
    method: "POST",
    headers: { ...AUTHORIZATION, "content-type": "application/vnd.apache.arrow.stream" },
    body: Buffer.from(tableToIPC(table, "stream")),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const { dataset_id }: { dataset_id: string } = JSON.parse(text);
  return dataset_id;
}
