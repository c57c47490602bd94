/** Signing in at the console, and what its cookie may do: one server, asked as browsers and others would. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneSessions } from "../server/src/api/auth/session-store.ts";
import type { Database } from "../server/src/platform/db/database.ts";
import { openDatabase } from "../server/src/platform/db/open.ts";
import { createLogger } from "../server/src/platform/log.ts";
import { CommandProcess } from "./support/command.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";

const ALLOWED = "https://app.example.com";
const SESSION = "/v1/session";

let server: TestServer;
let database: Database;
let closeDatabase: () => Promise<void>;
/** What nobody may read in a log. */
const secrets: string[] = [];

beforeAll(async () => {
  server = await TestServer.start({
    workers: 1,
    env: { DISTILLERY_CORS_ORIGINS: ALLOWED },
  });
  ({ database, close: closeDatabase } = await openDatabase(
    { home: server.home },
    createLogger({ level: "silent" }),
    "worker",
  ));
});
afterAll(async () => {
  await closeDatabase();
  await server.stop();
  await removeHomes();
});

type Headers = Readonly<Record<string, string>>;

/** Without any key. */
const send = (method: string, path: string, headers: Headers = {}, body?: string) =>
  fetch(server.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });

const signIn = (proof: object, headers: Headers = {}) => {
  secrets.push(...Object.values(proof));
  const sent = { "content-type": "application/json", ...headers };
  return send("POST", SESSION, sent, JSON.stringify(proof));
};

interface Session {
  readonly cookie: string;
  readonly csrf: string;
  readonly keyId: string;
  /** What the console's own page sends with a change. */
  readonly own: Headers;
}

async function sessionOf(response: Response): Promise<Session> {
  expect(response.status).toBe(200);
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { csrf_token: csrf, key_id: keyId } = (await response.json()) as Record<string, string>;
  secrets.push(cookie.split("=")[1] ?? "", csrf!);
  const own = { cookie, origin: server.baseUrl, "x-csrf-token": csrf! };
  return { cookie, csrf: csrf!, keyId: keyId!, own };
}

const byKey = async (key = API_KEY, headers: Headers = {}) =>
  sessionOf(await signIn({ api_key: key }, headers));

const newKey = (scopes: readonly string[]) =>
  server.post<{ id: string; key: string }>("/v1/api_keys", { name: "person", scopes });

async function printedLink(): Promise<string> {
  const command = new CommandProcess(["link", "--home", server.home], {});
  const [, token = ""] = await command.says(/\/sign-in#([\w-]{43})\n/);
  expect(await command.ends()).toBe(0);
  return token;
}

const detailOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  String(((await response.json()) as { detail: unknown }).detail),
];

const isSignedIn = async ({ cookie }: Session): Promise<boolean> =>
  (await send("GET", SESSION, { cookie })).status === 200;

describe("a link", () => {
  it("is printed at the start, opens a session with the first key's rights, and does so once", async () => {
    const [, token = ""] =
      /Open the console: http:\/\/127\.0\.0\.1:\d+\/sign-in#([\w-]{43})/.exec(
        server.process.output,
      ) ?? [];
    const response = await signIn({ one_time_token: token });
    const [cookie, ...others] = response.headers.getSetCookie();
    const port = new URL(server.baseUrl).port;
    expect(cookie).toMatch(
      new RegExp(
        `^distillery_session_${port}=[\\w-]{43}; Expires=.* GMT; Path=/; HttpOnly; SameSite=Strict$`,
      ),
    );
    expect(others).toEqual([]);
    const body = (await response.clone().json()) as Record<string, unknown>;
    expect(body).toMatchObject({ scopes: ["*"], csrf_token: expect.any(String) });
    const session = await sessionOf(response);
    const known = await send("GET", SESSION, { cookie: session.cookie });
    expect(await known.json()).toEqual(body);
    const again = await detailOf(await signIn({ one_time_token: token }));
    expect(again).toEqual([401, expect.stringMatching(/used before.*start link/)]);
  });

  it("is printed again by the command, and is void after its time", async () => {
    const old = await printedLink();
    await database.system((sql) => sql`update console_links set expires_at = now()`);
    expect((await signIn({ one_time_token: old })).status).toBe(401);
    expect((await signIn({ one_time_token: await printedLink() })).status).toBe(200);
  });
});

