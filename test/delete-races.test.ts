/**
 * What is deleted while a job is being registered that refers to it: one of both requests gives way,
 * and never are both done. Nothing works the queue here, so that a job stays open.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { removeHomes, TestServer } from "./support/server.ts";

const ROUNDS = 8;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ workers: 0 });
});
afterAll(async () => {
  await server.stop();
  await removeHomes();
});

/** The statuses of a job's registration and of the deletion that is sent with it. */
async function race(path: string, body: unknown, resource: string): Promise<string> {
  const [made, deleted] = await Promise.all([
    server.postRaw(path, body),
    server.request("DELETE", resource),
  ]);
  return `${made.status} ${deleted.status}`;
}

describe("either the job or the deletion is refused", () => {
  it("of a dataset", async () => {
    const csv = `a,y\n${Array.from({ length: 40 }, (_, row) => `${row},${row % 7}\n`).join("")}`;
    for (let round = 0; round < ROUNDS; round++) {
      const id = await server.uploadCsv("raced", csv);
      const task = { task_kind: "regression", label_column: "y" };
      const run = { dataset_id: id, n_trials: 1, model_families: ["linear"], task };
      const outcome = await race("/v1/trainer/run", run, `/v1/datasets/${id}`);
      expect(["200 409", "404 200"]).toContain(outcome);
    }
  });

  it("of a document", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const text = `Invoice ${round}\nTotal: ${round}.50 EUR`;
      const { documents } = await server.post<{ documents: { document_id: string }[] }>(
        "/v1/documents",
        { name: `raced-${round}.txt`, text },
      );
      const id = documents[0]!.document_id;
      const induce = { documents: [id], skill: "general", use_case: "predict the total" };
      const path = "/v1/agentic/documents/induce_schema";
      const outcome = await race(path, induce, `/v1/documents/${id}`);
      expect(["200 409", "404 200"]).toContain(outcome);
    }
  });
});

describe("what reads something that is deleted is answered, or told that it is gone", () => {
  let working: TestServer;
  beforeAll(async () => {
    working = await TestServer.start({ workers: 1 });
  });
  afterAll(() => working.stop());

  /** Statuses of many readers, in the midst of which it is deleted. */
  async function statuses(read: () => Promise<Response>, resource: string): Promise<Set<number>> {
    const readers = Array.from({ length: 12 }, async (_, at) => {
      await delay(at * 3);
      const answer = await read();
      await answer.arrayBuffer();
      return answer.status;
    });
    await delay(10);
    expect((await working.request("DELETE", resource)).status).toBe(200);
    return new Set(await Promise.all(readers));
  }

  it("of a model, whether its copy was there before or not", async () => {
    const csv = `a,y\n${Array.from({ length: 40 }, (_, row) => `${row},${row % 7}\n`).join("")}`;
    const dataset_id = await working.uploadCsv("learned", csv);
    for (const isCopied of [true, false]) {
      const job = await startRun(working, {
        dataset_id,
        task: { task_kind: "regression", label_column: "y" },
        hpo_space: { models: [{ family: "linear" }] },
        n_trials: 1,
        n_cv_splits: null,
      });
      const { model_id: model } = await awaitJob(working, job);
      const ask = () =>
        working.postRaw(`/v1/models/${model}/predict`, { instances: [{ a: 1 }, { a: 2 }] });
      if (isCopied)
        expect((await working.request("GET", `/v1/models/${model}/card`)).status).toBe(200);
      const seen = await statuses(ask, `/v1/models/${model}`);
      expect([200, 404]).toEqual(expect.arrayContaining([...seen]));
    }
  });

  it("of an endpoint whose predictions are labelled", async () => {
    const csv = `a,y\n${Array.from({ length: 40 }, (_, row) => `${row},${row % 7}\n`).join("")}`;
    const job = await startRun(working, {
      dataset_id: await working.uploadCsv("labelled", csv),
      task: { task_kind: "regression", label_column: "y" },
      hpo_space: { models: [{ family: "linear" }] },
      n_trials: 1,
      n_cv_splits: null,
    });
    const { model_id } = await awaitJob(working, job);
    const seen = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await working.post<{ id: string }>("/v1/serving/endpoints", {
        name: `labelled-${round}`,
        models: [{ model_id, traffic: 100 }],
        prediction_log: { sample_rate: 1 },
      });
      const endpoint = `/v1/serving/endpoints/${id}`;
      const instances = Array.from({ length: 500 }, (_, a) => ({ a }));
      const answer = await working.postRaw(`${endpoint}/predict`, { instances });
      await answer.arrayBuffer();
      const prediction_id = answer.headers.get("x-prediction-id") ?? "";
      const labels = instances.map(({ a }) => ({ prediction_id, row: a, label: a }));
      const label = () => working.postRaw(`${endpoint}/feedback`, { labels });
      for (const status of await statuses(label, endpoint)) seen.add(status);
    }
    expect([200, 404]).toEqual(expect.arrayContaining([...seen]));
    expect(seen).toContain(404);
  });

  it("of a dataset and of a document", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const csv = `n\n${Array.from({ length: 5000 }, (_, row) => `${row}\n`).join("")}`;
      const id = await working.uploadCsv("read", csv);
      const rows = () => working.request("GET", `/v1/datasets/${id}/rows?limit=50`);
      expect([200, 404, 503]).toEqual(
        expect.arrayContaining([...(await statuses(rows, `/v1/datasets/${id}`))]),
      );
      const { documents } = await working.post<{ documents: { document_id: string }[] }>(
        "/v1/documents",
        { name: `read-${round}.txt`, text: `Invoice ${round}` },
      );
      const document = `/v1/documents/${documents[0]!.document_id}`;
      const text = () => working.request("GET", `${document}/text`);
      expect([200, 404, 503]).toEqual(
        expect.arrayContaining([...(await statuses(text, document))]),
      );
    }
  });
});

