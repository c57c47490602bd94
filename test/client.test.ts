/** `@distillery/client` against a started server: its procedures, files, jobs, and what is refused. */

import { once } from "node:events";
import { createReadStream, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  createClient,
  type Inputs,
  JobFailedError,
  type JobProgress,
  type Outputs,
  ServiceError,
  type UploadProgress,
} from "@distillery/client";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

const CSV = `x,y\n${Array.from({ length: 120 }, (_, i) => `${i % 17},${(i % 17) * 3 + (i % 5)}`).join("\n")}\n`;
const TASK = { task_kind: "regression", label_column: "y" } as const;

describe("procedures", () => {
  it("calls with a key, in types that follow the router", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const organization = await client.organization.get.query();
    expect(organization.name).toBe(server.organization);
    expectTypeOf(organization.caller.kind).toEqualTypeOf<"api_key" | "oidc">();
    const created = await client.apiKeys.create.mutate({ name: "typed", scopes: ["models:read"] });
    expectTypeOf(created.expires_at).toEqualTypeOf<string | null>();
    const narrow = createClient({ url: new URL(server.baseUrl), token: async () => created.key });
    // Two calls in one tick: one request, one refusal.
    const [who, keys] = await Promise.allSettled([
      narrow.organization.get.query(),
      narrow.apiKeys.list.query({ limit: 2 }),
    ]);
    expect(who).toMatchObject({
      status: "fulfilled",
      value: { caller: { scopes: ["models:read"] } },
    });
    if (keys.status !== "rejected") throw new Error("it was allowed");
    expect(keys.reason).toBeInstanceOf(ServiceError);
    expect(keys.reason.problem).toMatchObject({ status: 403, title: "Forbidden" });
  });

  it("asks what is no procedure by its path, with JSON or a text", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const path = "/v1/api_keys";
    const key = { name: "by its path", scopes: ["models:read"] };
    const created = await client.request(path, { json: key });
    expect(await created.json()).toMatchObject({ name: "by its path" });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ ...key, name: "as a text" });
    const other = await client.request(path, { headers, body });
    expect(await other.json()).toMatchObject({ name: "as a text" });
    const listed: { api_keys: { name: string }[] } = await (await client.request(path)).json();
    expect(listed.api_keys.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["by its path", "as a text"]),
    );
  });

  it("tells what was refused before any procedure was called, and asks more by the path", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const model_id = "00000000-0000-4000-8000-000000000000";
    const instances = Array.from({ length: 10_000 }, (_, x) => ({ x, z: 1 }));
    const refusal = await client.models.predict
      .mutate({ model_id, instances })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ServiceError);
    expect(refusal).toMatchObject({
      status: 422,
      faults: [{ loc: ["body"] }],
      message: expect.stringMatching(/at most 10000 values.*sent to the operation under \/v1$/),
    });
    const asked = client.request(`/v1/models/${model_id}/predict`, { json: { instances } });
    await expect(asked).rejects.toMatchObject({ status: 404 });
  });

  it("has flat inputs", () => {
    expectTypeOf<Inputs["apiKeys"]["revoke"]>().toEqualTypeOf<{ api_key_id: string }>();
    expectTypeOf<Inputs["apiKeys"]["list"]["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Outputs["apiKeys"]["revoke"]>().toEqualTypeOf<{ id: string; deleted: boolean }>();
    const client = createClient({ url: server.baseUrl });
    // @ts-expect-error the name is missing
    const wrong = () => client.apiKeys.create.mutate({});
    expect(wrong).toBeTypeOf("function");
  });

  it("writes resources under their names, with masks and If-Match as members", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const { name } = await client.workspaces.create.mutate({});
    const of = { workspace_id: name.slice("workspaces/".length) };
    await client.catalogs.create.mutate({ ...of, catalogId: "lake" });
    const at = { ...of, catalog_id: "lake" };
    const schema = { name: `${name}/catalogs/lake/schemas/raw` };
    const made = await client.schemas.create.mutate({ ...at, schema });
    expect(made.name).toBe(schema.name);
    expect(await client.schemas.list.query({ ...at, pageSize: 1 })).toMatchObject({
      schemas: [{ name: made.name }],
    });
    const patched = await client.workspaces.patch.mutate({
      ...of,
      updateMask: "sqlDefaults.defaultCatalog",
      workspace: { sqlDefaults: { defaultCatalog: "lake" } },
    });
    expect(patched.sqlDefaults.defaultCatalog).toBe("lake");
    const places = async (call: Promise<unknown>): Promise<unknown> => {
      const refusal = await call.catch((error: unknown) => error);
      if (!(refusal instanceof ServiceError)) throw new Error("it was allowed");
      return refusal.faults.length > 0
        ? refusal.faults.map(({ loc }) => loc.join("."))
        : refusal.status;
    };
    const patch = { ...of, workspace: { sqlDefaults: { defaultCatalog: "9 9" } } };
    expect(await places(client.workspaces.patch.mutate(patch))).toEqual([
      "workspace.sqlDefaults.defaultCatalog",
    ]);
    const masked = { ...patch, updateMask: "nothing" };
    expect(await places(client.workspaces.patch.mutate(masked))).toEqual(["updateMask"]);
    expect(await places(client.workspaces.delete.mutate({ ...of, ifMatch: "x" }))).toEqual([
      "ifMatch",
    ]);
    expect(await places(client.workspaces.delete.mutate({ ...of, ifMatch: '"0"' }))).toBe(412);
    const limit = { limit: 501 };
    expect(await places(client.datasets.list.query(limit))).toEqual(["limit"]);
  });
});

