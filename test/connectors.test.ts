/** Connectors over HTTP: every operation, every rule, and servers that do not do as they should. */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { S3Service } from "../server/src/testing/s3-service.ts";
import { type AskOptions, type Json, Organization } from "./support/catalog.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { PostgresServer } from "./support/postgres.ts";
import {
  answering,
  blackHole,
  deadPort,
  refusing,
  type TestResponder,
} from "./support/s3-responder.ts";
import { API_KEY, preparedHome, removeHomes, TestServer } from "./support/server.ts";

const OBJSTORE = "/v1/connectors/objstore";
const WAREHOUSE = "/v1/connectors/warehouse";

/** What must be seen nowhere. */
const SECRETS = {
  s3: "the-secret-access-key-itself",
  s3Id: "THEACCESSKEYID",
  session: "the-session-token-itself",
  password: "the-password-itself",
  wrong: "another-password-altogether",
  token: "the-bearer-token-itself",
  inUrl: "the-password-in-a-url",
};
const S3_CREDENTIALS = { access_key_id: SECRETS.s3Id, secret_access_key: SECRETS.s3 };
const FIRST_KEY = "the first secret of these servers";
const SECOND_KEY = "the second secret of these servers";

/** Every answer and everything that servers wrote. */
const heard: string[] = [];

class Caller extends Organization {
  override async ask(method: string, path: string, options: AskOptions = {}) {
    const answer = await super.ask(method, path, options);
    heard.push(JSON.stringify(answer));
    return answer;
  }

  create(path: string, body: Json) {
    return this.ok("POST", path, { body });
  }
}

let folder: string;
let home: string;
let issuer: TokenIssuer;
let server: TestServer;
let strict: TestServer;
let s3: S3Service;
let postgres: PostgresServer;
let hole: TestResponder;
const bad: TestResponder[] = [];
let organizations = 0;
let silence: ReturnType<typeof testSilence>;

const environment = (): Record<string, string> => ({
  ...issuer.environment,
  DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
  DISTILLERY_FILE_ROOTS: join(folder, "allowed"),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-connectors-"));
  for (const path of ["allowed/data", "outside"]) {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, "one.csv"), "a,b\n1,2\n");
  }
  await symlink(join(folder, "outside"), join(folder, "allowed/way-out"));
  issuer = await TokenIssuer.start();
  home = await preparedHome();
  [server, strict, s3, postgres, hole] = await Promise.all([
    TestServer.start({
      home,
      workers: 0,
      env: { ...environment(), DISTILLERY_SECRET_KEY: FIRST_KEY },
    }),
    TestServer.start({ workers: 0 }),
    S3Service.create(),
    PostgresServer.create(),
    blackHole(),
  ]);
  await postgres.administer([
    `create role reader login password '${SECRETS.password}'`,
    "create database sales",
  ]);
  await postgres.administer(
    ["create schema shop", "grant usage on schema shop to reader"],
    "sales",
  );
  silence = testSilence();
  // The test that awaits it tells of its failure.
  silence.catch(() => undefined);
});
afterAll(async () => {
  for (const one of [server, strict]) await one?.stop();
  await Promise.all([...bad, hole].map((one) => one?.close()));
  await Promise.all([s3?.remove(), postgres?.remove(), issuer?.stop()]);
  await rm(folder, { recursive: true, force: true });
  await removeHomes();
});

const caller = (): Caller => {
  organizations += 1;
  return new Caller(server, issuer.token(`connectors-${organizations}`));
};
async function misbehaving(opening: Promise<TestResponder>): Promise<TestResponder> {
  const one = await opening;
  bad.push(one);
  return one;
}

const s3Endpoint = (): string => new URL(s3.url("x")).searchParams.get("endpoint") ?? "";
const fileUrl = (path: string): string => `file://${join(folder, path)}/`;
const postgresUrl = (database = "sales"): string =>
  `postgres://127.0.0.1:${postgres.port}/${database}?sslmode=disable`;

const LAKE = { connector_name: "lake", url: "s3://bucket/data/" };
const WAREHOUSE_BODY = { connector_name: "shop", kind: "trino", url: "https://trino.example.com" };

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly check: string;
    readonly ok: boolean;
    readonly detail: string;
    readonly milliseconds: number;
  }[];
}

async function report(by: Organization, path: string): Promise<Report> {
  const { body } = await by.ok("POST", `${path}/test`);
  const { checks, ok } = body as unknown as Report;
  for (const { milliseconds, detail } of checks) {
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    expect(detail).not.toBe("");
  }
  expect(ok).toBe(checks.every((one) => one.ok));
  return { ok, checks };
}

/** The first check that failed, as `name: detail`; null where all is well. */
async function firstFault(by: Organization, path: string): Promise<string | null> {
  const { checks } = await report(by, path);
  const failed = checks.findIndex(({ ok }) => !ok);
  if (failed < 0) return null;
  for (const later of checks.slice(failed + 1)) expect(later.detail).toBe("Not tried.");
  return `${checks[failed]?.check}: ${checks[failed]?.detail}`;
}

