/** Which columns of times are instants, through the readers and the table's own file. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Table as ArrowTable,
  TimestampMillisecond,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { Table as ParquetTable, writeParquet } from "parquet-wasm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStoredTable } from "../stored/stored-table.ts";
import { StoredTableWriter } from "../stored/table-writer.ts";
import type { Table } from "../table.ts";
import { readTableFromFile } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zoned-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const instantsOf = ({ columns }: Table): string[] =>
  columns.flatMap((column) => (column.kind === "timestamp" && column.zoned ? [column.name] : []));

/** The names of the columns that are instants, as they are read and as they are read again from the stored file. */
async function instantsIn(format: TableFormat, bytes: string | Uint8Array): Promise<string[]> {
  const path = join(folder, `${files++}.${format}`);
  writeFileSync(path, bytes);
  const { table } = await readTableFromFile(path, { format });
  expect(table.columns.every(({ kind }) => kind === "timestamp")).toBe(true);
  const stored = `${path}.stored`;
  const writer = new StoredTableWriter(stored);
  for (const column of table.columns) writer.add({ column }, table.rows);
  writer.finish([]);
  const instants = instantsOf(table);
  expect(instantsOf(openStoredTable(stored).table)).toEqual(instants);
  return instants;
}

const TEXTS = [
  ["utc", "2024-03-31T01:30:00Z", "2024-04-01T01:30:00Z"],
  ["offset", "2024-03-31 03:30+0200", "2024-04-01 01:30 UTC"],
  ["slashed", "31/3/2024 01:30Z", "13/12/2024 01:30Z"],
  ["gaps", "2024-03-31T01:30:00Z", null],
  ["clock", "2024-03-31T01:30:00", "2024-04-01T01:30:00"],
  ["mixed", "2024-03-31T01:30:00Z", "2024-04-01T01:30:00"],
  ["late", "2024-03-31T01:30:00", "2024-04-01T01:30:00Z"],
  ["day", "2024-03-31", "2024-04-01"],
] as const;
const ZONED = ["utc", "offset", "slashed", "gaps"];

it("those are whose every text names its zone", async () => {
  const csv = [0, 1, 2].map((at) => TEXTS.map((column) => column[at] ?? "").join(","));
  expect(await instantsIn("csv", csv.join("\n"))).toEqual(ZONED);
  const rows = [1, 2].map((at) =>
    Object.fromEntries(TEXTS.map((column) => [column[0], column[at]])),
  );
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  expect(await instantsIn("ndjson", lines)).toEqual(ZONED);
  const columns = TEXTS.map(([name, ...cells]) => [name, vectorFromArray(cells, new Utf8())]);
  const arrow = new ArrowTable(Object.fromEntries(columns));
  expect(await instantsIn("arrow", tableToIPC(arrow, "file"))).toEqual(ZONED);
});

it("those are whose type has a zone", async () => {
  const dates = [new Date("2024-03-31T01:30:00Z"), new Date("2024-04-01T01:30:00Z")];
  const of = (zone?: string) => vectorFromArray(dates, new TimestampMillisecond(zone));
  const table = new ArrowTable({ utc: of("UTC"), berlin: of("Europe/Berlin"), clock: of() });
  const arrow = tableToIPC(table, "stream");
  expect(await instantsIn("arrow", arrow)).toEqual(["utc", "berlin"]);
  const parquet = writeParquet(ParquetTable.fromIPCStream(arrow));
  expect(await instantsIn("parquet", parquet)).toEqual(["utc", "berlin"]);
});

it("seconds and milliseconds since 1970 are, and days as numbers are not", async () => {
  const seconds = Array.from({ length: 40 }, (_, i) => 1_711_848_600 + 40_000 * i);
  const day = (time: number) =>
    new Date(time * 1000).toISOString().slice(0, 10).replaceAll("-", "");
  const rows = seconds.map((time) => `${time},${time}000,${day(time)}`);
  const csv = ["created_at,updated_at,day", ...rows].join("\n");
  expect(await instantsIn("csv", csv)).toEqual(["created_at", "updated_at"]);
});