describe("files", () => {
  const client = () => createClient({ url: server.baseUrl, token: server.key });

  it("are sent as texts, bytes, blobs and streams, and say how far they are", async () => {
    const path = join(await server.folder(), "sent.csv");
    writeFileSync(path, CSV);
    const bytes = new TextEncoder().encode(CSV);
    const blob = new File([CSV], "houses.csv");
    const sets = [
      await client().uploadDataset(CSV, { fileName: "a.csv", name: "named" }),
      await client().uploadDataset(bytes.buffer, { mediaType: "text/csv" }),
    ];
    const steps: UploadProgress[] = [];
    const onProgress = (step: UploadProgress) => steps.push(step);
    for (const data of [bytes, blob, blob.stream(), createReadStream(path)]) {
      steps.length = 0;
      sets.push(await client().uploadDataset(data, { fileName: "b.csv", onProgress }));
      expect(steps.at(-1)).toEqual({
        sentBytes: bytes.length,
        totalBytes: data === bytes || data === blob ? bytes.length : null,
      });
    }
    expect(sets.map(({ name }) => name)).toEqual(["named", "dataset", ...Array(4).fill("b.csv")]);
    expect(new Set(sets.map(({ hash }) => hash)).size).toBe(1);
    expect(sets[0].columns.map(({ datatype }) => datatype.kind)).toEqual(["numeric", "numeric"]);
  });

  it("are read in the encoding that is said", async () => {
    // `ľ`, which would be `¾` in windows-1252.
    const bytes = Uint8Array.of(...new TextEncoder().encode("name,x\n"), 0xbe, 0x2c, 0x31, 0x0a);
    const read = await client().uploadDataset(bytes, {
      ...{ fileName: "a.csv", encoding: "windows-1250" },
    });
    expect(read.source).toMatchObject({ encoding: "windows-1250" });
    expect(read.columns.map(({ name }) => name)).toEqual(["name", "x"]);
  });

  it("are registered once under a key", async () => {
    const twice = () =>
      client().uploadDataset(CSV, { fileName: "a.csv", idempotencyKey: "the-same-file" });
    expect((await twice()).dataset_id).toBe((await twice()).dataset_id);
  });

  it("of no known format are not sent", async () => {
    await expect(client().uploadDataset(CSV)).rejects.toThrow("give `mediaType`, or a `fileName`");
    await expect(client().uploadDataset(CSV, { fileName: "a.xlsx" })).rejects.toThrow("a.xlsx");
  });

  it("that are faulty are refused in the service's words, with streams, too", async () => {
    const torn = client().uploadDataset(
      createReadStream(join(await server.folder(), "absent.csv")),
      {
        fileName: "absent.csv",
      },
    );
    // The file's own error: the service is not what could not be reached.
    await expect(torn).rejects.toMatchObject({ code: "ENOENT" });
    const texts = client().uploadDataset(
      (async function* () {
        yield CSV as unknown as Uint8Array;
      })(),
      { fileName: "a.csv" },
    );
    await expect(texts).rejects.toThrow("The data gives a string where bytes should come.");
    const refused = await client()
      .uploadDataset("x,y\n1,2,3\n", { fileName: "a.csv" })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 422, faults: [{ loc: ["body"] }] });
  });
});

