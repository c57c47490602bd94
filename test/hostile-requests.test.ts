/**
 * Bodies cut at every byte, complete as HTTP and broken off, and parameters that nothing can be called:
 * whatever an operation is sent, its request fails alone, and the service answers everybody else.
 */

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiDocument, Schema } from "./support/operation-coverage.ts";
import { SchemaSampler } from "./support/schema-sample.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";

interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly template: string;
  /** With ids that nothing has. */
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly sampler: SchemaSampler;
  readonly json: Schema | null;
}

const NOBODY = "00000000-0000-4000-8000-000000000000";
const BOUNDARY = "cut-here";
const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const MULTIPART = [
  part('name="name"', "cut"),
  part('name="file"; filename="a.csv"', "a,b\n1,2\n3,4\n"),
  part('name="kinds"', '{"a":"numeric"}'),
];
const END = `--${BOUNDARY}--\r\n`;
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

let server: TestServer;
let operations: readonly Operation[];

beforeAll(async () => {
  server = await TestServer.start({ workers: 1 });
  const response = await fetch(`${server.baseUrl}/openapi.json`);
  const document: ApiDocument = await response.json();
  const sampler = new SchemaSampler(document);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => ({
      method: method.toUpperCase(),
      template: path,
      path: path.replaceAll(/\{\w+\}/g, NOBODY),
      parameters,
      sampler,
      json: requestBody?.content["application/json"]?.schema ?? null,
    })),
  );
});

afterAll(async () => {
  await server.stop();
  await removeHomes();
});

