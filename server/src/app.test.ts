import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openServices, type Services } from "./api/services.ts";
import { type App, createApp } from "./app.ts";
import { parseConfig } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";

const KEY = "a-key-of-these-tests";
let home: string;
let services: Services;
let app: App["app"];
let url: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "distillery-app-"));
  // Of processes that were killed: no number is as high.
  for (const folder of ["sql", "cache"]) {
    await mkdir(join(home, folder, "4194305", "staged"), { recursive: true });
  }
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

it("begins without what killed processes left", async () => {
  for (const folder of ["sql", "cache"]) {
    expect(await readdir(join(home, folder))).not.toContain("4194305");
  }
});

it.each([
  ["53100", 507, "The disk of the service is full"],
  ["57P03", 503, "The database does not answer"],
])("says why the database begins no session: %s", async (code, status, detail) => {
  const refusal = Object.assign(new Error("refused"), { severity: "FATAL", code });
  const [read, query] = [vi.spyOn(services.db, "read"), vi.spyOn(services.db, "query")];
  for (const each of [read, query]) each.mockRejectedValue(refusal);
  try {
    const answer = await app.inject({
      url: "/v1/models",
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      status,
      expect.stringContaining(detail),
    ]);
  } finally {
    for (const each of [read, query]) each.mockRestore();
  }
});

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
        // Anybody who asks may know who that is.
        const asksForSelf = ["organization_get", "session_get", "scopes_list"].includes(
          operation.operationId,
        );
        const forbidden = asksForSelf ? [] : ["403"];
        // The Open Inference Protocol knows no 422.
        const faulty = path.startsWith("/v2") ? "400" : "422";
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(["200", "401", ...forbidden, faulty, "500"]),
        );
      }
    }
    expect(open.toSorted()).toEqual([
      "healthz",
      "inference_live",
      "inference_ready",
      "inference_server",
      // It reads its token itself, which may be the operator's.
      "metrics",
      "objects_download",
      "readyz",
      "reports_open",
      // Who signs in has no token yet.
      "session_authorize",
      // What it takes instead is in its body.
      "session_create",
      "session_methods",
    ]);
    expect((await app.inject("/metrics")).statusCode).toBe(401);
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
    const of = { fileName: "é.bin", baseUrl: url };
    const past = await fetch(await services.objects.presign(key, { ...of, expiresInSeconds: -1 }));
    expect(past.status).toBe(403);
    expect((await past.json()).detail).toBe("This URL has expired; ask for a new one.");
    await services.objects.delete(key);
    expect((await fetch(signed)).status).toBe(404);
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
