/** The same GROUP BY over the same file: by DuckDB alone, by the engine of queries, over HTTP. */

import { DuckDBInstance } from "@duckdb/node-api";
import type { Findings } from "../findings/findings.ts";
import { type ServerProcess, send } from "../service.ts";
import { median, textTable } from "../text-table.ts";
import { openEngineAlone } from "./engine-alone.ts";
import { GROUP_BY } from "./rows-file.ts";

const MOST_MS = 15;
const MOST_RATIO = 1.15;

interface Contender {
  readonly name: string;
  /** @returns the rows as JSON */
  query(sql: string): Promise<string>;
}

export async function compareQueries(
  service: ServerProcess,
  path: string,
  rounds: number,
  findings: Findings,
): Promise<string> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const engine = await openEngineAlone(path);
  const contenders: Contender[] = [
    {
      name: "DuckDB alone",
      async query(sql) {
        const from = sql.replace("FROM rows", `FROM read_parquet('${path}')`);
        const reader = await connection.runAndReadAll(from);
        return JSON.stringify(reader.getRowObjectsJson());
      },
    },
    { name: "engine of queries", query: (sql) => engine.query(sql) },
    {
      name: "over HTTP, from a table",
      async query(sql) {
        const answer = await send<{ rows: unknown[] }>(
          service,
          "POST",
          "/v1/workspaces/bench/query",
          { sql, maxRows: 100_000 },
        );
        return JSON.stringify(answer.rows);
      },
    },
  ];
  try {
    const times = await alternate(contenders, rounds);
    for (const [index, { name }] of contenders.entries()) {
      if (index === 0) continue;
      findings.compare({
        ...{ what: `GROUP BY, ${name}`, unit: "ms", better: "smaller" },
        ...{ ours: median(times[index]), against: contenders[0].name, theirs: median(times[0]) },
      });
    }
    return report(contenders, times);
  } finally {
    await engine.close();
    connection.closeSync();
    instance.closeSync();
  }
}

/** @returns milliseconds, a list each */
async function alternate(contenders: readonly Contender[], rounds: number): Promise<number[][]> {
  const times = contenders.map((): number[] => []);
  // Two rounds more, to warm up.
  for (let round = -2; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round + 2) % contenders.length;
      const started = performance.now();
      const rows = await contenders[index].query(GROUP_BY);
      const taken = performance.now() - started;
      if (JSON.parse(rows).length !== 1000) throw new Error(`${contenders[index].name}: ${rows}`);
      if (round >= 0) times[index].push(taken);
    }
  }
  return times;
}

function report(contenders: readonly Contender[], times: readonly number[][]): string {
  const rows = contenders.map(({ name }, index) => {
    const over = times[index].map((taken, round) => taken - times[0][round]);
    const ratios = times[index].map((taken, round) => taken / times[0][round]);
    return [
      name,
      median(times[index]).toFixed(1),
      index === 0 ? "" : median(over).toFixed(1),
      index === 0 ? "" : median(ratios).toFixed(3),
    ];
  });
  rows.push(["asked for, at most", "", String(MOST_MS), String(MOST_RATIO)]);
  return textTable(["", "median ms", "more ms", "ratio"], rows);
}