describe("an object-store connector", () => {
  it("is created, shown without its secrets, listed, changed and deleted", async () => {
    const by = caller();
    const created = await by.create(OBJSTORE, {
      ...LAKE,
      endpoint: "https://s3.example.com",
      region: "eu-west-1",
      credential_name: "reader",
      credentials: { ...S3_CREDENTIALS, session_token: SECRETS.session },
    });
    const { id, created_at, updated_at } = created.body;
    const record = {
      connector_name: "lake",
      id,
      short_id: String(id).slice(0, 8),
      credential_name: "reader",
      url: "s3://bucket/data/",
      endpoint: "https://s3.example.com",
      region: "eu-west-1",
      path_style: null,
      created_at,
      updated_at,
    };
    expect(created.body).toEqual(record);
    expect((await by.ok("GET", `${OBJSTORE}/lake`)).body).toEqual({
      id,
      short_id: record.short_id,
      credential_name: "reader",
    });
    const list = async () => (await by.ok("GET", OBJSTORE)).body;
    expect(await list()).toEqual({ items: [record], next_page_token: null });

    const changed = await by.ok("PATCH", `${OBJSTORE}/lake`, {
      body: { url: "s3://bucket/other", region: null, path_style: false, credential_name: null },
    });
    const after = {
      ...record,
      url: "s3://bucket/other",
      region: null,
      path_style: false,
      credential_name: "",
      updated_at: expect.any(String),
    };
    expect(changed.body).toEqual(after);
    expect(String(changed.body["updated_at"]) > String(updated_at)).toBe(true);
    expect(await list()).toEqual({ items: [after], next_page_token: null });

    expect((await by.ok("DELETE", `${OBJSTORE}/lake`)).body).toEqual({ id, deleted: true });
    expect((await by.ask("GET", `${OBJSTORE}/lake`)).status).toBe(404);
    expect(await list()).toEqual({ items: [], next_page_token: null });
  });

  it("has defaults: no endpoint, no region, anonymous", async () => {
    const { body } = await caller().create(OBJSTORE, LAKE);
    const none = { endpoint: null, region: null, path_style: null, credential_name: "" };
    expect(body).toMatchObject(none);
  });

  const wrong: readonly [string, Json, string, RegExp][] = [
    ["no name", { connector_name: undefined }, "connector_name", /required/i],
    ["an empty name", { connector_name: "" }, "connector_name", /pattern/],
    ["a capital", { connector_name: "Lake" }, "connector_name", /pattern/],
    ["a name that ends in a dot", { connector_name: "lake." }, "connector_name", /pattern/],
    ["a name with a slash", { connector_name: "a/b" }, "connector_name", /pattern/],
    ["a very long name", { connector_name: "a".repeat(256) }, "connector_name", /at most 255/],
    ["no URL", { url: undefined }, "url", /required/i],
    ["an empty URL", { url: "" }, "url", /at least 1/],
    ["a URL of another scheme", { url: "gs://bucket/x" }, "url", /s3:\/\/bucket\/path\/ or file:/],
    ["no bucket", { url: "s3:///x" }, "url", /names its bucket/],
    ["a bucket that cannot be", { url: "s3://B/x" }, "url", /names its bucket/],
    ["dots in the path", { url: "s3://bucket/a/../b" }, "url", /\.\./],
    ["encoded dots", { url: "s3://bucket/a/%2e%2E/b" }, "url", /\.\./],
    ["a query", { url: "s3://bucket/a?b=c" }, "url", /no query/],
    [
      "credentials in the URL",
      { url: `s3://id:${SECRETS.inUrl}@bucket/x` },
      "url",
      /send them as credentials\.access_key_id and credentials\.secret_access_key/,
    ],
    ["an endpoint that is no URL", { endpoint: "minio:9000" }, "endpoint", /http/],
    ["an endpoint of another scheme", { endpoint: "ftp://minio" }, "endpoint", /http/],
    [
      "credentials in the endpoint",
      { endpoint: `https://id:${SECRETS.inUrl}@minio` },
      "endpoint",
      /send them as credentials/,
    ],
    // The parser of URLs forgives missing slashes, and finds a password there all the same.
    ...[":", ":/", ":\\\\"].map((colon): (typeof wrong)[number] => [
      `credentials in the endpoint, after https${colon}`,
      { endpoint: `https${colon}id:${SECRETS.inUrl}@minio` },
      "endpoint",
      /send them as credentials/,
    ]),
    ["a query of the endpoint", { endpoint: "https://minio?x=1" }, "endpoint", /no query/],
    ["a metadata service", { endpoint: "http://169.254.169.254" }, "endpoint", /metadata service/],
    ["a region that is none", { region: "eu/west" }, "region", /pattern/],
    ["a text for a flag", { path_style: "yes" }, "path_style", /boolean/],
    ["a member too many", { kind: "s3" }, "kind", /not permitted/],
    [
      "half of the credentials",
      { credentials: { access_key_id: "x" } },
      "credentials.secret_access_key",
      /required/i,
    ],
    [
      "a secret with a line feed",
      { credentials: { ...S3_CREDENTIALS, secret_access_key: `${SECRETS.s3}\n` } },
      "credentials.secret_access_key",
      /pattern/,
    ],
    [
      "a member too many of the credentials",
      { credentials: { ...S3_CREDENTIALS, password: SECRETS.password } },
      "credentials.password",
      /not permitted/,
    ],
    ["a folder outside the allowed ones", { url: "file:///etc/" }, "url", /only below .*allowed/],
    ["a file URL with a host", { url: "file://host/etc/" }, "url", /three slashes/],
  ];
  it.each(wrong)("is refused: %s", async (_, change, loc, message) => {
    const by = caller();
    const { status, body } = await by.ask("POST", OBJSTORE, { body: { ...LAKE, ...change } });
    const detail = body["detail"] as readonly { loc: (string | number)[]; msg: string }[];
    expect([status, detail[0]?.loc.join(".")]).toEqual([422, `body.${loc}`]);
    expect(detail[0]?.msg).toMatch(message);
    expect((await by.ok("GET", OBJSTORE)).body["items"]).toEqual([]);
  });

  it("of files takes nothing that only servers have", async () => {
    const by = caller();
    const files = { connector_name: "files", url: fileUrl("allowed") };
    for (const more of [
      { endpoint: "https://minio" },
      { region: "eu-west-1" },
      { path_style: true },
      { credentials: S3_CREDENTIALS },
    ]) {
      const [fault] = await by.faults("POST", OBJSTORE, { body: { ...files, ...more } });
      expect(fault).toEqual([`body.${Object.keys(more)[0]}`, "value_error"]);
    }
    const { body } = await by.create(OBJSTORE, files);
    expect(body["url"]).toBe(files.url);
    // Nor by way of a change.
    expect(
      await by.faults("PATCH", `${OBJSTORE}/files`, { body: { endpoint: "https://minio" } }),
    ).toEqual([["body.endpoint", "value_error"]]);
  });

  it("keeps its credentials from servers that they were not given for", async () => {
    const by = caller();
    const endpoint = "https://one.example.com";
    await by.create(OBJSTORE, { ...LAKE, endpoint, credentials: S3_CREDENTIALS });
    const moved = { endpoint: "https://two.example.com" };
    const patch = (body: Json) => by.ask("PATCH", `${OBJSTORE}/lake`, { body });
    expect(await by.faults("PATCH", `${OBJSTORE}/lake`, { body: moved })).toEqual([
      ["body.credentials", "missing"],
    ]);
    expect((await by.ok("GET", OBJSTORE)).body["items"]).toMatchObject([{ endpoint }]);
    expect((await patch({ ...moved, credentials: S3_CREDENTIALS })).status).toBe(200);
    expect((await patch({ endpoint, credentials: null })).status).toBe(200);
    // Now there are none to keep.
    expect((await patch({ endpoint: null })).status).toBe(200);
  });
});

