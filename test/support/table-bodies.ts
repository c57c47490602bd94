/** Bodies of tables, what can be wrong with them, and an organization to put them into. */

import { createHash } from "node:crypto";
import { DateDay, Field, Int32, Message, Schema, Utf8 } from "apache-arrow";
import { type CatalogServer, type Json, type Organization, revisionOf } from "./catalog.ts";

export const ACME = "/v1/workspaces/acme";
export const CATALOGS = `${ACME}/catalogs`;
export const SCHEMAS = `${CATALOGS}/main/schemas`;
export const TABLES = `${SCHEMAS}/public/tables`;

/** An organization with two connectors, the workspace acme, the catalog main and the schema public. */
export async function withSchema(service: CatalogServer): Promise<Organization> {
  const made = await service.withWorkspace();
  await made.addConnectors();
  await made.ok("POST", `${CATALOGS}?catalogId=main`);
  await made.ok("POST", `${SCHEMAS}?schemaId=public`);
  return made;
}

let count = 0;

/** Makes a table and gives its path. */
export async function makeTable(owner: Organization, body: Json): Promise<string> {
  count += 1;
  await owner.ok("POST", `${TABLES}?tableId=t${count}`, { body });
  return `${TABLES}/t${count}`;
}

export const workspaceRevision = async (owner: Organization): Promise<number> =>
  revisionOf(await owner.ok("GET", ACME));

export const CONNECTOR = "workspaces/acme/connectors/files";
export const nameOf = (id: string) => `workspaces/acme/catalogs/main/schemas/public/tables/${id}`;

export const message = (...fields: Field[]) =>
  Buffer.from(Message.encode(Message.from(new Schema(fields))));
export const ipcMessage = message(new Field("a", new Int32()), new Field("b", new Utf8())).toString(
  "base64",
);
export const partitionMessage = message(new Field("day", new DateDay())).toString("base64");

export const RELATIONAL = {
  connector: "workspaces/acme/connectors/lake",
  sourceCatalog: "db",
  sourceSchema: "sales",
  sourceTable: "orders",
};
export const LISTING = { connector: CONNECTOR, tablePaths: ["s3://bucket/a/"] };
export const OPTIONS = { fileType: "csv" };

export const listing = (more: Json): Json => ({ spec: { listing: { ...LISTING, ...more } } });
export const relational = (more: Json): Json => ({
  spec: { relational: { ...RELATIONAL, ...more } },
});
export const options = (more: Json): Json =>
  listing({ snapshot: { options: { ...OPTIONS, ...more } } });

const without = (member: string, from: Json): Json =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== member));

/** RFC 8785 for what a spec holds: texts, booleans, nulls, lists and objects with ASCII names. */
export const canonical = (value: unknown): string =>
  typeof value !== "object" || value === null
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? `[${value.map(canonical).join(",")}]`
      : `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
          .join(",")}}`;

export const hashOf = (spec: unknown): string =>
  createHash("sha256").update(canonical({ spec })).digest("hex");

