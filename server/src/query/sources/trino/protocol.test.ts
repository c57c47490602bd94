import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { GuardedOutbound } from "../../../platform/net/guarded-outbound.ts";
import type { Outbound, OutboundRequest } from "../../../platform/net/outbound.ts";
import { TrinoService, type TrinoServiceOptions } from "../../../testing/trino-service.ts";
import { SourceError } from "../source-error.ts";
import type { WarehouseCredentials } from "../warehouse-settings.ts";
import { parseTrinoUrl } from "./address.ts";
import { TrinoClient } from "./protocol.ts";
import { openTrinoWarehouse } from "./warehouse.ts";

const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
let service: TrinoService;

afterEach(async () => {
  await service.close();
});

async function start(options: TrinoServiceOptions = {}): Promise<TrinoService> {
  service = await TrinoService.start(options);
  return service;
}

function client(
  credentials: WarehouseCredentials | null = null,
  { url = service.origin, through = outbound as Outbound, connectTimeoutMs = 10_000 } = {},
): TrinoClient {
  return new TrinoClient({ address: parseTrinoUrl(url), credentials, connectTimeoutMs }, through);
}

async function rowsOf(one: TrinoClient, sql: string, signal = AbortSignal.timeout(20_000)) {
  const rows: unknown[] = [];
  for await (const page of one.run(sql, signal)) rows.push(...page.rows);
  return rows;
}

async function failure(work: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceError)) throw error ?? new Error("it did not fail");
  return error;
}

/** A service behind something that encrypts: what is sent to it as https arrives as http. */
function behindTls(): Outbound {
  return {
    fetch: (url: string | URL, request?: OutboundRequest) =>
      outbound.fetch(String(url).replace(/^https:/, "http:"), request),
    connect: (host, port, signal) => outbound.connect(host, port, signal),
  };
}

const INTEGER = { name: "a", typeSignature: { rawType: "integer", arguments: [] } };
const ENDED = { stats: { state: "FINISHED" } };