describe("the cookie", () => {
  it("is who asks, of procedures, of /trpc, and of what is no JSON", async () => {
    const { cookie, own } = await byKey();
    for (const path of ["/v1/datasets", "/trpc/organization.get", "/metrics"]) {
      expect([path, (await send("GET", path, { cookie })).status]).toEqual([path, 200]);
      expect([path, (await send("GET", path)).status]).toEqual([path, 401]);
    }
    const csv = { ...own, "content-type": "text/csv" };
    const uploaded = await send("POST", "/v1/datasets?name=by-cookie", csv, "a,b\n1,2\n3,4\n");
    expect(uploaded.status).toBe(200);
    const json = { ...own, "content-type": "application/json" };
    const call = '{"name":"by trpc","scopes":["datasets:read"]}';
    expect((await send("POST", "/trpc/apiKeys.create", json, call)).status).toBe(200);
  });

  it("changes nothing without the token in a header, nor for another page", async () => {
    const { cookie, csrf, own } = await byKey();
    const origin = server.baseUrl;
    const otherPort = origin.replace(/\d+$/, "1");
    const forged: readonly Headers[] = [
      { origin },
      { origin, "x-csrf-token": "" },
      { origin, "x-csrf-token": `${csrf.slice(0, -1)}!` },
      { "x-csrf-token": csrf },
      { origin: otherPort, "x-csrf-token": csrf },
      { origin: "null", "x-csrf-token": csrf },
      { origin: "https://evil.example.com", "x-csrf-token": csrf },
      { origin, "sec-fetch-site": "same-site", "x-csrf-token": csrf },
      { "sec-fetch-site": "cross-site", "x-csrf-token": csrf },
    ];
    for (const headers of forged) {
      for (const [method, path] of [
        ["POST", "/v1/api_keys"],
        ["DELETE", SESSION],
        ["POST", "/trpc/apiKeys.create"],
        ["POST", "/v1/datasets?name=forged"],
      ] as const) {
        const type = { "content-type": "application/json" };
        const refused = await send(method, path, { cookie, ...type, ...headers }, "{}");
        expect([method, path, headers, refused.status]).toEqual([method, path, headers, 403]);
      }
    }
    expect((await send("GET", SESSION, { cookie, origin: otherPort })).status).toBe(401);
    const embedded = { cookie, "sec-fetch-site": "same-site" };
    expect((await send("GET", "/v1/datasets", embedded)).status).toBe(401);
    const bySite = { cookie, "x-csrf-token": csrf, "sec-fetch-site": "same-origin" };
    expect((await send("DELETE", `${SESSION}?everywhere=no`, bySite)).status).toBe(422);
    const signedOut = await send("DELETE", SESSION, own);
    expect(await signedOut.json()).toEqual({ ended: 1 });
    expect(signedOut.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^distillery_session_\d+=; Max-Age=0; Path=\/; HttpOnly;/),
    ]);
    expect((await send("GET", SESSION, { cookie })).status).toBe(401);
  });

  it("gives way to a key, whichever of them holds", async () => {
    const { cookie } = await byKey();
    const wrong = await send("GET", "/v1/datasets", { cookie, authorization: "Bearer nobody" });
    expect(wrong.status).toBe(401);
    const headers = { cookie, authorization: `Bearer ${API_KEY}` };
    expect((await send("GET", SESSION, headers)).status).toBe(401);
    const body = '{"name":"by key","scopes":["datasets:read"]}';
    const json = { ...headers, "content-type": "application/json" };
    expect((await send("POST", "/v1/api_keys", json, body)).status).toBe(200);
  });

  it("is never lent to a page of another origin, not even one that may call the service", async () => {
    const { cookie, own } = await byKey();
    const read = await send("GET", SESSION, { cookie, origin: ALLOWED });
    expect(read.status).toBe(401);
    expect(read.headers.get("access-control-allow-origin")).toBe(ALLOWED);
    const preflight = await send("OPTIONS", "/v1/api_keys", {
      origin: ALLOWED,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-csrf-token",
    });
    const posted = await send("POST", "/v1/api_keys", { ...own, origin: ALLOWED });
    expect(posted.status).toBe(403);
    for (const answer of [read, preflight, posted]) {
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
    const planted = await signIn({ api_key: API_KEY }, { origin: "http://127.0.0.1:1" });
    expect([planted.status, planted.headers.getSetCookie()]).toEqual([403, []]);
  });
});