describe("a warehouse connector", () => {
  it("is created, shown without its secrets, listed by name, changed and deleted", async () => {
    const by = caller();
    const created = await by.create(WAREHOUSE, {
      ...WAREHOUSE_BODY,
      credential_name: "analyst",
      credentials: { username: "ann", token: SECRETS.token },
    });
    const { id, created_at, updated_at } = created.body;
    const record = {
      connector_name: "shop",
      id,
      short_id: String(id).slice(0, 8),
      credential_name: "analyst",
      kind: "trino",
      url: "https://trino.example.com",
      created_at,
      updated_at,
    };
    expect(created.body).toEqual(record);
    expect((await by.ok("GET", `${WAREHOUSE}/shop`)).body).toEqual(record);
    expect((await by.ok("GET", WAREHOUSE)).body).toEqual({
      items: [{ connector_name: "shop" }],
      next_page_token: null,
    });
    const changed = await by.ok("PATCH", `${WAREHOUSE}/shop`, {
      body: { credential_name: null, credentials: { username: "bob", password: SECRETS.password } },
    });
    expect(changed.body).toEqual({
      ...record,
      credential_name: "",
      updated_at: expect.any(String),
    });
    expect((await by.ok("DELETE", `${WAREHOUSE}/shop?force=true`)).body).toEqual({
      id,
      deleted: true,
    });
    expect((await by.ask("GET", `${WAREHOUSE}/shop`)).status).toBe(404);
  });

  const POSTGRES = { kind: "postgres", url: "postgres://db.example.com/sales" };
  const wrong: readonly [string, Json, string, RegExp][] = [
    ["no kind", { kind: undefined }, "kind", /required/i],
    ["another kind", { kind: "mysql" }, "kind", /'postgres' or 'trino'/],
    ["no URL", { url: undefined }, "url", /required/i],
    ["a URL of the other kind", { kind: "postgres" }, "url", /postgres:\/\//],
    ["a URL of the other kind", { url: POSTGRES.url }, "url", /https?:\/\//],
    ["no database", { ...POSTGRES, url: "postgres://db.example.com" }, "url", /database/],
    ["a parameter that is none", { ...POSTGRES, url: `${POSTGRES.url}?x=1` }, "url", /sslmode/],
    [
      "credentials in the URL",
      { ...POSTGRES, url: `postgres://ann:${SECRETS.inUrl}@db.example.com/sales` },
      "url",
      /send them as credentials\.username and credentials\.password/,
    ],
    [
      "a user in the URL",
      { url: "https://ann@trino.example.com" },
      "url",
      /send them as credentials.*token/,
    ],
    ["a metadata service", { url: "http://[fd00:ec2::254]:8080" }, "url", /metadata service/],
    [
      "a token for PostgreSQL",
      { ...POSTGRES, credentials: { token: SECRETS.token } },
      "credentials.token",
      /username and a password/,
    ],
    [
      "a token and a password",
      { credentials: { username: "a", password: SECRETS.password, token: SECRETS.token } },
      "credentials.token",
      /not both/,
    ],
    [
      "a password of nobody",
      { credentials: { password: SECRETS.password } },
      "credentials.username",
      /required/i,
    ],
    [
      "a number for a password",
      { credentials: { username: "a", password: 12345678901 } },
      "credentials.password",
      /string/,
    ],
    ["a member too many", { endpoint: "https://x" }, "endpoint", /not permitted/],
  ];
  it.each(wrong)("is refused: %s (%#)", async (_, change, loc, message) => {
    const by = caller();
    const request = { body: { ...WAREHOUSE_BODY, ...change } };
    const { status, body } = await by.ask("POST", WAREHOUSE, request);
    const detail = body["detail"] as readonly { loc: (string | number)[]; msg: string }[];
    expect([status, detail[0]?.loc.join(".")]).toEqual([422, `body.${loc}`]);
    expect(detail[0]?.msg).toMatch(message);
    expect(JSON.stringify(body)).not.toContain("12345678901");
    expect((await by.ok("GET", WAREHOUSE)).body["items"]).toEqual([]);
  });

  it("keeps its credentials from servers that they were not given for", async () => {
    const by = caller();
    const credentials = { username: "ann", password: SECRETS.password };
    await by.create(WAREHOUSE, { ...WAREHOUSE_BODY, credentials });
    for (const url of ["https://elsewhere.example.com", "http://trino.example.com"]) {
      expect(await by.faults("PATCH", `${WAREHOUSE}/shop`, { body: { url } })).toEqual([
        ["body.credentials", "missing"],
      ]);
    }
    const both = { url: "https://elsewhere.example.com", credentials };
    expect((await by.ask("PATCH", `${WAREHOUSE}/shop`, { body: both })).status).toBe(200);
  });
});

describe("connectors of both kinds", () => {
  it("share one space of names in an organization, and none with others", async () => {
    const by = caller();
    const other = caller();
    await by.create(OBJSTORE, LAKE);
    const problem = (path: string, body: Json) => by.problem("POST", path, { body });
    expect(await problem(OBJSTORE, LAKE)).toEqual([409, expect.stringContaining("'lake'")]);
    expect(await problem(WAREHOUSE, { ...WAREHOUSE_BODY, connector_name: "lake" })).toEqual([
      409,
      expect.stringContaining("of the other kind"),
    ]);
    const theirs = await other.ask("GET", `${OBJSTORE}/lake`);
    expect(theirs.status).toBe(404);
    // Missing, foreign, and of the other kind are told alike.
    expect((await by.ask("GET", `${OBJSTORE}/none`)).body).toEqual(theirs.body);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
    ] as const) {
      const body = method === "PATCH" ? { body: {} } : {};
      for (const [one, at] of [
        [other, `${OBJSTORE}/lake`],
        [by, `${WAREHOUSE}/lake`],
      ] as const) {
        expect(await one.ask(method, at + path, body)).toMatchObject(theirs);
      }
    }
    await other.create(OBJSTORE, LAKE);
  });

  it("come in pages, newest first", async () => {
    const by = caller();
    const names = ["a", "b", "c", "d", "e"];
    for (const connector_name of names) {
      await by.create(OBJSTORE, { ...LAKE, connector_name });
      await by.create(WAREHOUSE, { ...WAREHOUSE_BODY, connector_name: `${connector_name}-w` });
    }
    for (const [path, suffix] of [
      [OBJSTORE, ""],
      [WAREHOUSE, "-w"],
    ] as const) {
      const seen: string[] = [];
      let token: unknown = null;
      do {
        const query = token === null ? "" : `&page_token=${token}`;
        const { body } = await by.ok("GET", `${path}?limit=2${query}`);
        const items = body["items"] as readonly { connector_name: string }[];
        expect(items.length).toBeLessThanOrEqual(2);
        seen.push(...items.map(({ connector_name }) => connector_name));
        token = body["next_page_token"];
      } while (token !== null);
      expect(seen).toEqual([...names].reverse().map((name) => name + suffix));
      expect(await by.faults("GET", `${path}?limit=0`)).toEqual([
        ["query.limit", "greater_than_equal"],
      ]);
      expect(await by.faults("GET", `${path}?page_token=x`)).toEqual([
        ["query.page_token", "value_error"],
      ]);
    }
  });

  it("are created once under one Idempotency-Key", async () => {
    const by = caller();
    for (const [path, body] of [
      [OBJSTORE, LAKE],
      [WAREHOUSE, WAREHOUSE_BODY],
    ] as const) {
      const headers = { "idempotency-key": `key-of-${body.connector_name}` };
      const first = await by.ok("POST", path, { body, headers });
      expect((await by.ok("POST", path, { body, headers })).body).toEqual(first.body);
    }
  });

  it("need their scopes", async () => {
    const post = async (scope: string): Promise<Organization> => {
      const body = { name: scope, scopes: [scope] };
      const { key } = await server.post<{ key: string }>("/v1/api_keys", body);
      return new Caller(server, key);
    };
    const reader = await post("connectors:read");
    const writer = await post("connectors:write");
    const stranger = await post("datasets:write");
    const scoped = { ...LAKE, connector_name: "scoped", url: fileUrl("allowed/data") };
    const path = `${OBJSTORE}/scoped`;
    expect((await reader.ask("POST", OBJSTORE, { body: scoped })).status).toBe(403);
    await writer.ok("POST", OBJSTORE, { body: scoped });
    await reader.ok("GET", path);
    expect((await reader.ask("POST", `${path}/test`)).status).toBe(403);
    await writer.ok("POST", `${path}/test`);
    for (const method of ["PATCH", "DELETE"]) {
      expect((await reader.ask(method, path, method === "PATCH" ? { body: {} } : {})).status).toBe(
        403,
      );
    }
    expect((await stranger.ask("GET", path)).status).toBe(403);
    expect((await stranger.ask("GET", WAREHOUSE)).status).toBe(403);
    expect((await new Caller(server, "dk_nobody").ask("GET", path)).status).toBe(401);
    await writer.ok("DELETE", path);
  });

  it("are named by definitions of those alone who may read them", async () => {
    const path = "/v1/workspaces/acme/catalogs";
    const owner = caller();
    await owner.ok("POST", "/v1/workspaces", { body: { name: "workspaces/acme" } });
    await owner.create(OBJSTORE, LAKE);
    await owner.create(WAREHOUSE, WAREHOUSE_BODY);
    const keyOf = async (scopes: readonly string[]): Promise<Organization> => {
      const { body } = await owner.ok("POST", "/v1/api_keys", { body: { name: "k", scopes } });
      return new Caller(server, String(body["key"]));
    };
    const narrow = await keyOf(["workspace:write"]);
    const wide = await keyOf(["workspace:write", "connectors:read"]);
    // What reads by no connector needs no more than before.
    await narrow.ok("POST", `${path}?catalogId=main`);
    await narrow.ok("POST", `${path}/main/schemas?schemaId=s`);
    const body = (orders: string) => ({
      spec: {
        listing: {
          connector: "workspaces/acme/connectors/lake",
          tablePaths: [`s3://bucket/data/${orders}/`],
        },
      },
    });
    const shop = {
      relational: { connector: "workspaces/acme/connectors/shop", sourceCatalog: "c" },
    };
    const definitions: readonly [string, string, Json][] = [
      ["POST", `${path}/main/schemas/s/tables?tableId=orders`, body("orders")],
      ["PATCH", `${path}/main/schemas/s/tables/orders`, body("others")],
      ["POST", `${path}?catalogId=bought`, shop],
      [
        "POST",
        `${path}/main/schemas?schemaId=sold`,
        { relational: { ...shop.relational, sourceSchema: "public" } },
      ],
    ];
    for (const [method, at, definition] of definitions) {
      const [status, detail] = await narrow.problem(method, at, { body: definition });
      expect([at, status, detail]).toEqual([at, 403, "This needs the scope connectors:read."]);
      await wide.ok(method, at, { body: definition });
    }
    // Nor is a definition kept from those who change nothing of it, or take it away.
    await narrow.ok("PATCH", `${path}/main/schemas/s/tables/orders`, { body: body("others") });
    await narrow.ok("DELETE", `${path}/main/schemas/s/tables/orders`);
  });

  it("advance the workspace's revision with each change, where there is a workspace", async () => {
    const by = caller();
    await by.create(WAREHOUSE, WAREHOUSE_BODY);
    await by.ok("POST", "/v1/workspaces", { body: { name: "workspaces/acme" } });
    const revision = async () =>
      Number((await by.ok("GET", "/v1/workspaces/acme")).body["revision"]);
    let last = await revision();
    for (const change of [
      () => by.create(OBJSTORE, LAKE),
      () => by.ok("PATCH", `${OBJSTORE}/lake`, { body: { credential_name: "x" } }),
      () => by.ok("PATCH", `${WAREHOUSE}/shop`, { body: { credential_name: "x" } }),
      () => by.ok("DELETE", `${OBJSTORE}/lake`),
      () => by.ok("DELETE", `${WAREHOUSE}/shop`),
    ]) {
      await change();
      expect(await revision()).toBe(last + 1);
      last += 1;
    }
    await by.ask("DELETE", `${OBJSTORE}/lake`);
    await by.ask("POST", OBJSTORE, { body: { ...LAKE, url: "nowhere" } });
    expect(await revision()).toBe(last);
  });

  it("that tables read from are deleted by force alone", async () => {
    const by = caller();
    await by.ok("POST", "/v1/workspaces", { body: { name: "workspaces/acme" } });
    await by.create(OBJSTORE, LAKE);
    const catalogs = "/v1/workspaces/acme/catalogs";
    await by.ok("POST", `${catalogs}?catalogId=main`);
    await by.ok("POST", `${catalogs}/main/schemas?schemaId=s`);
    const table = {
      connector: "workspaces/acme/connectors/lake",
      tablePaths: ["s3://bucket/data/orders/"],
    };
    await by.ok("POST", `${catalogs}/main/schemas/s/tables?tableId=orders`, {
      body: { spec: { listing: table } },
    });
    const [status, detail] = await by.problem("DELETE", `${OBJSTORE}/lake`);
    expect([status, detail]).toEqual([409, expect.stringMatching(/orders.*force=true/)]);
    await by.ok("GET", `${OBJSTORE}/lake`);
    await by.ok("DELETE", `${OBJSTORE}/lake?force=true`);
    await by.ok("GET", `${catalogs}/main/schemas/s/tables/orders`);
    expect(await by.faults("DELETE", `${OBJSTORE}/lake?force=maybe`)).toEqual([
      ["query.force", "bool_parsing"],
    ]);
  });
});

