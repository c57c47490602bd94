import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { TRPCClientError } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { openServices, type Services } from "./api/services.ts";
import { type App, createApp } from "./app.ts";
import { createClient, type Inputs, type Outputs } from "./client.ts";
import { parseConfig } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";

const KEY = "a-key-of-these-tests";
let home: string;
let services: Services;
let app: App["app"];
let url: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "distillery-app-"));
  const config = parseConfig({
    DISTILLERY_HOME: home,
    DISTILLERY_API_KEY: KEY,
    DISTILLERY_WORKERS: "1",
  });
  services = await openServices(config, createLogger({ level: "silent" }), "server");
  ({ app } = await createApp(services));
  await app.listen({ port: 0, host: "127.0.0.1" });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await app.close();
  await services.close();
  await rm(home, { recursive: true, force: true });
});

interface Operation {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
}

describe("every operation of the document", () => {
  it("is valid, asks for a token, and answers under its own path", async () => {
    const document = (await app.inject("/openapi.json")).json();
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
    const open: string[] = [];
    let asked = 0;
    for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (operation.security.length === 0) {
          open.push(operation.operationId);
          continue;
        }
        asked++;
        const concrete = path.replace(/\{\w+\}/g, "x");
        const answer = await app.inject({ method: method.toUpperCase() as "GET", url: concrete });
        expect([method, path, answer.statusCode]).toEqual([method, path, 401]);
        expect(answer.headers["www-authenticate"]).toContain("Bearer");
        // Any token may ask for the organization that it is of.
        const forbidden = operation.operationId === "organization_get" ? [] : ["403"];
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(["200", "401", ...forbidden, "422", "500"]),
        );
      }
    }
    expect(open.toSorted()).toEqual(["healthz", "objects_download", "readyz", "reports_open"]);
    expect(asked).toBeGreaterThan(10);
  });
});

describe("signed URLs", () => {
  it("give the object to whoever holds them, and nothing to others", async () => {
    const key = "models/m/a b/é.bin";
    await services.objects.put(key, new TextEncoder().encode("content"));
    const signed = await services.objects.presign(key, {
      expiresInSeconds: 60,
      fileName: "é.bin",
      baseUrl: url,
    });
    const answer = await fetch(signed);
    expect([answer.status, await answer.text()]).toEqual([200, "content"]);
    expect(answer.headers.get("content-length")).toBe("7");
    expect(answer.headers.get("content-disposition")).toContain("UTF-8''%C3%A9.bin");
    const head = await fetch(signed, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "7"]);
    const forged = signed.replace("models/m", "models/n");
    for (const bad of [forged, signed.split("?")[0]!, signed.replace(/expires=\d+/, "expires=1")]) {
      expect((await fetch(bad)).status).toBe(403);
    }
    await services.objects.delete(key);
    expect((await fetch(signed)).status).toBe(404);
  });
});

describe("the TypeScript client", () => {
  it("calls with a key, in types that follow the router", async () => {
    const client = createClient({ url, token: KEY });
    const organization = await client.organization.get.query();
    expect(organization.name).toBe("default");
    expectTypeOf(organization.caller.kind).toEqualTypeOf<"api_key" | "oidc">();
    const created = await client.apiKeys.create.mutate({ name: "typed", scopes: ["models:read"] });
    expectTypeOf(created.expires_at).toEqualTypeOf<string | null>();
    const narrow = createClient({ url: new URL(url), token: async () => created.key });
    // Two calls in one tick: one request, one refusal.
    const [who, keys] = await Promise.allSettled([
      narrow.organization.get.query(),
      narrow.apiKeys.list.query({ limit: 2 }),
    ]);
    expect(who).toMatchObject({
      status: "fulfilled",
      value: { caller: { scopes: ["models:read"] } },
    });
    if (keys.status !== "rejected") throw new Error("it was allowed");
    expect(keys.reason).toBeInstanceOf(TRPCClientError);
    expect(keys.reason.data.problem).toMatchObject({ status: 403, title: "Forbidden" });
  });

  it("has flat inputs", () => {
    expectTypeOf<Inputs["apiKeys"]["revoke"]>().toEqualTypeOf<{ api_key_id: string }>();
    expectTypeOf<Inputs["apiKeys"]["list"]["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Outputs["apiKeys"]["revoke"]>().toEqualTypeOf<{ id: string; deleted: boolean }>();
    const client = createClient({ url });
    // @ts-expect-error the name is missing
    const wrong = () => client.apiKeys.create.mutate({});
    expect(wrong).toBeTypeOf("function");
  });

  it("writes resources under their names, with masks and If-Match as members", async () => {
    const client = createClient({ url, token: KEY });
    const { name } = await client.workspaces.create.mutate({});
    const of = { workspace_id: name.slice("workspaces/".length) };
    await client.catalogs.create.mutate({ ...of, catalogId: "lake" });
    const at = { ...of, catalog_id: "lake" };
    const schema = { name: `${name}/catalogs/lake/schemas/raw` };
    const made = await client.schemas.create.mutate({ ...at, schema });
    expect(made.name).toBe(schema.name);
    expect(await client.schemas.list.query({ ...at, pageSize: 1 })).toMatchObject({
      schemas: [{ name: made.name }],
    });
    const patched = await client.workspaces.patch.mutate({
      ...of,
      updateMask: "sqlDefaults.defaultCatalog",
      workspace: { sqlDefaults: { defaultCatalog: "lake" } },
    });
    expect(patched.sqlDefaults.defaultCatalog).toBe("lake");
    const places = async (call: Promise<unknown>): Promise<unknown> => {
      const refusal = await call.catch((error: unknown) => error);
      if (!(refusal instanceof TRPCClientError)) throw new Error("it was allowed");
      const { detail } = refusal.data.problem;
      return Array.isArray(detail)
        ? detail.map(({ loc }: { loc: unknown[] }) => loc.join("."))
        : refusal.data.problem.status;
    };
    const patch = { ...of, workspace: { sqlDefaults: { defaultCatalog: "9 9" } } };
    expect(await places(client.workspaces.patch.mutate(patch))).toEqual([
      "workspace.sqlDefaults.defaultCatalog",
    ]);
    const masked = { ...patch, updateMask: "nothing" };
    expect(await places(client.workspaces.patch.mutate(masked))).toEqual(["updateMask"]);
    expect(await places(client.workspaces.delete.mutate({ ...of, ifMatch: "x" }))).toEqual([
      "ifMatch",
    ]);
    expect(await places(client.workspaces.delete.mutate({ ...of, ifMatch: '"0"' }))).toBe(412);
    const limit = { limit: 501 };
    expect(await places(client.datasets.list.query(limit))).toEqual(["limit"]);
  });
});

describe("the process", () => {
  it("is alive, and not ready without a worker", async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect((await ready.json()).detail).toBe("Not ready; no answer from: worker.");
  });
});
