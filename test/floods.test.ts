/** Floods: of wrong keys under forged addresses, and of broken uploads. A client beside them is served. */

import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";

/** More than one network may fail at once. */
const FLOOD = 450;
const UPLOADS = 200;
const FORM = "multipart/form-data; boundary=edge";
const PART =
  '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na,b\n1,2\n';

let direct: TestServer;
let proxied: TestServer;
beforeAll(async () => {
  direct = await TestServer.start({ workers: 1 });
  proxied = await TestServer.start({
    workers: 1,
    env: { DISTILLERY_TRUSTED_PROXIES: "127.0.0.1,::1" },
  });
});
afterAll(async () => {
  await direct.stop();
  await proxied.stop();
  await removeHomes();
});

const statusOf = async (server: TestServer, token: string, forwarded: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": forwarded };
  const response = await server.request("GET", "/v1/organization", { headers });
  await response.arrayBuffer();
  return response.status;
};

const flood = (server: TestServer, addressOf: (attempt: number) => string): Promise<number[]> =>
  Promise.all(
    Array.from({ length: FLOOD }, (_, attempt) =>
      statusOf(server, `wrong-${attempt}`, addressOf(attempt)),
    ),
  );

const anyAddress = (attempt: number): string => `203.0.${attempt >> 8}.${attempt & 255}`;

describe("a flood of wrong keys", () => {
  it("is held back whatever addresses it claims, and nobody with a key is", async () => {
    const wrong = flood(direct, anyAddress);
    const good = [];
    for (let i = 0; i < 20; i++) good.push(await statusOf(direct, API_KEY, anyAddress(i)));
    expect(new Set(good)).toEqual(new Set([200]));
    const statuses = new Set(await wrong);
    expect(statuses).toEqual(new Set([401, 429]));
    expect(await statusOf(direct, API_KEY, "203.0.113.1")).toBe(200);
  });

  it("is held back by the address that a trusted proxy saw, and others fail by themselves", async () => {
    // What stands further left the client wrote itself.
    const statuses = await flood(proxied, (attempt) => `${anyAddress(attempt)}, 198.51.100.9`);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await statusOf(proxied, "wrong", "198.51.100.10")).toBe(401);
    expect(await statusOf(proxied, API_KEY, "198.51.100.9")).toBe(200);
  });
});

/** Null where the sender went away. */
function brokenUpload(server: TestServer, at: number): Promise<number | null> {
  return new Promise((resolve) => {
    const path = at % 2 === 0 ? "/v1/datasets?name=broken" : "/v1/documents";
    const sent = httpRequest(server.baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": FORM },
    });
    sent.on("response", (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", () => resolve(null));
    const body = PART.slice(0, PART.length - (at % 60));
    if (at % 4 < 2) sent.end(body);
    else sent.write(body, () => sent.destroy());
  });
}

it("200 broken uploads at once keep nothing and hold up nobody", async () => {
  const broken = Promise.all(Array.from({ length: UPLOADS }, (_, at) => brokenUpload(direct, at)));
  await direct.uploadCsv("healthy", "a,b\n1,2\n3,4\n");
  for (const status of await broken) {
    if (status === null) continue;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
  const { datasets } = await direct.get<{ datasets: { name: string }[] }>("/v1/datasets");
  expect(datasets.map(({ name }) => name)).toEqual(["healthy"]);
  expect((await direct.get<{ documents: unknown[] }>("/v1/documents")).documents).toEqual([]);
  expect((await direct.request("GET", "/readyz")).status).toBe(200);
});
