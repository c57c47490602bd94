/** Workspaces: each rule of the interface kept, and broken once. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogServer, revisionOf } from "./support/catalog.ts";

let service: CatalogServer;
beforeAll(async () => {
  service = await CatalogServer.start();
});
afterAll(() => service.stop());

const W = "/v1/workspaces";
const ACME = `${W}/acme`;
const CATALOGS = `${ACME}/catalogs`;

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("a workspace", () => {
  it("is workspaces/default where the request names none", async () => {
    const { body, etag } = await service.organization().ok("POST", W, { body: {} });
    expect(body).toEqual({
      name: "workspaces/default",
      sqlDefaults: { defaultCatalog: "", defaultSchema: "" },
      revision: "1",
      createTime: expect.stringMatching(iso),
      updateTime: body["createTime"],
    });
    expect(etag).toBe('"1"');
    expect((await service.organization().ok("POST", W)).body["name"]).toBe("workspaces/default");
    const empty = await service.organization().ok("POST", W, { body: { name: "" } });
    expect(empty.body["name"]).toBe("workspaces/default");
  });

  it("takes its name and defaults, and sets its times itself", async () => {
    const organization = service.organization();
    const asked = {
      name: "workspaces/a.b_c~d-9",
      sqlDefaults: { defaultCatalog: "main", defaultSchema: "s_1" },
      revision: "0",
      createTime: "2001-01-01T00:00:00+02:00",
      updateTime: "2001-01-01T00:00:00Z",
    };
    const { body } = await organization.ok("POST", W, { body: asked });
    expect(body).toMatchObject({ name: asked.name, sqlDefaults: asked.sqlDefaults });
    expect(body["createTime"]).not.toMatch(/^2001/);
    expect((await organization.ok("GET", `${W}/a.b_c~d-9`)).body).toEqual(body);
    expect((await organization.ok("GET", `${W}?pageSize=1&pageToken=`)).body).toEqual({
      workspaces: [body],
      nextPageToken: "",
    });
  });

  it("is the only one of its organization, and no other organization's", async () => {
    const organization = await service.withWorkspace();
    for (const body of [{}, { name: "workspaces/acme" }, { name: "workspaces/second" }]) {
      const [status, detail] = await organization.problem("POST", W, { body });
      expect([status, detail]).toEqual([409, expect.stringContaining("'workspaces/acme'")]);
    }
    const stranger = service.organization();
    const missing = await stranger.ask("GET", `${W}/nobodys`);
    expect(missing.status).toBe(404);
    expect(await stranger.ask("GET", ACME)).toEqual(missing);
    expect((await stranger.ok("GET", W)).body).toEqual({ workspaces: [], nextPageToken: "" });
    // Their names are their own.
    await stranger.ok("POST", W, { body: { name: "workspaces/acme" } });
  });

  const refused: [string, unknown, [string, string]][] = [
    ["a name without its collection", { name: "acme" }, ["body.name", "string_pattern_mismatch"]],
    ["a name in capitals", { name: "workspaces/Acme" }, ["body.name", "string_pattern_mismatch"]],
    [
      "a name that ends in a dot",
      { name: "workspaces/a." },
      ["body.name", "string_pattern_mismatch"],
    ],
    [
      "a name that begins with -",
      { name: "workspaces/-a" },
      ["body.name", "string_pattern_mismatch"],
    ],
    [
      "a name with a line end",
      { name: "workspaces/a\n" },
      ["body.name", "string_pattern_mismatch"],
    ],
    ["a name with a child", { name: "workspaces/a/b" }, ["body.name", "string_pattern_mismatch"]],
    ["a name that is no text", { name: 5 }, ["body.name", "string_type"]],
    ["a null name", { name: null }, ["body.name", "string_type"]],
    [
      "defaults that are no object",
      { sqlDefaults: [] },
      ["body.sqlDefaults", "model_attributes_type"],
    ],
    ["null defaults", { sqlDefaults: null }, ["body.sqlDefaults", "model_attributes_type"]],
    [
      "a default that is no segment",
      { sqlDefaults: { defaultCatalog: "Main" } },
      ["body.sqlDefaults.defaultCatalog", "string_pattern_mismatch"],
    ],
    [
      "a default of 64 characters",
      { sqlDefaults: { defaultSchema: "a".repeat(64) } },
      ["body.sqlDefaults.defaultSchema", "string_pattern_mismatch"],
    ],
    [
      "a default that is no text",
      { sqlDefaults: { defaultSchema: 1 } },
      ["body.sqlDefaults.defaultSchema", "string_type"],
    ],
    [
      "a default too many",
      { sqlDefaults: { defaultTable: "t" } },
      ["body.sqlDefaults.defaultTable", "extra_forbidden"],
    ],
    ["a revision that is no integer", { revision: 1.5 }, ["body.revision", "int_from_float"]],
    ["a revision in words", { revision: "one" }, ["body.revision", "int_parsing"]],
    ["a null revision", { revision: null }, ["body.revision", "int_type"]],
    ["a negative revision", { revision: -1 }, ["body.revision", "greater_than_equal"]],
    ["a time that is none", { createTime: "yesterday" }, ["body.createTime", "datetime_parsing"]],
    ["a time that is a number", { updateTime: 5 }, ["body.updateTime", "string_type"]],
    ["a member too many", { owner: "x" }, ["body.owner", "extra_forbidden"]],
    ["a body that is a list", [], ["body", "model_attributes_type"]],
  ];
  it.each(refused)("refuses %s", async (_, body, fault) => {
    expect(await service.organization().faults("POST", W, { body })).toEqual([fault]);
  });

  it("refuses a positive revision of what does not exist yet", async () => {
    const organization = service.organization();
    for (const revision of [1, "7"]) {
      expect((await organization.problem("POST", W, { body: { revision } }))[0]).toBe(409);
    }
  });

  it("is changed under a mask, whose members it validates after the merge", async () => {
    const organization = service.organization();
    const sqlDefaults = { defaultCatalog: "c", defaultSchema: "s" };
    const made = await organization.ok("POST", W, {
      body: { name: "workspaces/acme", sqlDefaults },
    });
    const patch = (query: string, body: unknown) =>
      organization.ok("PATCH", `${ACME}${query}`, { body });

    const masked = await patch("?updateMask=sqlDefaults.defaultSchema", {
      sqlDefaults: { defaultSchema: "t", defaultCatalog: "ignored" },
    });
    expect(masked.body["sqlDefaults"]).toEqual({ defaultCatalog: "c", defaultSchema: "t" });
    expect(revisionOf(masked)).toBe(revisionOf(made) + 1);
    expect(masked.etag).toBe('"2"');
    expect(masked.body["createTime"]).toBe(made.body["createTime"]);
    expect(String(masked.body["updateTime"]) > String(made.body["updateTime"])).toBe(true);

    const present = await patch("", { sqlDefaults: { defaultCatalog: "d" } });
    expect(present.body["sqlDefaults"]).toEqual({ defaultCatalog: "d", defaultSchema: "" });
    const same = await patch("?updateMask=*", { sqlDefaults: { defaultCatalog: "d" } });
    expect(same.body).toEqual(present.body);
    expect((await patch("", {})).body).toEqual(present.body);
    expect((await patch("?updateMask=name,create_time", {})).body).toEqual(present.body);
    const cleared = await patch("?updateMask=sql_defaults", {});
    expect(cleared.body["sqlDefaults"]).toEqual({ defaultCatalog: "", defaultSchema: "" });
  });

  it("is written only at the revision and the tag that the request asks for", async () => {
    const organization = await service.withWorkspace();
    const patch = (body: object, headers = {}) => ({ body, headers });
    const defaults = (name: string) => ({ sqlDefaults: { defaultCatalog: name } });
    await organization.ok("PATCH", ACME, patch({ ...defaults("a"), revision: 1 }));
    await organization.ok("PATCH", ACME, patch({ ...defaults("b"), revision: "2" }));
    for (const revision of [1, "2", 4]) {
      const stale = patch({ ...defaults("c"), revision });
      expect((await organization.problem("PATCH", ACME, stale))[0]).toBe(409);
    }
    const tagged = (tag: string) => patch(defaults("d"), { "if-match": tag });
    expect((await organization.problem("PATCH", ACME, tagged('"2"')))[0]).toBe(412);
    expect((await organization.problem("PATCH", ACME, tagged('W/"3"')))[0]).toBe(412);
    expect(await organization.faults("PATCH", ACME, tagged("3"))).toEqual([
      ["header.if-match", "value_error"],
    ]);
    await organization.ok("PATCH", ACME, tagged('"9", "3"'));
    expect((await organization.ok("GET", ACME)).body).toMatchObject({
      revision: "4",
      ...defaults("d"),
    });
  });

  it("is created by a PATCH that allows it", async () => {
    const organization = service.organization();
    const body = { sqlDefaults: { defaultCatalog: "main" } };
    expect((await organization.problem("PATCH", ACME, { body }))[0]).toBe(404);
    const path = `${ACME}?allowMissing=true`;
    const match = { body, headers: { "if-match": "*" } };
    expect((await organization.problem("PATCH", path, match))[0]).toBe(412);
    const stale = { body: { ...body, revision: 1 } };
    expect((await organization.problem("PATCH", path, stale))[0]).toBe(409);
    expect((await organization.ok("PATCH", path, { body })).body).toMatchObject({
      name: "workspaces/acme",
      revision: "1",
    });
    expect((await organization.problem("PATCH", `${W}/b?allowMissing=true`, { body }))[0]).toBe(
      404,
    );
  });

  it("is deleted when it is empty, or with all that it holds", async () => {
    const organization = await service.withWorkspace();
    await organization.ok("POST", `${CATALOGS}?catalogId=main`);
    expect(await organization.problem("DELETE", ACME)).toEqual([
      409,
      expect.stringMatching(/contains 1 catalog; delete it first, .*force=true/),
    ]);
    const stale = { headers: { "if-match": '"1"' } };
    expect((await organization.problem("DELETE", `${ACME}?force=true`, stale))[0]).toBe(412);
    expect((await organization.ok("DELETE", `${ACME}?force=true`)).body).toEqual({});
    for (const path of [ACME, CATALOGS, `${CATALOGS}/main`]) {
      expect((await organization.problem("GET", path))[0], path).toBe(404);
    }
    expect((await organization.problem("DELETE", ACME))[0]).toBe(404);
    await organization.ok("POST", W, { body: { name: "workspaces/acme" } });
    expect((await organization.ok("DELETE", ACME)).body).toEqual({});
  });

  it("answers a request that is repeated under its key as before", async () => {
    const organization = service.organization();
    const headers = { "idempotency-key": "once" };
    const first = await organization.ok("POST", W, { body: {}, headers });
    expect(await organization.ok("POST", W, { body: {}, headers })).toEqual(first);
    const other = { body: { name: "workspaces/b" }, headers };
    expect(await organization.faults("POST", W, other)).toEqual([
      ["header.idempotency-key", "value_error"],
    ]);
  });
});