/** What is wrong with a body, wherever one is sent. */
export const BAD_BODIES: [string, unknown, string, string][] = [
  ["no spec", {}, "spec", "missing"],
  ["a null spec", { spec: null }, "spec", "model_attributes_type"],
  ["a spec that is a text", { spec: "listing" }, "spec", "model_attributes_type"],
  ["a spec with neither arm", { spec: {} }, "spec", "value_error"],
  ["a spec with two nulls", { spec: { relational: null, listing: null } }, "spec", "value_error"],
  [
    "a spec with both arms",
    { spec: { relational: RELATIONAL, listing: LISTING } },
    "spec",
    "value_error",
  ],
  [
    "a spec with another arm",
    { spec: { listing: LISTING, view: {} } },
    "spec.view",
    "extra_forbidden",
  ],
  ["a member too many", { ...listing({}), comment: "x" }, "comment", "extra_forbidden"],
  ["a revision that is a flag", { ...listing({}), revision: true }, "revision", "int_type"],
  ["a revision in hexadecimal", { ...listing({}), revision: "0x1" }, "revision", "int_parsing"],
  ["a negative revision", { ...listing({}), revision: "-1" }, "revision", "greater_than_equal"],
  ["a hash that is no text", { ...listing({}), revisionHash: 5 }, "revisionHash", "string_type"],
  ["a time that is none", { ...listing({}), createTime: "soon" }, "createTime", "datetime_parsing"],
  [
    "a date for a time",
    { ...listing({}), updateTime: "2024-01-01" },
    "updateTime",
    "datetime_parsing",
  ],
  ["a name that is no text", { ...listing({}), name: 1 }, "name", "string_type"],
  [
    "a name of another kind",
    { ...listing({}), name: "workspaces/acme" },
    "name",
    "string_pattern_mismatch",
  ],

  [
    "a relational arm that is no object",
    { spec: { relational: 5 } },
    "spec.relational",
    "model_attributes_type",
  ],
  ...Object.keys(RELATIONAL).flatMap((member): [string, unknown, string, string][] => [
    [
      `no ${member}`,
      { spec: { relational: without(member, RELATIONAL) } },
      `spec.relational.${member}`,
      "missing",
    ],
    [
      `a null ${member}`,
      relational({ [member]: null }),
      `spec.relational.${member}`,
      "string_type",
    ],
    [
      `an empty ${member}`,
      relational({ [member]: "" }),
      `spec.relational.${member}`,
      member === "connector" ? "string_pattern_mismatch" : "string_too_short",
    ],
  ]),
  [
    "a relational connector without a workspace",
    relational({ connector: "lake" }),
    "spec.relational.connector",
    "string_pattern_mismatch",
  ],
  [
    "a relational connector in capitals",
    relational({ connector: "workspaces/acme/connectors/Lake" }),
    "spec.relational.connector",
    "string_pattern_mismatch",
  ],
  [
    "a relational connector elsewhere",
    relational({ connector: "workspaces/b/connectors/lake" }),
    "spec.relational.connector",
    "value_error",
  ],
  [
    "a relational snapshot that is a list",
    relational({ snapshot: [] }),
    "spec.relational.snapshot",
    "model_attributes_type",
  ],
  [
    "a relational snapshot without its schema",
    relational({ snapshot: {} }),
    "spec.relational.snapshot.schema",
    "missing",
  ],
  [
    "a null schema",
    relational({ snapshot: { schema: null } }),
    "spec.relational.snapshot.schema",
    "model_attributes_type",
  ],
  [
    "a schema without its message",
    relational({ snapshot: { schema: {} } }),
    "spec.relational.snapshot.schema.ipcMessage",
    "missing",
  ],
  [
    "a member too many of a source",
    relational({ sourceView: "v" }),
    "spec.relational.sourceView",
    "extra_forbidden",
  ],

  [
    "a listing arm that is a list",
    { spec: { listing: [LISTING] } },
    "spec.listing",
    "model_attributes_type",
  ],
  [
    "no connector of files",
    { spec: { listing: without("connector", LISTING) } },
    "spec.listing.connector",
    "missing",
  ],
  [
    "a connector of files that is a catalog",
    listing({ connector: "workspaces/acme/catalogs/files" }),
    "spec.listing.connector",
    "string_pattern_mismatch",
  ],
  [
    "a connector of files elsewhere",
    listing({ connector: "workspaces/b/connectors/files" }),
    "spec.listing.connector",
    "value_error",
  ],
  [
    "no paths",
    { spec: { listing: without("tablePaths", LISTING) } },
    "spec.listing.tablePaths",
    "missing",
  ],
  ["null paths", listing({ tablePaths: null }), "spec.listing.tablePaths", "list_type"],
  [
    "a path that is no list",
    listing({ tablePaths: "s3://bucket/a/" }),
    "spec.listing.tablePaths",
    "list_type",
  ],
  ["an empty list of paths", listing({ tablePaths: [] }), "spec.listing.tablePaths", "too_short"],
  [
    "a path that is no text",
    listing({ tablePaths: ["s3://bucket/a/", 5] }),
    "spec.listing.tablePaths.1",
    "string_type",
  ],
  [
    "a relative path",
    listing({ tablePaths: ["s3://bucket/a/", "b/"] }),
    "spec.listing.tablePaths.1",
    "value_error",
  ],
  [
    "a path without a bucket",
    listing({ tablePaths: ["s3:///a"] }),
    "spec.listing.tablePaths.0",
    "value_error",
  ],
  [
    "a path with credentials",
    listing({ tablePaths: ["s3://key:secret@bucket/a"] }),
    "spec.listing.tablePaths.0",
    "value_error",
  ],
  [
    "paths of two buckets",
    listing({ tablePaths: ["s3://bucket/a/", "s3://bucket2/a/"] }),
    "spec.listing.tablePaths",
    "value_error",
  ],
  [
    "paths of two schemes",
    listing({ tablePaths: ["s3://bucket/a/", "file:///bucket/a/"] }),
    "spec.listing.tablePaths",
    "value_error",
  ],
  [
    "paths of two ports",
    listing({ tablePaths: ["http://h:1/a/", "http://h:2/a/"] }),
    "spec.listing.tablePaths",
    "value_error",
  ],
  [
    "a snapshot that is a text",
    listing({ snapshot: "x" }),
    "spec.listing.snapshot",
    "model_attributes_type",
  ],
  [
    "a member too many of a snapshot",
    listing({ snapshot: { schema: {} } }),
    "spec.listing.snapshot.schema",
    "extra_forbidden",
  ],
  [
    "a file schema that is a text",
    listing({ snapshot: { fileSchema: ipcMessage } }),
    "spec.listing.snapshot.fileSchema",
    "model_attributes_type",
  ],
  [
    "options that are a list",
    listing({ snapshot: { options: [] } }),
    "spec.listing.snapshot.options",
    "model_attributes_type",
  ],
  [
    "options without a file type",
    listing({ snapshot: { options: {} } }),
    "spec.listing.snapshot.options.fileType",
    "missing",
  ],
  [
    "an empty file type",
    options({ fileType: "" }),
    "spec.listing.snapshot.options.fileType",
    "string_too_short",
  ],
  [
    "a file type that is no text",
    options({ fileType: 1 }),
    "spec.listing.snapshot.options.fileType",
    "string_type",
  ],
  [
    "format options that are a list",
    options({ formatOptions: [] }),
    "spec.listing.snapshot.options.formatOptions",
    "dict_type",
  ],
  [
    "null format options",
    options({ formatOptions: null }),
    "spec.listing.snapshot.options.formatOptions",
    "dict_type",
  ],
  [
    "a format option that is no text",
    options({ formatOptions: { header: true } }),
    "spec.listing.snapshot.options.formatOptions.header",
    "string_type",
  ],
  [
    "a file extension that is no text",
    options({ fileExtension: null }),
    "spec.listing.snapshot.options.fileExtension",
    "string_type",
  ],
  [
    "a partition schema that is a list",
    options({ tablePartitionSchema: [] }),
    "spec.listing.snapshot.options.tablePartitionSchema",
    "model_attributes_type",
  ],
  [
    "collectStat in words",
    options({ collectStat: "true" }),
    "spec.listing.snapshot.options.collectStat",
    "bool_type",
  ],
  [
    "no target partitions",
    options({ targetPartitions: 0 }),
    "spec.listing.snapshot.options.targetPartitions",
    "greater_than",
  ],
  [
    "negative target partitions",
    options({ targetPartitions: "-3" }),
    "spec.listing.snapshot.options.targetPartitions",
    "greater_than",
  ],
  [
    "target partitions with a fraction",
    options({ targetPartitions: 1.5 }),
    "spec.listing.snapshot.options.targetPartitions",
    "int_from_float",
  ],
  [
    "target partitions in words",
    options({ targetPartitions: "many" }),
    "spec.listing.snapshot.options.targetPartitions",
    "int_parsing",
  ],
  [
    "target partitions beyond int64",
    options({ targetPartitions: "9223372036854775808" }),
    "spec.listing.snapshot.options.targetPartitions",
    "int_parsing_size",
  ],
  [
    "a file type that there is not",
    options({ fileType: "avro" }),
    "spec.listing.snapshot.options.fileType",
    "value_error",
  ],
  [
    "an option that the file type does not have",
    options({ formatOptions: { has_header: "true", "format.lines": "5" } }),
    "spec.listing.snapshot.options.formatOptions.format.lines",
    "value_error",
  ],
  [
    "an option with a value that it does not take",
    options({ formatOptions: { has_header: "maybe" } }),
    "spec.listing.snapshot.options.formatOptions.has_header",
    "value_error",
  ],
  [
    "a member too many of options",
    options({ header: "x" }),
    "spec.listing.snapshot.options.header",
    "extra_forbidden",
  ],
];

