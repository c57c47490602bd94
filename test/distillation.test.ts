/** Learning from a teacher over HTTP: a model here, a model behind a URL, and teachers that fail. */

import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { fixture, removeHomes, TestServer } from "./support/server.ts";

const SECRET = "the-teacher-s-own-token-0123456789";
const QUERY_SECRET = "the-teacher-s-key-in-its-url-9876543210";
const NOBODY = "00000000-0000-4000-8000-000000000000";

interface Question {
  readonly samples: readonly (readonly unknown[])[];
  readonly feature_names: readonly string[];
}
interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

let server: TestServer;
let teacher: Server;
let teacherUrl = "";
let cars = "";
let bikes = "";
let teacherModel = "";
const asked: {
  readonly url: string;
  readonly question: Question;
  readonly headers: IncomingMessage["headers"];
}[] = [];
/** By path: what it answers. */
const answers: Record<string, (question: Question, status: (code: number) => void) => unknown> = {
  "/good": ({ samples, feature_names }) => {
    const safety = feature_names.indexOf("safety");
    return {
      classes: ["vgood", "good", "acc", "unacc"],
      predictions: samples.map((row) =>
        row[safety] === "low" ? [0.01, 0.01, 0.01, 0.97] : [0.1, 0.1, 0.5, 0.3],
      ),
    };
  },
  "/html": () => "<html>Sign in</html>",
  "/short": ({ samples }) => samples.slice(1).map(() => [0.25, 0.25, 0.25, 0.25]),
  "/improbable": ({ samples }) => samples.map(() => [0.5, 0.5, 0.5, 0.5]),
  "/forbidden": (_, status) => {
    status(403);
    return `no access with ${SECRET} and ${QUERY_SECRET}`;
  },
};

beforeAll(async () => {
  teacher = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const question: Question = JSON.parse(body);
      const { url = "", headers } = request;
      asked.push({ url, question, headers });
      const answer = answers[url.split("?", 1)[0]!]?.(question, (code) => {
        response.statusCode = code;
      });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => teacher.listen(0, "127.0.0.1", resolve));
  const address = teacher.address();
  teacherUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  server = await TestServer.start({ env: { DISTILLERY_ALLOW_PRIVATE_NETWORK: "1" } });
  [cars, bikes] = await Promise.all([
    server.uploadCsv("cars", await fixture("car_evaluation/data.csv")),
    server.uploadCsv(
      "small",
      `x,y\n${Array.from({ length: 60 }, (_, i) => `${i % 7},${i}\n`).join("")}`,
    ),
  ]);
  const job = await awaitJob(
    server,
    await startRun(server, onCars({ n_trials: 2, ensemble: true })),
  );
  expect(job.error_message).toBe("");
  teacherModel = job.model_id;
});
afterAll(async () => {
  await server?.stop();
  teacher?.closeAllConnections();
  teacher?.close();
  await removeHomes();
});

const onCars = (more: object = {}) => ({
  dataset_id: cars,
  task: { task_kind: "multiclass", label_column: "class" },
  model_families: ["linear"],
  n_trials: 1,
  n_cv_splits: 2,
  ...more,
});

async function faultOf(body: object): Promise<Fault> {
  const response = await server.postRaw("/v1/trainer/run", body);
  const answer: { detail: Fault[] } = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(422);
  return answer.detail[0] as Fault;
}