describe("a session", () => {
  it("is a new one at each sign-in, and no one that somebody planted", async () => {
    const first = await byKey();
    const second = await byKey(API_KEY, { cookie: first.cookie });
    expect(second.cookie).not.toBe(first.cookie);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    const name = first.cookie.split("=")[0];
    const planted = `${name}=${"A".repeat(43)}`;
    const own = await byKey(API_KEY, { cookie: planted });
    expect(own.cookie).not.toBe(planted);
    for (const cookie of [planted, `${planted}; ${own.cookie}`, `${name}=`, `x${own.cookie}`]) {
      expect([cookie, (await send("GET", SESSION, { cookie })).status]).toEqual([cookie, 401]);
    }
    expect((await send("GET", SESSION, { cookie: `a=b; ${own.cookie}; c` })).status).toBe(200);
  });

  it("may do what its key may, and ends with it", async () => {
    const { id, key } = await newKey(["datasets:read"]);
    const session = await byKey(key);
    const { cookie, own } = session;
    expect(session.keyId).toBe(id);
    expect((await send("GET", "/v1/datasets", { cookie })).status).toBe(200);
    expect((await send("GET", "/v1/models", { cookie })).status).toBe(403);
    expect((await send("POST", "/v1/api_keys", own)).status).toBe(403);
    await server.request("DELETE", `/v1/api_keys/${id}`);
    const [status, detail] = await detailOf(await send("GET", "/v1/datasets", { cookie }));
    expect([status, detail]).toEqual([401, expect.stringContaining("session has ended")]);
    expect((await signIn({ api_key: key })).status).toBe(401);
  });

  it("ends when its key expires, when it was not used for long, and at its age", async () => {
    const { id, key } = await newKey(["*"]);
    const expire = {
      key: () =>
        database.system((sql) => sql`update api_keys set expires_at = now() where id = ${id}`),
      idle: () => database.system((sql) => sql`update console_sessions set idle_until = now()`),
      age: () => database.system((sql) => sql`update console_sessions set expires_at = now()`),
    };
    for (const end of [expire.idle, expire.age, expire.key]) {
      const session = await byKey(key);
      expect(await isSignedIn(session)).toBe(true);
      await end();
      expect(await isSignedIn(session)).toBe(false);
    }
    await byKey();
    await pruneSessions(database);
    const [kept] = await database.system(
      (sql) => sql<{ ended: number; live: number }[]>`
        select count(*) filter (where least(idle_until, expires_at) <= now()) as ended,
               count(*) filter (where least(idle_until, expires_at) > now()) as live
        from console_sessions`,
    );
    expect(kept).toEqual({ ended: 0, live: expect.toSatisfy((live: number) => live > 0) });
  });

  it("ends everywhere by one of them, or by the key", async () => {
    const { key } = await newKey(["*"]);
    const [first, second, others] = [await byKey(key), await byKey(key), await byKey()];
    const path = `${SESSION}?everywhere=true`;
    expect(await (await send("DELETE", path, first.own)).json()).toEqual({ ended: 2 });
    expect([await isSignedIn(second), await isSignedIn(others)]).toEqual([false, true]);
    await byKey(key);
    const authorization = `Bearer ${key}`;
    expect(await (await send("DELETE", path, { authorization })).json()).toEqual({ ended: 1 });
    expect((await send("DELETE", SESSION, { authorization })).status).toBe(401);
  });

  it("begins by one proof, which no answer repeats", async () => {
    for (const proof of [{}, { api_key: API_KEY, one_time_token: "x" }, { api_key: 7 }]) {
      const response = await signIn(proof);
      const text = await response.text();
      expect(response.status).toBe(422);
      expect(text).not.toContain(API_KEY);
    }
  });
});

it("nothing of the service's output but the link itself has a token, a cookie or a key", () => {
  const log = server.process.output.replace(/^Open the console: .*$/m, "");
  expect(log).toContain("Distillery");
  expect(secrets.length).toBeGreaterThan(20);
  for (const secret of secrets) {
    // Of what was no proof at all.
    if (String(secret).length > 8) expect(log).not.toContain(secret);
  }
});
