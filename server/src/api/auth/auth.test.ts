import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database, type Session, type SessionEvents } from "../../platform/db/database.ts";
import { Sealer } from "../../platform/secrets/seal.ts";
import { SecretKey } from "../../platform/secrets/secret-key.ts";
import { apiKeysRouter, organizationRouter } from "../../resources/api-keys/router.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { postgresIdempotency } from "../http/idempotency/postgres-idempotency.ts";
import { router } from "../http/routing/trpc.ts";
import { createHttp } from "../http/server.ts";
import { hashApiKey } from "./api-key.ts";
import { AttemptLimiter, networkOf } from "./attempt-limiter.ts";
import { Authenticator } from "./authenticator.ts";
import { type Bootstrap, bootstrap } from "./bootstrap.ts";
import { ensureOrganization, insertKey } from "./key-store.ts";

/** A database whose notifications come late, or never, as those of a process that stands still. */
class FaultyChannel extends Database {
  fault: "late" | "deaf" | null = null;

  override async session(events: SessionEvents): Promise<Session> {
    const session = await super.session({
      ...events,
      onNotify: (channel, payload) => {
        if (this.fault === "deaf") return;
        const tell = (): void => events.onNotify?.(channel, payload);
        if (this.fault === "late") setTimeout(tell, 300);
        else tell();
      },
    });
    const sql = new Proxy(session.sql, {
      get: (client, name) =>
        name === "unsafe" && this.fault === "deaf"
          ? () => new Promise(() => undefined)
          : Reflect.get(client, name),
    });
    return { ...session, sql };
  }
}

/** Two API processes over one database. */
let temporary: TemporaryDatabase;
let apps: FastifyInstance[] = [];
const authenticators: Authenticator[] = [];
let started: Bootstrap[];
let key: string;
let foreignKey: string;
const secret = new SecretKey("key material of these tests, 32+");
const sealer = new Sealer(secret);

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const db = temporary.database;
  // Processes that start together on an empty database.
  started = await Promise.all(Array.from({ length: 4 }, () => bootstrap(db, undefined)));
  key = started.find(({ createdKey }) => createdKey !== null)!.createdKey!;
  foreignKey = "an operator's foreign key".replaceAll(" ", "-");
  await db.system(async (sql) => {
    const other = await ensureOrganization(sql, "other");
    await insertKey(sql, other, {
      id: randomUUID(),
      name: "foreign",
      hash: hashApiKey(foreignKey),
      prefix: "",
      scopes: ["*"],
      origin: "created",
      createdBy: null,
      expiresAt: null,
    });
  });
  apps = await Promise.all(
    [0, 1].map(async () => {
      const authenticator = new Authenticator({
        db,
        oidc: null,
        attempts: new AttemptLimiter({ burst: 20, perSecond: 1000 }),
        onChannelLost: () => undefined,
      });
      await authenticator.listen();
      authenticators.push(authenticator);
      return await createHttp({
        router: router({ apiKeys: apiKeysRouter, organization: organizationRouter }),
        rawRoutes: [],
        services: { db, secret } as never,
        authenticate: ({ headers, ip }) => authenticator.authenticate(headers.authorization, ip),
        idempotency: postgresIdempotency(db, sealer),
        translateError: () => null,
        onUnexpected: (error) => {
          throw error;
        },
      });
    }),
  );
});
afterAll(async () => {
  await Promise.all(authenticators.map((one) => one.close()));
  await Promise.all(apps.map((app) => app.close()));
  await temporary.close();
});

