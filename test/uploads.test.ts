/** Files that come in parts: where they go on, what is refused, and what becomes of them. */

import { createHash } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { Organization } from "./support/catalog.ts";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
let organization: Organization;
beforeAll(async () => {
  server = await SharedServer.join();
  organization = new Organization(server);
});

const UPLOADS = "/v1/uploads";
const MEBIBYTE = 2 ** 20;

/** A table of two columns and some more bytes than two parts of the least size have. */
const rows = Array.from({ length: 150_000 }, (_, row) => `${row},${(row * 7919) % 10_007}`);
const file = new TextEncoder().encode(`number,value\n${rows.join("\n")}\n`);
const sha256 = createHash("sha256").update(file).digest("hex");

async function begin(more: object = {}): Promise<string> {
  const body = { bytes: file.length, file_name: "numbers.csv", ...more };
  const { body: upload } = await organization.ok("POST", UPLOADS, { body });
  return String(upload["upload_id"]);
}

async function part(id: string, offset: number | string, bytes: Uint8Array<ArrayBuffer>) {
  const response = await server.request("POST", `${UPLOADS}/${id}/parts?offset=${offset}`, {
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });
  return { status: response.status, body: await response.json() };
}

const complete = (id: string) =>
  organization.ask("POST", `${UPLOADS}/${id}/complete`, { body: {} });

it("goes on where it was, and becomes the dataset that the file is", async () => {
  const id = await begin({ name: "numbers", sha256 });
  const path = `${UPLOADS}/${id}`;
  expect((await organization.ok("GET", path)).body).toMatchObject({
    name: "numbers",
    bytes: file.length,
    received_bytes: 0,
    file_name: "numbers.csv",
    dataset_id: null,
  });
  // An empty text is no zero.
  for (const text of ["", "0x0", "0.0", " 0"]) {
    expect([text, (await part(id, text, file.slice(0, MEBIBYTE))).status]).toEqual([text, 422]);
  }
  const first = await part(id, 0, file.slice(0, MEBIBYTE));
  expect([first.status, first.body.received_bytes]).toEqual([200, MEBIBYTE]);
  // Its answer was lost.
  const again = await part(id, 0, file.slice(0, MEBIBYTE));
  expect([again.status, again.body.detail]).toEqual([
    409,
    `The upload has ${MEBIBYTE} bytes: send what follows them, with offset=${MEBIBYTE}.`,
  ]);
  const early = await complete(id);
  expect([early.status, early.body["detail"]]).toEqual([
    409,
    `${MEBIBYTE} of ${file.length} bytes have come so far.`,
  ]);
  const { received_bytes: offset } = (await organization.ok("GET", path)).body;
  // The same upload, spelt otherwise.
  const rest = await part(id.toUpperCase(), Number(offset), file.slice(Number(offset)));
  expect([rest.status, rest.body.received_bytes]).toEqual([200, file.length]);
  const none = await part(id, file.length, new Uint8Array());
  expect([none.status, none.body.detail]).toEqual([
    409,
    `All ${file.length} bytes have come: complete the upload.`,
  ]);
  const made = await complete(id);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  expect(made.body).toMatchObject({
    name: "numbers",
    rows: rows.length,
    bytes: file.length,
    hash: sha256,
    source: { kind: "upload", file_name: "numbers.csv" },
  });
  expect((await complete(id)).body).toEqual(made.body);
  const after = (await organization.ok("GET", path)).body;
  expect(after["dataset_id"]).toBe(made.body["dataset_id"]);
  expect((await part(id, file.length, file.slice(0, 1))).status).toBe(409);
  const listed = async (query: string) => {
    const { datasets } = (await organization.ok("GET", `/v1/datasets?limit=1${query}`)).body;
    const [dataset] = datasets as readonly { columns: object[]; column_count: number }[];
    return [dataset?.columns.length, dataset?.column_count];
  };
  expect(await listed("")).toEqual([2, 2]);
  expect(await listed("&max_columns=1")).toEqual([1, 2]);
  expect(await listed("&max_columns=0")).toEqual([0, 2]);
  const { uploads } = (await organization.ok("GET", `${UPLOADS}?limit=1`)).body;
  expect(uploads).toEqual([after]);
});

it("has the encoding that was said when it began", async () => {
  const bytes = Uint8Array.from(Buffer.from("ch,b\n\xe7,1\n\xe8,2\n", "latin1"));
  const id = await begin({ bytes: bytes.length, encoding: "iso-8859-5" });
  await part(id, 0, bytes);
  const { body } = await complete(id);
  expect(body).toMatchObject({ source: { encoding: "iso-8859-5" }, warnings: [] });
});

