/** Patches of tables: masks, preconditions and races. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogServer, type Json, type Organization, revisionOf } from "./support/catalog.ts";
import {
  BAD_BODIES,
  CONNECTOR,
  hashOf,
  ipcMessage,
  LISTING,
  listing,
  makeTable,
  nameOf,
  options,
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

/** Options that any text is good for: they say how a writer works, or how fast a reader does. */
const PARQUET_OPTIONS = [
  "bloom_filter_fpp",
  "bloom_filter_ndv",
  "bloom_filter_on_read",
  "bloom_filter_on_write",
  "coerce_int96",
  "column_index_truncate_length",
  "compression",
  "created_by",
  "data_page_row_count_limit",
  "data_pagesize_limit",
  "dictionary_enabled",
  "dictionary_page_size_limit",
  "enable_page_index",
  "encoding",
  "max_row_group_size",
  "max_statistics_size",
  "metadata_size_hint",
  "pruning",
  "pushdown_filters",
  "reorder_filters",
  "skip_metadata",
  "statistics_enabled",
  "write_batch_size",
  "writer_version",
];

describe("a patch", () => {
  it.each(BAD_BODIES)("without a mask is refused with %s", async (_, body, loc, type) => {
    const path = await table(listing({}));
    const before = await organization.ok("GET", path);
    expect(await organization.faults("PATCH", path, { body })).toEqual([[`body.${loc}`, type]]);
    expect(await organization.ok("GET", path)).toEqual(before);
  });

  it("without a mask replaces the spec, advances both revisions and the hash", async () => {
    const path = await table(options({ fileExtension: ".csv" }));
    const before = await organization.ok("GET", path);
    const workspace = await workspaceRevision(organization);
    const after = await organization.ok("PATCH", path, { body: listing({}) });
    const spec = { relational: null, listing: { ...LISTING, snapshot: null } };
    expect(after.body).toMatchObject({ spec, revision: "2", revisionHash: hashOf(spec) });
    expect(after.etag).toBe(`"${hashOf(spec)}"`);
    expect(after.body["createTime"]).toBe(before.body["createTime"]);
    expect(String(after.body["updateTime"]) > String(before.body["updateTime"])).toBe(true);
    expect(await workspaceRevision(organization)).toBe(workspace + 1);
    // What changes nothing advances nothing.
    expect(await organization.ok("PATCH", path, { body: listing({}) })).toEqual(after);
    expect(await workspaceRevision(organization)).toBe(workspace + 1);
  });

  const masked: [string, string, Json, Json][] = [
    [
      "one member",
      "spec.listing.tablePaths",
      { tablePaths: ["s3://bucket/z/"] },
      { tablePaths: ["s3://bucket/z/"] },
    ],
    [
      "a member in snake case",
      "spec.listing.table_paths",
      { tablePaths: ["s3://bucket/z/"] },
      { tablePaths: ["s3://bucket/z/"] },
    ],
    [
      "members that it does not name",
      "spec.listing.connector",
      { connector: CONNECTOR, tablePaths: "ignored" },
      {},
    ],
    ["a cleared message", "spec.listing.snapshot", {}, { snapshot: null }],
    [
      "a cleared member",
      "spec.listing.snapshot.options.collect_stat",
      {},
      { snapshot: { options: { collectStat: null } } },
    ],
    [
      "a key of a map",
      "spec.listing.snapshot.options.formatOptions.format.delimiter",
      { snapshot: { options: { formatOptions: { "format.delimiter": "|" } } } },
      { snapshot: { options: { formatOptions: { "format.delimiter": "|", has_header: "true" } } } },
    ],
    [
      "a removed key of a map",
      "spec.listing.snapshot.options.formatOptions.has_header",
      {},
      { snapshot: { options: { formatOptions: { "format.delimiter": ";" } } } },
    ],
    [
      "two paths",
      "spec.listing.snapshot.options.fileType,spec.listing.snapshot.options.targetPartitions",
      { snapshot: { options: { fileType: "CSV", targetPartitions: 3 } } },
      { snapshot: { options: { fileType: "CSV", targetPartitions: "3" } } },
    ],
    [
      "a path and one within it",
      "spec.listing.snapshot,spec.listing.snapshot.options.fileType",
      { snapshot: { options: { fileType: "json" } } },
      { snapshot: { options: { fileType: "json", formatOptions: {} } } },
    ],
    ["output-only members", "name,createTime,update_time,revision,revisionHash", {}, {}],
    ["an empty mask", "", LISTING, { snapshot: null }],
  ];
  it.each(masked)("under a mask writes %s", async (_, mask, sent, changed) => {
    const formatOptions = { "format.delimiter": ";", has_header: "true" };
    const path = await table(options({ formatOptions, collectStat: true }));
    const before = await organization.ok("GET", path);
    const query = `?${new URLSearchParams({ updateMask: mask })}`;
    const { body } = await organization.ok("PATCH", `${path}${query}`, {
      body: { spec: { listing: sent } },
    });
    expect(body).toMatchObject({ spec: { listing: changed } });
    const repeated = await organization.ok("PATCH", `${path}${query}`, {
      body: { spec: { listing: sent } },
    });
    expect(repeated.body).toEqual(body);
    expect(Number(body["revision"])).toBe(
      body["revisionHash"] === before.body["revisionHash"] ? 1 : 2,
    );
  });

  it("needs no spec where its mask names none of it", async () => {
    const path = await table(listing({}));
    const before = await organization.ok("GET", path);
    expect(await organization.ok("PATCH", `${path}?updateMask=name`, { body: {} })).toEqual(before);
    expect(await organization.faults("PATCH", `${path}?updateMask=*`, { body: {} })).toEqual([
      ["body.spec", "missing"],
    ]);
    expect(await organization.faults("PATCH", `${path}?updateMask=spec`, { body: {} })).toEqual([
      ["body.spec", "missing"],
    ]);
    expect(await organization.faults("PATCH", path)).toEqual([["body", "missing"]]);
  });

  it("that sets one arm clears the other", async () => {
    const path = await table(listing({ snapshot: { fileSchema: { ipcMessage } } }));
    const arm = `${path}?updateMask=spec.relational`;
    const { body } = await organization.ok("PATCH", arm, { body: relational({}) });
    expect(body["spec"]).toEqual({ relational: { ...RELATIONAL, snapshot: null }, listing: null });
    expect((await organization.ok("PATCH", path, { body: listing({}) })).body["spec"]).toEqual({
      relational: null,
      listing: { ...LISTING, snapshot: null },
    });
    const deep = `${path}?updateMask=spec.relational.sourceTable`;
    const part = relational({});
    expect((await organization.faults("PATCH", deep, { body: part })).map(([loc]) => loc)).toEqual([
      "body.spec.relational.connector",
      "body.spec.relational.sourceCatalog",
      "body.spec.relational.sourceSchema",
    ]);
    // Clearing the arm that is not set leaves the table as it is; clearing the one that is, nothing.
    await organization.ok("PATCH", arm, { body: {} });
    const cleared = `${path}?updateMask=spec.listing`;
    expect(await organization.faults("PATCH", cleared, { body: {} })).toEqual([
      ["body.spec", "value_error"],
    ]);
    const both = `${path}?updateMask=spec.listing,spec.relational`;
    const body2 = { spec: { relational: RELATIONAL, listing: LISTING } };
    expect(await organization.faults("PATCH", both, { body: body2 })).toEqual([
      ["body.spec", "value_error"],
    ]);
  });

  const badMasks: [string, string][] = [
    ["an unknown member", "spec.listing.paths"],
    ["an unknown root", "listing"],
    ["an index into a list", "spec.listing.tablePaths.0"],
    ["an index in brackets", "spec.listing.tablePaths[0]"],
    ["a path into a scalar", "spec.listing.connector.name"],
    ["a space", "spec, name"],
    ["an empty path", "spec,,name"],
    ["a star among others", "spec,*"],
    ["a star within", "spec.*"],
  ];
  it.each(badMasks)("is refused with %s in its mask", async (_, mask) => {
    const path = await table(listing({}));
    const query = new URLSearchParams({ updateMask: mask });
    expect(await organization.faults("PATCH", `${path}?${query}`, { body: listing({}) })).toEqual([
      ["query.updateMask", "value_error"],
    ]);
  });

  it("is validated after the merge, at the place of what it wrote", async () => {
    const path = await table(options({}));
    const bad: [string, Json, string, string][] = [
      [
        "spec.listing.tablePaths",
        { tablePaths: ["s3://a/", "s3://b/"] },
        "tablePaths",
        "value_error",
      ],
      ["spec.listing.table_paths", {}, "tablePaths", "missing"],
      ["spec.listing.snapshot.options.fileType", {}, "snapshot.options.fileType", "missing"],
      [
        "spec.listing.snapshot.options.targetPartitions",
        { snapshot: { options: { targetPartitions: 0 } } },
        "snapshot.options.targetPartitions",
        "greater_than",
      ],
      [
        "spec.listing.snapshot.options.fileType",
        { snapshot: { options: [] } },
        "snapshot.options",
        "model_attributes_type",
      ],
      [
        "spec.listing.snapshot.file_schema.ipc_message",
        { snapshot: { fileSchema: { ipcMessage: "AAAA" } } },
        "snapshot.fileSchema.ipcMessage",
        "value_error",
      ],
    ];
    for (const [mask, sent, loc, type] of bad) {
      const query = `?updateMask=${mask}`;
      const body = { spec: { listing: sent } };
      expect(await organization.faults("PATCH", `${path}${query}`, { body }), mask).toEqual([
        [`body.spec.listing.${loc}`, type],
      ]);
    }
    const odd = { body: { ...listing({}), name: nameOf("other") } };
    expect(await organization.faults("PATCH", path, odd)).toEqual([["body.name", "value_error"]]);
    const extra = { body: { comment: 1 } };
    expect(await organization.faults("PATCH", `${path}?updateMask=name`, extra)).toEqual([
      ["body.comment", "extra_forbidden"],
    ]);
  });

  it("creates what is missing where that is allowed", async () => {
    const path = `${TABLES}/allowed`;
    expect((await organization.problem("PATCH", path, { body: listing({}) }))[0]).toBe(404);
    const allowed = `${path}?allowMissing=true`;
    expect(await organization.faults("PATCH", `${allowed}&updateMask=name`, { body: {} })).toEqual([
      ["body.spec", "missing"],
    ]);
    const match = { body: listing({}), headers: { "if-match": "*" } };
    expect((await organization.problem("PATCH", allowed, match))[0]).toBe(412);
    const stale = { body: { ...listing({}), revision: 1 } };
    expect((await organization.problem("PATCH", allowed, stale))[0]).toBe(409);
    const made = await organization.ok("PATCH", allowed, { body: listing({}) });
    expect(made.body).toMatchObject({ name: nameOf("allowed"), revision: "1" });
  });
});

