/** What SQL over tables costs: beside DuckDB alone, into a dataset, and in pages of a large schema. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joinEmbedded } from "../../../server/src/platform/db/embedded/embedded.ts";
import { connect } from "../../../server/src/platform/db/sql.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { type ServerProcess, send, withService } from "../service.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { compareQueries } from "./query-overhead.ts";
import { withPeakMemory } from "./resident-memory.ts";
import { writeRowsFile } from "./rows-file.ts";

const SCHEMA = "/v1/workspaces/bench/catalogs/shop/schemas/public";
const TABLES = 10_000;
const PAGE_MS = 10;
const ROWS_A_SECOND = 1e6;
const MEGABYTES = 500;

export interface SqlOptions {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchSql({ quick, findings, print }: SqlOptions): Promise<void> {
  const rows = quick ? 500_000 : 5_000_000;
  const folder = await mkdtemp(join(tmpdir(), "distillery-bench-rows-"));
  try {
    const path = await writeRowsFile(folder, rows);
    await withService({ DISTILLERY_FILE_ROOTS: folder }, async (service, home) => {
      await makeTable(service, folder);
      const repeats = quick ? 3 : 15;
      print(`\nGROUP BY of ${rows} rows of Parquet, median of ${repeats} alternating rounds\n`);
      print(`${await compareQueries(service, path, repeats, findings)}\n`);
      print(`\nDataset of a table of ${rows} rows\n`);
      print(`${await datasetRate(service, rows, quick ? 1 : 3, findings)}\n`);
      print(`\nPages of a schema of ${TABLES} tables\n`);
      print(`${await tablePages(service, home, quick ? 20 : 200, findings)}\n`);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeTable(service: ServerProcess, folder: string): Promise<void> {
  await send(service, "POST", "/v1/connectors/objstore", {
    connector_name: "files",
    url: `file://${folder}/`,
  });
  await send(service, "POST", "/v1/workspaces", {
    name: "workspaces/bench",
    sqlDefaults: { defaultCatalog: "shop", defaultSchema: "public" },
  });
  await send(service, "POST", "/v1/workspaces/bench/catalogs?catalogId=shop", {});
  await send(service, "POST", "/v1/workspaces/bench/catalogs/shop/schemas?schemaId=public", {});
  await send(service, "POST", `${SCHEMA}/tables?tableId=rows`, {
    spec: {
      listing: {
        connector: "workspaces/bench/connectors/files",
        tablePaths: [`file://${folder}/rows.parquet`],
      },
    },
  });
}

async function datasetRate(
  service: ServerProcess,
  rows: number,
  repeats: number,
  findings: Findings,
): Promise<string> {
  const rates: number[] = [];
  const peaks: number[] = [];
  let before = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const started = performance.now();
    const watched = await withPeakMemory(service.pid, () =>
      send<{ rows: number }>(service, "POST", "/v1/datasets", {
        name: "rows",
        table: "shop.public.rows",
      }),
    );
    if (watched.result.rows !== rows)
      throw new Error(`the dataset has ${watched.result.rows} rows`);
    rates.push((1000 * rows) / (performance.now() - started));
    peaks.push(watched.peak);
    before ||= watched.before;
  }
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  findings.compare({
    ...{ what: "a dataset of a table", unit: "rows/s", better: "larger", ours: median(rates) },
    ...{ against: ASKED_FOR, theirs: ROWS_A_SECOND },
  });
  return textTable(
    ["", "rows/s", "MB of all its processes"],
    [
      ["before", "", megabytes(before)],
      ["dataset", shortNumber(median(rates)), megabytes(Math.max(...peaks))],
      ["asked for", `>= ${shortNumber(ROWS_A_SECOND)}`, `< ${MEGABYTES}`],
    ],
  );
}

async function tablePages(
  service: ServerProcess,
  home: string,
  requests: number,
  findings: Findings,
): Promise<string> {
  const sql = connect(await joinEmbedded(home), { max: 1 });
  try {
    await sql`
      insert into catalog_tables (organization_id, catalog, schema, name, id, connector, spec,
                                  revision_hash, revision)
      select organization_id, catalog, schema, 'table_' || i, gen_random_uuid(), connector, spec,
             revision_hash, revision
      from catalog_tables, generate_series(1, ${TABLES - 1}::integer) i where name = 'rows'`;
    await sql`analyze catalog_tables`;
  } finally {
    await sql.end();
  }
  const rows: string[][] = [];
  for (const pageSize of [100, 500]) {
    const times: number[] = [];
    let token = "";
    for (let request = 0; request < requests; request++) {
      const query = `pageSize=${pageSize}${token === "" ? "" : `&pageToken=${token}`}`;
      const started = performance.now();
      const page = await send<{ tables: unknown[]; nextPageToken: string }>(
        service,
        "GET",
        `${SCHEMA}/tables?${query}`,
      );
      times.push(performance.now() - started);
      if (page.tables.length !== pageSize) throw new Error("a page was not full");
      token = page.nextPageToken;
    }
    const sorted = times.toSorted((a, b) => a - b);
    const p99 = sorted[Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))];
    findings.compare({
      ...{ what: `a page of ${pageSize} of ${TABLES} tables`, unit: "ms", better: "smaller" },
      ...{ ours: median(times), against: ASKED_FOR, theirs: PAGE_MS },
    });
    rows.push([`a page of ${pageSize}`, median(times).toFixed(1), p99.toFixed(1)]);
  }
  rows.push(["asked for", `< ${PAGE_MS}`, ""]);
  return textTable(["", "median ms", "p99 ms"], rows);
}