describe("the test of an object store", () => {
  const testing = async (body: Json): Promise<string | null> => {
    const by = caller();
    await by.create(OBJSTORE, { ...LAKE, ...body });
    return await firstFault(by, `${OBJSTORE}/lake`);
  };

  it("says of allowed folders that all is well", async () => {
    const by = caller();
    await by.create(OBJSTORE, { connector_name: "files", url: fileUrl("allowed/data") });
    const { ok, checks } = await report(by, `${OBJSTORE}/files`);
    expect([ok, checks.map(({ check }) => check)]).toEqual([true, ["address", "list", "read"]]);
    expect(checks[2]?.detail).toBe("An object of 8 bytes.");
  });

  it("says of folders that are gone or lead out that they are not there", async () => {
    expect(await testing({ url: fileUrl("allowed/none") })).toMatch(/^address: There is no folder/);
    expect(await testing({ url: fileUrl("allowed/way-out") })).toMatch(/^address: .*leads out/);
  });

  it("says of a server that works that all is well", async () => {
    const by = caller();
    const body = {
      connector_name: "lake",
      url: "s3://bucket/some/where/",
      endpoint: s3Endpoint(),
      credentials: { access_key_id: "S3RVER", secret_access_key: "S3RVER" },
    };
    await by.create(OBJSTORE, body);
    const { ok, checks } = await report(by, `${OBJSTORE}/lake`);
    expect(checks.map(({ check }) => check)).toEqual(["address", "credentials", "list", "read"]);
    expect(ok).toBe(true);
    const none = { ...body, connector_name: "none", url: "s3://no-such-bucket/" };
    await by.create(OBJSTORE, none);
    expect(await firstFault(by, `${OBJSTORE}/none`)).toMatch(/has no bucket no-such-bucket/);
  });

  it("says that nobody listens", async () => {
    const port = await deadPort();
    const endpoint = `http://127.0.0.1:${port}`;
    expect(await testing({ endpoint, credentials: S3_CREDENTIALS })).toBe(
      `address: 127.0.0.1:${port} cannot be connected to.`,
    );
    expect(await testing({ endpoint: "http://nowhere.invalid" })).toMatch(
      /^address: The name nowhere\.invalid cannot be resolved/,
    );
  });

  const refusals: readonly [number, string, RegExp][] = [
    [403, "InvalidAccessKeyId", /^credentials: .*knows no such access key/],
    [403, "SignatureDoesNotMatch", /^credentials: .*secret does not belong/],
    [400, "ExpiredToken", /^credentials: .*session token has expired/],
    [403, "AccessDenied", /^credentials: .*does not allow these credentials/],
    [404, "NoSuchBucket", /^credentials: .*has no bucket bucket/],
    [301, "PermanentRedirect", /^credentials: .*not in the region us-east-1/],
    [503, "SlowDown", /^credentials: .*cannot answer now \(status 503\)/],
    [400, "SomethingElse", /^credentials: .*\(status 400\)/],
  ];
  it.each(refusals)("tells %i %s in words", async (status, code, expected) => {
    const { port } = await misbehaving(refusing(status, code, `${SECRETS.s3} ${SECRETS.s3Id}`));
    const endpoint = `http://127.0.0.1:${port}`;
    expect(await testing({ endpoint, credentials: S3_CREDENTIALS })).toMatch(expected);
  });

  it("tells servers that speak something else", async () => {
    const html = await misbehaving(
      answering((response) => response.end("<html><body>Welcome</body></html>")),
    );
    expect(await testing({ endpoint: `http://127.0.0.1:${html.port}` })).toMatch(/^credentials: /);
    const cut = await misbehaving(answering((response) => response.destroy()));
    expect(await testing({ endpoint: `http://127.0.0.1:${cut.port}` })).toMatch(
      /^credentials: .*broke off/,
    );
    const tls = `https://127.0.0.1:${html.port}`;
    expect(await testing({ endpoint: tls })).toMatch(/^credentials: No encrypted connection/);
  });

  it("follows no redirect", async () => {
    const target = await misbehaving(answering((response) => response.end("reached")));
    for (const status of [301, 302, 307]) {
      const redirecting = await misbehaving(
        answering((response) =>
          response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end(),
        ),
      );
      const endpoint = `http://127.0.0.1:${redirecting.port}`;
      expect(await testing({ endpoint })).toMatch(/^credentials: /);
      expect(redirecting.calls()).toBeGreaterThan(0);
    }
    expect(target.calls()).toBe(0);
  });
});

