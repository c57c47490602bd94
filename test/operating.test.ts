/** What operators look at: the audit log, the workers and the queue, the settings. */

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Organization } from "./support/catalog.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";
import { StrippingProxy } from "./support/stripping-proxy.ts";

const CSV = `a,y\n${Array.from({ length: 60 }, (_, row) => `${row},${row * 2}\n`).join("")}`;

interface AuditEvent {
  readonly id: string;
  readonly created_at: string;
  readonly caller: {
    readonly kind: string;
    readonly key_id: string | null;
    readonly key_name: string | null;
    readonly is_session: boolean;
    readonly address: string;
  };
  readonly operation: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly path: string;
  readonly status: number;
  readonly outcome: string;
  readonly request_id: string;
}
interface Page {
  readonly audit_events: readonly AuditEvent[];
  readonly next_page_token: string | null;
}

interface Workers {
  readonly workers: readonly { readonly tasks: readonly { readonly resource_id: string }[] }[];
}

let server: TestServer;
let issuer: TokenIssuer;
let proxy: StrippingProxy;
let mine: Organization;
let other: Organization;

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  proxy = await StrippingProxy.start("/tools/models");
  const env = {
    ...issuer.environment,
    DISTILLERY_MAX_COLUMNS: "777",
    DISTILLERY_PUBLIC_URL: `${proxy.url}/`,
  };
  server = await TestServer.start({ workers: 1, env });
  proxy.serve(server.baseUrl);
  mine = new Organization(server, API_KEY);
  other = new Organization(server, issuer.token("strangers"));
});
afterAll(async () => {
  await Promise.all([server.stop(), issuer.stop(), proxy.stop()]);
  await removeHomes();
});

const events = async (query = "", who = mine) =>
  (await who.ok("GET", `/v1/audit_events${query}`)).body as unknown as Page;
const newest = async (query = "") => (await events(query)).audit_events[0];