async function ask(
  method: "GET" | "POST" | "DELETE",
  url: string,
  token: string,
  body?: unknown,
  more: { app?: number; headers?: Record<string, string> } = {},
) {
  const answer = await apps[more.app ?? 0]!.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}`, ...more.headers },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

describe("the first key", () => {
  it("is made once, and works", async () => {
    expect(key).toMatch(/^dk_/);
    const again = await bootstrap(temporary.database, undefined);
    expect(again.createdKey).toBeNull();
    const { status, body } = await ask("GET", "/v1/organization", key);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: again.organizationId,
      name: "default",
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      caller: { kind: "api_key", subject: expect.any(String), scopes: ["*"] },
    });
  });

  it("can be the operator's, who may change it", async () => {
    const [one, two] = ["operator-key-number-1", "operator-key-number-2"];
    const start = (configured: string) => bootstrap(temporary.database, configured);
    expect((await start(one)).createdKey).toBeNull();
    await start(one);
    expect((await ask("GET", "/v1/organization", one)).status).toBe(200);
    await start(two);
    await expect.poll(async () => (await ask("GET", "/v1/organization", one)).status).toBe(401);
    expect((await ask("GET", "/v1/organization", two)).status).toBe(200);
    await start(one);
    expect((await ask("GET", "/v1/organization", one)).status).toBe(200);
    expect((await ask("GET", "/v1/organization", key)).status).toBe(200);
  });

  it("stays revoked, if it was the operator's, whatever starts with it again", async () => {
    const [one, two] = ["operator-key-to-revoke-1", "operator-key-to-revoke-2"];
    const start = (configured: string) => bootstrap(temporary.database, configured);
    const works = async (token: string) =>
      (await ask("GET", "/v1/organization", token)).status === 200;
    expect((await start(one)).configuredKeyRevoked).toBe(false);
    const { caller } = (await ask("GET", "/v1/organization", one)).body;
    expect((await ask("DELETE", `/v1/api_keys/${caller.subject}`, key)).status).toBe(200);
    await expect.poll(() => works(one)).toBe(false);
    for (let count = 0; count < 2; count++) {
      expect(await start(one)).toMatchObject({ createdKey: null, configuredKeyRevoked: true });
      expect(await works(one)).toBe(false);
      expect((await start(two)).configuredKeyRevoked).toBe(false);
      expect(await works(two)).toBe(true);
    }
  });

  it("is one, however many processes start at once", () => {
    expect(started.filter(({ createdKey }) => createdKey !== null)).toHaveLength(1);
    expect(new Set(started.map(({ organizationId }) => organizationId)).size).toBe(1);
  });
});

describe("access tokens", () => {
  it("make their organization when it is first seen, and act in it alone", async () => {
    const verified = new Authenticator({
      db: temporary.database,
      oidc: {
        verify: async (token) => ({
          subject: token,
          organization: "acme",
          scopes: new Set(["organization:read"]),
        }),
      },
      onChannelLost: () => undefined,
    });
    const [one, two] = await Promise.all(
      ["a.b.c", "d.e.f"].map((token) => verified.authenticate(`bearer ${token}`, "10.0.0.9")),
    );
    expect(one!.principal).toMatchObject({ kind: "oidc", subject: "a.b.c", keyId: null });
    expect(two!.principal!.organizationId).toBe(one!.principal!.organizationId);
    expect(one!.principal!.organizationId).not.toBe(started[0]!.organizationId);
    const key = await verified.authenticate("Bearer not-a-jwt-nor-a-key", "10.0.0.9");
    expect(key.failure?.kind).toBe("unauthenticated");
  });
});

describe("API keys", () => {
  const make = (body: object, token = key) => ask("POST", "/v1/api_keys", token, body);

  it("are shown once, listed without their secret, and stored nowhere in the clear", async () => {
    const made = await make({ name: "ci", scopes: ["datasets:write", "models:read"] });
    expect(made.status).toBe(200);
    expect(made.body.key.startsWith(made.body.prefix)).toBe(true);
    const whoami = await ask("GET", "/v1/organization", made.body.key);
    expect(whoami.body.caller).toEqual({
      kind: "api_key",
      subject: made.body.id,
      scopes: ["datasets:write", "models:read"],
    });
    const listed = await ask("GET", "/v1/api_keys", key);
    const { key: secret, ...shown } = made.body;
    expect(listed.body.api_keys[0]).toEqual(shown);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const dump = await temporary.database.systemQuery(
      (sql) => sql`select to_jsonb(api_keys) as row from api_keys`,
    );
    expect(JSON.stringify(dump)).not.toContain(secret);
  });

  it("may do what their scopes say, and grant no more", async () => {
    const reader = (await make({ name: "r", scopes: ["organization:read"] })).body.key;
    expect((await ask("GET", "/v1/api_keys", reader)).status).toBe(200);
    expect((await make({ name: "x" }, reader)).status).toBe(403);
    const writer = (await make({ name: "w", scopes: ["organization:write"] })).body.key;
    const beyond = await make({ name: "x", scopes: ["organization:read", "models:read"] }, writer);
    expect([beyond.status, beyond.body.detail[0].loc]).toEqual([422, ["body", "scopes", 1]]);
    expect((await make({ name: "x" }, writer)).status).toBe(422);
    expect((await make({ name: "x", scopes: ["organization:read"] }, writer)).status).toBe(200);
    expect((await make({ name: "x", scopes: ["everything"] })).body.detail[0].type).toBe(
      "literal_error",
    );
  });

  it("do not outlive the key that creates them", async () => {
    const end = new Date(Date.now() + 60_000);
    const brief = (
      await make({ name: "b", scopes: ["organization:write"], expires_at: end.toISOString() })
    ).body.key;
    const child = async (expires_at?: string | null) =>
      make({ name: "c", scopes: ["organization:read"], expires_at }, brief);
    expect((await child()).body.expires_at).toBe(end.toISOString());
    const sooner = new Date(end.getTime() - 10_000).toISOString();
    expect((await child(sooner)).body.expires_at).toBe(sooner);
    for (const later of [null, new Date(end.getTime() + 1).toISOString()]) {
      const { status, body } = await child(later);
      expect([status, body.detail[0].loc]).toEqual([422, ["body", "expires_at"]]);
      expect(body.detail[0].msg).toContain(end.toISOString());
    }
    expect((await make({ name: "c" })).body.expires_at).toBeNull();
  });

  it("are revoked at once in every process", async () => {
    const { id, key: revoked } = (await make({ name: "short-lived" })).body;
    for (const app of [0, 1]) {
      expect((await ask("GET", "/v1/organization", revoked, undefined, { app })).status).toBe(200);
    }
    expect((await ask("DELETE", `/v1/api_keys/${id}`, key)).body).toEqual({ id, deleted: true });
    for (const app of [1, 0]) {
      expect((await ask("GET", "/v1/organization", revoked, undefined, { app })).status).toBe(401);
    }
    expect((await ask("DELETE", `/v1/api_keys/${id}`, key)).status).toBe(404);
  });

  it.each([
    ["hears of it late", "late", 250],
    ["hears of nothing any more", "deaf", 1_500],
  ] as const)("are revoked at once in a process that %s", async (_, fault, least) => {
    const db = new FaultyChannel(temporary.address);
    const authenticator = new Authenticator({ db, oidc: null, onChannelLost: () => undefined });
    await authenticator.listen();
    const { id, key: revoked } = (await make({ name: fault })).body;
    const isTaken = async (): Promise<boolean> =>
      (await authenticator.authenticate(`Bearer ${revoked}`, "::1")).principal !== null;
    expect(await isTaken()).toBe(true);
    // Remembered, it is told at once.
    await expect
      .poll(() => authenticator.authenticate(`Bearer ${revoked}`, "::1") instanceof Promise)
      .toBe(false);
    db.fault = fault;
    const began = performance.now();
    await ask("DELETE", `/v1/api_keys/${id}`, key);
    const took = performance.now() - began;
    expect(await isTaken()).toBe(false);
    expect(took).toBeGreaterThan(least);
    await authenticator.close();
    await db.close();
  });

  it("end when they are said to", async () => {
    const soon = new Date(Date.now() + 2_000).toISOString();
    const { key: brief, expires_at } = (await make({ name: "brief", expires_at: soon })).body;
    expect(expires_at).toBe(soon);
    expect((await ask("GET", "/v1/organization", brief)).status).toBe(200);
    await expect.poll(async () => (await ask("GET", "/v1/organization", brief)).status).toBe(401);
    const past = await make({ name: "past", expires_at: "2020-01-01T00:00:00Z" });
    expect([past.status, past.body.detail[0].loc]).toEqual([422, ["body", "expires_at"]]);
  });

  it("of another organization are not there", async () => {
    const { id } = (await make({ name: "mine" })).body;
    const foreign = await ask("DELETE", `/v1/api_keys/${id}`, foreignKey);
    const missing = await ask("DELETE", `/v1/api_keys/${randomUUID()}`, foreignKey);
    expect(foreign).toEqual(missing);
    expect(foreign.status).toBe(404);
    const seen = await ask("GET", "/v1/api_keys", foreignKey);
    expect(seen.body.api_keys.map((one: { name: string }) => one.name)).toEqual(["foreign"]);
  });

  it("are paged, and a page token serves its own organization only", async () => {
    for (let count = 0; count < 3; count++) await make({ name: `p${count}` });
    const names: string[] = [];
    let token: string | null = null;
    let pages = 0;
    do {
      const url = `/v1/api_keys?limit=2${token === null ? "" : `&page_token=${token}`}`;
      const { body } = await ask("GET", url, key);
      names.push(...body.api_keys.map((one: { id: string }) => one.id));
      token = body.next_page_token;
      if (pages++ === 0) {
        const foreign = await ask("GET", `/v1/api_keys?page_token=${token}`, foreignKey);
        expect([foreign.status, foreign.body.detail[0].loc]).toEqual([
          422,
          ["query", "page_token"],
        ]);
      }
    } while (token !== null);
    const whole = await ask("GET", "/v1/api_keys?limit=500", key);
    expect(names).toEqual(whole.body.api_keys.map((one: { id: string }) => one.id));
    expect(pages).toBe(Math.ceil(names.length / 2));
  });
});

describe("tokens that are no good", () => {
  it("get 401, and too many of them 429 with Retry-After", async () => {
    for (const token of ["nope", `${key}x`, `${key.slice(0, -1)}!`, "a.b.c"]) {
      expect((await ask("GET", "/v1/organization", token)).status).toBe(401);
    }
    const strict = new Authenticator({
      db: temporary.database,
      oidc: null,
      attempts: new AttemptLimiter({ burst: 2, perSecond: 0.001 }),
      onChannelLost: () => undefined,
    });
    const kinds: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const { failure } = await strict.authenticate("Bearer wrong", "10.0.0.1");
      kinds.push(failure?.kind);
    }
    expect(kinds).toEqual(["unauthenticated", "unauthenticated", "too-many-requests"]);
    // What fails is limited, never what authenticates, wherever it comes from.
    expect((await strict.authenticate(`Bearer ${key}`, "10.0.0.1")).failure).toBeNull();
    expect((await strict.authenticate(`Bearer ${key}`, "10.0.0.2")).failure).toBeNull();
    expect((await strict.authenticate("Basic abc", "10.0.0.2")).failure?.headers).toEqual({
      "www-authenticate": 'Bearer realm="distillery"',
    });
  });
});

describe("a flood of tokens that are no good", () => {
  it("does not hold up a good one, and takes one session of the database", async () => {
    const db = temporary.database;
    let sessions = 0;
    let most = 0;
    const counted = new Proxy(db, {
      get(target, name) {
        if (name !== "systemQuery") return Reflect.get(target, name);
        return async (statement: Parameters<typeof db.systemQuery>[0]) => {
          most = Math.max(most, ++sessions);
          try {
            return await target.systemQuery(statement);
          } finally {
            sessions--;
          }
        };
      },
    });
    const flooded = new Authenticator({ db: counted, oidc: null, onChannelLost: () => undefined });
    const wrong = Array.from({ length: 2500 }, (_, at) =>
      flooded.authenticate(`Bearer wrong-${at}`, "10.0.0.3"),
    );
    const good = await flooded.authenticate(`Bearer ${key}`, "10.0.0.3");
    expect(good.principal?.kind).toBe("api_key");
    const failures = (await Promise.all(wrong)).map(({ failure }) => failure?.kind);
    expect(failures.filter((kind) => kind === "unauthenticated").length).toBeGreaterThanOrEqual(
      300,
    );
    expect(failures).toContain("too-many-requests");
    expect(most).toBe(1);
  });
});

describe("the network that failures are counted for", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:db8:1:2:ffff::", "2001:db8:1:2::"],
    ["not an address", "not an address"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("kept answers", () => {
  const create = (idempotencyKey: string, name: string, app = 0) =>
    ask(
      "POST",
      "/v1/api_keys",
      key,
      { name, scopes: ["models:read"] },
      {
        app,
        headers: { "idempotency-key": idempotencyKey },
      },
    );

  it("are replayed in another process, sealed at rest, and refused to another request", async () => {
    const first = await create("same", "once");
    const second = await create("same", "once", 1);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await create("same", "twice", 1)).status).toBe(422);
    const rows = await temporary.database.systemQuery(
      (sql) => sql`select to_jsonb(idempotency_keys) as row from idempotency_keys`,
    );
    expect(JSON.stringify(rows)).toContain("same");
    expect(JSON.stringify(rows)).not.toContain(first.body.key);
  });

  it("make good what a process left that died before it answered", async () => {
    const id = randomUUID();
    const insert = (secret: string) =>
      temporary.database.forOrganization(started[0]!.organizationId, (sql) =>
        insertKey(sql, started[0]!.organizationId, {
          id,
          name: "left behind",
          hash: hashApiKey(secret),
          prefix: "",
          scopes: ["models:read"],
          origin: "created",
          createdBy: null,
          expiresAt: null,
        }),
      );
    await insert("a-secret-nobody-ever-saw");
    await insert("the-secret-that-was-answered");
    const statuses = await Promise.all(
      ["a-secret-nobody-ever-saw", "the-secret-that-was-answered"].map(
        async (token) => (await ask("GET", "/v1/organization", token)).status,
      ),
    );
    expect(statuses).toEqual([401, 200]);
  });

  it("let one of many equal requests through", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create("race", "racer", index % 2)),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const listed = await ask("GET", "/v1/api_keys?limit=500", key);
    expect(
      listed.body.api_keys.filter((one: { name: string }) => one.name === "racer"),
    ).toHaveLength(1);
  });

  const age = (name: string, interval: string) =>
    temporary.database.systemQuery(
      (sql) => sql`
        update idempotency_keys set claimed_at = claimed_at - ${interval}::interval,
                                    began_at = began_at - ${interval}::interval,
                                    completed_at = completed_at - ${interval}::interval
        where key = ${name}`,
    );

  it("are forgotten after a day: the key then makes another resource, and the first stays", async () => {
    const first = await create("daily", "of yesterday");
    await age("daily", "25 hours");
    const second = await create("daily", "of today");
    expect([second.status, second.body.name]).toEqual([200, "of today"]);
    expect(second.body.id).not.toBe(first.body.id);
    for (const { body } of [first, second]) {
      expect((await ask("GET", "/v1/models", body.key)).status).not.toBe(401);
    }
  });

  it("keep their epoch through failures, until they are forgotten", async () => {
    const db = temporary.database;
    const store = postgresIdempotency(db, sealer);
    const { organizationId } = await bootstrap(db, undefined);
    const claimed = async () => {
      const claim = await store.claim(organizationId, "op", "failing");
      if (claim.state !== "claimed") throw new Error("not claimed");
      return claim;
    };
    const epochs: string[] = [];
    for (const [interval, purge] of [
      ["1 minute", true],
      ["1 hour", false],
      ["25 hours", false],
      ["25 hours", true],
    ] as const) {
      const { token, epoch } = await claimed();
      epochs.push(epoch);
      await store.release(organizationId, "op", "failing", token);
      await age("failing", interval);
      if (purge) await store.purge();
    }
    epochs.push((await claimed()).epoch);
    expect(epochs[1]).toBe(epochs[0]);
    expect(epochs[2]).toBe(epochs[0]);
    expect(new Set(epochs).size).toBe(3);
  });

  it("end after a day, and a dead process's claim after a minute", async () => {
    const db = temporary.database;
    const store = postgresIdempotency(db, sealer);
    const { organizationId } = await bootstrap(db, undefined);
    const answer = { status: 200, headers: { etag: "x" }, body: "{}" };
    const claim = () => store.claim(organizationId, "op", "aged");
    const dead = await claim();
    expect((await claim()).state).toBe("running");
    await age("aged", "20 seconds");
    const waiting = await claim();
    if (waiting.state !== "running") throw new Error("not running");
    expect(waiting.retryAfterS).toBeLessThanOrEqual(40);
    expect(waiting.retryAfterS).toBeGreaterThan(10);
    await age("aged", "41 seconds");
    const live = await claim();
    if (dead.state !== "claimed" || live.state !== "claimed") throw new Error("not claimed");
    expect(live.epoch).toBe(dead.epoch);
    // The one that lost its claim writes nothing any more.
    await store.complete(organizationId, "op", "aged", dead.token, "f", {
      ...answer,
      body: "late",
    });
    expect((await claim()).state).toBe("running");
    await store.complete(organizationId, "op", "aged", live.token, "f", answer);
    expect(await claim()).toEqual({ state: "done", fingerprint: "f", answer });
    await age("aged", "25 hours");
    await store.purge();
    const later = await claim();
    expect(later).toMatchObject({ state: "claimed", epoch: expect.not.stringMatching(live.epoch) });
  });
});