describe("the test of a warehouse", () => {
  const PASSWORD = { username: "reader", password: SECRETS.password };
  const testing = async (body: Json): Promise<string | null> => {
    const by = caller();
    await by.create(WAREHOUSE, { ...WAREHOUSE_BODY, ...body });
    return await firstFault(by, `${WAREHOUSE}/shop`);
  };

  it("says of PostgreSQL that all is well", async () => {
    const by = caller();
    const body = { connector_name: "pg", kind: "postgres", url: postgresUrl() };
    await by.create(WAREHOUSE, { ...body, credentials: PASSWORD });
    const { ok, checks } = await report(by, `${WAREHOUSE}/pg`);
    expect([ok, checks.map(({ check }) => check)]).toEqual([
      true,
      ["address", "login", "version", "schemas"],
    ]);
    expect(checks[2]?.detail).toMatch(/^PostgreSQL \d+/);
    expect(checks[3]?.detail).toBe("There are 2 schemas.");
  });

  it("says what PostgreSQL does not take", async () => {
    const wrong = { username: "reader", password: SECRETS.wrong };
    const pg = { kind: "postgres", url: postgresUrl() };
    expect(await testing({ ...pg, credentials: wrong })).toMatch(/^login: /);
    expect(await testing(pg)).toMatch(/^login: /);
    const elsewhere = { kind: "postgres", url: postgresUrl("nowhere"), credentials: PASSWORD };
    expect(await testing(elsewhere)).toMatch(/^login: .*nowhere/);
  });

  it("says that nobody listens, or nobody that speaks so", async () => {
    const port = await deadPort();
    expect(await testing({ url: `http://127.0.0.1:${port}` })).toMatch(/^address: .*cannot be/);
    const pg = { kind: "postgres", credentials: PASSWORD };
    expect(await testing({ ...pg, url: `postgres://127.0.0.1:${port}/x` })).toMatch(/^address: /);
    const html = await misbehaving(answering((response) => response.end("<html></html>")));
    const bearer = { username: "ann", token: SECRETS.token };
    expect(await testing({ url: `http://127.0.0.1:${html.port}` })).toMatch(/^login: /);
    expect(await testing({ ...pg, url: `postgres://127.0.0.1:${html.port}/x` })).toMatch(
      /^login: /,
    );
    const shut = await misbehaving(
      answering((response) => response.writeHead(401).end(`no ${SECRETS.token}`)),
    );
    const at = `http://127.0.0.1:${shut.port}`;
    expect(await testing({ url: at, credentials: { username: "ann" } })).toMatch(/^login: /);
    expect(await testing({ url: at.replace("http:", "https:"), credentials: bearer })).toMatch(
      /^login: /,
    );
  });
});

