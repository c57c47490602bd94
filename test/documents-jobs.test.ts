/** Schemas of documents and what is extracted by them, over HTTP, with workers that come and go. */

import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@distillery/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DocumentUser, type JobResult, receipts, type Schema } from "./support/documents.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { removeHomes, TestServer } from "./support/server.ts";
import { TestWorker } from "./support/worker.ts";

const ABSENT = "00000000-0000-4000-8000-000000000000";
const INDUCE = "/v1/agentic/documents/induce_schema";
const EXTRACT = "/v1/agentic/documents/extract";
const JOBS = "/v1/agentic/documents/jobs";
const PARQUET = "application/vnd.apache.parquet";
const CANCELLED = "The job was cancelled.";

const REQUEST = { use_case: "predict the total of a receipt", skill: "invoice" };

let issuer: TokenIssuer;
let server: TestServer;
let worker: TestWorker;
let user: DocumentUser;
let ids: string[];

const startWorker = (): Promise<TestWorker> => TestWorker.start({ home: server.home });

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  server = await TestServer.start({ workers: 0, env: issuer.environment });
  user = new DocumentUser(server);
  ids = (await user.upload(receipts(12))).map(({ document_id }) => document_id);
});
afterAll(async () => {
  await worker?.process.stop();
  await server.stop();
  await issuer.stop();
  await removeHomes();
});

const submit = async (request: object, of = user): Promise<{ jobId: string; modelId: string }> => {
  const { body } = await of.ok("POST", INDUCE, { body: request });
  return { jobId: String(body["job_id"]), modelId: String(body["schema_id"]) };
};

async function keyOf(scopes: readonly string[]): Promise<DocumentUser> {
  const { body } = await user.ok("POST", "/v1/api_keys", { body: { name: "a key", scopes } });
  return new DocumentUser(server, String(body["key"]));
}

