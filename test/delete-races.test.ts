/**
 * What is deleted while a job is being registered that refers to it: one of both requests gives way,
 * and never are both done. Nothing works the queue here, so that a job stays open.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
