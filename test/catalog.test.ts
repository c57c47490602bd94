/** Catalogs and schemas: each rule of the interface kept, and broken once. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogServer, type Organization, revisionOf } from "./support/catalog.ts";

let service: CatalogServer;
beforeAll(async () => {
  service = await CatalogServer.start();
});
afterAll(() => service.stop());

const ACME = "/v1/workspaces/acme";
const CATALOGS = `${ACME}/catalogs`;
const SCHEMAS = `${CATALOGS}/main/schemas`;
const PUBLIC_TABLES = `${SCHEMAS}/public/tables`;
const SOURCE = { connector: "workspaces/acme/connectors/lake", sourceCatalog: "db" };
const SCHEMA_SOURCE = { ...SOURCE, sourceSchema: "sales" };
const TABLE = {
  spec: {
    listing: { connector: "workspaces/acme/connectors/files", tablePaths: ["s3://bucket/a/"] },
  },
};

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Catalogs and schemas keep the same rules at their own paths. */
interface Kind {
  readonly kind: "catalog" | "schema";
  readonly collection: string;
  readonly parameter: string;
  readonly list: string;
  readonly fullName: (id: string) => string;
  readonly source: Readonly<Record<string, string>>;
  readonly prepare: (organization: Organization) => Promise<unknown>;
  /** Puts a child into the one of this id. */
  readonly fill: (organization: Organization, id: string) => Promise<unknown>;
}

const kinds: Kind[] = [
  {
    kind: "catalog",
    collection: CATALOGS,
    parameter: "catalogId",
    list: "catalogs",
    fullName: (id) => `workspaces/acme/catalogs/${id}`,
    source: SOURCE,
    prepare: async () => undefined,
    fill: (organization, id) => organization.ok("POST", `${CATALOGS}/${id}/schemas?schemaId=s`),
  },
  {
    kind: "schema",
    collection: SCHEMAS,
    parameter: "schemaId",
    list: "schemas",
    fullName: (id) => `workspaces/acme/catalogs/main/schemas/${id}`,
    source: SCHEMA_SOURCE,
    prepare: (organization) => organization.ok("POST", `${CATALOGS}?catalogId=main`),
    fill: (organization, id) =>
      organization.ok("POST", `${SCHEMAS}/${id}/tables?tableId=t`, { body: TABLE }),
  },
];