describe("before a worker is there", () => {
  it("a job waits, and says so everywhere", async () => {
    const { jobId, modelId } = await submit({ documents: ids, ...REQUEST });
    expect(modelId).toMatch(/^[0-9a-f-]{36}$/);
    const result = await user.get<JobResult>(`/v1/results/${jobId}`);
    expect(result).toMatchObject({ job_id: jobId, kind: "induction", status: "pending" });
    expect(result).not.toHaveProperty("result");
    expect(await user.get(`/v1/models/${modelId}/status`)).toEqual({
      model_id: modelId,
      status: "pending",
    });
    const schema = `/v1/agentic/documents/schemas/${modelId}`;
    expect(await user.problem("GET", schema)).toEqual([409, expect.stringMatching(/is pending/)]);
    expect(await user.problem("GET", `/v1/models/${modelId}/download`)).toEqual([
      409,
      expect.stringMatching(/is pending/),
    ]);
    const body = { model_id: modelId, documents: ids };
    expect((await user.problem("POST", EXTRACT, { body }))[0]).toBe(409);
    const label = `${schema}/labels/${ids[0]}/total`;
    expect((await user.problem("PUT", label, { body: { value: 1 } }))[0]).toBe(409);
    const [busy, why] = await user.problem("DELETE", `/v1/documents/${ids[0]}`);
    expect([busy, why]).toEqual([409, expect.stringMatching(/1 open job reads/)]);
    expect((await user.problem("DELETE", `/v1/models/${modelId}`))[0]).toBe(409);
    expect((await user.problem("DELETE", `${JOBS}/${jobId}`))[0]).toBe(409);
    const { body: cancelled } = await user.ok("POST", `${JOBS}/${jobId}/cancel`);
    expect(cancelled).toMatchObject({ status: "failed", error_message: CANCELLED });
    expect((await user.problem("POST", `${JOBS}/${jobId}/cancel`))[0]).toBe(409);
    expect(await user.problem("GET", schema)).toEqual([409, expect.stringContaining(CANCELLED)]);
    expect(await user.result(jobId)).toMatchObject({ status: "failed", error_message: CANCELLED });
    await user.ok("DELETE", `${JOBS}/${jobId}`);
    expect((await user.problem("GET", `/v1/results/${jobId}`))[0]).toBe(404);
  });

  it("the same request under a key is the same job", async () => {
    const [, [, text = ""] = []] = receipts(2, 100);
    const ask = (key: string) =>
      user.ok("POST", INDUCE, {
        body: { documents: [{ name: "a.txt", text }], ...REQUEST },
        headers: { "idempotency-key": key },
      });
    const [first, again, other] = [await ask("one"), await ask("one"), await ask("two")];
    expect(again.body).toEqual(first.body);
    expect(other.body["job_id"]).not.toBe(first.body["job_id"]);
    for (const { body } of [first, other]) {
      await user.ok("POST", `${JOBS}/${String(body["job_id"])}/cancel`);
    }
  });

  it("bad requests are refused where they are wrong", async () => {
    const good = { documents: ids, ...REQUEST };
    const bad: [object, string, string][] = [
      [{ skill: "receipts" }, "body.skill", "literal_error"],
      [{ use_case: "" }, "body.use_case", "string_too_short"],
      [{ use_case: "a\u0000" }, "body.use_case", "value_error"],
      [{ documents: [] }, "body.documents", "too_short"],
      [{ model_id: "-a b" }, "body.model_id", "string_pattern_mismatch"],
      [{ max_questions: 0 }, "body.max_questions", "greater_than_equal"],
      [{ question_count: 3 }, "body.question_count", "extra_forbidden"],
    ];
    for (const [more, loc, type] of bad) {
      const faults = await user.faults("POST", INDUCE, { body: { ...good, ...more } });
      expect(faults, JSON.stringify(more)).toContainEqual([loc, type]);
    }
    const unknown = await user.ask("POST", INDUCE, { body: { ...good, skill: "receipts" } });
    expect(JSON.stringify(unknown.body)).toContain("'general'");
    const absent = { ...good, documents: [ids[0], ABSENT] };
    expect(await user.problem("POST", INDUCE, { body: absent })).toEqual([
      404,
      expect.stringContaining(ABSENT),
    ]);
    const blank = { ...good, documents: [ids[0], { name: "x.txt", text: " " }] };
    expect(await user.faults("POST", INDUCE, { body: blank })).toEqual([
      ["body.documents.1.text", "value_error"],
    ]);
    const extract = { model_id: "nothing", documents: ids };
    expect((await user.problem("POST", EXTRACT, { body: extract }))[0]).toBe(404);
    for (const path of ["schemas/nothing", `jobs/${ABSENT}`]) {
      expect((await user.problem("GET", `/v1/agentic/documents/${path}`))[0]).toBe(404);
    }
  });

  it("an id is taken once, and free again where its induction failed", async () => {
    const request = { documents: ids, ...REQUEST, model_id: "Receipts.of-2018" };
    const { jobId, modelId } = await submit(request);
    expect(modelId).toBe("Receipts.of-2018");
    expect(await user.problem("POST", INDUCE, { body: request })).toEqual([
      409,
      expect.stringContaining("Receipts.of-2018"),
    ]);
    const elsewhere = new DocumentUser(server, issuer.token("elsewhere"));
    const inline = receipts(2).map(([name, text]) => ({ name, text }));
    await submit({ ...request, documents: inline }, elsewhere);
    await user.ok("POST", `${JOBS}/${jobId}/cancel`);
    const again = await submit(request);
    expect(again.jobId).not.toBe(jobId);
    await user.ok("POST", `${JOBS}/${again.jobId}/cancel`);
  });
});