it("becomes one dataset, though several complete it at once", async () => {
  const id = await begin({ name: "at once" });
  await part(id, 0, file);
  const answers = await Promise.all(Array.from({ length: 4 }, () => complete(id)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const ids = new Set(answers.map(({ body }) => body["dataset_id"]));
  expect(ids.size).toBe(1);
  const { datasets } = (await organization.ok("GET", "/v1/datasets?limit=500")).body;
  const made = (datasets as readonly { name: string }[]).filter(({ name }) => name === "at once");
  expect(made).toHaveLength(1);
});

it("takes room while it is under way, by what has come", async () => {
  const used = async () => {
    const { uploads, total_bytes } = (await organization.ok("GET", "/v1/usage")).body;
    return { ...(uploads as { count: number; bytes: number }), total: Number(total_bytes) };
  };
  const had = await used();
  const id = await begin();
  await part(id, 0, file.slice(0, MEBIBYTE));
  const has = await used();
  expect([has.count - had.count, has.bytes - had.bytes]).toEqual([1, MEBIBYTE]);
  expect(has.total - had.total).toBe(MEBIBYTE);
  // What has come is not counted a second time as what will.
  const quotas = (total_bytes: number | null) =>
    organization.ok("PATCH", "/v1/retention", { body: { quotas: { total_bytes } } });
  await quotas(has.total + file.length - MEBIBYTE + 8);
  await organization.ok("POST", UPLOADS, { body: { bytes: 8, file_name: "small.csv" } });
  expect(
    (await organization.problem("POST", UPLOADS, { body: { bytes: 1, file_name: "s.csv" } }))[0],
  ).toBe(507);
  await part(id, MEBIBYTE, file.slice(MEBIBYTE));
  expect((await complete(id)).status).toBe(200);
  await quotas(null);
  const after = await used();
  expect(after.total - had.total).toBe(file.length);
});

it("refuses bytes that are too few, too many, or not those that were announced", async () => {
  const id = await begin({ sha256: "0".repeat(64) });
  const few = await part(id, 0, file.slice(0, 10));
  expect([few.status, few.body.detail[0].loc]).toEqual([422, ["body"]]);
  const many = new Uint8Array(file.length + 1);
  expect((await part(id, 0, many)).status).toBe(422);
  expect((await organization.ok("GET", `${UPLOADS}/${id}`)).body["received_bytes"]).toBe(0);
  await part(id, 0, file);
  const other = await complete(id);
  expect([other.status, other.body["detail"]]).toEqual([409, expect.stringContaining(sha256)]);
  const bad = await begin({ bytes: 8, media_type: "application/vnd.apache.parquet" });
  await part(bad, 0, new TextEncoder().encode("no table"));
  expect((await complete(bad)).status).toBe(422);
  for (const each of [id, bad]) await organization.ok("DELETE", `${UPLOADS}/${each}`);
  expect((await organization.problem("DELETE", `${UPLOADS}/${id}`))[0]).toBe(404);
  expect((await part(id, 0, file)).status).toBe(404);
});

it("refuses what could never be a dataset before a byte of it is sent", async () => {
  const faults = (body: object) => organization.faults("POST", UPLOADS, { body });
  expect(await faults({ bytes: 1, file_name: "a.xlsx" })).toEqual([
    ["body.file_name", "value_error"],
  ]);
  expect(await faults({ bytes: 0, file_name: "a.csv" })).toEqual([
    ["body.bytes", "greater_than_equal"],
  ]);
  const { max_bytes, formats } = (await organization.ok("GET", `${UPLOADS}/options`)).body;
  const body = { bytes: Number(max_bytes) + 1, file_name: "a.csv" };
  expect((await organization.problem("POST", UPLOADS, { body }))[0]).toBe(413);
  expect(formats).toContainEqual({
    format: "parquet",
    media_types: ["application/vnd.apache.parquet", "application/x-parquet"],
    endings: ["parquet"],
  });
});

it("is its own organization's, within a number of them", async () => {
  const token = server.token("beside");
  const other = new Organization(server, token);
  const body = { bytes: 1, file_name: "a.csv" };
  const asked = Array.from({ length: 30 }, () => other.ask("POST", UPLOADS, { body }));
  const made = (await Promise.all(asked)).filter(({ status }) => status === 200);
  expect(made).toHaveLength(20);
  expect((await other.problem("POST", UPLOADS, { body }))[0]).toBe(409);
  const path = `${UPLOADS}/${made[0]?.body["upload_id"]}`;
  expect((await organization.problem("GET", path))[0]).toBe(404);
});
