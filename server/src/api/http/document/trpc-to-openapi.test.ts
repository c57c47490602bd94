/**
 * The router as `trpc-to-openapi` reads it: the same paths, methods, parameters and bodies as in the
 * served document, but for what that library cannot be told (docs/decisions/openapi-document.md).
 */
import { generateOpenApiDocument, type OpenApiMeta } from "trpc-to-openapi";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { appRouter, rawRoutes } from "../../../router.ts";
import type { Meta } from "../routing/operation.ts";
import { collectRoutes } from "../routing/routes.ts";
import { openApiDocument } from "./openapi.ts";

/** It puts members of a POST or PATCH into the body that travel in the query here. */
const IN_QUERY: Readonly<Record<string, readonly string[]>> = {
  catalogs_create: ["catalogId"],
  catalogs_patch: ["updateMask", "allowMissing"],
  schemas_create: ["schemaId"],
  schemas_patch: ["updateMask", "allowMissing"],
  statements_create: ["statementId"],
  statements_patch: ["updateMask", "allowMissing"],
  tables_create: ["tableId"],
  tables_patch: ["updateMask", "allowMissing"],
  workspaces_patch: ["updateMask", "allowMissing"],
};
/** It has no members that travel in headers: this one is in the body or in the query there. */
const IF_MATCH: ReadonlySet<string> = new Set([
  "catalogs_delete",
  "catalogs_patch",
  "schemas_delete",
  "schemas_patch",
  "tables_delete",
  "tables_patch",
  "serving_patch",
  "serving_rollback",
  "statements_delete",
  "statements_patch",
  "workspaces_delete",
  "workspaces_patch",
]);
/** It has no member that is the whole body: there the body is an object that holds it. */
const WHOLE_BODY: Readonly<Record<string, string>> = {
  catalogs_create: "catalog",
  catalogs_patch: "catalog",
  schemas_create: "schema",
  schemas_patch: "schema",
  tables_create: "table",
  tables_patch: "table",
  statements_create: "statement",
  statements_patch: "statement",
  workspaces_create: "workspace",
  workspaces_patch: "workspace",
};
/** It knows no `Idempotency-Key`. */
const CREATING: ReadonlySet<string> = new Set([
  "agentic_extract",
  "agentic_induce",
  "apiKeys_create",
  "catalogs_create",
  "evaluations_create",
  "objectStoreConnectors_create",
  "schemas_create",
  "serving_create",
  "serving_labelledDataset",
  "statements_create",
  "tables_create",
  "training_run",
  "uploads_complete",
  "uploads_create",
  "warehouseConnectors_create",
  "workspaces_create",
]);
/** It knows no `If-None-Match`. */
const REVALIDATED: ReadonlySet<string> = new Set([
  "catalogs_get",
  "schemas_get",
  "statements_get",
  "tables_get",
  "workspaces_get",
]);
/** It knows procedures alone: uploads, downloads, streams and bodies of many rows are none. */
const RAW_ROUTES: readonly string[] = [
  "batchPredictions_create",
  "datasets_create",
  "datasets_get",
  "documents_content",
  "documents_upload",
  "evaluations_report",
  "inference_infer",
  "inference_inferVersion",
  "inference_metadata",
  "inference_metadataVersion",
  "inference_modelReady",
  "inference_modelReadyVersion",
  "inference_server",
  "jobs_events",
  "jobs_report",
  "jobs_result",
  "models_archive",
  "models_card",
  "models_explain",
  "models_lightgbm",
  "models_onnx",
  "models_predict",
  "models_predictDocuments",
  "objects_download",
  "queries_export",
  "queries_run",
  "reports_open",
  "serving_explain",
  "serving_predict",
  "serving_predictDocuments",
  "tables_preview",
  "uploads_part",
];

const parameter = z.object({ in: z.string(), name: z.string(), required: z.boolean().optional() });
const schema = z.object({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  // Theirs says nothing of it where there is none.
  security: z.array(z.unknown()).default([]),
  deprecated: z.boolean().optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: schema.optional() })) })
    .optional(),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schema).default({}) }),
});

/** By operation: where it is, its parameters, and the members of its body. */
function operationsOf(document: object) {
  const { paths, components } = documentSchema.parse(JSON.parse(JSON.stringify(document)));
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, found]) => {
        const body = found.requestBody?.content["application/json"]?.schema;
        const name = body?.$ref?.split("/").at(-1);
        const shown = name === undefined ? body : components.schemas[name];
        return [
          found.operationId.replaceAll("-", "_"),
          {
            at: `${method} ${path}`,
            summary: found.summary,
            tags: found.tags,
            protected: found.security.length > 0,
            deprecated: found.deprecated ?? false,
            parameters: found.parameters
              .map((one) => `${one.in} ${one.name}${one.required === true ? " required" : ""}`)
              .toSorted(),
            body: Object.keys(shown?.properties ?? {}).toSorted(),
          },
        ] as const;
      }),
    ),
  );
}

const ours = operationsOf(openApiDocument(collectRoutes(appRouter, rawRoutes)));
const theirs = operationsOf(
  generateOpenApiDocument(appRouter, { title: "Distillery", version: "0", baseUrl: "/" }),
);

describe("trpc-to-openapi", () => {
  it("takes our meta as its own", () => {
    expectTypeOf<Meta>().toExtend<OpenApiMeta>();
  });

  it("finds every operation that is a procedure, and no other", () => {
    expect([...theirs.keys(), ...RAW_ROUTES].toSorted()).toEqual([...ours.keys()].toSorted());
  });

  it.each([...theirs.keys()])("sees %s as it is served", (id) => {
    const queried = IN_QUERY[id] ?? [];
    const whole = WHOLE_BODY[id];
    const seen = ours.get(id);
    if (seen === undefined) throw new Error(`we have no ${id}`);
    const expected = new Set(seen.parameters);
    const body = new Set(whole === undefined ? seen.body : [whole]);
    const move = (served: string, member: string): void => {
      expect(expected.delete(served)).toBe(true);
      if (!id.endsWith("_delete")) body.add(member);
      else expected.add(`query ${member}`);
    };
    for (const member of queried) move(`query ${member}`, member);
    if (IF_MATCH.has(id)) move("header if-match", "ifMatch");
    if (CREATING.has(id)) expect(expected.delete("header Idempotency-Key")).toBe(true);
    if (REVALIDATED.has(id)) expect(expected.delete("header If-None-Match")).toBe(true);
    expect(theirs.get(id)).toEqual({
      ...seen,
      parameters: [...expected].toSorted(),
      body: [...body].toSorted(),
    });
  });
});
