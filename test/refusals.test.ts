/**
 * What every operation refuses, whatever it does: walked over the service's own document, so that a
 * new operation is tested by being there.
 */

import { beforeAll, describe, expect, it } from "vitest";
import {
  type ApiDocument,
  canBeUnprocessable,
  type NamedOperation,
  operationsOf,
} from "./support/operation-coverage.ts";
import { SchemaSampler } from "./support/schema-sample.ts";
import { SharedServer } from "./support/shared-server.ts";

/**
 * Bodies where the least that the schema takes is refused by a rule that it cannot say. By
 * operation id.
 */
const BODIES: Readonly<Record<string, unknown>> = {
  models_predict: { instances: [{}] },
  models_explain: { instances: [{}] },
  registry_setAlias: { version: 1 },
  serving_predict: { instances: [{}] },
  serving_explain: { instances: [{}] },
  serving_create: { name: "live", models: [{ model_id: "absent", traffic: 100 }] },
};

/** What is there, by the names of path parameters: some bodies are read only against what they change. */
const PRESENT: Readonly<Record<string, string>> = {
  workspace_id: "present",
  catalog_id: "present",
  schema_id: "present",
  table_id: "present",
  statement_id: "present",
};

let server: SharedServer;
let operations: NamedOperation[];
let sampler: SchemaSampler;

beforeAll(async () => {
  server = await SharedServer.join();
  const document: ApiDocument = await (await fetch(`${server.baseUrl}/openapi.json`)).json();
  // The Open Inference Protocol has failures of its own form (`open-inference.test.ts`).
  operations = operationsOf(document).filter(({ path }) => !path.startsWith("/v2"));
  sampler = new SchemaSampler(document);
  await makePresent();
});

async function makePresent(): Promise<void> {
  const workspace = "/v1/workspaces/present";
  await server.post("/v1/workspaces", { name: "workspaces/present" });
  await server.post("/v1/connectors/objstore", { connector_name: "store", url: "s3://store/" });
  await server.post(`${workspace}/statements?statementId=present`, { sql: "SELECT 1" });
  await server.post(`${workspace}/catalogs?catalogId=present`);
  await server.post(`${workspace}/catalogs/present/schemas?schemaId=present`);
  await server.post(`${workspace}/catalogs/present/schemas/present/tables?tableId=present`, {
    spec: {
      listing: {
        connector: "workspaces/present/connectors/store",
        tablePaths: ["s3://store/path/"],
      },
    },
  });
}

const scopeOf = ({ description }: NamedOperation): string | undefined =>
  /Needs the scope `([a-z:]+)`/.exec(description ?? "")?.[1];

const asksForKey = ({ security }: NamedOperation): boolean =>
  security === undefined || security.length > 0;

