/** Saved statements: the rules of what a workspace owns by name, and those of their own. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { CatalogServer, type Organization, revisionOf } from "./support/catalog.ts";

let service: CatalogServer;
let organization: Organization;
beforeAll(async () => {
  service = await CatalogServer.start();
  organization = await service.withWorkspace();
});
afterAll(() => service.stop());

const STATEMENTS = "/v1/workspaces/acme/statements";
const create = (id: string) => `${STATEMENTS}?statementId=${id}`;

it("keeps a statement as it was sent, under its id", async () => {
  const sql = "  SELECT 'ü' AS letter -- not looked at\n";
  const made = await organization.ok("POST", create("letters"), {
    body: { title: "Letters", sql },
  });
  expect(made.body).toMatchObject({
    name: "workspaces/acme/statements/letters",
    title: "Letters",
    sql,
    revision: "1",
  });
  expect(await organization.ok("GET", `${STATEMENTS}/letters`)).toEqual(made);
  const untitled = await organization.ok("POST", STATEMENTS, {
    body: { name: "workspaces/acme/statements/untitled", sql: "SELECT 1" },
  });
  expect(untitled.body["title"]).toBe("untitled");
});

it("is renamed under a mask, and not over a later revision", async () => {
  await organization.ok("POST", create("changed"), { body: { title: "Old", sql: "SELECT 1" } });
  const path = `${STATEMENTS}/changed`;
  const renamed = await organization.ok("PATCH", `${path}?updateMask=title`, {
    body: { title: "New", sql: "not looked at" },
  });
  expect(renamed.body).toMatchObject({ title: "New", sql: "SELECT 1", revision: "2" });
  const same = await organization.ok("PATCH", `${path}?updateMask=title`, {
    body: { title: "New" },
  });
  expect(same).toEqual(renamed);
  const stale = { body: { sql: "SELECT 2", revision: "1" } };
  expect((await organization.problem("PATCH", `${path}?updateMask=sql`, stale))[0]).toBe(409);
  const other = { body: { sql: "SELECT 2" }, headers: { "if-match": '"1"' } };
  expect((await organization.problem("PATCH", `${path}?updateMask=sql`, other))[0]).toBe(412);
});

it("is not sent again to who knows its ETag, strong or as a proxy weakens it", async () => {
  const fresh = await service.withWorkspace();
  await fresh.ok("POST", create("known"), { body: { sql: "SELECT 1" } });
  const get = (tag: string) => fresh.fetch("GET", `${STATEMENTS}/known`, { "if-none-match": tag });
  for (const tag of ['"1"', 'W/"1"', '"9", "1"', "*"]) {
    const known = await get(tag);
    expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, '"1"', ""]);
  }
  await fresh.ok("PATCH", `${STATEMENTS}/known`, { body: { sql: "SELECT 2" } });
  const changed = await get('"1"');
  expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2"']);
  expect(await changed.json()).toMatchObject({ sql: "SELECT 2" });
  // Without a mask the members of the body are written, and no others asked for.
  const titled = await fresh.ok("PATCH", `${STATEMENTS}/known`, { body: { title: "Two" } });
  expect(titled.body).toMatchObject({ title: "Two", sql: "SELECT 2" });
});

it("is refused where it is there already, says nothing, or names nothing", async () => {
  await organization.ok("POST", create("once"), { body: { sql: "SELECT 1" } });
  expect(await organization.problem("POST", create("once"), { body: { sql: "SELECT 1" } })).toEqual(
    [409, "There is a saved statement 'once' already."],
  );
  const faults = (path: string, body: object) => organization.faults("POST", path, { body });
  expect(await faults(create("none"), { sql: "" })).toEqual([["body.sql", "string_too_short"]]);
  expect(await faults(create("none"), {})).toEqual([["body.sql", "missing"]]);
  expect(await faults(STATEMENTS, { sql: "SELECT 1" })).toEqual([["query.statementId", "missing"]]);
  expect((await organization.problem("GET", `${STATEMENTS}/none`))[0]).toBe(404);
});

it("is listed page by page, and to its own organization alone", async () => {
  const fresh = await service.withWorkspace();
  for (const id of ["c", "a", "b"]) {
    await fresh.ok("POST", create(id), { body: { sql: `SELECT '${id}'` } });
  }
  const first = await fresh.ok("GET", `${STATEMENTS}?pageSize=2`);
  const rest = await fresh.ok(
    "GET",
    `${STATEMENTS}?pageSize=2&pageToken=${first.body["nextPageToken"]}`,
  );
  const titles = [first, rest].map(({ body }) =>
    (body["statements"] as readonly { title: string }[]).map(({ title }) => title),
  );
  expect(titles).toEqual([["a", "b"], ["c"]]);
  expect(rest.body["nextPageToken"]).toBe("");
});

it("goes by a delete, and with its workspace only where that is asked for", async () => {
  const fresh = await service.withWorkspace();
  await fresh.ok("POST", create("one"), { body: { sql: "SELECT 1" } });
  expect(await fresh.problem("DELETE", "/v1/workspaces/acme")).toEqual([
    409,
    expect.stringContaining("1 saved statement"),
  ]);
  const before = revisionOf(await fresh.ok("GET", "/v1/workspaces/acme"));
  await fresh.ok("DELETE", `${STATEMENTS}/one`);
  expect(revisionOf(await fresh.ok("GET", "/v1/workspaces/acme"))).toBe(before + 1);
  expect((await fresh.problem("DELETE", `${STATEMENTS}/one`))[0]).toBe(404);
  await fresh.ok("DELETE", "/v1/workspaces/acme");
});