describe("jobs", () => {
  /** Every connection but the last is cut after a few events. */
  let proxy: Server;
  let cuts = 3;
  const asked: (string | undefined)[] = [];
  beforeAll(async () => {
    proxy = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const isStream = request.url?.endsWith("/events") === true;
      if (isStream) asked.push(request.headers["last-event-id"]?.toString());
      const answer = await fetch(`${server.baseUrl}${request.url}`, {
        method: request.method ?? "GET",
        headers: { ...(request.headers as Record<string, string>), connection: "close" },
        ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
      });
      response.writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
      });
      let left = isStream && cuts-- > 0 ? 2 : Number.POSITIVE_INFINITY;
      for await (const part of answer.body ?? []) {
        response.write(part);
        if (--left === 0) return void response.destroy();
      }
      response.end();
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
  });
  afterAll(() => void proxy.close());

  async function begun(request: Partial<Inputs["training"]["run"]> = {}): Promise<string> {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const { dataset_id } = await client.uploadDataset(CSV, { fileName: "a.csv" });
    const { job_id } = await client.training.run.mutate({
      dataset_id,
      task: TASK,
      model_families: ["linear"],
      n_trials: 4,
      ...request,
    });
    return job_id;
  }

  it("are followed to their end, each entry of the log once, across cut connections", async () => {
    const { port } = proxy.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: async () => server.key });
    const jobId = await begun();
    const ids: number[] = [];
    let last = "";
    const connections: boolean[] = [];
    const onConnection = (isOpen: boolean) => connections.push(isOpen);
    for await (const event of client.jobEvents(jobId, { onConnection })) {
      last = event.event;
      if (event.event === "run") ids.push(event.id);
      if (event.event === "end") expect(event.data.status).toBe("completed");
    }
    expect(last).toBe("end");
    expect(connections.slice(0, 3)).toEqual([true, false, true]);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[0]).toBeUndefined();
    expect(ids).toEqual(ids.map((_, at) => at + 1));
  });

  it("are waited for, with their progress, and answer with the result", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const seen: JobProgress[] = [];
    const job = await client.waitForJob(await begun(), { onProgress: (step) => seen.push(step) });
    expect(job).toMatchObject({ kind: "training", status: "completed" });
    expect(seen.length).toBeGreaterThan(0);
    if (job.kind !== "training") throw new Error("another kind");
    const answer = await client.models.predict.mutate({
      model_id: job.result?.model_id ?? "",
      instances: [{ x: 3 }],
    });
    expect(answer.predictions).toHaveLength(1);
  });

  it("that fail are thrown with their result, and may be left while they run", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const job_id = await begun({ n_trials: 500, model_families: ["gbdt"] });
    const left = AbortSignal.abort(new Error("no more time"));
    await expect(client.waitForJob(job_id, { signal: left })).rejects.toThrow("no more time");
    const failed = client.waitForJob(job_id).catch((error: unknown) => error);
    await client.training.cancel.mutate({ job_id });
    const error = await failed;
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({
      message: "The job was cancelled.",
      result: { status: "failed" },
    });
  });

  it("that do not exist are refused at once", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const absent = "00000000-0000-4000-8000-000000000000";
    await expect(client.waitForJob(absent)).rejects.toMatchObject({ status: 404 });
  });
});