interface Call {
  readonly pathValues?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Default: a sample of the operation's own, where it takes JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const jsonSchemaOf = (operation: NamedOperation) =>
  operation.requestBody?.content["application/json"]?.schema;

function bodyOf(operation: NamedOperation): unknown {
  const schema = jsonSchemaOf(operation);
  if (schema === undefined) return undefined;
  return BODIES[operation.operationId] ?? sampler.sample(schema);
}

/** The operation over things that do not exist, everything else as it should be. */
async function send(operation: NamedOperation, call: Call = {}): Promise<Response> {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { name, in: place, required, schema } of operation.parameters ?? []) {
    if (place === "path") {
      const value = call.pathValues?.[name] ?? String(sampler.sample(schema));
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    } else if (place === "query" && (required === true || /^[a-z]+Id$/.test(name))) {
      // The id of what is made; it may stand in the body's name instead.
      query.set(name, String(sampler.sample(schema)));
    }
  }
  for (const [name, value] of Object.entries(call.query ?? {})) query.set(name, value);
  const body = "body" in call ? call.body : bodyOf(operation);
  return await server.request(operation.method, query.size === 0 ? path : `${path}?${query}`, {
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function expectProblem(operation: NamedOperation, response: Response, status: number) {
  const text = await response.text();
  const what = `${operation.method} ${operation.path}: ${text}`;
  expect(response.status, what).toBe(status);
  expect(response.headers.get("content-type"), what).toContain("application/problem+json");
  expect(JSON.parse(text), what).toMatchObject({ status, detail: expect.any(String) });
}

async function expectFault(
  operation: NamedOperation,
  response: Response,
  loc: readonly (string | number)[],
  message = /./,
) {
  const text = await response.text();
  const what = `${operation.method} ${operation.path}: ${text}`;
  expect(response.status, what).toBe(422);
  const { detail }: { detail: { loc: (string | number)[]; msg: string }[] } = JSON.parse(text);
  expect(
    detail.some(
      ({ loc: place, msg }) =>
        loc.every((part, index) => place[index] === part) && message.test(msg),
    ),
    what,
  ).toBe(true);
}

it("the document has operations of every kind that is refused here", () => {
  expect(operations.filter(asksForKey).length).toBeGreaterThan(20);
  expect(operations.filter(scopeOf).length).toBeGreaterThan(20);
});

it("401 without a token, with one that nobody made, and with a key that was revoked", async () => {
  const { id, key } = await server.post<{ id: string; key: string }>("/v1/api_keys", { name: "k" });
  const revoked = `Bearer ${key}`;
  // Used before, so that it is known.
  const before = await server.request("GET", "/v1/models", { headers: { authorization: revoked } });
  expect(before.status).toBe(200);
  expect((await server.request("DELETE", `/v1/api_keys/${id}`)).status).toBe(200);
  for (const operation of operations.filter(asksForKey)) {
    for (const authorization of ["", "Bearer dk_nobody", "Basic dXNlcjpwYXNz", revoked]) {
      const response = await send(operation, { headers: { authorization } });
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      await expectProblem(operation, response, 401);
    }
  }
});

describe("with a key of too few scopes", () => {
  /** Keys of one scope each, so that one of them lacks what an operation needs. */
  const GRANTS = ["documents:read", "organization:read"] as const;
  const keys = new Map<string, string>();
  beforeAll(async () => {
    for (const grant of GRANTS) {
      const body = { name: grant, scopes: [grant] };
      const { key } = await server.post<{ key: string }>("/v1/api_keys", body);
      keys.set(grant, key);
    }
  });

  it("403, which names the scope", async () => {
    for (const operation of operations) {
      const scope = scopeOf(operation);
      if (scope === undefined) continue;
      const grant = GRANTS.find((each) => !scope.startsWith(each.split(":")[0])) ?? GRANTS[0];
      const response = await send(operation, {
        headers: { authorization: `Bearer ${keys.get(grant)}` },
      });
      expect(response.headers.get("www-authenticate")).toContain(`scope="${scope}"`);
      await expectProblem(operation, response, 403);
    }
  });

  it.each([
    ["training_run", "training:write", "datasets:read", {}],
    ["training_run", "datasets:read", "models:read", { teacher_model_id: "absent" }],
    ["serving_create", "serving:write", "models:read", {}],
    ["evaluations_create", "models:write", "datasets:read", {}],
  ])(
    "403 at %s for who may not read what it is made of: %s without %s",
    async (id, grant, lacking, more) => {
      const operation = operations.find(({ operationId }) => operationId === id);
      if (operation === undefined) throw new Error(`There is no operation ${id}.`);
      const { key } = await server.post<{ key: string }>("/v1/api_keys", {
        name: `${grant} without ${lacking}`,
        scopes: [...new Set([grant, scopeOf(operation) ?? grant])],
      });
      const response = await send(operation, {
        headers: { authorization: `Bearer ${key}` },
        body: { ...Object(bodyOf(operation)), ...more },
      });
      expect(response.headers.get("www-authenticate")).toContain(`scope="${lacking}"`);
      await expectProblem(operation, response, 403);
    },
  );
});

it("404 over what does not exist", async () => {
  for (const operation of operations.filter(asksForKey)) {
    if (!operation.path.includes("{")) continue;
    await expectProblem(operation, await send(operation), 404);
  }
});

describe("422, with the place,", () => {
  it("for a query parameter that the operation does not have", async () => {
    for (const operation of operations.filter(asksForKey)) {
      if (!operation.parameters?.some((parameter) => parameter.in === "query")) continue;
      const response = await send(operation, { query: { no_such_parameter: "1" } });
      await expectFault(operation, response, ["query", "no_such_parameter"], /; the closest: "/);
    }
  });

  it("for a body that is no object, no JSON, or has a member too many", async () => {
    for (const operation of operations) {
      const schema = jsonSchemaOf(operation);
      if (schema === undefined) continue;
      const call = { pathValues: PRESENT };
      const text = await send(operation, { ...call, body: "a text" });
      await expectFault(operation, text, ["body"]);
      const { additionalProperties, properties } = sampler.resolve(schema);
      if (additionalProperties !== false) continue;
      const body = { ...Object(bodyOf(operation)), no_such_member: 1 };
      const more = await send(operation, { ...call, body });
      const message = properties === undefined ? /not permitted/ : /; the closest: "/;
      await expectFault(operation, more, ["body", "no_such_member"], message);
    }
  });

  it("for a segment of the path that breaks its pattern", async () => {
    for (const operation of operations.filter(asksForKey)) {
      for (const { name, in: place, schema } of operation.parameters ?? []) {
        if (place !== "path" || schema["pattern"] === undefined) continue;
        const response = await send(operation, { pathValues: { [name]: "!" } });
        await expectFault(operation, response, ["path", name]);
      }
    }
  });

  it("for a malformed header, where nothing else can be wrong", async () => {
    for (const operation of operations.filter(asksForKey)) {
      if (!operation.parameters?.some(({ name }) => name === "Idempotency-Key")) continue;
      const response = await send(operation, { headers: { "idempotency-key": "with space" } });
      await expectFault(operation, response, ["header", "idempotency-key"]);
    }
  });
});

it("an operation that can be refused for its input was refused above", () => {
  const untouched = operations.filter(asksForKey).filter((operation) => {
    const takes = operation.parameters ?? [];
    return (
      canBeUnprocessable(operation) &&
      jsonSchemaOf(operation) === undefined &&
      !takes.some(({ name, in: place, schema }) =>
        place === "path"
          ? schema["pattern"] !== undefined
          : place === "query" || name === "Idempotency-Key",
      )
    );
  });
  expect(untouched.map(({ operationId }) => operationId)).toEqual([]);
});

it("times beyond those of the database are refused wherever a query takes one", async () => {
  const asked = operations.flatMap((operation) =>
    (operation.parameters ?? [])
      .filter(({ in: place, schema }) => place === "query" && schema["format"] === "date-time")
      .map(({ name }) => ({ operation, name })),
  );
  expect(asked.length).toBeGreaterThan(3);
  for (const { operation, name } of asked) {
    for (const time of ["0000-12-31T00:00:00Z", "0001-01-01T00:00:00+14:00"]) {
      const response = await send(operation, { query: { [name]: time } });
      await expectFault(operation, response, ["query", name], /in the years 1 to 9999/);
    }
  }
});
