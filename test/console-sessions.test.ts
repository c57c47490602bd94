/** Signing in at the console, and what its cookie may do: one server, asked as browsers and others would. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneSessions } from "../server/src/api/auth/session-store.ts";
import type { Database } from "../server/src/platform/db/database.ts";
import { openDatabase } from "../server/src/platform/db/open.ts";
import { createLogger } from "../server/src/platform/log.ts";
import { CommandProcess } from "./support/command.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";
import { type Person, SignInIssuer } from "./support/sign-in-issuer.ts";

const ALLOWED = "https://app.example.com";
const SESSION = "/v1/session";

let server: TestServer;
let issuer: SignInIssuer;
let database: Database;
let closeDatabase: () => Promise<void>;
/** What nobody may read in a log. */
const secrets: string[] = [];

beforeAll(async () => {
  issuer = await SignInIssuer.start();
  server = await TestServer.start({
    workers: 1,
    env: { DISTILLERY_CORS_ORIGINS: ALLOWED, ...issuer.environment },
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
  await issuer.stop();
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
    expect({ ...(await known.json()), return_to: null }).toEqual(body);
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
    expect(await signedOut.json()).toEqual({ ended: 1, issuer_sign_out_url: null });
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
    expect(await (await send("DELETE", path, first.own)).json()).toMatchObject({ ended: 2 });
    expect([await isSignedIn(second), await isSignedIn(others)]).toEqual([false, true]);
    await byKey(key);
    const authorization = `Bearer ${key}`;
    expect(await (await send("DELETE", path, { authorization })).json()).toMatchObject({
      ended: 1,
    });
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

/** A tab of a browser, on its way to the issuer: its cookies, and where it was sent. */
interface Begun {
  readonly cookie: string;
  readonly url: string;
}

async function begin(cookie = "", returnTo?: string): Promise<Begun> {
  const response = await send(
    "POST",
    `${SESSION}/authorization`,
    { "content-type": "application/json", origin: server.baseUrl, cookie },
    JSON.stringify(returnTo === undefined ? {} : { return_to: returnTo }),
  );
  expect(response.status).toBe(200);
  const set = response.headers.getSetCookie()[0] ?? "";
  expect(set).toMatch(
    /^distillery_sign_in_\d+=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const { authorization_url: url } = (await response.json()) as { authorization_url: string };
  return { cookie: set.split(";")[0] ?? "", url };
}

const ADA = { sub: "ada", organization: "analytical", scope: "openid datasets:write models:read" };

const answered = (query: string, cookie: string) =>
  signIn({ authorization_response: query }, { cookie, origin: server.baseUrl });

async function byIssuer(person: Person = { idClaims: ADA }): Promise<Response> {
  const { cookie, url } = await begin();
  return await answered(issuer.signIn(url, person), cookie);
}

describe("the issuer", () => {
  it("may be away, or none, when somebody comes first: it is asked again", async () => {
    const headers = { "content-type": "application/json", origin: server.baseUrl };
    const ask = () => send("POST", `${SESSION}/authorization`, headers, "{}");
    for (const [fault, status, words] of [
      ["down", 503, /cannot be reached to sign you in/],
      ["odd", 502, /did not answer as an OpenID Connect issuer/],
    ] as const) {
      issuer.fault = fault;
      const refused = await ask();
      expect(refused.headers.getSetCookie()).toEqual([]);
      expect(await detailOf(refused)).toEqual([status, expect.stringMatching(words)]);
    }
    issuer.fault = null;
    expect((await ask()).status).toBe(200);
  });

  it("is offered, and signs a person in with the token's organization and scopes", async () => {
    const offered = await send("GET", `${SESSION}/methods`);
    expect(await offered.json()).toEqual({ openid_connect: { host: issuer.host } });
    const { cookie, url } = await begin("", "/models?filter=kept#there");
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${server.baseUrl}/sign-in/return`);
    expect(url).not.toContain("models");
    const response = await answered(issuer.signIn(url, { idClaims: ADA }), cookie);
    const body = (await response.clone().json()) as Record<string, unknown>;
    expect(body).toMatchObject({
      key_id: null,
      subject: "ada",
      scopes: ["datasets:write", "models:read"],
      return_to: "/models?filter=kept#there",
    });
    const hours = (Date.parse(String(body["expires_at"])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    const session = await sessionOf(response);
    const csv = { ...session.own, "content-type": "text/csv" };
    const made = await send("POST", "/v1/datasets?name=hers", csv, "a,b\n1,2\n3,4\n");
    expect(made.status).toBe(200);
    expect((await send("GET", "/v1/api_keys", { cookie: session.cookie })).status).toBe(403);
    expect((await send("POST", "/v1/datasets", { cookie: session.cookie })).status).toBe(403);
    const others = (await server.get<{ datasets: { name: string }[] }>("/v1/datasets")).datasets;
    expect(others.map(({ name }) => name)).not.toContain("hers");
  });

  it("has what a person may do in the access token where that is for the service", async () => {
    const access = { ...ADA, organization: "by-access", scope: "*" };
    const both = await byIssuer({ idClaims: { sub: "ada" }, accessClaims: access });
    const session = await sessionOf(both);
    const { cookie } = session;
    const organization = await (await send("GET", "/v1/organization", { cookie })).json();
    expect(organization).toMatchObject({
      name: "by-access",
      caller: { kind: "oidc", subject: "ada", scopes: ["*"] },
    });
    const events = await (await send("GET", "/v1/audit_events", { cookie })).json();
    expect(events).toMatchObject({
      audit_events: [
        { operation: "session_create", caller: { kind: "oidc", subject: "ada", is_session: true } },
      ],
    });
    for (const accessClaims of [
      { ...access, sub: "mallory" },
      { ...access, aud: "another service" },
      { ...access, exp: 1 },
    ]) {
      const response = await byIssuer({ idClaims: ADA, accessClaims });
      const { scopes } = (await response.json()) as { scopes: string[] };
      expect(scopes).toEqual(["datasets:write", "models:read"]);
    }
  });

  it("is believed by the browser alone in which the sign-in began, once", async () => {
    const [ours, others] = [await begin(), await begin()];
    const query = issuer.signIn(ours.url, { idClaims: ADA });
    const forged = new URLSearchParams(query);
    forged.set("state", `${forged.get("state")}A`);
    const elsewhere = new URLSearchParams(query);
    elsewhere.set("state", new URL(others.url).searchParams.get("state") ?? "");
    const mixed = `${query}&state=${elsewhere.get("state")}`;
    for (const [sent, cookie] of [
      [query, ""],
      [query, others.cookie],
      [`${forged}`, ours.cookie],
      [`${elsewhere}`, ours.cookie],
    ] as const) {
      expect(await detailOf(await answered(sent, cookie))).toEqual([
        401,
        expect.stringContaining("began in another browser"),
      ]);
    }
    for (const sent of [mixed, "code=1", ""]) {
      expect((await answered(sent, ours.cookie)).status).toBe(422);
    }
    // What was refused has not used the code up.
    expect((await answered(query, ours.cookie)).status).toBe(200);
    const again = await answered(query, ours.cookie);
    expect(await detailOf(again)).toEqual([401, expect.stringContaining("completed before")]);
    expect(again.headers.getSetCookie()).toEqual([]);
    // Nor does the same state begin a second session with another code.
    const other = issuer.signIn(ours.url, { idClaims: ADA });
    expect(await detailOf(await answered(other, ours.cookie))).toEqual([
      401,
      expect.stringContaining("completed before"),
    ]);
    const stolen = await signIn(
      { authorization_response: query },
      { cookie: ours.cookie, origin: ALLOWED },
    );
    expect(stolen.status).toBe(403);
  });

  it("signs in two tabs of a browser side by side", async () => {
    const first = await begin("", "/first");
    const second = await begin(first.cookie, "/second");
    expect(second.cookie).toBe(first.cookie);
    const { cookie } = first;
    const queries = [first, second].map(({ url }) => issuer.signIn(url, { idClaims: ADA }));
    const views: unknown[] = [];
    for (const query of queries) {
      views.push(
        ((await (await answered(query, cookie)).json()) as { return_to: string }).return_to,
      );
    }
    expect(views).toEqual(["/first", "/second"]);
  });

  it("is not believed with another nonce, audience, issuer, hash or time", async () => {
    const wrong: readonly object[] = [
      { nonce: "another" },
      { nonce: undefined },
      { aud: "another client" },
      { aud: ["the console", "another client"] },
      { aud: ["the console", "another client"], azp: "another client" },
      { iss: "https://elsewhere.example" },
      { at_hash: "AAAAAAAAAAAAAAAAAAAAAA" },
      { exp: Math.floor(Date.now() / 1000) - 60 },
      { iat: undefined },
      { sub: undefined },
    ];
    for (const claims of wrong) {
      const response = await byIssuer({ idClaims: { ...ADA, ...claims } });
      const [status, detail] = await detailOf(response);
      expect([claims, [401, 502].includes(status)]).toEqual([claims, true]);
      expect(detail).toContain(issuer.host);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    const close = { exp: Math.floor(Date.now() / 1000) - 10 };
    expect((await byIssuer({ idClaims: { ...ADA, ...close } })).status).toBe(200);
  });

  it("says who belongs nowhere, who may do nothing, and who was refused", async () => {
    const { organization: _, ...homeless } = ADA;
    expect(await detailOf(await byIssuer({ idClaims: homeless }))).toEqual([
      403,
      expect.stringMatching(/names no organization \(claim organization\)/),
    ]);
    expect(await detailOf(await byIssuer({ idClaims: { ...ADA, scope: "openid" } }))).toEqual([
      403,
      expect.stringContaining("grants you nothing"),
    ]);
    // Nor is an organization made for it.
    const unknown = { ...ADA, organization: "never-seen" };
    expect((await byIssuer({ idClaims: { ...unknown, scope: "openid" } })).status).toBe(403);
    const before = Date.now();
    const signedIn = await sessionOf(await byIssuer({ idClaims: { ...unknown, scope: "*" } }));
    const organization: { created_at: string } = await (
      await send("GET", "/v1/organization", { cookie: signedIn.cookie })
    ).json();
    expect(Date.parse(organization.created_at)).toBeGreaterThanOrEqual(before);
    const { cookie, url } = await begin();
    const state = new URL(url).searchParams.get("state") ?? "";
    for (const [error, words] of [
      ["access_denied", /cancelled there, or is not allowed/],
      ["server_error", /did not sign you in \(server_error\)/],
      ["<b>Call us</b>", /did not sign you in \(unknown\)/],
    ] as const) {
      const query = new URLSearchParams({ error, error_description: "Call us", state });
      const [status, detail] = await detailOf(await answered(`${query}`, cookie));
      expect([status, detail]).toEqual([401, expect.stringMatching(words)]);
      expect(detail).not.toContain("Call us");
    }
  });

  it("may be away, or know another secret: nobody is signed in, and it works again after", async () => {
    const { cookie, url } = await begin();
    const query = issuer.signIn(url, { idClaims: ADA });
    issuer.fault = "down";
    const away = await answered(query, cookie);
    expect(away.headers.get("retry-after")).toBe("5");
    expect(await detailOf(away)).toEqual([503, expect.stringContaining("cannot be reached")]);
    issuer.fault = null;
    issuer.secret = "changed";
    expect(await detailOf(await answered(query, cookie))).toEqual([
      502,
      expect.stringMatching(/refuses this service.*OIDC_CLIENT_SECRET/),
    ]);
    await server.process.says(/a sign-in at the issuer failed[\s\S]*\(invalid_client\)/);
    issuer.secret = issuer.environment["OIDC_CLIENT_SECRET"]!;
    expect((await answered(query, cookie)).status).toBe(200);
  });

  it("sends nobody to another origin, and begins for no other page", async () => {
    const headers = { "content-type": "application/json", origin: server.baseUrl };
    for (const view of [
      "//evil.example.com",
      "/\\evil.example.com",
      "https://evil.example.com/",
      "/\t/evil.example.com",
      "javascript:alert(1)",
      "models",
      "",
    ]) {
      const body = JSON.stringify({ return_to: view });
      const response = await send("POST", `${SESSION}/authorization`, headers, body);
      expect([view, response.status]).toEqual([view, 422]);
    }
    const foreign = { ...headers, origin: ALLOWED };
    expect((await send("POST", `${SESSION}/authorization`, foreign, "{}")).status).toBe(403);
  });

  it("begins sessions that end by themselves, by their person, and by who manages keys", async () => {
    const person = { idClaims: { ...ADA, sub: "grace", scope: "*" } };
    const [first, second] = [
      await sessionOf(await byIssuer(person)),
      await sessionOf(await byIssuer(person)),
    ];
    const left = await send("DELETE", SESSION, first.own);
    const { ended, issuer_sign_out_url } = (await left.json()) as Record<string, unknown>;
    expect(ended).toBe(1);
    expect(String(issuer_sign_out_url)).toMatch(
      new RegExp(`^http://${issuer.host}/leave\\?.*client_id=the.console`),
    );
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    const third = await sessionOf(await byIssuer(person));
    const path = `${SESSION}?everywhere=true`;
    expect(await (await send("DELETE", path, second.own)).json()).toMatchObject({ ended: 2 });
    expect(await isSignedIn(third)).toBe(false);
    const fourth = await sessionOf(await byIssuer(person));
    const reader = await sessionOf(await byIssuer());
    const bySubject = `${SESSION}?subject=grace`;
    expect((await send("DELETE", bySubject, reader.own)).status).toBe(403);
    // Of another organization.
    expect(await server.request("DELETE", bySubject).then((each) => each.json())).toMatchObject({
      ended: 0,
    });
    const manager = await sessionOf(await byIssuer({ idClaims: { ...ADA, scope: "*" } }));
    const signedOut = await send("DELETE", bySubject, manager.own);
    expect(await signedOut.json()).toEqual({ ended: 1, issuer_sign_out_url: null });
    expect([await isSignedIn(fourth), await isSignedIn(manager)]).toEqual([false, true]);
    await database.system(
      (sql) => sql`update console_sessions set client_id = 'of before' where subject = 'ada'`,
    );
    expect(await isSignedIn(manager)).toBe(false);
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