const send = (
  method: string,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Response> => server.request(method, path, { headers: { "content-type": type }, body });

/** Announces the whole body and goes away after a part of it. */
async function breakOff(path: string, type: string, body: string, bytes: number): Promise<void> {
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${API_KEY}`,
    `content-type: ${type}`,
    `content-length: ${body.length}`,
  ];
  await new Promise((sent) => socket.write(`${head.join("\r\n")}\r\n\r\n`, sent));
  if (bytes > 0) await new Promise((sent) => socket.write(body.slice(0, bytes), sent));
  socket.resetAndDestroy();
}

async function expectServing(): Promise<void> {
  expect(server.process.hasEnded, server.process.output).toBe(false);
  expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
}

const datasetCount = async (): Promise<number> =>
  (await server.get<{ datasets: unknown[] }>("/v1/datasets?limit=500")).datasets.length;

describe("bodies cut at every byte", () => {
  it("JSON: a 4xx of each operation that takes it", async () => {
    expect(operations.length).toBeGreaterThan(10);
    let isFirst = true;
    for (const { method, path, sampler, json } of operations) {
      if (json === null) continue;
      const body = JSON.stringify(sampler.sample(json));
      const cuts = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
      // One parser reads the bodies of all: after the first, a share of the bytes will do.
      const tried = cuts.filter((cut) => isFirst || cut % 7 === 1 || cut === body.length - 1);
      isFirst = false;
      const answers = tried.map(async (cut) => {
        const response = await send(method, path, "application/json", body.slice(0, cut));
        await response.arrayBuffer();
        return response.status;
      });
      for (const status of await Promise.all(answers)) {
        expect([404, 422], `${method} ${path}`).toContain(status);
      }
    }
    await expectServing();
  });

  it.each(["/v1/datasets", "/v1/documents"])("multipart to %s: 4xx, nothing kept", async (path) => {
    const datasets = await datasetCount();
    const whole = path === "/v1/datasets" ? MULTIPART : MULTIPART.slice(1, 2);
    const closing = whole.join("").length + END.length - "\r\n".length;
    const body = whole.join("") + END;
    for (let bytes = 0; bytes < closing; bytes++) {
      const response = await send("POST", path, FORM_TYPE, body.slice(0, bytes));
      const answer = await response.text();
      expect([400, 422], `${bytes} bytes: ${answer}`).toContain(response.status);
    }
    await expectServing();
    expect(await datasetCount()).toBe(datasets);
    const response = await send("POST", path, FORM_TYPE, body);
    expect(response.status, await response.text()).toBe(200);
  });

  it("multipart whose sender goes away: nothing kept", async () => {
    const datasets = await datasetCount();
    const body = MULTIPART.join("") + END;
    for (let bytes = 0; bytes < body.length; bytes += 3) {
      await breakOff("/v1/datasets", FORM_TYPE, body, bytes);
      await breakOff("/v1/documents", FORM_TYPE, body, bytes);
    }
    await expectServing();
    expect(await datasetCount()).toBe(datasets);
  });

  it("files of a dataset, as they are and as gzip", async () => {
    const csv = "a,b\n1,2\n3,4\n";
    const line = '{"a":1,"b":"x"}\n';
    const { gzipSync } = await import("node:zlib");
    const packed = new Uint8Array(gzipSync(csv));
    for (let bytes = 0; bytes <= packed.length; bytes++) {
      for (const [type, whole] of [
        ["text/csv", csv],
        ["text/csv", packed],
        ["application/x-ndjson", line],
        ["application/vnd.apache.arrow.stream", packed],
        ["application/vnd.apache.parquet", `PAR1${csv}PAR1`],
      ] as const) {
        if (bytes > whole.length) continue;
        const response = await send("POST", "/v1/datasets", type, whole.slice(0, bytes));
        const answer = await response.text();
        expect([200, 400, 422], `${type} ${bytes}: ${answer}`).toContain(response.status);
      }
    }
    await expectServing();
  });
});

describe("multipart", () => {
  it("takes fields that come after the file", async () => {
    const response = await send(
      "POST",
      "/v1/datasets",
      FORM_TYPE,
      [
        part('name="file"; filename="a.csv"', "zip\n01234\n98765\n"),
        part('name="name"', "named afterwards"),
        part('name="kinds"', '{"zip":"categorical"}'),
        END,
      ].join(""),
    );
    expect(await response.json()).toMatchObject({
      name: "named afterwards",
      columns: [{ name: "zip", datatype: { kind: "categorical" } }],
    });
  });

  it("refuses a second file instead of dropping it, and a field beyond its bytes", async () => {
    const file = part('name="file"; filename="a.csv"', "a\n1\n2\n");
    const two = await send("POST", "/v1/datasets", FORM_TYPE, file + file + END);
    expect(two.status).toBe(422);
    expect(await two.text()).toContain("one file");
    const long = part('name="kinds"', "x".repeat(1_000_001)) + file + END;
    const refused = await send("POST", "/v1/datasets", FORM_TYPE, long);
    expect(refused.status).toBe(413);
    expect(await refused.text()).toContain("1000000 bytes");
  });
});

describe("texts that nothing can be called", () => {
  const LONG = "a".repeat(4000);

  it("as path and query parameters are no 5xx, and 401 without a key", async () => {
    let sent = 0;
    for (const { method, template, parameters, json } of operations) {
      for (const { name, in: place } of parameters) {
        for (const text of ["a%00", LONG, "%ff", "%ed%a0%80"]) {
          const wanted = place === "path" ? text : null;
          const path = template
            .replace(`{${name}}`, wanted ?? NOBODY)
            .replaceAll(/\{\w+\}/g, NOBODY);
          if (place === "header") continue;
          const url = place === "query" ? `${path}?${name}=${text}` : path;
          const what = `${method} ${url.slice(0, 200)}`;
          const init =
            json === null ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
          const response = await server.request(method, url, init);
          const answer = await response.text();
          // Any text that can be kept may filter a list, and say whose sessions end.
          const chooses = method === "GET" || name === "subject";
          const least = place === "query" && chooses && text !== "a%00" ? 200 : 400;
          expect(response.status, `${what}: ${answer}`).toBeGreaterThanOrEqual(least);
          expect(response.status, `${what}: ${answer}`).toBeLessThan(500);
          // Whoever has no key is refused before the text is looked at: a share of them will do.
          if (sent++ % 3 !== 0) continue;
          const keyless = await fetch(server.baseUrl + url, { method, ...init });
          expect(keyless.status, `${what} without a key`).toBeLessThan(500);
          await keyless.arrayBuffer();
        }
      }
    }
    const unknown = `${server.baseUrl}/v1/models/${LONG}`;
    expect((await fetch(unknown)).status).toBe(401);
  });

  it("in JSON are a 422 at their place, wherever they stand", async () => {
    const placed = (value: unknown, loc: string[], text: string): [string[], unknown][] => {
      if (typeof value === "string") return [[loc, value + text]];
      if (typeof value !== "object" || value === null) return [];
      return Object.entries(value).flatMap(([name, member]) =>
        placed(member, [...loc, name], text).map(([place, changed]): [string[], unknown] => [
          place,
          Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
        ]),
      );
    };
    let sent = 0;
    for (const { method, path, sampler, json } of operations) {
      if (json === null) continue;
      for (const text of ["\0", "\ud800"]) {
        for (const [loc, body] of placed(sampler.sample(json), ["body"], text)) {
          const response = await send(method, path, "application/json", JSON.stringify(body));
          const { detail } = await response.json();
          expect(response.status, `${method} ${path} ${loc}: ${JSON.stringify(detail)}`).toBe(422);
          expect(detail[0].loc.map(String)).toEqual(loc);
          sent += 1;
        }
      }
    }
    expect(sent).toBeGreaterThan(20);
  });

  it("in JSON are refused where an object has them twice, and nothing is made", async () => {
    const before = await datasetCount();
    let sent = 0;
    for (const { method, path, sampler, json } of operations) {
      const sample: unknown = json === null ? null : sampler.sample(json);
      if (typeof sample !== "object" || sample === null || Array.isArray(sample)) continue;
      const [name, value] = Object.entries(sample)[0] ?? ["name", "x"];
      const member = `${JSON.stringify(name)} :${JSON.stringify(value)}`;
      const body = `{${member},${member}}`;
      const response = await send(method, path, "application/json", body);
      const { detail } = await response.json();
      // Rows are read behind the model that they are for.
      const isOfNobody = response.status === 404 && /predict|explain|infer/.test(path);
      expect(isOfNobody || response.status === 422, `${method} ${path}: ${detail}`).toBe(true);
      if (isOfNobody) continue;
      expect(detail, `${method} ${path}`).toMatchObject([
        { loc: ["body", name], msg: "Value error, a member may be named but once" },
      ]);
      sent += 1;
    }
    expect(sent).toBeGreaterThan(20);
    const rows = '{"a":1,"b":2}\n{"a":3,"b":4,"a":5}\n';
    const response = await send("POST", "/v1/datasets", "application/x-ndjson", rows);
    expect(response.status).toBe(422);
    expect((await response.json()).detail[0].msg).toContain(
      'Row 2 has the member "a" more than once',
    );
    expect(await datasetCount()).toBe(before);
  });

  it("as names that show nothing are refused wherever a name is free", async () => {
    let sent = 0;
    for (const { method, path, sampler, json } of operations) {
      // A PATCH is of something, which there is not.
      if (json === null || method === "PATCH") continue;
      const { properties = {} } = sampler.resolve(json) as { properties?: Record<string, Schema> };
      const body = sampler.sample(json) as object;
      for (const member of ["name", "title"]) {
        if (!(member in properties) || "pattern" in sampler.resolve(properties[member]!)) continue;
        for (const text of ["\u200b", " \ufeff", "a\u001b[2J"]) {
          const named = JSON.stringify({ ...body, [member]: text });
          const response = await send(method, path, "application/json", named);
          const { detail } = await response.json();
          expect(detail, `${method} ${path}`).toContainEqual(
            expect.objectContaining({
              loc: ["body", member],
              msg: expect.stringContaining("a name holds"),
            }),
          );
          sent += 1;
        }
      }
    }
    expect(sent).toBeGreaterThan(20);
    const csv = { headers: { "content-type": "text/csv" }, body: "a\n1\n2\n" };
    const inQuery = await server.request("POST", "/v1/datasets?name=%E2%80%8B", csv);
    expect(await inQuery.json()).toMatchObject({ detail: [{ loc: ["query", "name"] }] });
    const form = part('name="name"', "\u200b") + part('name="file"; filename="a.csv"', "a\n1\n");
    const inField = await send("POST", "/v1/datasets", FORM_TYPE, form + END);
    expect(await inField.json()).toMatchObject({ detail: [{ loc: ["body", "name"] }] });
  });

  it("instead of an object are told what the object holds", async () => {
    let sent = 0;
    for (const { method, path, sampler, json } of operations) {
      const known = json === null ? [] : Object.keys(sampler.resolve(json)["properties"] ?? {});
      if (known.length === 0 || method === "PATCH") continue;
      for (const [body, kind] of [
        ["[{}]", "a list"],
        ["null", "null"],
      ] as const) {
        const response = await send(method, path, "application/json", body);
        const { detail } = await response.json();
        // Rows are read behind the model that they are for, bodies behind a path that can be.
        if (response.status === 404 || detail[0].loc[0] === "path") continue;
        const { msg } = detail[0];
        sent += 1;
        expect(msg, `${method} ${path}`).toContain(`, not ${kind}`);
        expect(
          known.some((name) => msg.includes(`"${name}": …`)),
          msg,
        ).toBe(true);
      }
    }
    expect(sent).toBeGreaterThan(30);
    const rows = await send("POST", "/v1/datasets", "application/json", '[{"a":1}]');
    expect((await rows.json()).detail[0].msg).toContain("application/x-ndjson");
  });

  it("as names of a dataset, its file or its columns are refused", async () => {
    const csv = "a\n1\n2\n";
    const named = await server.request("POST", "/v1/datasets?name=a%00", {
      headers: { "content-type": "text/csv" },
      body: csv,
    });
    expect(await named.json()).toMatchObject({ detail: [{ loc: ["query", "name"] }] });
    for (const parts of [
      part('name="name"', "a\0b") + part('name="file"; filename="a.csv"', csv),
      part('name="file"; filename="a\0.csv"', csv),
    ]) {
      const response = await send("POST", "/v1/datasets", FORM_TYPE, parts + END);
      expect(response.status, await response.text()).toBe(422);
    }
    for (const line of ['{"a\\u0000":1}', '{"a\\ud800":1}']) {
      const response = await send("POST", "/v1/datasets", "application/x-ndjson", line);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["body"] }] });
    }
  });
});
