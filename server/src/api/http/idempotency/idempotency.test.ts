import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask as askOf, createOperations, json, state } from "../../../testing/http-operations.ts";
import type { TestHttp } from "../../../testing/http-service.ts";

let http: TestHttp;
beforeAll(async () => {
  http = await createOperations();
});
afterAll(() => http.app.close());
beforeEach(() => {
  state.calls = 0;
  state.gate = Promise.resolve();
});
const ask = (options: Parameters<typeof askOf>[1]) => askOf(http.app, options);

describe("Idempotency-Key", () => {
  const create = (key: string, fail = false, token = "all", name = "n") =>
    ask({
      method: "POST",
      url: `/v1/things?name=${name}`,
      headers: { ...json, "idempotency-key": key },
      payload: JSON.stringify({ fail }),
      token,
    });

  it("replays the first answer and runs nothing again", async () => {
    const first = await create("k1");
    const second = await create("k1");
    expect(state.calls).toBe(1);
    expect([second.status, second.body, second.type]).toEqual([201, first.body, first.type]);
    expect(second.answer.headers["idempotency-replayed"]).toBe("true");
    expect((await create("k1", false, "other")).body.calls).toBe(2);
  });

  it("refuses another request under the same key, and another caller of the organization", async () => {
    await create("k2");
    const other = await create("k2", false, "all", "m");
    expect([other.status, other.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    expect((await create("k2", true)).status).toBe(422);
    const anothers = await create("k2", false, "limited");
    expect([anothers.status, anothers.body.detail[0].loc]).toEqual([
      422,
      ["header", "idempotency-key"],
    ]);
    expect(state.calls).toBe(1);
  });

  it("answers 409 while the first still runs", async () => {
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = create("k3");
    while (state.calls === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await create("k3");
    expect([second.status, second.answer.headers["retry-after"]]).toEqual([409, "7"]);
    open();
    expect((await first).status).toBe(201);
    expect((await create("k3")).status).toBe(201);
    expect(state.calls).toBe(1);
  });

  it("frees the key after a failure, and derives equal ids from equal keys", async () => {
    expect((await create("k4", true)).status).toBe(409);
    const first = await create("k4");
    expect(first.status).toBe(201);
    expect(first.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    const bare = await ask({
      method: "POST",
      url: "/v1/things?name=n",
      headers: json,
      payload: '{"fail":false}',
    });
    expect(bare.body.id).not.toBe(first.body.id);
  });

  it("covers uploads by their bytes and media type, multipart ones without their boundary", async () => {
    const upload = (payload: string, type: string, key: string) =>
      ask({
        method: "POST",
        url: "/v1/uploads",
        headers: { "content-type": type, "idempotency-key": key },
        payload,
      });
    const first = await upload("a,b\n1,2\n", "text/csv", "u1");
    expect((await upload("a,b\n1,2\n", "text/csv", "u1")).body).toEqual(first.body);
    expect((await upload("a,b\n1,3\n", "text/csv", "u1")).status).toBe(422);
    expect((await upload("a,b\n1,2\n", "text/csv; header=absent", "u1")).status).toBe(422);
    expect(state.calls).toBe(1);
    const form = (boundary: string, part = "x") =>
      `--${boundary}\r\n\r\n${part}\r\n--${boundary}--\r\n`;
    const type = (boundary: string) => `multipart/form-data; boundary=${boundary}`;
    await upload(form("aaaa"), type("aaaa"), "u2");
    expect((await upload(form("bbbb"), type("bbbb"), "u2")).status).toBe(200);
    expect((await upload(form("bbbb", "y"), type("bbbb"), "u2")).status).toBe(422);
    expect(state.calls).toBe(2);
  });

  it("must be printable, and is not looked at where nothing is created", async () => {
    const { status, body } = await create("a b");
    expect([status, body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    const patched = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: { ...json, "idempotency-key": "a b" },
      payload: "{}",
    });
    expect(patched.status).toBe(200);
  });
});
