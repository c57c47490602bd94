/** Small uploads that stand for huge tables: refused by the name of a limit, in a process of their own. */

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeHomes, TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ workers: 1, env: { DISTILLERY_MAX_UPLOAD_MIB: "160" } });
});
afterAll(async () => {
  await server.stop();
  await removeHomes();
});

const MIB = 1 << 20;

const upload = (type: string, body: BodyInit, more: object = {}): Promise<Response> =>
  server.request("POST", "/v1/datasets", {
    headers: { "content-type": type, ...more },
    body,
    // Of a body that is a stream.
    duplex: "half",
  } as RequestInit);

async function limitOf(response: Response): Promise<unknown> {
  const { detail } = await response.json();
  expect(response.status, JSON.stringify(detail)).toBe(422);
  return detail[0].ctx;
}

const names = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join();

describe("an upload beyond a limit", () => {
  it("of columns", async () => {
    const csv = `${names(100_000)}\n${names(100_000)}\n`;
    expect(await limitOf(await upload("text/csv", csv))).toMatchObject({
      limit: "columns",
      maximum: 16_384,
    });
  });

  it("of a row, which is never held whole", async () => {
    let sent = 0;
    const line = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(Buffer.alloc(MIB, sent === 0 ? '{"a":"' : "x"));
        if (++sent === 96) controller.close();
      },
    });
    const response = await upload("application/x-ndjson", line);
    expect(await limitOf(response)).toMatchObject({ limit: "row_bytes", row: 1 });
  });

  it("of its bytes, packed or not, by 413", async () => {
    const zeros = gzipSync(Buffer.alloc(200 * MIB, "1\n"));
    for (const [body, more] of [
      [new Uint8Array(zeros), { "content-encoding": "gzip" }],
      [new Uint8Array(161 * MIB), {}],
    ] as const) {
      const response = await upload("text/csv", body, more);
      expect(response.status).toBe(413);
      expect(await response.text()).toMatch(/limit/);
    }
  });

  it("leaves no dataset, and wide tables within the limits pass", async () => {
    const before = await server.get<{ datasets: unknown[] }>("/v1/datasets");
    expect(before.datasets).toEqual([]);
    const response = await upload("text/csv", `${names(10_000)}\n${names(10_000)}\n`);
    const { dataset_id, detail } = await response.json();
    expect(response.status, JSON.stringify(detail)).toBe(200);
    const { columns, profile } = await server.get<{
      columns: { name: string }[];
      profile: { name: string; missing: number }[];
    }>(`/v1/datasets/${dataset_id}`);
    expect(profile.map(({ name }) => name).join()).toBe(names(10_000));
    expect(columns.map(({ name }) => name).join()).toBe(names(10_000));
  });
});