it("servers that never answer end the tests in time, and the catalog is as it was", async () => {
  const { faults, before, after } = await silence;
  expect(faults).toEqual([
    expect.stringMatching(/^credentials: .*(within 10 s|in time)/),
    expect.stringMatching(/^login: .*(within 10 s|in time)/),
    expect.stringMatching(/^login: .*(within 10 s|in time)/),
  ]);
  expect(after).toEqual(before);
});

/** Takes 10 s of waiting, beside which the other tests run. */
async function testSilence() {
  const by = caller();
  const address = `127.0.0.1:${hole.port}`;
  const endpoint = `http://${address}`;
  await by.create(OBJSTORE, { ...LAKE, endpoint, credentials: S3_CREDENTIALS });
  await by.create(WAREHOUSE, { ...WAREHOUSE_BODY, url: endpoint });
  await by.create(WAREHOUSE, {
    connector_name: "pg",
    kind: "postgres",
    url: `postgres://${address}/x`,
    credentials: { username: "reader", password: SECRETS.password },
  });
  const lists = async () => [
    (await by.ok("GET", OBJSTORE)).body,
    (await by.ok("GET", WAREHOUSE)).body,
  ];
  const before = await lists();
  const faults = await Promise.all([
    firstFault(by, `${OBJSTORE}/lake`),
    firstFault(by, `${WAREHOUSE}/shop`),
    firstFault(by, `${WAREHOUSE}/pg`),
  ]);
  return { faults, before, after: await lists() };
}

