/**
 * Requests a second of the service beside the least that could answer: a route without a query
 * beside `node:http` and Fastify, and Get Table, whose row is read from PostgreSQL each time, beside
 * a Fastify handler that sends the same statement to the same server by the same driver.
 */

import { fileURLToPath } from "node:url";
import type { Findings } from "../findings/findings.ts";
import { AUTHORIZATION, ServerProcess, send, withService } from "../service.ts";
import { median, textTable } from "../text-table.ts";
import { compareLoad, type Load, type LoadOptions } from "./load.ts";

const BARE = fileURLToPath(new URL("bare-server.ts", import.meta.url));
const TABLE = "/workspaces/bench/catalogs/main/schemas/public/tables/orders";

/** What the design asks for, as parts of the bare server's rate. */
const STATIC_TARGET = 25 / 65;
const TABLE_TARGET = 0.6;

export interface HttpOptions {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchHttp({ quick, findings, print }: HttpOptions): Promise<void> {
  const options: LoadOptions = { rounds: quick ? 2 : 7, seconds: quick ? 1 : 3, connections: 50 };
  await withService({}, async (service, home) => {
    await makeTable(service);
    const bare: ServerProcess[] = [];
    const start = async (...parameters: string[]): Promise<ServerProcess> => {
      const server = await ServerProcess.start([BARE, ...parameters], /listening (\S+)/);
      bare.push(server);
      return server;
    };
    try {
      const http = await start("http");
      const fastify = await start("fastify");
      const routes = await compareLoad(
        [
          { name: "node:http", url: http.url },
          { name: "fastify", url: fastify.url },
          { name: "distillery /healthz", url: `${service.url}/healthz` },
          {
            name: "distillery /healthz, with a key",
            url: `${service.url}/healthz`,
            headers: AUTHORIZATION,
          },
        ],
        options,
      );
      noteLoads(routes, findings);
      print(`\nA route without a query, ${describe(options)}\n${table(routes, STATIC_TARGET)}\n`);
      const withSql = await start("fastify-sql", home);
      const tables = await compareLoad(
        [
          { name: "fastify and the statement", url: withSql.url + TABLE },
          {
            name: "distillery Get Table",
            url: `${service.url}/v1${TABLE}`,
            headers: AUTHORIZATION,
          },
        ],
        options,
      );
      noteLoads(tables, findings);
      print(`\nGet Table, ${describe(options)}\n${table(tables, TABLE_TARGET)}\n`);
    } finally {
      for (const server of bare) await server.stop();
    }
  });
}

async function makeTable(service: ServerProcess): Promise<void> {
  await send(service, "POST", "/v1/connectors/objstore", {
    connector_name: "lake",
    url: "s3://bucket/",
  });
  await send(service, "POST", "/v1/workspaces", { name: "workspaces/bench" });
  await send(service, "POST", "/v1/workspaces/bench/catalogs?catalogId=main", {});
  await send(service, "POST", "/v1/workspaces/bench/catalogs/main/schemas?schemaId=public", {});
  const collection = `/v1${TABLE.slice(0, TABLE.lastIndexOf("/"))}`;
  await send(service, "POST", `${collection}?tableId=orders`, {
    spec: {
      listing: {
        connector: "workspaces/bench/connectors/lake",
        tablePaths: ["s3://bucket/orders/"],
        snapshot: { options: { fileType: "parquet", formatOptions: {} } },
      },
    },
  });
}

/** Beside the first of them. */
function noteLoads([bare, ...loads]: readonly Load[], findings: Findings): void {
  for (const { contender, rates } of loads) {
    if (!contender.name.startsWith("distillery")) continue;
    findings.compare({
      ...{ what: contender.name, unit: "requests/s", better: "larger" },
      ...{ ours: median(rates), against: bare.contender.name, theirs: median(bare.rates) },
    });
  }
}

const describe = ({ rounds, seconds, connections }: LoadOptions): string =>
  `${connections} connections, median of ${rounds} alternating rounds of ${seconds} s`;

function table(loads: readonly Load[], target: number): string {
  const rows = loads.map(({ contender, rates, ratio, p99 }, index) => [
    contender.name,
    String(Math.round(median(rates))),
    index === 0 ? "" : ratio.toFixed(3),
    p99.toFixed(1),
  ]);
  rows.push(["asked for", "", target.toFixed(3), ""]);
  return textTable(["", "requests/s", "ratio", "p99 ms"], rows);
}