describe("the audit log", () => {
  it("has who changed what, with the new thing's id, over /v1 and over /trpc", async () => {
    const id = await server.uploadCsv("audited", CSV);
    expect(await newest()).toMatchObject({
      caller: { kind: "api_key", key_name: "configured", is_session: false, address: "127.0.0.1" },
      ...{ operation: "datasets_create", resource_type: "datasets", resource_id: id },
      ...{ path: "/v1/datasets", status: 200, outcome: "succeeded" },
    });
    const response = await server.request("POST", "/trpc/datasets.delete", {
      headers: { "content-type": "application/json", "x-request-id": "the-second" },
      body: JSON.stringify({ dataset_id: id }),
    });
    expect(response.status).toBe(200);
    const deleted = await newest();
    expect(deleted).toMatchObject({
      ...{ operation: "datasets_delete", resource_type: "datasets", resource_id: id },
      ...{ path: `/v1/datasets/${id}`, status: 200, request_id: "the-second" },
    });
    expect((await events(`?resource_id=${id}`)).audit_events).toHaveLength(2);
  });

  it("has what failed, was refused, and who could not sign in, but no secret", async () => {
    const reader = await server.post<{ id: string; key: string }>("/v1/api_keys", {
      name: "reader",
      scopes: ["organization:read"],
    });
    const as = (key: string, method: string, path: string, body?: object) =>
      fetch(server.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    expect((await as(reader.key, "DELETE", `/v1/api_keys/${reader.id}`)).status).toBe(403);
    expect(await newest("?outcome=refused")).toMatchObject({
      caller: { key_id: reader.id, key_name: "reader" },
      ...{ operation: "apiKeys_revoke", resource_type: "api_keys", resource_id: reader.id },
      status: 403,
    });
    expect((await mine.ask("PATCH", "/v1/retention", { body: { output_days: -1 } })).status).toBe(
      422,
    );
    expect(await newest()).toMatchObject({ operation: "retention_patch", outcome: "failed" });

    const signIn = (api_key: string) =>
      fetch(`${server.baseUrl}/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ api_key }),
      });
    expect((await signIn(reader.key)).status).toBe(200);
    const about = { operation: "session_create", resource_type: "session" };
    expect(await newest()).toMatchObject({ ...about, caller: { key_id: reader.id }, status: 200 });
    await server.request("DELETE", `/v1/api_keys/${reader.id}`);
    expect((await signIn(reader.key)).status).toBe(401);
    expect(await newest()).toMatchObject({ ...about, caller: { key_id: reader.id }, status: 401 });
    expect((await signIn("nobody's key at all")).status).toBe(401);
    const unknown = { kind: "unknown", key_id: null, key_name: null, address: "127.0.0.1" };
    expect(await newest()).toMatchObject({ ...about, caller: unknown, outcome: "refused" });
    expect((await as("nobody's", "DELETE", "/v1/datasets/x")).status).toBe(401);
    expect(await newest()).toMatchObject({ operation: "datasets_delete", caller: unknown });

    const ofReader = (await events(`?key_id=${reader.id}`)).audit_events;
    expect(ofReader.map(({ operation, status }) => [operation, status])).toEqual([
      ["session_create", 401],
      ["session_create", 200],
      ["apiKeys_revoke", 403],
    ]);
    const all = JSON.stringify(await events("?limit=500"));
    for (const secret of [API_KEY, reader.key, "nobody's"]) expect(all).not.toContain(secret);
  });

  it("has the thing's id of a request that was repeated as well", async () => {
    const create = () =>
      server.request("POST", "/v1/api_keys", {
        headers: { "content-type": "application/json", "idempotency-key": "the-same-again" },
        body: JSON.stringify({ name: "repeated", scopes: ["models:read"] }),
      });
    const [first, again] = [await create(), await create()];
    const { id } = (await first.json()) as { id: string };
    expect([again.status, await again.json()]).toMatchObject([200, { id }]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const { audit_events } = await events(`?resource_id=${id}`);
    expect(audit_events.map(({ operation }) => operation)).toEqual([
      "apiKeys_create",
      "apiKeys_create",
    ]);
    const signIn = async (body: object) => {
      const response = await server.request("POST", "/v1/session", {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return response.status;
    };
    // Nobody signs in by this issuer, whose access tokens are taken.
    expect(await signIn({ authorization_response: "code=1&state=2" })).toBe(404);
    expect((await mine.ask("POST", "/v1/session/authorization", { body: {} })).status).toBe(404);
    expect((await mine.ok("GET", "/v1/session/methods")).body).toEqual({ openid_connect: null });
  });

  it("is read in pages, by filters, and by those alone who manage keys", async () => {
    const { audit_events: all } = await events("?limit=500");
    const seen: AuditEvent[] = [];
    for (let token: string | null = ""; token !== null; ) {
      const page: Page = await events(`?limit=3${token === "" ? "" : `&page_token=${token}`}`);
      seen.push(...page.audit_events);
      token = page.next_page_token;
    }
    expect(seen).toEqual(all);
    const middle = all[2]?.created_at ?? "";
    const later = (await events(`?since=${middle}`)).audit_events.length;
    const earlier = (await events(`?before=${middle}`)).audit_events.length;
    expect(later + earlier).toBe(all.length);
    const kinds = (await events("?resource_type=datasets&operation=datasets_create")).audit_events;
    expect(kinds).toEqual(all.filter(({ operation }) => operation === "datasets_create"));
    for (const query of ["?outcome=good", "?key_id=x", "?since=yesterday", "?page_token=x"]) {
      expect([query, (await mine.ask("GET", `/v1/audit_events${query}`)).status]).toEqual([
        query,
        422,
      ]);
    }
    const { key } = await server.post<{ key: string }>("/v1/api_keys", {
      name: "reads all",
      scopes: ["organization:read"],
    });
    const reader = new Organization(server, key);
    for (const path of ["audit_events", "service/workers", "service/queue", "service/settings"]) {
      expect([path, (await reader.ask("GET", `/v1/${path}`)).status]).toEqual([path, 403]);
    }
    expect((await events("", other)).audit_events).toEqual([]);
    await other.ok("PATCH", "/v1/retention", { body: { audit_event_days: 30 } });
    expect((await events("", other)).audit_events).toMatchObject([
      { operation: "retention_patch", caller: { kind: "oidc" } },
    ]);
  });
});

describe("behind a proxy that takes a path away", () => {
  const visit = (path: string, init: RequestInit = {}) => fetch(proxy.url + path, init);
  const page = { headers: { accept: "text/html" } };

  it("answers with links that lead through the proxy", async () => {
    expect(await (await visit("/openapi.json")).json()).toMatchObject({
      servers: [{ url: proxy.url }],
    });
    const datasetId = await server.uploadCsv("linked", CSV);
    const job = await awaitJob(
      server,
      await startRun(server, {
        dataset_id: datasetId,
        ...{ n_trials: 1, n_cv_splits: null, model_families: ["linear"], ensemble: false },
        task: { task_kind: "regression", label_column: "y" },
      }),
    );
    const headers = { authorization: `Bearer ${API_KEY}` };
    const shown = await visit(`/v1/training_jobs/${job.id}`, { headers });
    const { result_uri: report } = (await shown.json()) as { result_uri: string };
    const downloads = await visit(`/v1/models/${job.model_id}/download`, { headers });
    const { files } = (await downloads.json()) as { files: readonly { url: string }[] };
    expect(files.length).toBeGreaterThan(1);
    for (const link of [report, ...files.map(({ url }) => url)]) {
      expect(link.startsWith(`${proxy.url}/v1/`), link).toBe(true);
      expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    }
  });

  it("has pages whose links lead there, whether the proxy takes the path away or leaves it", async () => {
    for (const base of [proxy.url, `${server.baseUrl}/tools/models`]) {
      const docs = await (await fetch(`${base}/docs`, page)).text();
      const landing = await (await fetch(`${base}/`)).text();
      const links = [...`${docs}${landing}`.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(
        ([, link]) => link ?? "",
      );
      expect(links.length).toBeGreaterThan(4);
      for (const link of links.filter((each) => !each.includes("/docs/engine"))) {
        expect(link.startsWith("/tools/models/"), link).toBe(true);
        const { origin } = new URL(base);
        expect([base, link, (await fetch(origin + link)).status]).toEqual([base, link, 200]);
      }
    }
  });

  const built = new URL("../server/console/dist/index.html", import.meta.url);
  it.skipIf(!existsSync(built))("serves the console, its files and its sessions", async () => {
    for (const path of ["/", "/models/some?tab=one", "/sign-in"]) {
      const html = await (await visit(path, page)).text();
      const assets = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link ?? "");
      expect(assets.length).toBeGreaterThan(1);
      for (const link of assets) {
        expect(link.startsWith("/tools/models/assets/"), link).toBe(true);
        expect((await fetch(new URL(link, proxy.url))).status).toBe(200);
      }
    }
    const { origin } = new URL(proxy.url);
    const signedIn = await visit("/v1/session", {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ api_key: API_KEY }),
    });
    const [cookie = ""] = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]);
    const { csrf_token } = (await signedIn.json()) as { csrf_token: string };
    const left = await visit("/v1/session", {
      method: "DELETE",
      headers: { cookie, origin, "x-csrf-token": csrf_token },
    });
    expect(left.status).toBe(200);
  });
});

describe("the service", () => {
  it("tells who works and what waits", async () => {
    const datasetId = await server.uploadCsv("worked on", CSV);
    const request = {
      dataset_id: datasetId,
      task: { task_kind: "regression", label_column: "y" },
      n_trials: 10_000,
      time_budget_s: 600,
    };
    const [first, second] = [await startRun(server, request), await startRun(server, request)];
    const workersNow = async () => (await server.get<Workers>("/v1/service/workers")).workers;
    await expect
      .poll(workersNow)
      .toMatchObject([{ tasks: [{ queue: "training.run", attempt: 1 }] }]);
    const workers = await workersNow();
    const [worker] = workers;
    expect(workers).toHaveLength(1);
    expect(worker).toMatchObject({ threads: 1, version: expect.stringMatching(/^\d+\.\d+/) });
    expect([first, second]).toContain(worker?.tasks[0]?.resource_id);
    expect((await mine.ok("GET", "/v1/service/queue")).body).toMatchObject({
      workers: 1,
      queues: expect.arrayContaining([
        { queue: "training.run", waiting: 1, running: 1, oldest_waiting_at: expect.any(String) },
      ]),
    });
    for (const job of [second, first]) await server.post(`/v1/training_jobs/${job}/cancel`);
  });

  it("tells its settings and where they come from, and no secret", async () => {
    const { body } = await mine.ok("GET", "/v1/service/settings");
    const settings = body["settings"] as readonly { readonly name: string }[];
    const of = (name: string) => settings.find((setting) => setting.name === name);
    expect(of("PORT")).toMatchObject({ value: "0", source: "option" });
    expect(of("DISTILLERY_MAX_COLUMNS")).toMatchObject({ value: "777", source: "environment" });
    expect(of("DISTILLERY_MAX_UPLOAD_MIB")).toMatchObject({ value: "16384", source: "default" });
    expect(of("DISTILLERY_API_KEY")).toMatchObject({ value: null, is_secret: true, is_set: true });
    expect(JSON.stringify(body)).not.toContain(API_KEY);
  });

  it("tells others nothing of it, and everybody what can be granted", async () => {
    for (const path of ["workers", "queue", "settings"]) {
      const answer = await other.ask("GET", `/v1/service/${path}`);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.body["detail"]).toContain("organization that it was started with");
    }
    const { body } = await other.ok("GET", "/v1/scopes");
    expect(body["scopes"]).toEqual(
      expect.arrayContaining([
        { scope: "*", area: null, action: null, description: "Everything." },
        expect.objectContaining({ scope: "datasets:write", area: "datasets", action: "write" }),
      ]),
    );
  });
});