describe("a service that may not reach the private network", () => {
  const by = () => new Caller(strict, API_KEY);

  it("asks no teacher on this machine", async () => {
    const response = await strict.postRaw("/v1/trainer/run", {
      dataset_id: await strict.uploadCsv("small", "a,y\n1,1\n2,2\n3,3\n"),
      task: { task_kind: "regression", label_column: "y" },
      teacher_predict_url: "http://127.0.0.1:1/predict",
    });
    expect(response.status).toBe(422);
    const { detail } = await response.json();
    expect(detail).toMatchObject([
      { loc: ["body", "teacher_predict_url"], msg: expect.stringContaining("loopback") },
    ]);
  });

  it.each([
    "http://127.0.0.1:9000",
    "http://0x7f.1",
    "http://[::1]:9000",
    "http://[::ffff:10.0.0.1]",
    "https://192.168.1.1",
    "http://100.64.0.1",
    "http://0.0.0.0",
  ])("takes no connector to %s", async (address) => {
    expect(await by().faults("POST", OBJSTORE, { body: { ...LAKE, endpoint: address } })).toEqual([
      ["body.endpoint", "value_error"],
    ]);
    const trino = { ...WAREHOUSE_BODY, url: address };
    expect(await by().faults("POST", WAREHOUSE, { body: trino })).toEqual([
      ["body.url", "value_error"],
    ]);
  });

  it("reaches none by name either, and says how that is allowed", async () => {
    const listening = await misbehaving(blackHole());
    const endpoint = `http://localhost:${listening.port}`;
    await by().create(OBJSTORE, { ...LAKE, endpoint });
    await by().create(WAREHOUSE, { ...WAREHOUSE_BODY, url: endpoint });
    for (const path of [`${OBJSTORE}/lake`, `${WAREHOUSE}/shop`]) {
      expect(await firstFault(by(), path)).toMatch(
        /^address: localhost resolves to .*loopback.*DISTILLERY_ALLOW_PRIVATE_NETWORK/,
      );
    }
    expect(listening.calls()).toBe(0);
  });

  it("reads no folder", async () => {
    const { status, body } = await by().ask("POST", OBJSTORE, {
      body: { connector_name: "files", url: fileUrl("allowed") },
    });
    expect([status, JSON.stringify(body)]).toEqual([
      422,
      expect.stringContaining("DISTILLERY_FILE_ROOTS"),
    ]);
  });
});