describe.each(kinds)("a $kind", (one) => {
  const { kind, collection, parameter, fullName, source } = one;
  const create = `${collection}?${parameter}`;
  const parentKind = kind === "catalog" ? "workspace" : "catalog";
  let organization: Organization;
  beforeAll(async () => {
    organization = await service.withWorkspace();
    await organization.addConnectors();
    await one.prepare(organization);
  });
  const workspaceRevision = async () => revisionOf(await organization.ok("GET", ACME));

  it("is created by an id or a name, and advances the workspace", async () => {
    const before = await workspaceRevision();
    const made = await organization.ok("POST", `${create}=by_id`);
    expect(made.body).toEqual({
      name: fullName("by_id"),
      relational: null,
      revision: "1",
      createTime: expect.stringMatching(iso),
      updateTime: made.body["createTime"],
    });
    expect(made.etag).toBe('"1"');
    expect(await workspaceRevision()).toBe(before + 1);
    const named = await organization.ok("POST", collection, {
      body: { name: fullName("by_name") },
    });
    expect(named.body["name"]).toBe(fullName("by_name"));
    const both = { body: { name: fullName("both"), createTime: null, revision: 0 } };
    expect((await organization.ok("POST", `${create}=both`, both)).body["name"]).toBe(
      fullName("both"),
    );
    expect(await organization.ok("GET", `${collection}/by_id`)).toEqual(made);
    expect((await organization.ok("POST", `${create}=${"a".repeat(63)}`)).status).toBe(200);
  });

  it("is there once", async () => {
    await organization.ok("POST", `${create}=twice`);
    const [status, detail] = await organization.problem("POST", `${create}=twice`);
    expect([status, detail]).toEqual([409, expect.stringContaining("'twice'")]);
    const headers = { "idempotency-key": "again" };
    const first = await organization.ok("POST", `${create}=kept`, { headers });
    expect(await organization.ok("POST", `${create}=kept`, { headers })).toEqual(first);
  });

  const refused: [string, string, unknown, [string, string]][] = [
    ["no id", "", {}, [`query.${parameter}`, "missing"]],
    ["an empty id", `?${parameter}=`, {}, [`query.${parameter}`, "string_pattern_mismatch"]],
    [
      "an id in capitals",
      `?${parameter}=Sales`,
      {},
      [`query.${parameter}`, "string_pattern_mismatch"],
    ],
    [
      "an id that begins with a digit",
      `?${parameter}=1a`,
      {},
      [`query.${parameter}`, "string_pattern_mismatch"],
    ],
    [
      "an id with a dash",
      `?${parameter}=a-b`,
      {},
      [`query.${parameter}`, "string_pattern_mismatch"],
    ],
    [
      "an id of 64 characters",
      `?${parameter}=${"a".repeat(64)}`,
      {},
      [`query.${parameter}`, "string_pattern_mismatch"],
    ],
    ["a bare name", "", { name: "x" }, ["body.name", "string_pattern_mismatch"]],
    [
      "a name of another place",
      "",
      { name: fullName("x").replace("acme", "other") },
      ["body.name", "value_error"],
    ],
    [
      "a name and another id",
      `?${parameter}=y`,
      { name: fullName("x") },
      ["body.name", "value_error"],
    ],
    [
      "a relational that is no object",
      `?${parameter}=x`,
      { relational: "db" },
      ["body.relational", "model_attributes_type"],
    ],
    [
      "a relational without a catalog",
      `?${parameter}=x`,
      { relational: { ...source, sourceCatalog: undefined } },
      ["body.relational.sourceCatalog", "missing"],
    ],
    [
      "an empty source catalog",
      `?${parameter}=x`,
      { relational: { ...source, sourceCatalog: "" } },
      ["body.relational.sourceCatalog", "string_too_short"],
    ],
    [
      "a relational without a connector",
      `?${parameter}=x`,
      { relational: { ...source, connector: undefined } },
      ["body.relational.connector", "missing"],
    ],
    [
      "a connector that is no name of one",
      `?${parameter}=x`,
      { relational: { ...source, connector: "lake" } },
      ["body.relational.connector", "string_pattern_mismatch"],
    ],
    [
      "a connector of another workspace",
      `?${parameter}=x`,
      { relational: { ...source, connector: "workspaces/other/connectors/lake" } },
      ["body.relational.connector", "value_error"],
    ],
    ["a member too many", `?${parameter}=x`, { comment: "x" }, ["body.comment", "extra_forbidden"]],
    ["a parameter too many", `?${parameter}=x&id=x`, {}, ["query.id", "extra_forbidden"]],
    [
      "a time that is none",
      `?${parameter}=x`,
      { createTime: "x" },
      ["body.createTime", "datetime_parsing"],
    ],
    [
      "a revision that is none",
      `?${parameter}=x`,
      { revision: "x" },
      ["body.revision", "int_parsing"],
    ],
  ];
  it.each(refused)("is refused with %s", async (_, query, body, fault) => {
    expect(await organization.faults("POST", `${collection}${query}`, { body })).toEqual([fault]);
  });

  it("is refused at a positive revision, which nothing has yet", async () => {
    const body = { revision: "1" };
    expect((await organization.problem("POST", `${create}=fresh`, { body }))[0]).toBe(409);
  });

  it("is changed under a mask", async () => {
    const path = `${collection}/patched`;
    const made = await organization.ok("POST", `${create}=patched`);
    const before = await workspaceRevision();
    const set = await organization.ok("PATCH", path, { body: { relational: source } });
    expect(set.body).toMatchObject({ relational: source, revision: String(revisionOf(made) + 1) });
    expect(await workspaceRevision()).toBe(before + 1);
    const moved = await organization.ok("PATCH", `${path}?updateMask=relational.source_catalog`, {
      body: { relational: { sourceCatalog: "other" } },
    });
    expect(moved.body["relational"]).toEqual({ ...source, sourceCatalog: "other" });
    const same = { body: { name: fullName("patched"), relational: moved.body["relational"] } };
    expect((await organization.ok("PATCH", path, same)).body).toEqual(moved.body);
    expect(await workspaceRevision()).toBe(before + 2);
    const cleared = await organization.ok("PATCH", `${path}?updateMask=relational`, { body: {} });
    expect(cleared.body).toMatchObject({ relational: null, createTime: made.body["createTime"] });
  });

  const badPatches: [string, string, unknown, [string, string]][] = [
    ["a mask of no member", "?updateMask=relation", {}, ["query.updateMask", "value_error"]],
    [
      "a mask that ends in a comma",
      "?updateMask=relational,",
      {},
      ["query.updateMask", "value_error"],
    ],
    ["an index", "?updateMask=relational.connector.0", {}, ["query.updateMask", "value_error"]],
    ["two masks", "?updateMask=name&updateMask=name", {}, ["query.updateMask", "string_type"]],
    ["a name of another", "", { name: fullName("other") }, ["body.name", "value_error"]],
    [
      "what leaves a part out",
      "?updateMask=relational.connector",
      { relational: { connector: SOURCE.connector } },
      ["body.relational.sourceCatalog", "missing"],
    ],
    [
      "a member too many",
      "?updateMask=relational",
      { comment: "x" },
      ["body.comment", "extra_forbidden"],
    ],
    ["a text for a flag", "?allowMissing=yes", {}, ["query.allowMissing", "bool_parsing"]],
  ];
  it.each(badPatches)("refuses a PATCH with %s", async (_, query, body, fault) => {
    const id = "steady";
    await organization.ask("POST", `${create}=${id}`);
    const faults = await organization.faults("PATCH", `${collection}/${id}${query}`, { body });
    expect(faults[0]).toEqual(fault);
  });

  it("is written only at the revision and the tag that the request asks for", async () => {
    const path = `${collection}/guarded`;
    await organization.ok("POST", `${create}=guarded`);
    const body = { relational: source };
    const ask = (more: object, headers = {}) => ({ body: { ...body, ...more }, headers });
    expect((await organization.problem("PATCH", path, ask({ revision: 9 })))[0]).toBe(409);
    expect((await organization.problem("PATCH", path, ask({}, { "if-match": '"9"' })))[0]).toBe(
      412,
    );
    await organization.ok("PATCH", path, ask({ revision: "1" }, { "if-match": '"1"' }));
    expect((await organization.problem("PATCH", path, ask({ revision: 1 })))[0]).toBe(409);
    const wrong = { headers: { "if-match": '"1"' } };
    expect((await organization.problem("DELETE", path, wrong))[0]).toBe(412);
    expect((await organization.ok("DELETE", path, { headers: { "if-match": "*" } })).body).toEqual(
      {},
    );
  });

  it("is created by a PATCH that allows it", async () => {
    const path = `${collection}/allowed?allowMissing=true`;
    const match = { body: {}, headers: { "if-match": "*" } };
    expect((await organization.problem("PATCH", path, match))[0]).toBe(412);
    const made = await organization.ok("PATCH", path, { body: { relational: source } });
    expect(made.body).toMatchObject({ name: fullName("allowed"), relational: source });
  });

  it("is deleted when it is empty, or with all that it holds, and its revisions do not come back", async () => {
    const path = `${collection}/full`;
    await organization.ok("POST", `${create}=full`);
    await organization.ok("PATCH", path, { body: { relational: source } });
    await organization.ok("PATCH", path, { body: { relational: null } });
    await one.fill(organization, "full");
    const [status, detail] = await organization.problem("DELETE", path);
    expect([status, detail]).toEqual([
      409,
      expect.stringMatching(/contains 1 (schema|table); delete it first/),
    ]);
    const owned = { body: { relational: source } };
    expect((await organization.problem("PATCH", path, owned))[0]).toBe(409);
    const before = await workspaceRevision();
    expect((await organization.ok("DELETE", `${path}?force=true`)).body).toEqual({});
    expect(await workspaceRevision()).toBe(before + 1);
    expect((await organization.problem("GET", path))[0]).toBe(404);
    expect((await organization.problem("DELETE", path))[0]).toBe(404);
    expect(revisionOf(await organization.ok("POST", `${create}=full`))).toBeGreaterThan(3);
    await organization.ok("DELETE", path);
  });

  it("is listed by pages in the order of names", async () => {
    const lister = await service.withWorkspace();
    await one.prepare(lister);
    const ids = ["a", "a0", "a_", "aa", "b", "z9"];
    for (const id of ids.toReversed()) await lister.ok("POST", `${create}=${id}`);
    const seen: unknown[] = [];
    let token = "";
    const sizes: number[] = [];
    do {
      const query = new URLSearchParams({ pageSize: "4", pageToken: token });
      const { body } = await lister.ok("GET", `${collection}?${query}`);
      const page = body[one.list] as readonly { name: string }[];
      seen.push(...page.map(({ name }) => name));
      sizes.push(page.length);
      token = String(body["nextPageToken"]);
    } while (token !== "");
    expect(seen).toEqual(ids.map(fullName));
    expect(sizes).toEqual([4, 2]);
    for (const [query, fault] of [
      ["pageSize=0", ["query.pageSize", "greater_than_equal"]],
      ["pageSize=1001", ["query.pageSize", "less_than_equal"]],
      ["pageSize=ten", ["query.pageSize", "int_parsing"]],
      ["pageToken=abc", ["query.pageToken", "value_error"]],
      ["limit=5", ["query.limit", "extra_forbidden"]],
    ] as const) {
      expect(await lister.faults("GET", `${collection}?${query}`)).toEqual([fault]);
    }
    // A token is of one organization's list.
    const { body } = await lister.ok("GET", `${collection}?pageSize=1`);
    const query = `pageToken=${String(body["nextPageToken"])}`;
    expect(await organization.faults("GET", `${collection}?${query}`)).toEqual([
      ["query.pageToken", "value_error"],
    ]);
  });

  it("is missing to others as what is not there, and refused with a path that names nothing", async () => {
    await organization.ok("POST", `${create}=mine`);
    const stranger = await service.withWorkspace();
    await one.prepare(stranger);
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const options = method === "PATCH" ? { body: {} } : {};
      const foreign = await stranger.ask(method, `${collection}/mine`, options);
      expect(foreign.status).toBe(404);
      expect(await stranger.ask(method, `${collection}/nobodys`, options)).toEqual(foreign);
    }
    const none = service.organization();
    for (const [method, path] of [
      ["POST", `${create}=x`],
      ["GET", collection],
    ] as const) {
      const [status, detail] = await none.problem(method, path);
      expect([status, detail]).toEqual([404, expect.stringContaining("no such")]);
    }
    const wrong = collection.replace("acme", "Acme");
    expect(await organization.faults("GET", wrong)).toEqual([
      ["path.workspace_id", "string_pattern_mismatch"],
    ]);
    expect(await organization.faults("GET", `${collection}/Mine`)).toEqual([
      [`path.${kind}_id`, "string_pattern_mismatch"],
    ]);
    const [status, detail] = await stranger.problem("POST", `${create.replace("acme", "other")}=x`);
    expect([status, detail]).toEqual([404, "There is no such workspace."]);
    if (parentKind === "catalog") {
      const missing = collection.replace("main", "nothing");
      expect(await stranger.problem("POST", `${missing}?schemaId=x`)).toEqual([
        404,
        "There is no such catalog.",
      ]);
      expect((await stranger.problem("GET", missing))[0]).toBe(404);
    }
  });
});

