import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { jsonLineOf } from "./json-lines.ts";

let folder: string;
let instance: DuckDBInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "json-lines-"));
  instance = await DuckDBInstance.create(":memory:", { threads: "2" });
});
afterAll(async () => {
  instance.closeSync();
  await rm(folder, { recursive: true });
});

/** What DuckDB says of a file. */
async function faultOf(
  name: string,
  content: string | Uint8Array,
  layout: string,
): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  const connection = await instance.connect();
  try {
    await connection.run(
      `SELECT count(a) FROM read_json('${path}', format='${layout}', columns={a: 'JSON'})`,
    );
    return "none";
  } catch (error) {
    return String(error);
  } finally {
    connection.closeSync();
  }
}

const LONG = `{"a":1,"b":"${"y".repeat(1000)}"}\n`;
/** More than DuckDB reads at once. */
const MANY = LONG.repeat(40_000);

it.each<[string, string, string | Uint8Array, number]>([
  ["of a record that ends early", "a.ndjson", '{"a":1}\n{"a":2}\n{"a":3}\n{"a":\n{"a":5}\n', 4],
  ["of the only record", "a.ndjson", '{"a":', 1],
  ["of the first record", "a.ndjson", '{"a":x}\n{"a":2}\n', 1],
  ["of the last record", "a.ndjson", '{"a":1}\n{"a":', 2],
  ["behind blank lines", "a.ndjson", '\n{"a":1}\n\n  \t\n{"a":x}\n', 5],
  ["behind carriage returns", "a.ndjson", '{"a":1}\r\n\r\n{"a":x}\r\n{"a":5}\r\n', 3],
  ["of a packed file", "a.ndjson.gz", gzipSync('\n{"a":1}\n{"a":x}\n'), 3],
  ["of a large file", "a.ndjson", `\n${MANY}{"a":x}\n${LONG}`, 40_002],
  ["of a repeated key", "a.ndjson", '\n{"a":1}\n{"a":1,"a":2}\n', 3],
])("tells the line %s", async (_, name, content, line) => {
  const message = await faultOf(name, content, "newline_delimited");
  expect(message).toContain(`in file "${join(folder, name)}"`);
  expect(await jsonLineOf(message, folder)).toBe(line);
});

it.each([
  ["of an array", '[{"a":"]},\\"{"},\n{"a":[[1],{}]},\n\n{"a":x}]', 4],
  ["of an array's first", '\n[\n{"a":x},{"a":2}]', 3],
  ["of an array with texts and numbers", '["a",\n1, null,\n{"a":x}]', 3],
  ["of values over several lines", '{"a":\n1}\n{"a":\nx}', 3],
  ["of the only value", '{"a":', 1],
])("tells the line where a value begins that is no JSON: %s", async (_, content, line) => {
  const message = await faultOf("a.json", content, "auto");
  expect(message).toContain("in record/value");
  expect(await jsonLineOf(message, folder)).toBe(line);
});

it("tells none of files that are not there, or not in the folder", async () => {
  const of = (path: string): string => `Malformed JSON in file "${path}", at byte 1 in line 2: no.`;
  expect(await jsonLineOf(of(join(folder, "none.ndjson")), folder)).toBeNull();
  expect(await jsonLineOf(of("/etc/hostname"), folder)).toBeNull();
  expect(await jsonLineOf(of(join(folder, "../x")), folder)).toBeNull();
  expect(await jsonLineOf("Something else", folder)).toBeNull();
});
