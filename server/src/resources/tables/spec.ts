/** The definition of a table: what a request may say, with its defaults filled in. */

import { ArrowSchemaError } from "@distillery/engine/arrow";
import { z } from "zod";
import { int64 } from "../../api/http/bodies/int64.ts";
import { parseSchemaMessage } from "../../query/arrow/schema-message.ts";
import { SourceUrlError } from "../../query/sources/source-error.ts";
import { FILE_FORMATS } from "../../query/sql/listing/file-format.ts";
import { parseReadOptions } from "../../query/sql/listing/format-options.ts";
import { FormatOptionError } from "../../query/sql/listing/option-reader.ts";
import { connectorRef } from "../workspaces/names.ts";
import { registrationIdentity } from "./identity.ts";

/** One schema message in base64, kept as it came. */
const arrowIpcSchema = z.strictObject({
  ipcMessage: z
    .string()
    .min(1)
    .superRefine((text, ctx) => {
      if (text === "") return; // too short, which is said already
      try {
        parseSchemaMessage(text);
      } catch (error) {
        if (!(error instanceof ArrowSchemaError)) throw error;
        ctx.addIssue(
          error.fault === "base64"
            ? {
                code: "custom",
                message: `Base64 decoding error: '${error.message}'`,
                params: { type: "base64_decode", ctx: { error: error.message } },
              }
            : { code: "custom", message: error.message },
        );
      }
    })
    .meta({
      format: "byte",
      description:
        "Base64 of one bare Arrow IPC schema message, schema metadata only: the flatbuffer alone, without the continuation marker and the length that writers put before it (with pyarrow, schema.serialize().to_pybytes()[8:]).",
    }),
});

const relationalSpec = z
  .strictObject({
    connector: connectorRef,
    sourceCatalog: z.string().min(1),
    sourceSchema: z.string().min(1),
    sourceTable: z.string().min(1),
    snapshot: z.strictObject({ schema: arrowIpcSchema }).nullable().default(null),
  })
  .meta({ id: "RelationalTableSpecRequest" });

const listingOptions = z
  .strictObject({
    fileType: z
      .string()
      .min(1)
      .describe(`One of ${FILE_FORMATS.join(", ")}, in any case.`),
    formatOptions: z.record(z.string(), z.string()).default({}),
    fileExtension: z.string().default(""),
    tablePartitionSchema: arrowIpcSchema.nullable().default(null),
    collectStat: z.boolean().nullable().default(null),
    targetPartitions: int64({ gt: 0 }).nullable().default(null),
  })
  .superRefine(({ fileType, formatOptions }, ctx) => {
    if (fileType === "") return; // too short, which is said already
    try {
      parseReadOptions("the table", fileType, formatOptions);
    } catch (error) {
      if (!(error instanceof FormatOptionError)) throw error;
      const path = error.option === null ? ["fileType"] : ["formatOptions", error.option];
      ctx.addIssue({ code: "custom", message: error.why, path });
    }
  });

const listingSnapshot = z.strictObject({
  fileSchema: arrowIpcSchema.nullable().default(null),
  options: listingOptions.nullable().default(null),
});

const listingSpec = z
  .strictObject({
    connector: connectorRef,
    tablePaths: z
      .array(z.string())
      .min(1)
      .superRefine((paths, ctx) => {
        const identities = new Map<string, number>();
        for (const [index, path] of paths.entries()) {
          try {
            const identity = registrationIdentity(path);
            if (!identities.has(identity)) identities.set(identity, index);
          } catch (error) {
            if (!(error instanceof SourceUrlError)) throw error;
            ctx.addIssue({ code: "custom", message: error.message, path: [index] });
          }
        }
        if (identities.size < 2) return;
        const found = [...identities].map(([identity, index]) => `${identity} (item ${index})`);
        ctx.addIssue({
          code: "custom",
          message: `all paths must be of one object store (scheme, host and port); these are of ${found.join(", ")}`,
        });
      }),
    snapshot: listingSnapshot.nullable().default(null),
  })
  .meta({ id: "ListingTableSpecRequest" });

/** Exactly one of the two. */
export const tableSpecRequest = z
  .strictObject({
    relational: relationalSpec.nullable().default(null),
    listing: listingSpec.nullable().default(null),
  })
  .superRefine(({ relational, listing }, ctx) => {
    if ((relational === null) !== (listing === null)) return;
    const found = relational === null ? "neither is" : "both are";
    ctx.addIssue({
      code: "custom",
      message: `exactly one of relational and listing must be set; ${found}`,
    });
  })
  .meta({
    id: "TableSpecRequest",
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      // That exactly one arm is set is a rule that JSON Schema can say.
      const { properties, ...rest } = jsonSchema;
      const arm = (name: "relational" | "listing", other: "relational" | "listing") => {
        const form = properties?.[name];
        const choices = typeof form === "object" && "anyOf" in form ? form.anyOf : undefined;
        return {
          type: "object" as const,
          properties: { [name]: choices?.[0] ?? form ?? {}, [other]: { type: "null" as const } },
          required: [name],
          additionalProperties: false,
        };
      };
      for (const key of Object.keys(rest)) Reflect.deleteProperty(jsonSchema, key);
      Reflect.deleteProperty(jsonSchema, "properties");
      jsonSchema.oneOf = [arm("relational", "listing"), arm("listing", "relational")];
    },
  });

/** The definition as it is stored, shown and hashed. */
export type TableSpec = z.output<typeof tableSpecRequest>;
export type RelationalTableSpec = NonNullable<TableSpec["relational"]>;
export type ListingTableSpec = NonNullable<TableSpec["listing"]>;

/** The connector of the arm that is set, and the arm. */
export function armOf(
  spec: TableSpec,
): { arm: "relational"; spec: RelationalTableSpec } | { arm: "listing"; spec: ListingTableSpec } {
  if (spec.relational !== null) return { arm: "relational", spec: spec.relational };
  if (spec.listing !== null) return { arm: "listing", spec: spec.listing };
  throw new TypeError("a table's definition sets one of its arms");
}
