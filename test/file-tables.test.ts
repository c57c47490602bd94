/** Tables over files of a folder: what their values are in SQL, and what is said of files that are not read. */

import { readFile, writeFile } from "node:fs/promises";
import { Decimal, makeData, Table, TimestampMillisecond, tableToIPC, Vector } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { SharedServer } from "./support/shared-server.ts";

const W = "/v1/workspaces/main";

interface Result {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly warnings?: readonly string[];
}

let server: SharedServer;
let folder: string;
let tables = 0;

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  await server.post("/v1/workspaces", { name: "workspaces/main" });
  const files = { connector_name: "files", url: `file://${folder}/` };
  await server.post("/v1/connectors/objstore", files);
  await server.post(`${W}/catalogs?catalogId=lake`);
  await server.post(`${W}/catalogs/lake/schemas?schemaId=s`);
});

/** A table over one file. @returns its name in SQL */
async function tableOf(name: string, content: string | Uint8Array): Promise<string> {
  const id = `t${tables++}`;
  await writeFile(`${folder}/${id}-${name}`, content);
  const listing = {
    connector: "workspaces/main/connectors/files",
    tablePaths: [`file://${folder}/${id}-${name}`],
  };
  await server.post(`${W}/catalogs/lake/schemas/s/tables?tableId=${id}`, { spec: { listing } });
  return `lake.s.${id}`;
}

const rows = async (sql: string) => (await server.post<Result>(`${W}/query`, { sql })).rows;

/** What a refused statement is told. */
async function refusal(sql: string): Promise<string> {
  const response = await server.postRaw(`${W}/query`, { sql });
  const { detail }: { readonly detail: string } = await response.json();
  expect(response.status, detail).toBe(400);
  return detail;
}

describe("Arrow", () => {
  it("has no decimals of more than 38 digits, and the columns beside them", async () => {
    const cents = (digits: number) =>
      new Vector([
        makeData({
          type: new Decimal(2, digits, 256),
          length: 2,
          data: Uint32Array.of(101, ...Array(7).fill(0), 102, ...Array(7).fill(0)),
        }),
      ]);
    const columns = new Table({ wide: cents(50), small: cents(38) });
    const table = await tableOf("a.arrow", tableToIPC(columns, "file"));
    expect(await rows(`SELECT small FROM ${table}`)).toEqual([{ small: 1.01 }, { small: 1.02 }]);
    expect(await rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 2 }]);
    expect(await refusal(`SELECT count(DISTINCT wide) FROM ${table}`)).toMatch(
      /^lake\.s\.t\d+: the column wide of .*a\.arrow has decimals of more than 38 digits, which cannot be read here without loss/,
    );
  });

  it("has times of seconds and milliseconds of any year", async () => {
    const at = makeData({
      type: new TimestampMillisecond(),
      length: 2,
      data: BigInt64Array.of(0n, 253_402_300_799_000n),
    });
    const columns = new Table({ at: new Vector([at]) });
    const table = await tableOf("a.arrow", tableToIPC(columns, "file"));
    expect(await rows(`SELECT * FROM ${table}`)).toEqual([
      { at: "1970-01-01T00:00:00" },
      { at: "9999-12-31T23:59:59" },
    ]);
  });
});

describe("Parquet", () => {
  it("has a time that SQL cannot hold, and the columns beside it", async () => {
    const path = new URL(
      "../server/src/query/sql/listing/fixtures/distant-time.parquet",
      import.meta.url,
    );
    const table = await tableOf("a.parquet", await readFile(path));
    expect(await rows(`SELECT id FROM ${table}`)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 2 }]);
    expect(await refusal(`SELECT max(made) FROM ${table}`)).toMatch(
      /^lake\.s\.t\d+: .*a\.parquet: the column made has a time beyond the years 290309 BC to 294247/,
    );
  });
});

describe("JSON", () => {
  it.each([
    ['{"a":1}\n{"a":2}\n{"a":3}\n{"a":\n{"a":5}\n', "line 4"],
    ['{"a":', "line 1"],
    ['{"a":1}\r\n\r\n{"a":\r\n', "line 3"],
  ])("that is damaged is told of by its line: %j", async (content, line) => {
    expect(await refusal(`SELECT * FROM ${await tableOf("a.ndjson", content)}`)).toMatch(
      new RegExp(`^lake\\.s\\.t\\d+: .*a\\.ndjson cannot be read: ${line} is not valid JSON`),
    );
  });

  it("has texts where a column has texts and numbers, as a dataset has", async () => {
    const content = '{"id":1,"v":"x"}\n{"id":2,"v":3}\n';
    const table = await tableOf("a.ndjson", content);
    const sql = `SELECT * FROM ${table}`;
    const { columns, rows: found, warnings } = await server.post<Result>(`${W}/query`, { sql });
    expect(columns).toEqual([
      { name: "id", type: "Int64" },
      { name: "v", type: "Utf8" },
    ]);
    expect(found).toEqual([
      { id: 1, v: "x" },
      { id: 2, v: "3" },
    ]);
    expect(warnings?.join()).toContain(
      "the column v is read as texts, as it has numbers and texts",
    );
    expect(await rows(`SELECT id FROM ${table} WHERE v = 'x'`)).toEqual([{ id: 1 }]);
    const dataset = await server.post<{ dataset_id: string }>("/v1/datasets", {
      name: "mixed",
      sql,
    });
    expect(dataset.dataset_id).toMatch(/./);
  });
});

it("dates before the year 1 are written alike in the answers of a query and the rows of a dataset", async () => {
  const sql = "SELECT DATE '0222-09-04 (BC)' AS day, 1 AS x";
  expect(await rows(sql)).toEqual([{ day: "-000221-09-04", x: 1 }]);
  const { dataset_id } = await server.post<{ dataset_id: string }>("/v1/datasets", {
    name: "old",
    sql,
  });
  const answer = await server.get<unknown>(`/v1/datasets/${dataset_id}/rows`);
  expect(JSON.stringify(answer)).toContain("-000221-09-04");
});

it("texts with NUL are what they are in SQL, which takes it out, and no dataset has them", async () => {
  const table = await tableOf("a.csv", "id,t\n1,x\0y\n2,z\n");
  expect(await rows(`SELECT t FROM ${table}`)).toEqual([{ t: "x\0y" }, { t: "z" }]);
  const make = (sql: string) => server.postRaw("/v1/datasets", { name: "made", sql });
  const refused = await make(`SELECT * FROM ${table}`);
  expect(refused.status).toBe(422);
  const [, mended = ""] =
    /SQL takes it out: (.*)\.$/.exec((await refused.json()).detail[0].msg) ?? [];
  expect((await make(`SELECT id, ${mended} AS t FROM ${table}`)).status).toBe(200);
});
