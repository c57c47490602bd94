/**
 * What an organization is told of another's things by each operation: what it is told of things that do not
 * exist. Walked over the service's own document with the ids and names of things that are there.
 */

import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import {
  EXAMPLE_CHALLENGER,
  EXAMPLE_DATASET,
  EXAMPLE_MODEL,
  EXAMPLE_PREDICTION,
  EXAMPLES,
} from "../server/src/api/guide/examples.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import {
  type ApiDocument,
  type NamedOperation,
  operationsOf,
} from "./support/operation-coverage.ts";
import { SharedServer } from "./support/shared-server.ts";

/** By the names of parameters. */
type Things = Readonly<Record<string, string>>;

/** Answered alike by intent: they concern the caller or the service. Those of links are signed, and take no key. */
const OWN = new Set(["session_create", "session_delete", "session_authorize", "reports_open"]);

let owner: SharedServer;
let stranger: SharedServer;
let operations: NamedOperation[];
let things: Things;
/** The stranger's. */
let own: { readonly dataset_id: string; readonly model_id: string };

beforeAll(async () => {
  owner = await SharedServer.join();
  stranger = await SharedServer.join();
  const document: ApiDocument = await (await fetch(`${owner.baseUrl}/openapi.json`)).json();
  operations = operationsOf(document).filter(({ operationId }) => !OWN.has(operationId));
  things = await make(owner);
  const dataset_id = await stranger.uploadCsv("customers", CSV);
  const task = { task_kind: "binclass", label_column: "churned" };
  const run = { dataset_id, task, n_trials: 1, n_cv_splits: 2, model_families: ["linear"] };
  const { model_id } = await awaitJob(stranger, await startRun(stranger, run));
  own = { dataset_id, model_id };
  await stranger.post("/v1/workspaces", { name: "workspaces/mine" });
});

const STORE = "s3://bucket/sales/";
const CUSTOMERS = Array.from({ length: 120 }, (_, i) => {
  const plan = i % 3 === 0 ? "basic" : "plus";
  return `${18 + ((i * 37) % 60)},${plan},${(i * 7) % 50},${(i * 37) % 60 > 30 ? "yes" : "no"}`;
});
const CSV = ["age,plan,tenure,churned", ...CUSTOMERS].join("\n");
const receipt = (day: number): string =>
  `CORNER SHOP\nDate: ${String(day).padStart(2, "0")}/04/2031\nTotal: ${day + 3}.50`;

