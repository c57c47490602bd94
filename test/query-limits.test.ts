/** Limits of statements and of their answers: what is refused before anything runs, on every route. */

import { beforeAll, describe, expect, it } from "vitest";
import { SharedServer } from "./support/shared-server.ts";

const W = "/v1/workspaces/acme";
const nested = (open: string, inner: string, close: string, times: number): string =>
  open.repeat(times) + inner + close.repeat(times);

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
  await server.post("/v1/workspaces", { name: "workspaces/acme" });
});

const detailOf = async (path: string, body: object): Promise<[number, string]> => {
  const response = await server.postRaw(path, body);
  const { detail } = await response.json();
  return [response.status, detail];
};

describe.each([
  ["query", {}],
  ["query:explain", {}],
  ["query:export", { format: "csv" }],
  ["query:export", { format: "arrow" }],
  ["query:export", { format: "parquet" }],
])("%s %j", (operation, more) => {
  it.each([
    ["lists", `SELECT ${nested("[", "1", "]", 900)} AS a`],
    ["CASE", `SELECT ${nested("CASE WHEN true THEN ", "1", " END", 900)}`],
  ])("refuses a statement that nests %s too deeply", async (_, sql) => {
    expect(await detailOf(`${W}/${operation}`, { sql, ...more })).toEqual([
      400,
      expect.stringContaining(
        "The statement nests too deeply: its syntax tree may have 256 levels",
      ),
    ]);
  });

  it("refuses a column that nests too deeply, before any row is made", async () => {
    // As a row it would fail.
    const sql = `SELECT ${nested("[", "error('made a row')", "]", 65)} AS a`;
    expect(await detailOf(`${W}/${operation}`, { sql, ...more })).toEqual([
      400,
      expect.stringContaining('Column "a" of the result is nested in 66 levels'),
    ]);
  });
});

it("refuses a dataset of a statement that nests too deeply", async () => {
  const sql = `SELECT ${nested("abs(", "1", ")", 400)} AS a`;
  const body = { name: "deep", sql };
  expect(await detailOf("/v1/datasets", body)).toEqual([
    400,
    expect.stringContaining("nests too deeply"),
  ]);
});