it("a key is changed: what the first one sealed opens still when only the second is left", async () => {
  const by = caller();
  const body = { connector_name: "pg", kind: "postgres", url: postgresUrl() };
  const credentials = { username: "reader", password: SECRETS.password };
  await by.create(WAREHOUSE, { ...body, credentials });
  const token = issuer.token(`connectors-${organizations}`);
  for (const keys of [
    { DISTILLERY_SECRET_KEY: SECOND_KEY, DISTILLERY_PREVIOUS_SECRET_KEYS: FIRST_KEY },
    { DISTILLERY_SECRET_KEY: SECOND_KEY },
  ]) {
    await server.stop();
    heard.push(server.process.output);
    server = await TestServer.start({ home, workers: 0, env: { ...environment(), ...keys } });
    expect(await firstFault(new Caller(server, token), `${WAREHOUSE}/pg`)).toBeNull();
  }
});

it("no secret was in any answer, any line of a log, or any file in the clear", async () => {
  await server.stop();
  await strict.stop();
  const all = [...heard, server.process.output, strict.process.output].join("\n");
  expect(all).toContain("credential_name");
  const keys = { FIRST_KEY, SECOND_KEY };
  for (const [name, secret] of Object.entries({ ...SECRETS, ...keys })) {
    expect([name, all.includes(secret)]).toEqual([name, false]);
  }
  // The whole home, the database's files and its write-ahead log with it.
  for (const secret of [SECRETS.s3, SECRETS.session, SECRETS.password, SECRETS.token]) {
    const found = await promisify(execFile)("grep", ["-rlF", "--", secret, home]).then(
      ({ stdout }) => stdout,
      (error: { code: number }) => {
        if (error.code !== 1) throw error;
        return "";
      },
    );
    expect(found).toBe("");
  }
});