describe("a model here", () => {
  it("teaches a student, whose card says who taught it; reruns give the same bytes", async () => {
    const request = onCars({ teacher_model_id: teacherModel, distill: { augmented_rows: 500 } });
    const jobs = [];
    for (let run = 0; run < 2; run++) {
      const job = await awaitJob(server, await startRun(server, request));
      expect(job.error_message).toBe("");
      jobs.push(job);
    }
    const [first, second] = await Promise.all(
      jobs.map((job) =>
        server.get<{
          files: readonly { path: string; sha256: string }[];
          card: object;
        }>(`/v1/models/${job.model_id}`),
      ),
    );
    expect(second?.files).toEqual(first?.files);
    expect(first?.card).toMatchObject({ fidelity: { teacher: `model ${teacherModel}` } });
    const record = await server.get<{ config: { teacher: unknown; ensemble: boolean } }>(
      `/v1/training_jobs/${jobs[0]?.id}`,
    );
    expect(record.config).toMatchObject({ teacher: { model_id: teacherModel }, ensemble: false });
  });

  it("must be there, and of this task, its classes and its columns", async () => {
    const missing = await server.postRaw("/v1/trainer/run", onCars({ teacher_model_id: NOBODY }));
    expect(missing.status).toBe(404);
    const elsewhere = {
      dataset_id: bikes,
      task: { task_kind: "regression", label_column: "y" },
      teacher_model_id: teacherModel,
    };
    expect(await faultOf(elsewhere)).toMatchObject({
      loc: ["body", "teacher_model_id"],
      msg: expect.stringMatching(/is of multiclass, and this run of regression/),
    });
    expect(
      await faultOf({ ...elsewhere, task: { task_kind: "multiclass", label_column: "x" } }),
    ).toMatchObject({ msg: expect.stringMatching(/does not have: 'buying'/) });
    expect(
      await faultOf(
        onCars({
          teacher_model_id: teacherModel,
          task: { task_kind: "multiclass", label_column: "safety" },
        }),
      ),
    ).toMatchObject({ msg: expect.stringMatching(/reads 'safety', which is this run's label/) });
    const filter = { kind: "comparison", column: "class", op: "ne", value: "vgood" };
    expect(await faultOf(onCars({ teacher_model_id: teacherModel, filter }))).toMatchObject({
      msg: expect.stringMatching(/classes that the label does not have: 'vgood'/),
    });
  });

  it("stays while an open job learns from it", async () => {
    // The first job occupies the only place; the second waits behind it.
    const busy = await startRun(server, onCars({ n_trials: 30, model_families: ["gbdt"] }));
    const waiting = await startRun(server, onCars({ teacher_model_id: teacherModel }));
    const refused = await server.request("DELETE", `/v1/models/${teacherModel}`);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ detail: expect.stringMatching(/learns from/) });
    for (const id of [waiting, busy]) await server.post(`/v1/training_jobs/${id}/cancel`);
    await Promise.all([waiting, busy].map((id) => awaitJob(server, id)));
  });
});

describe("a teacher behind a URL", () => {
  it("is sent rows and names, with its headers, which are shown to nobody else", async () => {
    asked.length = 0;
    const id = await startRun(
      server,
      onCars({
        teacher_predict_url: `${teacherUrl}/good?key=${QUERY_SECRET}`,
        teacher_headers: { Authorization: `Bearer ${SECRET}` },
        distill: { augmented_rows: 200, teacher_weight: 1 },
      }),
    );
    const job = await awaitJob(server, id);
    expect(job.error_message).toBe("");
    expect(asked[0]?.question.feature_names).toEqual([
      "buying",
      "maint",
      "doors",
      "persons",
      "lug_boot",
      "safety",
    ]);
    expect(asked.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
    expect(asked.every(({ url }) => url === `/good?key=${QUERY_SECRET}`)).toBe(true);
    const rows = asked.flatMap(({ question }) =>
      question.samples.map((row) => JSON.stringify(row)),
    );
    expect(new Set(rows).size).toBe(rows.length);
    const record = await server.get<{ config: object }>(`/v1/training_jobs/${id}`);
    expect(record.config).toMatchObject({
      teacher: { predict_url: `${teacherUrl}/good`, header_names: ["Authorization"] },
    });
    const { predictions } = await server.post<{
      predictions: { probabilities: Record<string, number> }[];
    }>(`/v1/models/${job.model_id}/predict`, {
      instances: [
        { buying: "low", maint: "low", doors: "4", persons: "4", lug_boot: "big", safety: "low" },
      ],
    });
    expect(predictions[0]?.probabilities["unacc"]).toBeGreaterThan(0.8);
  });

  const faults: [string, string, RegExp][] = [
    [
      "answers with a page",
      "/html",
      /batch 1 \(rows 1 to 8\): its answer is not JSON: '<html>Sign in/,
    ],
    ["answers too little", "/short", /7 predictions for 8 samples/],
    ["answers no probabilities", "/improbable", /for row 1: its class probabilities sum to 2/],
    [
      "refuses, and repeats a secret",
      "/forbidden",
      /status 403 \(see teacher_headers\): 'no access with \*\*\* and \*\*\*'/,
    ],
  ];
  it.each(faults)("that %s fails the job at once", async (_, path, message) => {
    const id = await startRun(
      server,
      onCars({
        teacher_predict_url: `${teacherUrl}${path}?key=${QUERY_SECRET}`,
        teacher_headers: { "X-Key": SECRET },
      }),
    );
    const job = await awaitJob(server, id);
    expect(job.status).toBe("failed");
    expect(job.error_message).toMatch(message);
  });
});

it("no header's value and no query was answered, logged or written anywhere", async () => {
  const { training_jobs } = await server.get<{ training_jobs: object[] }>("/v1/training_jobs");
  for (const secret of [SECRET, QUERY_SECRET]) {
    expect(JSON.stringify(training_jobs)).not.toContain(secret);
    expect(server.process.output).not.toContain(secret);
  }
  await server.stop();
  for (const entry of await readdir(server.home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    for (const secret of [SECRET, QUERY_SECRET]) {
      expect(bytes.includes(secret), join(entry.parentPath, entry.name)).toBe(false);
    }
  }
});