describe("SQL over a dataset that is deleted", () => {
  const rows = Array.from({ length: 40 }, (_, row) => row);
  const csv = `n\n${rows.join("\n")}\n`;
  const query = (sql: string) => server.postRaw("/v1/workspaces/races/query", { sql });
  const saved = "/v1/workspaces/races/statements";

  beforeAll(async () => {
    await server.post("/v1/workspaces", { name: "workspaces/races" });
  });

  it("meanwhile reads it to its end, or says that it is gone", async () => {
    for (let round = 0; round < 4; round++) {
      const id = await server.uploadCsv("read", csv);
      const asked = query("SELECT sum(n) AS n, count(*) AS r FROM datasets.read, range(20000)");
      await new Promise((resolve) => setTimeout(resolve, 10 * round));
      const deleted = await server.request("DELETE", `/v1/datasets/${id}`);
      expect(deleted.status).toBe(200);
      const answer = await asked;
      const body: { rows?: unknown; detail?: string } = await answer.json();
      if (answer.status === 200) {
        expect(body.rows).toEqual([{ n: (20000 * 39 * 40) / 2, r: 20000 * 40 }]);
      } else {
        expect(answer.status).toBe(400);
        expect(body.detail).toMatch(/was deleted|does not exist/);
      }
    }
  });

  it("before is kept as it was saved, and reads the next dataset of the name", async () => {
    const first = await server.uploadCsv("kept.csv", csv);
    const sql = "SELECT max(n) AS n FROM datasets.kept";
    await server.post(`${saved}?statementId=most`, { sql });
    expect((await server.request("DELETE", `/v1/datasets/${first}`)).status).toBe(200);
    const statement = await server.get<{ sql: string }>(`${saved}/most`);
    expect(statement.sql).toBe(sql);
    const missing = await query(statement.sql);
    expect(missing.status).toBe(400);
    expect(await missing.json()).toMatchObject({
      detail: expect.stringContaining("Table with name kept does not exist!"),
    });
    await server.uploadCsv("Kept.csv", "n\n7\n");
    expect(await (await query(statement.sql)).json()).toMatchObject({ rows: [{ n: 7 }] });
  });
});

it("a job that several delete at once is deleted once, and is missing for the others", async () => {
  const id = await server.uploadCsv(
    "once",
    "a,y\n1,1\n2,2\n3,3\n4,1\n5,2\n6,3\n7,4\n8,5\n9,6\n10,7\n",
  );
  const { job_id } = await server.post<{ job_id: string }>("/v1/trainer/run", {
    dataset_id: id,
    model_families: ["linear"],
    n_trials: 1,
    task: { task_kind: "regression", label_column: "y" },
  });
  const job = `/v1/training_jobs/${job_id}`;
  await server.post(`${job}/cancel`);
  const removals = Array.from({ length: 6 }, () => server.request("DELETE", job));
  const statuses = (await Promise.all(removals)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404]);
});