describe("pages", () => {
  test("come in their order, whatever of them are empty", async () => {
    await start({ pageRows: 7 });
    const rows = await rowsOf(client(), "SELECT i FROM range(100) AS t (i)");
    expect(rows).toEqual(Array.from({ length: 100 }, (_, i) => [i]));
  });

  test("may be large", async () => {
    await start({ pageRows: 40_000 });
    const sql = "SELECT i, repeat('x', 100) AS s FROM range(60000) AS t (i)";
    expect(await rowsOf(client(), sql)).toHaveLength(60_000);
  });

  test("keep integers beyond 2^53 where that is asked for", async () => {
    await start();
    const pages = [];
    for await (const page of client().run(
      "SELECT 9223372036854775807 AS a, 1e300::DOUBLE AS b, 5 AS c",
      AbortSignal.timeout(120_000),
      true,
    )) {
      pages.push(...page.rows);
    }
    expect(JSON.stringify(pages)).toBe("[[9223372036854775807,1e+300,5]]");
  });

  test("say who asks, and how", async () => {
    await start();
    await rowsOf(client({ username: "ada" }), "SELECT 1 AS a");
    const [posted] = service.requests;
    expect(posted!.headers).toMatchObject({
      "x-trino-user": "ada",
      "x-trino-source": "distillery",
      "x-trino-time-zone": "UTC",
      "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    });
    expect(posted!.headers.authorization).toBeUndefined();
  });
});

describe("mishaps", () => {
  test("of a moment are waited out, at the first request and at pages", async () => {
    await start();
    const busy = [502, 503, 504, 429].map((status) => ({ status }));
    service.mishaps.push(...busy, null, null, { breaks: true }, { status: 503 });
    expect(await rowsOf(client(), "SELECT 1 AS a")).toEqual([[1]]);
  });

  test("that last are told", async () => {
    await start();
    service.mishaps.push(...Array.from({ length: 50 }, () => ({ status: 503 })));
    const error = await failure(rowsOf(client(null, { connectTimeoutMs: 1_000 }), "SELECT 1"));
    expect(error.failure).toBe("unreachable");
    expect(error.message).toMatch(/answered 503, repeatedly\.$/);
    expect(service.requests.length).toBeGreaterThan(1);
  });

  test("of the first request are not tried again: it may have arrived", async () => {
    await start();
    service.mishaps.push({ breaks: true });
    expect((await failure(rowsOf(client(), "SELECT 1"))).failure).toBe("unreachable");
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    [{ status: 500 }, "unreachable", /answered 500/],
    [{ status: 404 }, "broken", /answered 404/],
    [{ status: 401 }, "refused", /does not accept the credentials/],
    [{ status: 403 }, "refused", /does not accept the credentials/],
    [{ status: 200, body: "<html>Welcome</html>" }, "broken", /does not answer as Trino does/],
    [{ status: 200, body: "[1]" }, "broken", /does not answer as Trino does/],
    [{ status: 200, body: '{"data": [1]}' }, "broken", /does not answer as Trino does/],
    [{ status: 200, body: '{"data": [[1]]}' }, "broken", /does not answer as Trino does/],
    [
      {
        status: 200,
        body: JSON.stringify({ columns: [INTEGER, INTEGER], data: [[1]], ...ENDED }),
      },
      ...(["broken", /does not answer as Trino does/] as const),
    ],
    [{ status: 200, body: '{"nextUri": 5}' }, "broken", /does not answer as Trino does/],
    [
      { status: 200, body: '{"columns": [{"name": "a", "typeSignature": {"rawType": 1}}]}' },
      ...(["broken", /does not answer as Trino does/] as const),
    ],
    [
      { status: 307, headers: { location: "https://trino.example/v1/statement?x=1" } },
      ...(["broken", /redirects to https:\/\/trino\.example: give that address/] as const),
    ],
  ] as const)("such as %j are told", async (mishap, failed, sentence) => {
    await start();
    service.mishaps.push(mishap);
    const error = await failure(rowsOf(client(), "SELECT 1"));
    expect([error.failure, error.message]).toEqual([failed, expect.stringMatching(sentence)]);
  });

  test.each([
    [`{"data": [${"[],".repeat(4_000_000)}[]]}`, /more than 4000000 values/],
    [`{"data": [${"{},".repeat(4_000_000)}{}]}`, /more than 4000000 values/],
    ["[".repeat(10_000_000), /more than 200 levels/],
  ])("of a small answer that unpacks to much are told (%#)", async (body, sentence) => {
    await start();
    const packed = gzipSync(body);
    expect(packed.length).toBeLessThan(64 * 1024);
    const headers = { "content-encoding": "gzip" };
    service.mishaps.push({ status: 200, headers, body: packed });
    const error = await failure(rowsOf(client(), "SELECT 1"));
    expect([error.failure, error.message]).toEqual(["broken", expect.stringMatching(sentence)]);
  });

  test("of a catalog without end are told", async () => {
    await start();
    const columns = [{ name: "Table", typeSignature: { rawType: "varchar", arguments: [] } }];
    const data = Array.from({ length: 300_000 }, () => ["t"]);
    service.scripted = (_, page) => ({ columns, data, nextUri: service.page(page + 1) });
    const settings = { url: service.origin, credentials: null, cacheScope: "test" };
    const warehouse = openTrinoWarehouse(settings, outbound);
    const signal = AbortSignal.timeout(120_000);
    const error = await failure(warehouse.listTables("shop", "sales", signal));
    expect([error.failure, error.message]).toEqual([
      "broken",
      expect.stringMatching(/tells more of its catalog than is taken/),
    ]);
    await warehouse.close();
  });

  test("of the statement are told by their name", async () => {
    await start();
    const cases = [
      ["TABLE_NOT_FOUND", "not-found"],
      ["PERMISSION_DENIED", "refused"],
      ["EXCEEDED_TIME_LIMIT", "timeout"],
      ["QUERY_QUEUE_FULL", "unreachable"],
      ["DIVISION_BY_ZERO", "broken"],
    ];
    for (const [errorName, failed] of cases) {
      service.scripted = () => ({ error: { errorName, message: "What happened." } });
      const error = await failure(rowsOf(client(), "SELECT 1"));
      expect(error.failure).toBe(failed);
      expect(error.message).toMatch(new RegExp(`failed with ${errorName}: What happened\\.$`));
    }
    expect(service.cancelled).toBe(0);
  });

  test("that end an answer before its statement has ended are no end of it", async () => {
    await start();
    const columns = [INTEGER];
    const early: readonly [object, RegExp][] = [
      [{ stats: { state: "RUNNING" } }, /ended its answer while the statement was RUNNING\.$/],
      [{ stats: { state: "FINISHING" } }, /ended its answer while the statement was FINISHING\.$/],
      [{ stats: {} }, /does not answer as Trino does/],
      [{}, /does not answer as Trino does/],
      [
        { stats: { state: "FAILED" }, error: { errorName: "NO_NODES_AVAILABLE", message: "Gone" } },
        /failed with NO_NODES_AVAILABLE: Gone\.$/,
      ],
    ];
    for (const [last, sentence] of early) {
      service.scripted = (_, page) =>
        page < 3
          ? {
              columns,
              data: [[page]],
              stats: { state: "RUNNING" },
              nextUri: service.page(page + 1),
            }
          : { columns, data: [[page]], ...last };
      expect((await failure(rowsOf(client(), "SELECT 1"))).message).toMatch(sentence);
    }
  });

  test("of a page that is cut short make it asked for again, never the answer's end", async () => {
    await start();
    const whole = { cutAfter: 30 } as const;
    service.mishaps.push(null, null, whole, { cutAfter: 0 });
    expect(await rowsOf(client(), "SELECT i FROM range(5) AS t (i)")).toHaveLength(5);
    service.mishaps.push(null, null, ...Array.from({ length: 50 }, () => whole));
    const error = await failure(rowsOf(client(null, { connectTimeoutMs: 1500 }), "SELECT 1 AS a"));
    expect(error.failure).toBe("unreachable");
  });

  test("of a signature without end are told", async () => {
    await start();
    let typeSignature: unknown = { rawType: "integer", arguments: [] };
    for (let depth = 0; depth < 500; depth++) {
      typeSignature = { rawType: "array", arguments: [{ kind: "TYPE", value: typeSignature }] };
    }
    service.scripted = () => ({ columns: [{ name: "a", typeSignature }] });
    expect((await failure(rowsOf(client(), "SELECT 1"))).failure).toBe("broken");
  });
});

describe("an answer that continues elsewhere", () => {
  test("is not followed there", async () => {
    await start();
    service.publicOrigin = "http://169.254.169.254";
    const error = await failure(rowsOf(client({ username: "ada" }), "SELECT 1"));
    expect(error.failure).toBe("broken");
    expect(error.message).toMatch(
      /at http:\/\/169\.254\.169\.254, another server .*forwarded=true/,
    );
  });
});

describe("cancelling", () => {
  test("an iteration that ends early ends the statement", async () => {
    await start();
    const one = client();
    let pages = 0;
    for await (const _ of one.run('SELECT * FROM "endless"', AbortSignal.timeout(120_000))) {
      if (++pages === 5) break;
    }
    await one.close();
    expect(service.cancelled).toBe(1);
    expect(service.requests.at(-1)?.line).toMatch(/^DELETE \/v1\/statement\/executing\//);
  });

  test("an aborted signal ends the wait for a slow page and the statement", async () => {
    await start();
    const one = client();
    const reason = new Error("the caller went away");
    const controller = new AbortController();
    service.mishaps.push(null, null, { waitsMs: 60_000 });
    setTimeout(() => controller.abort(reason), 100);
    await expect(rowsOf(one, 'SELECT * FROM "endless"', controller.signal)).rejects.toBe(reason);
    await one.close();
    expect(service.cancelled).toBe(1);
  });
});

describe("credentials", () => {
  const basic = `Basic ${Buffer.from("ada:pass word").toString("base64")}`;

  test("do not travel without encryption", async () => {
    await start();
    for (const credentials of [{ username: "ada", password: "pass word" }, { token: "t0ken" }]) {
      const error = await failure(rowsOf(client(credentials), "SELECT 1"));
      expect(error.failure).toBe("refused");
      expect(error.message).toMatch(/over TLS only/);
      expect(error.message).not.toMatch(/pass word|t0ken/);
    }
    expect(service.requests).toEqual([]);
  });

  test.each([
    [{ username: "ada", password: "pass word" }, basic, "ada"],
    [{ token: "t0ken" }, "Bearer t0ken", undefined],
    [{ username: "ada", token: "t0ken" }, "Bearer t0ken", "ada"],
  ] as const)("%j are sent with every request over TLS", async (credentials, sent, user) => {
    await start({ authorization: sent });
    const url = service.origin.replace("http:", "https:");
    service.publicOrigin = url;
    const one = client(credentials, { url, through: behindTls() });
    expect(await rowsOf(one, "SELECT 1 AS a")).toEqual([[1]]);
    expect(service.requests[0]!.headers.authorization).toBe(sent);
    expect(service.requests[0]!.headers["x-trino-user"]).toBe(user);
  });

  test("that are wrong are refused", async () => {
    await start({ authorization: "Bearer another" });
    const url = service.origin.replace("http:", "https:");
    const error = await failure(
      rowsOf(client({ token: "t0ken" }, { url, through: behindTls() }), "SELECT 1"),
    );
    expect(error.failure).toBe("refused");
    expect(error.message).not.toContain("t0ken");
  });

  test("that no header can hold are refused", async () => {
    await start();
    for (const username of ["ada\r\nx-evil: 1", "žofie", " ada"]) {
      const error = await failure(rowsOf(client({ username }), "SELECT 1"));
      expect(error.failure).toBe("refused");
    }
    expect(service.requests).toEqual([]);
  });
});