describe("under a relational parent", () => {
  it("nothing is created or changed, and the answer says why", async () => {
    const organization = await service.withWorkspace();
    await organization.addConnectors();
    await organization.ok("POST", `${CATALOGS}?catalogId=main`, { body: { relational: SOURCE } });
    await organization.ok("DELETE", "/v1/connectors/warehouse/lake?force=true");
    const schema = await organization.problem("POST", `${SCHEMAS}?schemaId=public`);
    expect(schema).toEqual([
      409,
      expect.stringMatching(/'workspaces\/acme\/connectors\/lake'.*warehouse/),
    ]);
    const table = { body: TABLE };
    expect((await organization.problem("POST", `${PUBLIC_TABLES}?tableId=t`, table))[0]).toBe(409);
    expect((await organization.problem("PATCH", `${SCHEMAS}/public`, { body: {} }))[0]).toBe(409);
    expect((await organization.problem("DELETE", `${SCHEMAS}/public`))[0]).toBe(409);
    // Without its connector the source cannot be asked for children.
    for (const path of [SCHEMAS, `${SCHEMAS}/public`, PUBLIC_TABLES, `${PUBLIC_TABLES}/t`]) {
      const [status, detail] = await organization.problem("GET", path);
      expect([status, detail], path).toEqual([400, expect.stringContaining("does not exist")]);
    }
    await organization.ok("PATCH", `${CATALOGS}/main`, { body: { relational: null } });
    const overSource = { body: { relational: SCHEMA_SOURCE } };
    const create = `${SCHEMAS}?schemaId=public`;
    expect(await organization.faults("POST", create, overSource)).toEqual([
      ["body.relational.connector", "value_error"],
    ]);
    await organization.ok("DELETE", "/v1/connectors/objstore/files");
    await organization.addConnectors();
    await organization.ok("POST", create, overSource);
    expect((await organization.problem("POST", `${PUBLIC_TABLES}?tableId=t`, table))[0]).toBe(409);
    for (const method of ["PATCH", "DELETE"]) {
      const options = method === "PATCH" ? table : {};
      const [status] = await organization.problem(method, `${PUBLIC_TABLES}/t`, options);
      expect(status, method).toBe(409);
    }
  });
});