describe("preconditions", () => {
  it("of revision and If-Match hold a write back where they fail", async () => {
    const path = await table(listing({}));
    const { etag } = await organization.ok("GET", path);
    const next = (id: number) => listing({ tablePaths: [`s3://bucket/${id}/`] });
    for (const revision of [2, "2", "9007199254740993"]) {
      const stale = { body: { ...next(1), revision } };
      expect((await organization.problem("PATCH", path, stale))[0]).toBe(409);
    }
    for (const tag of ['"x"', `W/${etag}`, '"x", "y"']) {
      const headers = { "if-match": tag };
      expect((await organization.problem("PATCH", path, { body: next(1), headers }))[0]).toBe(412);
      expect((await organization.problem("DELETE", path, { headers }))[0]).toBe(412);
    }
    expect(await organization.faults("DELETE", path, { headers: { "if-match": "x" } })).toEqual([
      ["header.if-match", "value_error"],
    ]);
    expect((await organization.ok("GET", path)).etag).toBe(etag);
    const headers = { "if-match": `"x", ${etag}` };
    await organization.ok("PATCH", path, { body: { ...next(1), revision: "1" }, headers });
    await organization.ok("PATCH", path, { body: { ...next(2), revision: 2 } });
    await organization.ok("PATCH", path, { body: next(3), headers: { "if-match": "*" } });
    expect((await organization.problem("PATCH", path, { body: next(4), headers }))[0]).toBe(412);
    expect((await organization.ok("GET", path)).body["revision"]).toBe("4");
  });

  it("let one of many writers at one revision through", async () => {
    const path = await table(listing({}));
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        organization.ask("PATCH", path, {
          body: { ...listing({ tablePaths: [`s3://bucket/${index}/`] }), revision: 1 },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)]);
  });

  it("lose no write of many at once under masks", async () => {
    const path = await table(options({ fileType: "parquet" }));
    const before = await workspaceRevision(organization);
    const map = "spec.listing.snapshot.options.formatOptions";
    await Promise.all(
      PARQUET_OPTIONS.map((key) =>
        organization.ok("PATCH", `${path}?updateMask=${map}.${key}`, {
          body: options({ formatOptions: { [key]: key } }),
        }),
      ),
    );
    const formatOptions = Object.fromEntries(PARQUET_OPTIONS.map((key) => [key, key]));
    expect(await specAt(path)).toMatchObject({
      listing: { snapshot: { options: { formatOptions } } },
    });
    const writes = PARQUET_OPTIONS.length;
    expect(revisionOf(await organization.ok("GET", path))).toBe(1 + writes);
    expect(await workspaceRevision(organization)).toBe(before + writes);
  });
});
