/**
 * Predictions over REST beside what is asked of them: one row at a fixed rate, a thousand rows, the first
 * request of a model, and one row while a training has all cores; and LightGBM in a bare loop.
 */

import { request as httpRequest, type IncomingMessage } from "node:http";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { AUTHORIZATION, type ServerProcess, serve, withService } from "../service.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { lightgbmTimes } from "./lightgbm-loop.ts";
import { type Latencies, openLoop } from "./open-loop.ts";
import { beginTraining, defaultEnsemble, manyTrees, type ServedModel } from "./served-models.ts";

export interface ServingOptions {
  readonly quick: boolean;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** Threads that train. */
const ENV = { DISTILLERY_WORKERS: "2" };
const CONNECTIONS = 32;

export async function benchServing({
  quick,
  python,
  findings,
  print,
}: ServingOptions): Promise<void> {
  const seconds = quick ? 2 : 10;
  const rows: string[][] = [];
  const add = (work: string, asked: string, measured: string): void => {
    rows.push([work, asked, measured]);
    print(`${work}: ${measured} (${asked})\n`);
  };
  const measured = new Map<string, number>();
  const milli = (what: string, ours: number, asked: number | null): void => {
    measured.set(what, ours);
    if (asked === null) return;
    const shared = { unit: "ms", better: "smaller", against: ASKED_FOR } as const;
    findings.compare({ ...shared, what, ours, theirs: asked });
  };
  await withService(ENV, async (first, home) => {
    const trees = await manyTrees(first, quick);
    const ensemble = await defaultEnsemble(first, quick);
    print(`\na default ensemble of ${ensemble.members} members\n`);
    await first.stop();

    const cold: number[] = [];
    for (let start = 0; start < (quick ? 1 : 5); start++) {
      await onHome(home, async (server) => {
        await milliseconds(server, trees, 1);
        cold.push(await milliseconds(server, ensemble, 1));
      });
    }
    milli("the first request of a default ensemble", median(cold), 80);
    add("the first request of a default ensemble", "< 80 ms", `${shortNumber(median(cold))} ms`);

    await onHome(home, async (server) => {
      const one = await atRate(server, trees, 1000, seconds);
      milli("one row, 500 trees, 1,000 requests/s, p50", one.p50, 1);
      milli("one row, 500 trees, 1,000 requests/s, p99", one.p99, 5);
      add("one row, 500 trees, 1,000 requests/s", "p50 < 1 ms, p99 < 5 ms", described(one));
      const idle = await atRate(server, trees, 100, seconds);
      add("one row, 500 trees, 100 requests/s", "", described(idle));
      const few = await atRate(server, ensemble, 50, seconds);
      milli("one row, default ensemble, 50 requests/s, p50", few.p50, 3);
      add("one row, default ensemble, 50 requests/s", "p50 < 3 ms", described(few));
      for (const [name, model, asked] of [
        ["500 trees", trees, null],
        ["default ensemble", ensemble, 40],
      ] as const) {
        const times: number[] = [];
        for (let turn = 0; turn < (quick ? 5 : 20); turn++) {
          times.push(await milliseconds(server, model, 1000));
        }
        const said = asked === null ? "" : `< ${asked} ms`;
        milli(`1,000 rows, ${name}`, median(times), asked);
        add(`1,000 rows, ${name}`, said, `${shortNumber(median(times))} ms`);
      }
      const batch: number[] = [];
      const arrow = arrowOf(trees, quick ? 10_000 : 100_000);
      for (let turn = 0; turn < (quick ? 3 : 7); turn++) {
        batch.push(await millisecondsOf(server, trees, ARROW, arrow));
      }
      const rate = arrow.rows / median(batch) / 1000;
      add(
        `${arrow.rows.toLocaleString("en")} rows as Arrow, 500 trees`,
        "≥ 1 M rows/s",
        `${shortNumber(rate, 3)} M rows/s`,
      );
      findings.compare({
        ...{ what: "rows as Arrow, 500 trees", unit: "M rows/s", better: "larger", ours: rate },
        ...{ against: ASKED_FOR, theirs: 1 },
      });
      await beginTraining(server);
      const busy = await atRate(server, trees, 100, seconds);
      const times = (busy.p99 / idle.p99).toFixed(1);
      milli("one row, 500 trees, beside a training, p99", busy.p99, 5 * idle.p99);
      const shown = `${described(busy)}: ${times} times the idle p99`;
      add("one row, 500 trees, 100 requests/s, beside a training", "p99 ≤ 5 × idle", shown);
    });
  });
  print(`\nPredictions over REST\n${textTable(["", "asked for", "measured"], rows)}\n`);
  const peer = await lightgbmTimes(python, print);
  if (peer === null) return;
  const { version, one_p50, one_p99, thousand, hundred_thousand } = peer;
  const lightgbm = `LightGBM ${version} in a bare loop`;
  for (const [what, theirs] of [
    ["one row, 500 trees, 1,000 requests/s, p50", one_p50],
    ["1,000 rows, 500 trees", thousand],
  ] as const) {
    const ours = measured.get(what) ?? Number.NaN;
    findings.compare({ what, unit: "ms", better: "smaller", ours, against: lightgbm, theirs });
  }
  print(
    `\nLightGBM ${version} in a bare loop, 500 trees: one row p50 ${shortNumber(one_p50)} ms, p99 ${shortNumber(one_p99)} ms; 1,000 rows ${shortNumber(thousand)} ms, 100,000 rows ${shortNumber(hundred_thousand)} ms by two threads\n`,
  );
}

async function onHome(home: string, use: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await serve(home, ENV);
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const urlOf = (server: ServerProcess, { id }: ServedModel): string =>
  `${server.url}/v1/models/${id}/predict`;

const bodyOf = ({ columns, rows }: ServedModel, count: number): Buffer<ArrayBuffer> =>
  Buffer.from(JSON.stringify({ columns, data: rows.slice(0, count) }));

const HEADERS = { ...AUTHORIZATION, "content-type": "application/json" };

/** After a second of the same, which warms up. */
async function atRate(
  server: ServerProcess,
  model: ServedModel,
  rate: number,
  seconds: number,
): Promise<Latencies> {
  const load = {
    url: urlOf(server, model),
    headers: HEADERS,
    body: bodyOf(model, 1),
    rate,
    connections: CONNECTIONS,
  };
  await openLoop({ ...load, rate: Math.min(rate, 100), seconds: 1 });
  await openLoop({ ...load, seconds: 1 });
  return openLoop({ ...load, seconds });
}

/** Of one request. */
const milliseconds = (server: ServerProcess, model: ServedModel, count: number): Promise<number> =>
  millisecondsOf(server, model, "application/json", { bytes: bodyOf(model, count) });

const ARROW = "application/vnd.apache.arrow.stream";

/** By `node:http`, whose share of the cores is a third of that of `fetch` where a body is large. */
async function millisecondsOf(
  server: ServerProcess,
  model: ServedModel,
  type: string,
  { bytes }: { readonly bytes: Buffer<ArrayBuffer> },
): Promise<number> {
  const begun = performance.now();
  const headers = { ...AUTHORIZATION, "content-type": type, "content-length": bytes.length };
  const request = httpRequest(urlOf(server, model), { method: "POST", headers });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  request.end(bytes);
  const { statusCode, body } = await answered(await response);
  const taken = performance.now() - begun;
  if (statusCode !== 200) throw new Error(body.toString());
  return taken;
}

async function answered(
  response: IncomingMessage,
): Promise<{ readonly statusCode: number | undefined; readonly body: Buffer }> {
  const body: Buffer[] = [];
  for await (const chunk of response) body.push(chunk);
  return { statusCode: response.statusCode, body: Buffer.concat(body) };
}

/** The model's rows, over and over. */
function arrowOf(
  { columns, rows }: ServedModel,
  count: number,
): { readonly rows: number; readonly bytes: Buffer<ArrayBuffer> } {
  const vectors = columns.map((name, place): [string, Float64Array] => [
    name,
    Float64Array.from({ length: count }, (_, row) => Number(rows[row % rows.length][place])),
  ]);
  const table = tableFromArrays(Object.fromEntries(vectors));
  return { rows: count, bytes: Buffer.from(tableToIPC(table, "stream")) };
}

const described = ({ p50, p99, late }: Latencies): string =>
  `p50 ${shortNumber(p50, 3)} ms, p99 ${shortNumber(p99, 3)} ms (sent up to ${shortNumber(late, 2)} ms late)`;