describe("with a worker", () => {
  let induced: JobResult & { readonly schemaId: string };
  let schema: Schema;
  beforeAll(async () => {
    worker = await startWorker();
    induced = await user.induce({ documents: ids, ...REQUEST, model_id: "receipts" });
    schema = await user.schema("receipts");
  });

  it("an induction ends in a frozen schema", async () => {
    expect(induced).toMatchObject({
      schemaId: "receipts",
      status: "completed",
      kind: "induction",
      progress: { phase: "done", estimate: 0 },
      result: { model_id: "receipts", questions: schema.questions.length, warnings: [] },
    });
    expect(schema).toMatchObject({ ...REQUEST, metadata: { documents: 12 } });
    expect(schema.questions.map(({ id }) => id)).toEqual(expect.arrayContaining(["total", "date"]));
    expect(schema.metadata["hash"]).toBe(induced.result?.hash);
    const path = "/v1/agentic/documents/schemas/receipts";
    const headers = { "refresh-token": "is not looked at" };
    expect((await user.ok("GET", path, { headers })).body["model_id"]).toBe("receipts");
    expect((await fetch(server.baseUrl + path)).status).toBe(401);
  });

  it("the same sample gives the same schema, in whatever order it comes", async () => {
    const again = await user.induce({ documents: ids.toReversed(), ...REQUEST });
    expect(again.result?.hash).toBe(induced.result?.hash);
    expect(await user.schema(again.schemaId)).toEqual(schema);
    await user.ok("DELETE", `/v1/models/${again.schemaId}`);
    expect((await user.problem("GET", `/v1/models/${again.schemaId}`))[0]).toBe(404);
  });

  it("a schema is a model: listed, shown, given away, but never how it was reasoned", async () => {
    const { models } = await user.get<{ models: { id: string; type: string }[] }>(
      "/v1/models?type=document_schema&limit=500",
    );
    expect(models).toContainEqual(
      expect.objectContaining({ id: "receipts", type: "document_schema", status: "completed" }),
    );
    expect(await user.get("/v1/models?type=trained")).toMatchObject({ models: [] });
    const detail = await user.get<{ files: { path: string; sha256: string }[] }>(
      "/v1/models/receipts",
    );
    expect(detail).toMatchObject({ skill: "invoice", questions: schema.questions.length });
    const { files } = await user.get<{ files: { path: string; url: string }[] }>(
      "/v1/models/receipts/download",
    );
    expect(files.map(({ path }) => path)).toEqual(["schema.json", "plan.json"]);
    expect(detail.files.map(({ path }) => path)).toEqual(["schema.json", "plan.json"]);
    const [file] = files;
    expect(await (await fetch(String(file?.url))).json()).toEqual({ model_id: "receipts", schema });
    // What lies beside the schema is there, and no URL of it can be made up.
    const hidden = String(file?.url).replace("schema.json", "reasoning/candidates.json");
    expect((await fetch(hidden)).status).toBe(403);
    const predict = { instances: [{}] };
    expect(await user.problem("POST", "/v1/models/receipts/predict", { body: predict })).toEqual([
      409,
      expect.stringContaining("extract with it"),
    ]);
  });

  it("an extraction answers with rows, Parquet and a dataset to train on", async () => {
    const [, ...others] = ids;
    const [newName, newText] = receipts(1, 500)[0] ?? ["", ""];
    const documents = [
      { document_id: ids[0], columns: { returned: true, visits: 3, note: "first" } },
      ...others,
      { name: newName, text: newText, columns: { returned: false, visits: 1 } },
    ];
    const { body } = await user.ok("POST", EXTRACT, {
      body: { model_id: "receipts", documents, register_dataset: { name: "receipts of 2018" } },
    });
    const jobId = String(body["job_id"]);
    const asParquet = { headers: { accept: PARQUET } };
    expect(await user.problem("GET", `/v1/results/${jobId}`, asParquet)).toEqual([
      409,
      expect.stringMatching(/is (pending|running)/),
    ]);
    const { kind, status, result } = await user.result(jobId);
    expect({ kind, status }).toEqual({ kind: "extraction", status: "completed" });
    const rows = result?.rows ?? [];
    expect(rows.map(({ name }) => name)).toEqual([
      ...receipts(12).map(([name]) => name),
      "receipt-500.txt",
    ]);
    expect(rows[0]?.columns).toEqual({ returned: true, visits: 3, note: "first" });
    const last = rows.at(-1);
    const total = Number(/Total: RM ([\d.]+)/.exec(newText)?.[1]);
    expect(last?.answers["total"]).toMatchObject({ value: total, unit: "MYR", page: 1 });
    for (const { document_id, answers } of rows.slice(-2)) {
      const { text } = await user.get<{ text: string }>(`/v1/documents/${document_id}/text`);
      for (const { value, span } of Object.values(answers)) {
        if (value !== null) expect(text.slice(span?.start, span?.end)).toBe(span?.text);
      }
    }
    const file = await user.request("GET", `/v1/results/${jobId}`, {
      headers: { accept: PARQUET },
    });
    expect(file.headers.get("content-type")).toBe(PARQUET);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.subarray(0, 4).toString() + bytes.subarray(-4).toString()).toBe("PAR1PAR1");

    const dataset = await user.get<{ columns: { name: string; datatype: { kind: string } }[] }>(
      `/v1/datasets/${result?.dataset_id}`,
    );
    expect(dataset).toMatchObject({
      dataset_id: body["dataset_id"],
      name: "receipts of 2018",
      rows: 13,
      source: { kind: "extraction", job_id: jobId, model_id: "receipts" },
    });
    const kinds = new Map(dataset.columns.map(({ name, datatype }) => [name, datatype.kind]));
    expect(Object.fromEntries(kinds)).toMatchObject({
      document_id: expect.any(String),
      document_name: expect.any(String),
      returned: "boolean",
      visits: "numeric",
      total: "numeric",
      date: "timestamp",
    });
    expect([...kinds.keys()].slice(5)).toEqual(schema.questions.map(({ id }) => id));

    const typed = createClient({ url: server.baseUrl, token: user.token });
    const same = await typed.jobs.result.query({ job_id: jobId });
    expect(same).toEqual(await user.get(`/v1/results/${jobId}`));
    await user.ok("DELETE", `${JOBS}/${jobId}`);
    expect((await user.get<{ rows: number }>(`/v1/datasets/${result?.dataset_id}`)).rows).toBe(13);
  });

  it("rows of a table are lists in answers and datasets, which SQL takes apart", async () => {
    const goods = ["Tea", "Bread", "Candle", "Apple", "Notebook", "Lamp"];
    const order = (n: number): [string, string] => {
      const items = Array.from({ length: 2 + (n % 3) }, (_, i) => [
        goods[(n + 2 * i) % goods.length]!,
        String(1 + ((3 * n + i) % 7)),
      ]);
      const rows = items.map(([name, count]) => `<tr><td>${name}<td>${count}<td>pcs</tr>`);
      const table = `<table><tr><th>Article<th>Quantity<th>Unit</tr>${rows.join("")}</table>`;
      return [`order-${n}.html`, `<!doctype html><p>Order date: 2031-05-${10 + n}</p>${table}`];
    };
    const uploaded = await user.upload(Array.from({ length: 10 }, (_, n) => order(n)));
    const documents = uploaded.map(({ document_id }) => document_id);
    await user.induce({
      documents,
      use_case: "plan what is to be packed",
      skill: "general",
      model_id: "orders",
    });
    const { questions } = await user.schema("orders");
    expect(questions.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["article_count", "article_list", "quantity_list"]),
    );
    const { body } = await user.ok("POST", EXTRACT, {
      body: { model_id: "orders", documents, register_dataset: { name: "orders" } },
    });
    const { result } = await user.result(String(body["job_id"]));
    expect(result?.rows?.[1]?.answers).toMatchObject({
      article_count: { value: 3 },
      article_list: { value: "Bread; Apple; Lamp" },
      quantity_list: { value: "4; 5; 6", span: { text: expect.stringMatching(/^4.*6$/s) } },
    });
    const dataset = await user.get<{ columns: { name: string; datatype: { kind: string } }[] }>(
      `/v1/datasets/${result?.dataset_id}`,
    );
    const kinds = new Map(dataset.columns.map(({ name, datatype }) => [name, datatype.kind]));
    expect(kinds.get("article_count")).toBe("numeric");
    expect(kinds.get("quantity_list")).toBe("text");
    await user.ok("POST", "/v1/workspaces", { body: { name: "workspaces/lists" } });
    const sql = `SELECT sum(quantity::INTEGER)::INTEGER AS packed FROM
      (SELECT unnest(string_split(quantity_list, '; ')) AS quantity FROM datasets.orders)`;
    const { body: answer } = await user.ok("POST", "/v1/workspaces/lists/query", { body: { sql } });
    const packed = (result?.rows ?? []).flatMap(({ answers }) =>
      String(answers["quantity_list"]?.value).split("; ").map(Number),
    );
    expect(answer["rows"]).toEqual([{ packed: packed.reduce((sum, count) => sum + count, 0) }]);
  });

  it("extractions that cannot be right are refused", async () => {
    const ask = (documents: unknown) => ({ body: { model_id: "receipts", documents } });
    const column = (name: string) => ({ document_id: ids[0], columns: { [name]: 1 } });
    for (const [documents, place] of [
      [[column("total")], "body.documents.0.columns.total"],
      [[ids[1], column("Document_ID")], "body.documents.1.columns.Document_ID"],
      [[column("a"), { document_id: ids[1], columns: { A: 1 } }], "body.documents.1.columns.A"],
    ] as const) {
      expect(await user.faults("POST", EXTRACT, ask(documents))).toEqual([[place, "value_error"]]);
    }
    expect((await user.problem("POST", EXTRACT, ask([ABSENT])))[0]).toBe(404);
    expect(await user.faults("POST", EXTRACT, ask([column("a\nb")]))).not.toEqual([]);
    const accept = { headers: { accept: PARQUET } };
    expect((await user.problem("GET", `/v1/results/${induced.job_id}`, accept))[0]).toBe(406);
  });

  it("an induction streams its progress to its end, and has metrics", async () => {
    const { jobId } = await submit({ documents: ids, ...REQUEST });
    const stream = await user.request("GET", `/v1/jobs/${jobId}/events`);
    const text = await stream.text();
    expect(text.match(/^event: (\w+)$/gm)?.at(-1)).toBe("event: end");
    expect(text).toContain("event: progress");
    expect(text).toContain('{"status":"completed","error_message":""}');
    const { metrics } = await user.get<{ metrics: object }>(`/v1/jobs/${jobId}/metrics`);
    expect(metrics).toMatchObject({
      kind: "induction",
      status: "completed",
      progress: { phase: "done", estimate: 0 },
    });
    const page = await user.get<{ jobs: { job_id: string }[]; next_page_token: string }>(
      `${JOBS}?limit=1&kind=induction&status=completed`,
    );
    expect(page.jobs.map(({ job_id }) => job_id)).toEqual([jobId]);
    expect(await user.get(`${JOBS}/${jobId}`)).toEqual(page.jobs[0]);
    const next = await user.get<{ jobs: { job_id: string }[] }>(
      `${JOBS}?limit=1&kind=induction&status=completed&page_token=${encodeURIComponent(page.next_page_token)}`,
    );
    expect(next.jobs.map(({ job_id }) => job_id)).not.toEqual([jobId]);
  });

  it("a document that turns out to be unreadable is said, not in the way", async () => {
    const files: [string, string][] = [["broken.pdf", "%PDF-1.7\nno pages"], ...receipts(1, 900)];
    const documents = await user.upload(files, "?wait_seconds=0");
    const { body } = await user.ask("POST", EXTRACT, {
      body: { model_id: "receipts", documents: documents.map((each) => each.document_id) },
    });
    if (body["job_id"] === undefined) {
      // It was found unreadable before it could be asked for.
      expect(JSON.stringify(body)).toContain("damaged");
      return;
    }
    const { status, result } = await user.result(String(body["job_id"]));
    expect(status).toBe("completed");
    expect(result?.warnings.join()).toMatch(/broken\.pdf.*damaged/);
    expect(result?.rows?.[0]?.error_message).toMatch(/damaged/);
    expect(result?.rows?.[0]?.answers["total"]?.value).toBeNull();
    expect(result?.rows?.[1]?.answers["total"]?.value).toEqual(expect.any(Number));
  });

  it("nobody of another organization sees any of it", async () => {
    const other = new DocumentUser(server, issuer.token("strangers"));
    for (const path of [
      "/v1/agentic/documents/schemas/receipts",
      "/v1/models/receipts",
      "/v1/models/receipts/status",
      "/v1/models/receipts/download",
      `/v1/results/${induced.job_id}`,
      `/v1/jobs/${induced.job_id}/metrics`,
      `/v1/jobs/${induced.job_id}/events`,
      `${JOBS}/${induced.job_id}`,
    ]) {
      expect((await other.problem("GET", path))[0], path).toBe(404);
    }
    for (const [method, path] of [
      ["DELETE", "/v1/models/receipts"],
      ["DELETE", `${JOBS}/${induced.job_id}`],
      ["POST", `${JOBS}/${induced.job_id}/cancel`],
    ] as const) {
      expect((await other.problem(method, path))[0], path).toBe(404);
    }
    const theirs = { model_id: "receipts", documents: ids };
    expect((await other.problem("POST", EXTRACT, { body: theirs }))[0]).toBe(404);
    const sample = { documents: ids, ...REQUEST };
    expect((await other.problem("POST", INDUCE, { body: sample }))[0]).toBe(404);
    expect(await other.get("/v1/models")).toMatchObject({ models: [] });
    expect(await other.get(JOBS)).toMatchObject({ jobs: [] });
  });

  it("a key reads what it may, and is told what it may not", async () => {
    const reader = await keyOf(["documents:read"]);
    expect(await reader.get(`/v1/results/${induced.job_id}`)).toMatchObject({ kind: "induction" });
    expect(await reader.get("/v1/models/receipts/status")).toMatchObject({ status: "completed" });
    expect((await reader.problem("GET", "/v1/models/receipts"))[0]).toBe(403);
    const trainer = await keyOf(["training:read", "models:read"]);
    expect(await trainer.problem("GET", `/v1/results/${induced.job_id}`)).toEqual([
      403,
      expect.stringContaining("documents:read"),
    ]);
    expect((await trainer.get<{ status: string }>("/v1/models/receipts/status")).status).toBe(
      "completed",
    );
    const nobody = await keyOf(["datasets:read"]);
    for (const path of [
      `/v1/results/${ABSENT}`,
      `/v1/jobs/${induced.job_id}/metrics`,
      `/v1/jobs/${induced.job_id}/events`,
      "/v1/models/receipts/status",
    ]) {
      expect((await nobody.problem("GET", path))[0]).toBe(403);
    }
    const writer = await keyOf(["documents:write"]);
    const body = { model_id: "receipts", documents: ids, register_dataset: { name: "no" } };
    expect(await writer.problem("POST", EXTRACT, { body })).toEqual([
      403,
      expect.stringContaining("datasets:write"),
    ]);
  });

  const takenUp = async (jobId: string): Promise<void> => {
    while ((await user.get<JobResult>(`/v1/results/${jobId}`)).status === "pending")
      await sleep(10);
  };

  it("a running job is cancelled", async () => {
    const { jobId, modelId } = await submit({ documents: ids, ...REQUEST });
    await takenUp(jobId);
    const { status } = await user.ask("POST", `${JOBS}/${jobId}/cancel`);
    expect(status).toBe(200);
    expect(await user.result(jobId)).toMatchObject({ status: "failed", error_message: CANCELLED });
    expect(await user.get(`/v1/models/${modelId}/status`)).toMatchObject({ status: "failed" });
  });

  it("what a killed worker began another ends, with the same schema", async () => {
    const { jobId, modelId } = await submit({ documents: ids, ...REQUEST });
    await takenUp(jobId);
    await worker.process.kill();
    expect(await user.get(`/v1/results/${jobId}`)).toMatchObject({ status: "running" });
    worker = await startWorker();
    expect(await user.result(jobId)).toMatchObject({
      status: "completed",
      result: { hash: induced.result?.hash },
    });
    expect(await user.schema(modelId)).toEqual(schema);
  });
});