describe("what does not succeed", () => {
  it("is one kind of error, whoever says it", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const nobody = createClient({ url: `http://127.0.0.1:${port}`, token: server.key });
    const stranger = createClient({ url: server.baseUrl, token: "dk_wrong" });
    const elsewhere = createClient({ url: `${server.baseUrl}/docs`, token: server.key });
    const errors = await Promise.all(
      [
        nobody.models.list.query({}),
        nobody.uploadDataset(CSV, { fileName: "a.csv" }),
        nobody.waitForJob("00000000-0000-4000-8000-000000000000", { patienceMs: 0 }),
        stranger.models.list.query({}),
        stranger.uploadDataset(CSV, { fileName: "a.csv" }),
        elsewhere.models.list.query({}),
      ].map((call) => call.catch((error: unknown) => error)),
    );
    for (const error of errors) expect(error).toBeInstanceOf(ServiceError);
    expect(errors.map((error) => (error as ServiceError).status)).toEqual([
      null,
      null,
      null,
      401,
      401,
      404,
    ]);
    expect(errors.map((error) => (error as ServiceError).isPassing)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect((errors[0] as Error).message).toContain("ECONNREFUSED");
  });

  it("tells of an address with the /v1 that services print", async () => {
    const client = createClient({ url: `${server.baseUrl}/v1`, token: server.key });
    await expect(client.models.list.query({})).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        /no service of this kind\. Give the client's `url` without \/v1\.$/,
      ),
    });
  });

  it("is an answer of something else", async () => {
    const page = createServer((request, response) => {
      request.resume().on("end", () => {
        response
          .setHeader("content-type", "text/html")
          .end("<!doctype html><title>Sign in</title>");
      });
    }).listen(0, "127.0.0.1");
    await once(page, "listening");
    const { port } = page.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: server.key });
    const absent = "00000000-0000-4000-8000-000000000000";
    try {
      for (const call of [
        () => client.uploadDataset(CSV, { fileName: "a.csv" }),
        () => client.uploadDataset(CSV, { fileName: "a.csv", onProgress: () => undefined }),
        () => client.waitForJob(absent),
      ]) {
        const error = await call().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ServiceError);
        expect(error).toMatchObject({ status: 200, isPassing: false });
        expect((error as Error).message).toContain("is no service of this kind");
      }
      const query = client.models.list.query({});
      await expect(query).rejects.toBeInstanceOf(ServiceError);
    } finally {
      page.closeAllConnections();
      await new Promise((resolve) => page.close(resolve));
    }
  });

  it("tells when to ask again, and no stream of events without an end is followed for ever", async () => {
    let isBusy = true;
    const asked: string[] = [];
    const busy = createServer((request, response) => {
      asked.push(request.url ?? "");
      request.resume().on("end", () => {
        if (isBusy) {
          response.writeHead(429, { "retry-after": "30", "content-type": "application/json" });
          response.end('{"detail": "too many"}');
        } else response.writeHead(200, { "content-type": "text/event-stream" }).end();
      });
    }).listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    // A path, and slashes behind it.
    const client = createClient({ url: `http://127.0.0.1:${port}/ml//`, token: server.key });
    try {
      for (const call of [
        () => client.uploadDataset(CSV, { fileName: "a.csv" }),
        () => client.models.list.query({}),
        () => client.waitForJob("a/../b", { patienceMs: 20_000 }),
      ]) {
        const error = await call().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ status: 429, isPassing: true, retryAfterMs: 30_000 });
      }
      expect(asked[0]).toBe("/ml/v1/datasets?name=a.csv");
      expect(asked.at(-1)).toBe("/ml/v1/jobs/a%2F..%2Fb/events");
      const left = new AbortController();
      const waiting = client.waitForJob("job", { signal: left.signal }).catch((e: unknown) => e);
      await expect.poll(() => asked.at(-1)).toBe("/ml/v1/jobs/job/events");
      left.abort(new Error("no more time"));
      expect(await waiting).toMatchObject({ message: "no more time" });
      isBusy = false;
      await expect(client.waitForJob("job", { patienceMs: 1 })).rejects.toMatchObject({
        name: "ServiceError",
        message: "The events end before the job does.",
      });
    } finally {
      busy.closeAllConnections();
      await new Promise((resolve) => busy.close(resolve));
    }
  });

  it("is an address with more than a path", () => {
    for (const more of ["?key=1", "#here"]) {
      expect(() => createClient({ url: `${server.baseUrl}/ml${more}` })).toThrow(TypeError);
    }
    expect(() => createClient({ url: "http://me:secret@127.0.0.1/" })).toThrow(
      /without a query, a fragment, a name or a password/,
    );
  });

  it("by the caller's own will is the signal's reason", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const signal = AbortSignal.abort(new Error("changed my mind"));
    await expect(client.models.list.query({}, { signal })).rejects.toThrow("changed my mind");
    await expect(client.uploadDataset(CSV, { fileName: "a.csv", signal })).rejects.toThrow(
      "changed my mind",
    );
  });
});