export const bytesOf = (text: string) => Buffer.from(text, "base64");
export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
export const marker = Buffer.from("ffffffff", "hex");
export function lengthOf(bytes: Uint8Array): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(bytes.length);
  return prefix;
}

/** Payloads that are no schema message. */
export const BAD_MESSAGES: [string, unknown, string][] = [
  ["an empty text", "", "string_too_short"],
  ["a number", 5, "string_type"],
  ["null", null, "string_type"],
  ["no base64", "not base64!", "base64_decode"],
  ["base64 without its padding", "AAA", "base64_decode"],
  ["zeros", base64(new Uint8Array(64)), "value_error"],
  ["a truncated message", base64(bytesOf(ipcMessage).subarray(0, -8)), "value_error"],
  [
    "a message with bytes behind it",
    base64(Buffer.concat([bytesOf(ipcMessage), Buffer.from("x")])),
    "value_error",
  ],
  ["a continuation marker alone", base64(marker), "value_error"],
  [
    "a message behind a continuation marker and its length",
    base64(Buffer.concat([marker, lengthOf(bytesOf(ipcMessage)), bytesOf(ipcMessage)])),
    "value_error",
  ],
  [
    "a message behind its length",
    base64(Buffer.concat([lengthOf(bytesOf(ipcMessage)), bytesOf(ipcMessage)])),
    "value_error",
  ],
  [
    "an Arrow file",
    base64(Buffer.concat([Buffer.from("ARROW1\0\0"), bytesOf(ipcMessage)])),
    "value_error",
  ],
];

export const ARROW_PLACES: [string, (schema: unknown) => Json, string][] = [
  [
    "a source's snapshot",
    (schema) => relational({ snapshot: { schema } }),
    "relational.snapshot.schema",
  ],
  [
    "a file schema",
    (fileSchema) => listing({ snapshot: { fileSchema } }),
    "listing.snapshot.fileSchema",
  ],
  [
    "a partition schema",
    (tablePartitionSchema) => options({ tablePartitionSchema }),
    "listing.snapshot.options.tablePartitionSchema",
  ],
];
