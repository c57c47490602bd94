/** Tables: each rule of the interface kept, and broken once. Patches have a file of their own. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogServer, type Json, type Organization, revisionOf } from "./support/catalog.ts";
import {
  ARROW_PLACES,
  BAD_BODIES,
  BAD_MESSAGES,
  CATALOGS,
  CONNECTOR,
  hashOf,
  ipcMessage,
  LISTING,
  listing,
  makeTable,
  nameOf,
  options,
  partitionMessage,
  RELATIONAL,
  relational,
  TABLES,
  withSchema,
  workspaceRevision,
} from "./support/table-bodies.ts";

let service: CatalogServer;
let organization: Organization;
beforeAll(async () => {
  service = await CatalogServer.start();
  organization = await withSchema(service);
});
afterAll(() => service.stop());

const table = (body: Json): Promise<string> => makeTable(organization, body);
const specAt = async (path: string) => (await organization.ok("GET", path)).body["spec"];

describe("a table", () => {
  it("over files takes every member, and shows the defaults of the others", async () => {
    const before = await workspaceRevision(organization);
    const made = await organization.ok("POST", `${TABLES}?tableId=files`, { body: listing({}) });
    const spec = { relational: null, listing: { ...LISTING, snapshot: null } };
    expect(made.body).toEqual({
      name: nameOf("files"),
      spec,
      createTime: expect.stringMatching(/^\d{4}-.*Z$/),
      updateTime: made.body["createTime"],
      revision: "1",
      revisionHash: hashOf(spec),
    });
    expect(made.etag).toBe(`"${hashOf(spec)}"`);
    expect(await workspaceRevision(organization)).toBe(before + 1);
    expect(await organization.ok("GET", `${TABLES}/files`)).toEqual(made);

    const snapshot = {
      fileSchema: { ipcMessage },
      options: {
        fileType: "csv",
        formatOptions: { "format.delimiter": ";", has_header: "true" },
        fileExtension: ".csv.gz",
        tablePartitionSchema: { ipcMessage: partitionMessage },
        collectStat: false,
        targetPartitions: 8,
      },
    };
    const tablePaths = ["s3://bucket/a/", "S3://bucket/b.csv"];
    const full = await table(listing({ tablePaths, snapshot }));
    expect(await specAt(full)).toEqual({
      relational: null,
      listing: {
        connector: CONNECTOR,
        tablePaths,
        snapshot: { ...snapshot, options: { ...snapshot.options, targetPartitions: "8" } },
      },
    });
    const bare = await table(options({ targetPartitions: "9223372036854775807" }));
    expect(await specAt(bare)).toMatchObject({
      listing: {
        snapshot: {
          fileSchema: null,
          options: {
            fileType: "csv",
            formatOptions: {},
            fileExtension: "",
            tablePartitionSchema: null,
            collectStat: null,
            targetPartitions: "9223372036854775807",
          },
        },
      },
    });
  });

  it("over a source table keeps the bytes of its schema as they came", async () => {
    const path = await table(relational({ snapshot: { schema: { ipcMessage } } }));
    expect(await specAt(path)).toEqual({
      relational: { ...RELATIONAL, snapshot: { schema: { ipcMessage } } },
      listing: null,
    });
    const nulls = { spec: { relational: { ...RELATIONAL, snapshot: null }, listing: null } };
    expect(await specAt(await table(nulls))).toEqual(nulls.spec);
  });

  it("takes back what was shown, but for a revision that nothing has yet", async () => {
    const { body } = await organization.ok("GET", await table(options({ targetPartitions: 1 })));
    const again = { ...body, name: nameOf("again") };
    const [status] = await organization.problem("POST", TABLES, { body: again });
    expect(status).toBe(409);
    const made = await organization.ok("POST", TABLES, { body: { ...again, revision: "0" } });
    expect(made.body).toMatchObject({ spec: body["spec"], revisionHash: body["revisionHash"] });
    expect(made.body["createTime"]).not.toBe(body["createTime"]);
  });

  it("is there once, and is what a request made that is repeated under its key", async () => {
    const create = `${TABLES}?tableId=once`;
    const headers = { "idempotency-key": "k" };
    const first = await organization.ok("POST", create, { body: listing({}), headers });
    expect(await organization.ok("POST", create, { body: listing({}), headers })).toEqual(first);
    expect(await organization.problem("POST", create, { body: listing({}) })).toEqual([
      409,
      expect.stringContaining("'once'"),
    ]);
  });
});

describe("a create", () => {
  it.each(BAD_BODIES)("is refused with %s", async (_, body, loc, type) => {
    const faults = await organization.faults("POST", `${TABLES}?tableId=x`, { body });
    expect(faults).toEqual([[`body.${loc}`, type]]);
  });

  describe.each(ARROW_PLACES)("with %s", (_, bodyOf, loc) => {
    it.each(BAD_MESSAGES)("is refused for %s", async (_what, text, type) => {
      const body = bodyOf({ ipcMessage: text });
      const faults = await organization.faults("POST", `${TABLES}?tableId=x`, { body });
      expect(faults).toEqual([[`body.spec.${loc}.ipcMessage`, type]]);
    });
  });

  const badIds: [string, string, Json, string, string][] = [
    ["no id", "", {}, "query.tableId", "missing"],
    ["an empty id", "?tableId=", {}, "query.tableId", "string_pattern_mismatch"],
    ["an id in capitals", "?tableId=T", {}, "query.tableId", "string_pattern_mismatch"],
    [
      "an id of 64 characters",
      `?tableId=${"t".repeat(64)}`,
      {},
      "query.tableId",
      "string_pattern_mismatch",
    ],
    ["a name and another id", "?tableId=y", { name: nameOf("x") }, "body.name", "value_error"],
    [
      "a name in another schema",
      "",
      { name: nameOf("x").replace("public", "private") },
      "body.name",
      "value_error",
    ],
    [
      "a name with a bad segment",
      "",
      { name: nameOf("X") },
      "body.name",
      "string_pattern_mismatch",
    ],
    ["a parameter too many", "?tableId=x&force=true", {}, "query.force", "extra_forbidden"],
  ];
  it.each(badIds)("is refused with %s", async (_, query, more, loc, type) => {
    const body = { ...listing({}), ...more };
    expect(await organization.faults("POST", `${TABLES}${query}`, { body })).toEqual([[loc, type]]);
  });

  it("names every fault at once, and leaves nothing", async () => {
    const before = await workspaceRevision(organization);
    const body = options({ fileType: "", targetPartitions: 0, collectStat: 1 });
    const at = "body.spec.listing.snapshot.options";
    expect(await organization.faults("POST", `${TABLES}?tableId=none`, { body })).toEqual([
      [`${at}.fileType`, "string_too_short"],
      [`${at}.collectStat`, "bool_type"],
      [`${at}.targetPartitions`, "greater_than"],
    ]);
    expect((await organization.problem("GET", `${TABLES}/none`))[0]).toBe(404);
    expect(await workspaceRevision(organization)).toBe(before);
  });

  it("must have a connector, and fit it", async () => {
    const owner = await withSchema(service);
    await owner.ok("PATCH", "/v1/connectors/objstore/files", {
      body: { url: "s3://bucket/data/" },
    });
    const faults = (body: Json) => owner.faults("POST", `${TABLES}?tableId=x`, { body });
    expect(await faults(relational({ connector: CONNECTOR }))).toEqual([
      ["body.spec.relational.connector", "value_error"],
    ]);
    expect(await faults(listing({ connector: RELATIONAL.connector }))).toEqual([
      ["body.spec.listing.connector", "value_error"],
    ]);
    for (const path of ["s3://bucket/", "s3://bucket/database/", "s3://bucket/data/../x"]) {
      expect(await faults(listing({ tablePaths: ["s3://bucket/data/a", path] }))).toEqual([
        ["body.spec.listing.tablePaths.1", "value_error"],
      ]);
    }
    const nobody = "workspaces/acme/connectors/nobody";
    expect(await faults(listing({ connector: nobody }))).toEqual([
      ["body.spec.listing.connector", "value_error"],
    ]);
    expect(await faults(relational({ connector: nobody }))).toEqual([
      ["body.spec.relational.connector", "value_error"],
    ]);
    const path = await makeTable(owner, listing({ tablePaths: ["s3://bucket/data/a/"] }));
    expect(await owner.faults("PATCH", path, { body: relational({ connector: nobody }) })).toEqual([
      ["body.spec.relational.connector", "value_error"],
    ]);
    await makeTable(owner, relational({}));
    for (const [collection, source] of [
      [`${CATALOGS}?catalogId=x`, { connector: nobody, sourceCatalog: "x" }],
      [
        `${CATALOGS}/main/schemas?schemaId=x`,
        { connector: nobody, sourceCatalog: "x", sourceSchema: "y" },
      ],
    ] as const) {
      expect(await owner.faults("POST", collection, { body: { relational: source } })).toEqual([
        ["body.relational.connector", "value_error"],
      ]);
    }
    const catalog = { relational: { connector: CONNECTOR, sourceCatalog: "x" } };
    expect(await owner.faults("POST", `${CATALOGS}?catalogId=x`, { body: catalog })).toEqual([
      ["body.relational.connector", "value_error"],
    ]);
  });
});

describe("a delete", () => {
  it("answers {}, advances the workspace, and never gives a revision out again", async () => {
    const path = await table(listing({}));
    await organization.ok("PATCH", path, { body: relational({}) });
    const before = await workspaceRevision(organization);
    expect((await organization.ok("DELETE", path)).body).toEqual({});
    expect(await workspaceRevision(organization)).toBe(before + 1);
    expect((await organization.problem("GET", path))[0]).toBe(404);
    expect((await organization.problem("DELETE", path))[0]).toBe(404);
    const id = path.slice(path.lastIndexOf("/") + 1);
    const again = await organization.ok("POST", `${TABLES}?tableId=${id}`, { body: listing({}) });
    expect(revisionOf(again)).toBe(3);
    const stale = { body: { ...relational({}), revision: 2 } };
    expect((await organization.problem("PATCH", path, stale))[0]).toBe(409);
  });
});

describe("whoever may not", () => {
  it("gets 401, 403, or a 404 that tells nothing", async () => {
    const path = await table(listing({}));
    const calls: [string, string, Json?][] = [
      ["GET", path],
      ["PATCH", path, listing({})],
      ["DELETE", path],
      ["GET", TABLES],
      ["POST", `${TABLES}?tableId=x`, listing({})],
    ];
    const made = await organization.ok("POST", "/v1/api_keys", {
      body: { name: "reader", scopes: ["workspace:read"] },
    });
    const reader = { authorization: `Bearer ${String(made.body["key"])}` };
    const stranger = await withSchema(service);
    const nobody = service.organization();
    for (const [method, at, body] of calls) {
      const options = body === undefined ? {} : { body };
      const anonymous = { ...options, headers: { authorization: "Bearer none" } };
      expect((await organization.problem(method, at, anonymous))[0], at).toBe(401);
      const read = await organization.ask(method, at, { ...options, headers: reader });
      expect(read.status, `${method} ${at}`).toBe(method === "GET" ? 200 : 403);
      expect((await nobody.problem(method, at, options))[0], at).toBe(404);
    }
    for (const [method, at, body] of calls.slice(0, 3)) {
      const options = body === undefined ? {} : { body };
      const foreign = await stranger.ask(method, at, options);
      expect(foreign.status).toBe(404);
      expect(await stranger.ask(method, `${TABLES}/nothing`, options)).toEqual(foreign);
    }
    await organization.ok("GET", path);
  });

  it("or asks under a name that cannot be is told which", async () => {
    for (const [at, loc] of [
      [TABLES.replace("acme", "-a"), "path.workspace_id"],
      [TABLES.replace("main", "Main"), "path.catalog_id"],
      [TABLES.replace("public", "1"), "path.schema_id"],
    ] as const) {
      expect(await organization.faults("GET", `${at}/t`)).toEqual([
        [loc, "string_pattern_mismatch"],
      ]);
    }
    for (const id of ["T", "t-1", "%C3%A9", "t".repeat(64), "t%0A"]) {
      expect(await organization.faults("GET", `${TABLES}/${id}`)).toEqual([
        ["path.table_id", "string_pattern_mismatch"],
      ]);
    }
    const missing: [string, string][] = [
      [TABLES.replace("acme", "other"), "There is no such workspace."],
      [TABLES.replace("main", "other"), "There is no such catalog."],
      [TABLES.replace("public", "other"), "There is no such schema."],
    ];
    for (const [at, detail] of missing) {
      const create = { body: listing({}) };
      expect(await organization.problem("POST", `${at}?tableId=x`, create)).toEqual([404, detail]);
      expect((await organization.problem("GET", at))[0]).toBe(404);
    }
  });
});

describe("a list of tables", () => {
  it("shows them whole, by pages in the order of names", async () => {
    const owner = await withSchema(service);
    const ids = Array.from({ length: 25 }, (_, index) => `n${index}`).sort();
    for (const id of ids.toReversed()) {
      await owner.ok("POST", `${TABLES}?tableId=${id}`, { body: listing({}) });
    }
    const seen: Json[] = [];
    let token = "";
    do {
      const query = new URLSearchParams({ pageSize: "10", pageToken: token });
      const { body } = await owner.ok("GET", `${TABLES}?${query}`);
      seen.push(...(body["tables"] as readonly Json[]));
      token = String(body["nextPageToken"]);
    } while (token !== "");
    expect(seen.map(({ name }) => name)).toEqual(ids.map(nameOf));
    expect(seen[0]).toEqual((await owner.ok("GET", `${TABLES}/n0`)).body);
    expect((await owner.ok("GET", TABLES)).body["nextPageToken"]).toBe("");
  });
});
