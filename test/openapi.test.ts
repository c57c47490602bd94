/** The document that describes the service. */

import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../server/package.json" with { type: "json" };
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

const OPERATIONS = [
  "POST /v1/datasets",
  "GET /v1/datasets",
  "GET /v1/datasets/{dataset_id}",
  "DELETE /v1/datasets/{dataset_id}",
  "POST /v1/documents",
  "GET /v1/documents",
  "GET /v1/documents/{document_id}",
  "GET /v1/documents/{document_id}/content",
  "GET /v1/documents/{document_id}/text",
  "DELETE /v1/documents/{document_id}",
  "GET /v1/agentic/documents/skills",
  "POST /v1/agentic/documents/induce_schema",
  "GET /v1/agentic/documents/schemas/{model_id}",
  "POST /v1/agentic/documents/extract",
  "GET /v1/agentic/documents/jobs",
  "GET /v1/agentic/documents/jobs/{job_id}",
  "POST /v1/agentic/documents/jobs/{job_id}/cancel",
  "DELETE /v1/agentic/documents/jobs/{job_id}",
  "POST /v1/trainer/run",
  "GET /v1/training_jobs",
  "GET /v1/training_jobs/{job_id}",
  "POST /v1/training_jobs/{job_id}/cancel",
  "GET /v1/jobs/{job_id}/metrics",
  "GET /v1/jobs/{job_id}/events",
  "GET /v1/results/{job_id}",
  "GET /v1/models",
  "GET /v1/models/{model_id}",
  "GET /v1/models/{model_id}/status",
  "GET /v1/models/{model_id}/download",
  "DELETE /v1/models/{model_id}",
  "POST /v1/models/{model_id}/predict",
  "POST /v1/models/{model_id}/explain",
  "POST /v1/serving/endpoints",
  "GET /v1/serving/endpoints",
  "GET /v1/serving/endpoints/{endpoint_id}",
  "PATCH /v1/serving/endpoints/{endpoint_id}",
  "DELETE /v1/serving/endpoints/{endpoint_id}",
  "POST /v1/serving/endpoints/{endpoint_id}/predict",
  "POST /v1/serving/endpoints/{endpoint_id}/explain",
  "POST /v1/serving/endpoints/{endpoint_id}/rollback",
  "GET /v1/serving/endpoints/{endpoint_id}/history",
  "GET /v1/serving/endpoints/{endpoint_id}/metrics",
  "GET /v1/serving/endpoints/{endpoint_id}/drift",
];

it("describes what any request may come to, and a scrape with a wrong token too often", async () => {
  const { paths } = await (await fetch(`${server.baseUrl}/openapi.json`)).json();
  for (const path of Object.values<Record<string, { responses: object }>>(paths)) {
    for (const { responses } of Object.values(path)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "431", "500"]));
    }
  }
  expect(Object.keys(paths["/metrics"].get.responses)).toContain("429");
  const head = await server.request("GET", `/v1/models?tag=${"x".repeat(20_000)}`);
  expect(head.status).toBe(431);
});

it("lists every operation, in OpenAPI 3.1, of the package's version", async () => {
  const response = await fetch(`${server.baseUrl}/openapi.json`);
  const document: {
    openapi: string;
    info: { version: string };
    paths: Record<string, Record<string, unknown>>;
  } = await response.json();
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.info.version).toBe(manifest.version);
  expect(await (await fetch(`${server.baseUrl}/healthz`)).json()).toMatchObject({
    version: document.info.version,
  });
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed).toEqual(expect.arrayContaining(OPERATIONS));
});

it("asks for a key everywhere but at the probes and the documentation", async () => {
  for (const operation of OPERATIONS) {
    const [method, path] = operation.split(" ");
    const url =
      server.baseUrl + path.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
    const response = await fetch(url, { method });
    expect(response.status, operation).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
  }
  for (const path of ["/healthz", "/openapi.json", "/docs"]) {
    expect((await fetch(server.baseUrl + path)).status, path).toBe(200);
  }
});

it("takes no path of its own for the id of another one", async () => {
  const response = await fetch(`${server.baseUrl}/v1/uploads/options`, { method: "DELETE" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET, HEAD");
});

it("answers methods that it does not serve with 405 and what it does", async () => {
  for (const method of ["QUERY", "PUT", "PROPFIND"]) {
    const response = await fetch(`${server.baseUrl}/v1/training_jobs`, { method });
    expect(response.status, method).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  }
});

describe("a generator of clients", () => {
  type Json = Readonly<Record<string, unknown>>;
  const isObject = (value: unknown): value is Json =>
    typeof value === "object" && value !== null && !Array.isArray(value);

  let schemas: Json;
  let document: Json;
  beforeAll(async () => {
    document = await (await fetch(`${server.baseUrl}/openapi.json`)).json();
    const { components } = document;
    schemas = isObject(components) && isObject(components["schemas"]) ? components["schemas"] : {};
    expect(Object.keys(schemas).length).toBeGreaterThan(50);
  });

  /** Every schema that is written in place below one, with the name that is made of the members that lead to it. */
  function* below(name: string, schema: unknown): Generator<[string, Json]> {
    if (Array.isArray(schema)) for (const each of schema) yield* below(name, each);
    if (!isObject(schema)) return;
    yield [name, schema];
    for (const keyword of ["oneOf", "anyOf", "allOf", "prefixItems"]) {
      yield* below(name, schema[keyword]);
    }
    yield* below(`${name}Item`, schema["items"]);
    yield* below(`${name}AdditionalProperty`, schema["additionalProperties"]);
    for (const [member, form] of Object.entries(schema["properties"] ?? {})) {
      const words = member
        .split(/[^A-Za-z0-9]+/)
        .map((word) => word.replace(/^./, (first) => first.toUpperCase()));
      yield* below(name + words.join(""), form);
    }
  }

  it("finds names that people chose, each of one form", () => {
    const names = Object.keys(schemas);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
    const made = Object.entries(schemas).flatMap(([name, schema]) =>
      [...below(name, schema)]
        .filter(([other, form]) => other !== name && isObject(form["properties"]))
        .map(([other]) => other),
    );
    expect(made.filter((name) => names.includes(name))).toEqual([]);
  });

  it("finds the forms of a union by name, where they hold forms of their own", () => {
    const nameless = Object.entries(schemas).filter(([, schema]) => {
      const forms = isObject(schema) ? (schema["oneOf"] ?? schema["anyOf"] ?? []) : [];
      return [...below("", forms)].some(
        ([name, form]) =>
          name !== "" && (isObject(form["properties"]) || isObject(form["additionalProperties"])),
      );
    });
    expect(nameless.map(([name]) => name)).toEqual([]);
  });

  it("finds the bounds of what a request may say", () => {
    expect(schemas["RetentionSettings"]).toMatchObject({
      properties: { audit_event_days: { anyOf: [{ minimum: 30 }, { type: "null" }] } },
    });
  });

  it("finds patterns with no escape that other languages lack", () => {
    const patterns = JSON.stringify(document).match(/(?<="pattern":")(?:[^"\\]|\\.)*/g) ?? [];
    expect(patterns.length).toBeGreaterThan(20);
    const escapes = patterns.flatMap((pattern) => JSON.parse(`"${pattern}"`).match(/\\./g) ?? []);
    expect([...new Set(escapes)].sort()).toEqual(["\\.", "\\/", "\\d", "\\t", "\\u", "\\x"]);
  });

  it("finds no schema that is only true or false", () => {
    const text = JSON.stringify(document);
    expect(text).toContain('"prefixItems":[');
    expect(text).not.toMatch(/"items":(true|false)/);
  });
});