/** One of everything, by names that only it has. */
async function make(user: SharedServer): Promise<Things> {
  const id = async (path: string, body: object, member: string): Promise<string> =>
    String((await user.post<Record<string, unknown>>(path, body))[member]);
  const dataset_id = await user.uploadCsv("secret customers", CSV);
  const task = { task_kind: "binclass", label_column: "churned" };
  const run = { dataset_id, task, n_trials: 1, n_cv_splits: 2, model_families: ["linear"] };
  const trained = async (random_state: number) => {
    const job = await awaitJob(user, await startRun(user, { ...run, random_state }));
    if (job.status !== "completed") throw new Error(job.error_message);
    return job;
  };
  const [first, second] = await Promise.all([trained(1), trained(2)]);
  const named = await user.request("PATCH", `/v1/models/${first.model_id}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "secretmodel" }),
  });
  expect(named.status).toBe(200);
  const aliased = await user.request("PUT", "/v1/registry/secretmodel/aliases/secretalias", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ version: 1 }),
  });
  expect(aliased.status).toBe(200);
  const endpoint_id = await id(
    "/v1/serving/endpoints",
    {
      name: "secretendpoint",
      models: [{ model_id: first.model_id, traffic: 100 }],
      prediction_log: { sample_rate: 1 },
    },
    "id",
  );
  const predicted = await user.postRaw("/v1/serving/endpoints/secretendpoint/predict", {
    instances: [{ age: 41, plan: "basic", tenure: 7 }],
  });
  const prediction_id = predicted.headers.get("x-prediction-id") ?? "";
  expect(prediction_id).not.toBe("");
  const batch_id = await id(
    "/v1/batch_predictions",
    { model_id: first.model_id, source: { dataset_id } },
    "job_id",
  );
  const evaluation_id = await id(
    "/v1/evaluations",
    { model_id: first.model_id, dataset_id },
    "job_id",
  );
  const documents = [1, 2, 3, 4, 5, 6].map((day) => ({ name: `${day}.txt`, text: receipt(day) }));
  const uploaded = await user.post<{ documents: { document_id: string }[] }>(
    "/v1/documents",
    documents[0],
  );
  const [{ document_id }] = uploaded.documents;
  const induction = { documents, use_case: "Predict the total of a receipt", skill: "general" };
  const induction_id = await id(
    "/v1/agentic/documents/induce_schema",
    { ...induction, model_id: "secretschema" },
    "job_id",
  );
  const upload_id = await id(
    "/v1/uploads",
    { name: "u", bytes: 100, file_name: "u.csv" },
    "upload_id",
  );
  const api_key_id = await id("/v1/api_keys", { name: "mine", scopes: ["models:read"] }, "id");
  await user.post("/v1/workspaces", { name: "workspaces/secretspace" });
  await user.post("/v1/connectors/objstore", { connector_name: "secretlake", url: STORE });
  await user.post("/v1/connectors/warehouse", {
    ...{ connector_name: "secretshop", kind: "postgres" },
    url: "postgres://db.example.com:5432/shop?sslmode=require",
    credentials: { username: "reader", password: "a secret" },
  });
  const space = "/v1/workspaces/secretspace";
  await user.post(`${space}/catalogs?catalogId=secretcatalog`);
  await user.post(`${space}/catalogs/secretcatalog/schemas?schemaId=secretschemata`);
  await user.post(
    `${space}/catalogs/secretcatalog/schemas/secretschemata/tables?tableId=secrettable`,
    {
      spec: {
        listing: { connector: "workspaces/secretspace/connectors/secretlake", tablePaths: [STORE] },
      },
    },
  );
  await user.post(`${space}/statements?statementId=secretstatement`, {
    title: "t",
    sql: "SELECT 1",
  });
  const made = {
    ...{ dataset_id, endpoint_id, prediction_id, document_id, upload_id, api_key_id },
    ...{ training_id: first.id, batch_id, evaluation_id, induction_id },
    ...{ model_id: first.model_id, challenger: second.model_id },
    ...{ schema_model: "secretschema", name: "secretmodel", alias: "secretalias" },
    ...{ endpoint: "secretendpoint", workspace_id: "secretspace", statement_id: "secretstatement" },
    ...{ catalog_id: "secretcatalog", schema_id: "secretschemata", table_id: "secrettable" },
    ...{ objstore: "secretlake", warehouse: "secretshop" },
  };
  for (const [name, value] of Object.entries(made)) expect(value, name).not.toBe("undefined");
  return made;
}

/** Of the same form, and nobody's. */
const absentOf = (all: Things): Things =>
  Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      value.startsWith("secret")
        ? value.replace("secret", "absent")
        : name === "prediction_id"
          ? `${value.slice(0, 12)}${[...value.slice(12)].reverse().join("")}`
          : randomUUID(),
    ]),
  );

/** Which of the things a path's parameter may be. */
const CANDIDATES: Readonly<Record<string, readonly string[]>> = {
  job_id: ["training_id", "batch_id", "evaluation_id", "induction_id"],
  model_id: ["model_id", "name", "schema_model"],
  model_name: ["endpoint", "model_id", "endpoint_id"],
  model_version: ["model_id"],
  endpoint_id: ["endpoint_id", "endpoint"],
  connector_name: ["objstore", "warehouse"],
  key: ["dataset_id"],
  question_id: ["document_id"],
};

/** Bodies beside the examples: every other member that can name something. */
const BODIES: Readonly<Record<string, readonly ((of: Things) => object)[]>> = {
  training_run: [
    ({ dataset_id }) => runOf({ dataset_id }),
    ({ model_id }) => runOf({ teacher_model_id: model_id }),
    ({ name, alias }) => runOf({ teacher_model_id: `${name}@${alias}` }),
    ({ training_id }) => runOf({ warm_start_job_ids: [training_id] }),
  ],
  batchPredictions_create: [
    ({ model_id, dataset_id }) => ({ model_id, source: { dataset_id } }),
    ({ name, alias }) => ({ model_id: `${name}@${alias}`, source: { sql: "SELECT 1 AS age" } }),
    ({ dataset_id }) => ({ model_id: own.model_id, source: { dataset_id } }),
    ({ catalog_id, schema_id, table_id }) => ({
      model_id: own.model_id,
      source: { table: `${catalog_id}.${schema_id}.${table_id}` },
    }),
  ],
  evaluations_create: [
    ({ model_id }) => ({ model_id, dataset_id: own.dataset_id }),
    ({ dataset_id }) => ({ model_id: own.model_id, dataset_id }),
    ({ challenger }) => ({ ...own, compare_with: [challenger] }),
  ],
  serving_create: [
    ({ model_id }) => ({ name: "live", models: [{ model_id, traffic: 100 }] }),
    ({ name }) => ({ name: "live", models: [{ model_id: `${name}@1`, traffic: 100 }] }),
  ],
  agentic_induce: [({ document_id }) => ({ ...INDUCTION, documents: [document_id] })],
  agentic_extract: [
    ({ schema_model, document_id }) => ({ model_id: schema_model, documents: [document_id] }),
    ({ schema_model }) => ({ model_id: schema_model, documents: [{ name: "c", text: "x" }] }),
  ],
  datasets_create: [
    ({ dataset_id }) => ({ name: "d", sql: `SELECT * FROM datasets."${dataset_id}"` }),
    ({ catalog_id, schema_id, table_id }) => ({
      ...{ name: "d", table: `${catalog_id}.${schema_id}.${table_id}` },
    }),
  ],
  serving_feedback: [({ prediction_id }) => ({ labels: [{ prediction_id, label: "yes" }] })],
  models_patch: [({ name }) => ({ name: `${name}x` })],
  registry_setAlias: [({ model_id }) => ({ model_id })],
};
const INDUCTION = { use_case: "Predict the total", skill: "general" };
const runOf = (more: object): object => ({
  ...{ dataset_id: own.dataset_id, n_trials: 1, model_families: ["linear"] },
  task: { task_kind: "binclass", label_column: "churned" },
  ...more,
});

/** Further members of the query that can name something, and paths among the stranger's own things. */
const QUERIES: readonly ((of: Things) => string)[] = [
  ({ dataset_id }) => `/v1/leaderboard?dataset_id=${dataset_id}`,
  ({ dataset_id }) => `/v1/training_jobs?dataset_id=${dataset_id}`,
  ({ dataset_id }) => `/v1/evaluations?dataset_id=${dataset_id}`,
  ({ model_id }) => `/v1/audit_events?resource_id=${model_id}`,
  ({ api_key_id }) => `/v1/audit_events?key_id=${api_key_id}`,
  ({ name }) => `/v1/models?name=${name}`,
  ({ name }) => `/v1/datasets?contains=${name.slice(0, 6)}`,
  ({ challenger }) => `/v1/models/${own.model_id}/comparison?against=${challenger}`,
  ({ model_id }) => `/v1/models/${model_id}/comparison?against=${own.model_id}`,
  ({ model_id }) => `/v2/models/${own.model_id}/versions/${model_id}`,
];

const STATEMENTS: readonly ((of: Things) => string)[] = [
  ({ dataset_id }) => `SELECT * FROM datasets."${dataset_id}"`,
  () => 'SELECT * FROM datasets."secret customers"',
  ({ catalog_id, schema_id, table_id }) => `FROM ${catalog_id}.${schema_id}.${table_id}`,
  ({ model_id }) => `FROM predict('${model_id}', (SELECT 41 AS age))`,
  ({ name, alias }) => `FROM predict('${name}@${alias}', (SELECT 41 AS age))`,
];

function* pathsOf({ path, method }: NamedOperation): Generator<(of: Things) => string> {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const choices = named.map((name) => CANDIDATES[name] ?? [name]);
  const most = Math.max(1, ...choices.map(({ length }) => length));
  const offset = path.endsWith("/parts") ? "?offset=0" : "";
  const made = method === "POST" ? /\/(catalog|schema|table|statement)s$/.exec(path)?.[1] : null;
  for (let at = 0; at < most; at++) {
    yield (of) =>
      named.reduce(
        (filled, name, place) =>
          filled.replace(`{${name}}`, of[choices[place]?.[at % choices[place].length] ?? ""] ?? ""),
        path,
      ) + (made ? `?${made}Id=made` : offset);
  }
}

function* bodiesOf(operation: NamedOperation): Generator<(of: Things) => string | null> {
  const examples = EXAMPLES[operation.operationId];
  const example = examples?.["application/json"];
  if (examples === undefined) yield () => null;
  else if (example === undefined) yield () => "bytes";
  else {
    yield (of) =>
      JSON.stringify(example)
        .replaceAll(EXAMPLE_DATASET, of["dataset_id"] ?? "")
        .replaceAll(EXAMPLE_MODEL, of["model_id"] ?? "")
        .replaceAll(EXAMPLE_CHALLENGER, of["challenger"] ?? "")
        .replaceAll(EXAMPLE_PREDICTION, of["prediction_id"] ?? "")
        .replaceAll("acme", of["workspace_id"] ?? "");
  }
  for (const body of BODIES[operation.operationId] ?? []) yield (of) => JSON.stringify(body(of));
}

/** What is told, with ids and names by what they are of, and without what differs from answer to answer. */
async function told(of: Things, method: string, path: string, body: string | null) {
  const type = body === "bytes" ? "application/octet-stream" : "application/json";
  const response = await stranger.request(method, path, {
    ...(body === null ? {} : { headers: { "content-type": type }, body }),
  });
  let text = await response.text();
  for (const [name, value] of Object.entries(of)) text = text.replaceAll(value, `<${name}>`);
  return {
    status: response.status,
    text: text
      .replaceAll(/"request_id":"[^"]*"/g, "")
      .replaceAll(/[0-9a-f-]{36}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"),
  };
}

/** All that the owner can read of its things. */
async function state(): Promise<unknown> {
  const paths = [
    "/v1/datasets",
    "/v1/models",
    "/v1/training_jobs",
    "/v1/registry",
    "/v1/registry/secretmodel",
    "/v1/serving/endpoints",
    "/v1/serving/endpoints/secretendpoint/history",
    "/v1/documents",
    "/v1/uploads",
    "/v1/api_keys",
    "/v1/workspaces",
    "/v1/workspaces/secretspace/catalogs/secretcatalog/schemas/secretschemata/tables",
    "/v1/workspaces/secretspace/statements",
    "/v1/connectors/objstore",
    "/v1/connectors/warehouse",
    "/v1/retention",
    "/v1/batch_predictions",
    "/v1/evaluations",
    "/v1/agentic/documents/jobs",
  ];
  const answers = await Promise.all(
    paths.map(async (path) => [path, JSON.stringify(await owner.get(path))]),
  );
  // Links are signed anew for each answer.
  return answers.map(([path, text = ""]) => [path, text.replaceAll(/\?expires=[^"]*/g, "")]);
}

it("tells nothing of them, and changes none", async () => {
  for (const job of ["batch_id", "evaluation_id", "induction_id"]) {
    await expect
      .poll(async () => (await owner.get<{ status: string }>(`/v1/results/${things[job]}`)).status)
      .toMatch(/completed|failed/);
  }
  const before = await state();
  // Before it asks for them: its own audit log says what it has asked for.
  const lists = operations.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  expect(lists.length).toBeGreaterThan(20);
  for (const { path } of lists) {
    const text = await (await stranger.request("GET", path)).text();
    for (const value of Object.values(things)) expect(text, path).not.toContain(value);
  }
  const absent = absentOf(things);
  let asked = 0;
  const compare = async (
    method: string,
    path: (of: Things) => string,
    body: (of: Things) => string | null,
  ) => {
    if (path(things) === path(absent) && body(things) === body(absent)) return;
    const [theirs, nobodys] = [
      await told(things, method, path(things), body(things)),
      await told(absent, method, path(absent), body(absent)),
    ];
    const what = `${method} ${path(things)} ${body(things)}`;
    expect(theirs, what).toEqual(nobodys);
    expect(theirs.text, what).not.toContain("secret");
    asked++;
  };
  // Once the stranger has a workspace of that name, it is that one.
  const isLast = ({ operationId }: NamedOperation) => operationId === "workspaces_create";
  for (const operation of operations.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
    const bodies = [...bodiesOf(operation)];
    for (const path of pathsOf(operation)) {
      for (const body of bodies) await compare(operation.method, path, body);
    }
  }
  for (const path of QUERIES) await compare("GET", path, () => null);
  for (const sql of STATEMENTS) {
    for (const operation of ["query", "query:explain"]) {
      const body = (of: Things) => JSON.stringify({ sql: sql(of) });
      await compare("POST", () => `/v1/workspaces/mine/${operation}`, body);
    }
  }
  expect(asked).toBeGreaterThan(250);
  expect(await state()).toEqual(before);
});
