/**
 * Makes `server/src/api/guide/answers.json`, the examples of response bodies in the OpenAPI document: a
 * server, an object store and a warehouse are started, every operation that answers with JSON is
 * asked once, in the order in which a user would, and what came back is kept.
 *
 *     node scripts/record-answers.ts
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  EXAMPLE_CHALLENGER,
  EXAMPLE_DATASET,
  EXAMPLE_MODEL,
  EXAMPLE_PREDICTION,
  EXAMPLES,
} from "../server/src/api/guide/examples.ts";
import { S3ObjectStore } from "../server/src/platform/objects/s3-store.ts";
import { S3Service } from "../server/src/testing/s3-service.ts";
import { PostgresServer } from "../test/support/postgres.ts";
import { API_KEY, removeHomes, TestServer } from "../test/support/server.ts";
import { SignInIssuer } from "../test/support/sign-in-issuer.ts";
import { type Json, Recorder } from "./record-answers/recorder.ts";

const OUT = new URL("../server/src/api/guide/answers.json", import.meta.url);
const PUBLIC = "https://distillery.example.com";
const ENDPOINT = "https://s3.example.com";
const BUCKET = "bucket";

const bodyOf = (operation: string): Json => {
  const body = EXAMPLES[operation]?.["application/json"];
  if (typeof body !== "object" || body === null) throw new Error(`no example of ${operation}`);
  return { ...body };
};

/** Customers, of whom the young with the basic plan leave. */
function customers(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const age = 18 + ((index * 37) % 60);
    const plan = (index * 61) % 89 < 45 ? "basic" : "plus";
    const odds = (plan === "basic" ? 0.8 : 0.3) - age / 200;
    const tenure = (1 + ((index * 3571) % 997) / 10).toFixed(1);
    return `${age},${plan},${tenure},${((index * 7919) % 101) / 101 < odds ? "yes" : "no"}`;
  });
  return ["age,plan,tenure,churned", ...lines].join("\n");
}

const SALES = ["region;amount;year", "north;120.5;2031", "south;80;2031", "north;99.5;2030"];

const receipt = (day: number, total: number, shop = "CORNER SHOP"): string =>
  `${shop}\nDate: ${String(day).padStart(2, "0")}/04/2031\nItems: ${1 + (day % 5)}\nTotal: ${total.toFixed(2)}`;

const [postgres, s3] = await Promise.all([PostgresServer.create(), S3Service.create()]);
Object.assign(process.env, s3.credentials);
const endpoint = new URL(new URL(s3.url("")).searchParams.get("endpoint") ?? "").origin;
const issuer = await SignInIssuer.start();
const server = await TestServer.start({
  env: {
    DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
    DISTILLERY_PUBLIC_URL: PUBLIC,
    ...issuer.environment,
  },
});
const recorder = new Recorder(server.baseUrl, API_KEY);
const { ask, settled } = {
  ask: recorder.ask.bind(recorder),
  settled: recorder.settled.bind(recorder),
};

const connects = (port: number | string): string => `127.0.0.1 accepts connections on port ${port}`;

/** Until the job that was cancelled holds nothing any more. */
async function settledOrFailed(path: string): Promise<void> {
  await settled(path).catch((error: unknown) => {
    if (!String(error).includes("cancelled")) throw error;
  });
}

async function sources(): Promise<void> {
  await postgres.administer([
    "CREATE ROLE reader LOGIN PASSWORD 'a secret'",
    "CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0",
  ]);
  await postgres.administer(
    [
      "CREATE TABLE public.orders (id bigint primary key, note text)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
      "ALTER ROLE reader PASSWORD 'another secret'",
    ],
    "shop",
  );
  const store = new S3ObjectStore({
    kind: "s3",
    bucket: BUCKET,
    prefix: "sales",
    endpoint,
    forcePathStyle: true,
  });
  await store.put("2031.csv", Buffer.from(SALES.join("\n")));
  await store.close();
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.credentials;
  const files = "/v1/connectors/objstore";
  await ask("objectStoreConnectors_create", "POST", {
    path: files,
    body: {
      ...bodyOf("objectStoreConnectors_create"),
      endpoint,
      path_style: true,
      credentials: { access_key_id: AWS_ACCESS_KEY_ID, secret_access_key: AWS_SECRET_ACCESS_KEY },
    },
  });
  await ask("objectStoreConnectors_list", "GET", files);
  await ask("objectStoreConnectors_get", "GET", `${files}/lake`);
  await ask("objectStoreConnectors_patch", "PATCH", {
    path: `${files}/lake`,
    body: bodyOf("objectStoreConnectors_patch"),
  });
  await ask("objectStoreConnectors_test", "POST", `${files}/lake/test`);
  const warehouses = "/v1/connectors/warehouse";
  await ask("warehouseConnectors_create", "POST", {
    path: warehouses,
    body: {
      ...bodyOf("warehouseConnectors_create"),
      url: `postgres://127.0.0.1:${postgres.port}/shop?sslmode=disable`,
    },
  });
  await ask("warehouseConnectors_patch", "PATCH", {
    path: `${warehouses}/shop`,
    body: bodyOf("warehouseConnectors_patch"),
  });
  await ask("warehouseConnectors_list", "GET", warehouses);
  await ask("warehouseConnectors_get", "GET", `${warehouses}/shop`);
  await ask("warehouseConnectors_test", "POST", `${warehouses}/shop/test`);
}

const WORKSPACE = "/v1/workspaces/acme";
const CATALOGS = `${WORKSPACE}/catalogs`;
const SCHEMAS = `${CATALOGS}/retail/schemas`;
const TABLES = `${SCHEMAS}/public/tables`;

async function signIn(): Promise<void> {
  const path = "/v1/session";
  await ask("session_methods", "GET", `${path}/methods`);
  const way = { path: `${path}/authorization`, body: bodyOf("session_authorize") };
  await ask("session_authorize", "POST", way);
  const body = { api_key: API_KEY };
  await ask("session_create", "POST", { path, body });
  const response = await server.request("POST", path, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const [cookie = ""] = response.headers.getSetCookie().map((each) => each.split(";")[0]);
  const session = await ask("session_get", "GET", { path, cookie });
  const headers = { origin: PUBLIC, "x-csrf-token": String(session["csrf_token"]) };
  await ask("session_delete", "DELETE", { path, cookie, headers });
}

async function catalog(): Promise<void> {
  await ask("organization_get", "GET", "/v1/organization");
  const key = await ask("apiKeys_create", "POST", {
    path: "/v1/api_keys",
    body: bodyOf("apiKeys_create"),
  });
  await ask("apiKeys_list", "GET", "/v1/api_keys");
  await ask("apiKeys_revoke", "DELETE", `/v1/api_keys/${key["id"]}`);
  await ask("scopes_list", "GET", "/v1/scopes");
  await ask("audit_list", "GET", "/v1/audit_events");
  for (const part of ["workers", "queue", "settings"]) {
    await ask(`service_${part}`, "GET", `/v1/service/${part}`);
  }
  await ask("workspaces_create", "POST", {
    path: "/v1/workspaces",
    body: bodyOf("workspaces_create"),
  });
  await sources();
  await ask("catalogs_create", "POST", {
    path: `${CATALOGS}?catalogId=shop`,
    body: bodyOf("catalogs_create"),
  });
  await ask(null, "POST", `${CATALOGS}?catalogId=retail`);
  await ask("catalogs_list", "GET", CATALOGS);
  await ask("catalogs_get", "GET", `${CATALOGS}/shop`);
  await ask("catalogs_patch", "PATCH", {
    path: `${CATALOGS}/shop`,
    body: bodyOf("catalogs_patch"),
  });
  await ask("schemas_create", "POST", {
    path: `${SCHEMAS}?schemaId=public`,
    body: bodyOf("schemas_create"),
  });
  await ask(null, "POST", `${SCHEMAS}?schemaId=orders`);
  await ask("schemas_patch", "PATCH", {
    path: `${SCHEMAS}/orders`,
    body: bodyOf("schemas_patch"),
  });
  await ask("schemas_list", "GET", SCHEMAS);
  await ask("schemas_get", "GET", `${SCHEMAS}/public`);
  await ask("tables_create", "POST", {
    path: `${TABLES}?tableId=sales`,
    body: bodyOf("tables_create"),
  });
  await ask("tables_list", "GET", TABLES);
  await ask("tables_get", "GET", `${TABLES}/sales`);
  await ask("tables_patch", "PATCH", { path: `${TABLES}/sales`, body: bodyOf("tables_patch") });
  await ask("tables_preview", "GET", `${TABLES}/sales/preview`);
  await ask("queries_profile", "GET", `${TABLES}/sales/profile`);
  await ask("queries_run", "POST", { path: `${WORKSPACE}/query`, body: bodyOf("queries_run") });
  await ask("queries_explain", "POST", {
    path: `${WORKSPACE}/query:explain`,
    body: bodyOf("queries_explain"),
  });
  const statements = `${WORKSPACE}/statements`;
  const statement = `${statements}/sales_by_region`;
  await ask("statements_create", "POST", {
    path: `${statements}?statementId=sales_by_region`,
    body: bodyOf("statements_create"),
  });
  await ask("statements_patch", "PATCH", {
    path: `${statement}?updateMask=title`,
    body: bodyOf("statements_patch"),
  });
  await ask("statements_list", "GET", statements);
  await ask("statements_get", "GET", statement);
  await ask("statements_delete", "DELETE", statement);
  await ask("workspaces_patch", "PATCH", { path: WORKSPACE, body: bodyOf("workspaces_patch") });
  await ask("workspaces_list", "GET", "/v1/workspaces");
  await ask("workspaces_get", "GET", WORKSPACE);
}

/** @returns the id of a job that has ended */
async function trained(request: object): Promise<string> {
  const { job_id } = await ask(null, "POST", { path: "/v1/trainer/run", body: request });
  await settled(`/v1/training_jobs/${job_id}`);
  return String(job_id);
}

/** The ids that the examples have others for. */
interface Known {
  readonly dataset: string;
  readonly model: string;
  readonly challenger: string;
}

async function uploads(): Promise<void> {
  const path = "/v1/uploads";
  await ask("uploads_options", "GET", `${path}/options`);
  const body = customers(400);
  const { upload_id } = await ask("uploads_create", "POST", {
    path,
    body: { ...bodyOf("uploads_create"), bytes: Buffer.byteLength(body) },
  });
  const upload = `${path}/${upload_id}`;
  await ask("uploads_part", "POST", {
    path: `${upload}/parts?offset=0`,
    body,
    headers: { "content-type": "application/octet-stream" },
  });
  const { dataset_id } = await ask("uploads_complete", "POST", {
    path: `${upload}/complete`,
    body: {},
  });
  await ask("uploads_list", "GET", path);
  await ask("uploads_get", "GET", upload);
  await ask("uploads_delete", "DELETE", upload);
  await ask(null, "DELETE", `/v1/datasets/${dataset_id}`);
}

async function training(): Promise<Known> {
  const { dataset_id } = await ask("datasets_create", "POST", {
    path: "/v1/datasets?name=customers",
    body: customers(400),
    headers: { "content-type": "text/csv" },
  });
  const datasetId = String(dataset_id);
  await ask("datasets_list", "GET", "/v1/datasets");
  await ask("datasets_get", "GET", `/v1/datasets/${datasetId}`);
  await ask("training_options", "GET", "/v1/trainer/options");
  await ask("datasets_rows", "GET", `/v1/datasets/${datasetId}/rows?limit=3`);
  await uploads();
  const request = { ...bodyOf("training_run"), dataset_id: datasetId, n_trials: 6 };
  const { job_id } = await ask("training_run", "POST", { path: "/v1/trainer/run", body: request });
  const job = `/v1/training_jobs/${job_id}`;
  await settled(job);
  const { model_id, result_uri } = await ask("training_get", "GET", job);
  await ask("training_list", "GET", "/v1/training_jobs");
  await ask("jobs_metrics", "GET", `/v1/jobs/${job_id}/metrics`);
  await ask("jobs_result", "GET", `/v1/results/${job_id}`);
  await ask("jobs_report", "GET", `/v1/jobs/${job_id}/report?format=json`);
  const { pathname, search } = new URL(String(result_uri));
  await ask("reports_open", "GET", `${pathname}${search}&format=json`);
  const model = `/v1/models/${model_id}`;
  await ask("models_list", "GET", "/v1/models");
  await ask("models_get", "GET", model);
  await ask("models_status", "GET", `${model}/status`);
  await ask("models_download", "GET", `${model}/download`);
  await ask("models_card", "GET", `${model}/card`);
  await ask("models_predict", "POST", { path: `${model}/predict`, body: bodyOf("models_predict") });
  const batch = {
    path: "/v1/batch_predictions",
    body: { ...bodyOf("batchPredictions_create"), model_id, source: { dataset_id: datasetId } },
  };
  const { job_id: scoring } = await ask("batchPredictions_create", "POST", batch);
  await settled(`${batch.path}/${scoring}`);
  await ask("batchPredictions_get", "GET", `${batch.path}/${scoring}`);
  await ask("batchPredictions_list", "GET", batch.path);
  await ask("batchPredictions_delete", "DELETE", `${batch.path}/${scoring}`);
  const { job_id: unwanted } = await ask(null, "POST", batch);
  await ask("batchPredictions_cancel", "POST", `${batch.path}/${unwanted}/cancel`);
  await settledOrFailed(`${batch.path}/${unwanted}`);
  await ask("models_explain", "POST", { path: `${model}/explain`, body: bodyOf("models_explain") });
  await ask("models_patch", "PATCH", { path: model, body: bodyOf("models_patch") });
  const alias = "/v1/registry/churn/aliases/champion";
  await ask("registry_setAlias", "PUT", { path: alias, body: bodyOf("registry_setAlias") });
  await ask("registry_getAlias", "GET", alias);
  await ask("registry_list", "GET", "/v1/registry");
  await ask("registry_get", "GET", "/v1/registry/churn");
  // Its example moves it there and back.
  const { model_id: second } = await ask(
    null,
    "GET",
    `/v1/training_jobs/${await trained(request)}`,
  );
  await ask(null, "PUT", { path: alias, body: { model_id: second } });
  await ask("registry_rollBackAlias", "POST", `${alias}/rollback`);
  await ask("registry_deleteAlias", "DELETE", alias);
  await ask("models_lineage", "GET", `${model}/lineage`);
  await ask("datasets_lineage", "GET", `/v1/datasets/${datasetId}/lineage`);
  await ask("leaderboard_get", "GET", `/v1/leaderboard?dataset_id=${datasetId}`);
  await ask("comparisons_get", "GET", `${model}/comparison?against=${second}`);
  await evaluations(String(model_id), String(second), datasetId);
  await serving(String(model_id), String(second));
  const retention = "/v1/retention";
  await ask("retention_patch", "PATCH", { path: retention, body: bodyOf("retention_patch") });
  await ask("retention_get", "GET", retention);
  await ask(null, "POST", {
    path: "/v1/datasets?name=old%20customers",
    body: customers(40),
    headers: { "content-type": "text/csv" },
  });
  await ask("retention_dryRun", "POST", {
    path: `${retention}/dry_run`,
    body: bodyOf("retention_dryRun"),
  });
  await ask(null, "PATCH", { path: retention, body: { unused_dataset_days: 0 } });
  await ask("retention_applyNow", "POST", {
    path: `${retention}/apply`,
    body: bodyOf("retention_applyNow"),
  });
  await ask(null, "PATCH", { path: retention, body: { unused_dataset_days: null } });
  await ask("retention_usage", "GET", "/v1/usage");
  await ask("models_delete", "DELETE", model);
  await ask("training_delete", "DELETE", job);
  const long = { ...request, n_trials: 10_000, time_budget_s: 600 };
  const { job_id: begun } = await ask(null, "POST", { path: "/v1/trainer/run", body: long });
  await ask("training_cancel", "POST", `/v1/training_jobs/${begun}/cancel`);
  return { dataset: datasetId, model: String(model_id), challenger: String(second) };
}

async function evaluations(model: string, challenger: string, dataset: string): Promise<void> {
  const body = JSON.parse(
    JSON.stringify(bodyOf("evaluations_create"))
      .replaceAll(EXAMPLE_MODEL, model)
      .replaceAll(EXAMPLE_CHALLENGER, challenger)
      .replaceAll(EXAMPLE_DATASET, dataset),
  );
  const path = "/v1/evaluations";
  const { job_id } = await ask("evaluations_create", "POST", { path, body });
  const evaluation = `${path}/${job_id}`;
  await settled(evaluation);
  await ask("evaluations_get", "GET", evaluation);
  await ask("evaluations_list", "GET", path);
  await ask("evaluations_report", "GET", `${evaluation}/report?format=json`);
  await ask("evaluations_delete", "DELETE", evaluation);
  const { job_id: begun } = await ask(null, "POST", { path, body });
  await ask("evaluations_cancel", "POST", `${path}/${begun}/cancel`);
}

async function serving(model: string, challenger: string): Promise<void> {
  const real = (operation: string): Json =>
    JSON.parse(
      JSON.stringify(bodyOf(operation))
        .replaceAll(EXAMPLE_MODEL, model)
        .replaceAll(EXAMPLE_CHALLENGER, challenger),
    );
  const endpoints = "/v1/serving/endpoints";
  await ask("serving_create", "POST", { path: endpoints, body: real("serving_create") });
  await ask("serving_list", "GET", endpoints);
  const endpoint = `${endpoints}/churn`;
  await ask("serving_get", "GET", endpoint);
  await ask("serving_patch", "PATCH", { path: endpoint, body: real("serving_patch") });
  const keyed = "?key=customer-7";
  await ask("serving_predict", "POST", {
    path: `${endpoint}/predict${keyed}`,
    body: bodyOf("serving_predict"),
  });
  await ask("serving_explain", "POST", {
    path: `${endpoint}/explain${keyed}`,
    body: bodyOf("serving_explain"),
  });
  await feedback(endpoint);
  await inference("/v2/models/churn");
  await ask("serving_metrics", "GET", `${endpoint}/metrics`);
  await ask("serving_drift", "GET", `${endpoint}/drift`);
  await ask("serving_rollback", "POST", { path: `${endpoint}/rollback`, body: {} });
  await ask("serving_history", "GET", `${endpoint}/history`);
  await ask("serving_delete", "DELETE", endpoint);
}

/** Files are written once a minute. */
async function feedback(endpoint: string): Promise<void> {
  const response = await fetch(`${server.baseUrl}${endpoint}/predict`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf("serving_predict")),
  });
  const id = response.headers.get("x-prediction-id");
  if (id === null) throw new Error("the predictions were not logged");
  const labels = JSON.stringify(bodyOf("serving_feedback")).replaceAll(EXAMPLE_PREDICTION, id);
  await ask("serving_feedback", "POST", {
    path: `${endpoint}/feedback`,
    body: JSON.parse(labels),
  });
  for (;;) {
    const { files } = await ask("serving_predictionLog", "GET", `${endpoint}/prediction_log`);
    if (Array.isArray(files) && files.length > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  await ask("serving_scores", "GET", `${endpoint}/scores`);
  const { dataset_id } = await ask("serving_labelledDataset", "POST", {
    path: `${endpoint}/labelled_dataset`,
    body: bodyOf("serving_labelledDataset"),
  });
  await ask(null, "DELETE", `/v1/datasets/${dataset_id}`);
}

async function inference(model: string): Promise<void> {
  await ask("inference_server", "GET", "/v2");
  const { versions } = await ask("inference_metadata", "GET", model);
  const [version] = versions as readonly string[];
  for (const [path, form] of [
    [model, ""],
    [`${model}/versions/${version}`, "Version"],
  ]) {
    await ask(`inference_metadata${form}`, "GET", path);
    await ask(`inference_modelReady${form}`, "GET", `${path}/ready`);
    const body = bodyOf("inference_infer");
    await ask(`inference_infer${form}`, "POST", { path: `${path}/infer`, body });
  }
}

/** By a model of whether a receipt is kept, which every other one is. */
async function predictedDocuments(sample: readonly Json[]): Promise<void> {
  const { job_id, dataset_id } = await ask(null, "POST", {
    path: "/v1/agentic/documents/extract",
    body: {
      model_id: "receipts",
      documents: sample.map((each, at) => ({ ...each, columns: { kept: at % 2 === 0 } })),
      register_dataset: { name: "receipts that are kept" },
    },
  });
  await settled(`/v1/results/${job_id}`);
  const job = await trained({
    dataset_id,
    n_trials: 1,
    n_cv_splits: 2,
    model_families: ["linear"],
    task: {
      task_kind: "binclass",
      label_column: "kept",
      ignore_columns: ["document_id", "document_name"],
    },
  });
  const { model_id } = await ask(null, "GET", `/v1/training_jobs/${job}`);
  const endpoint = { name: "receipts-live", models: [{ model_id, traffic: 100 }] };
  await ask(null, "POST", { path: "/v1/serving/endpoints", body: endpoint });
  for (const [operation, path] of [
    ["models_predictDocuments", `/v1/models/${model_id}`],
    ["serving_predictDocuments", "/v1/serving/endpoints/receipts-live"],
  ] as const) {
    await ask(operation, "POST", { path: `${path}/predict_documents`, body: bodyOf(operation) });
  }
}

async function documents(): Promise<void> {
  const { documents: uploaded } = await ask("documents_upload", "POST", {
    path: "/v1/documents",
    body: { name: "receipt.txt", text: receipt(3, 12.5) },
  });
  const [{ document_id }] = uploaded as readonly [{ readonly document_id: string }];
  const document = `/v1/documents/${document_id}`;
  await ask("documents_list", "GET", "/v1/documents");
  await ask("documents_get", "GET", document);
  await ask("documents_text", "GET", `${document}/text`);
  await ask("agentic_skills", "GET", "/v1/agentic/documents/skills");
  const sample = Array.from({ length: 12 }, (_, index) => ({
    name: `receipt-${index + 1}.txt`,
    text: receipt(index + 1, 5 + ((index * 37) % 23), index % 2 ? "TEA HOUSE" : "CORNER SHOP"),
  }));
  const induce = {
    path: "/v1/agentic/documents/induce_schema",
    body: { ...bodyOf("agentic_induce"), documents: sample },
  };
  const { job_id } = await ask("agentic_induce", "POST", induce);
  await settled(`/v1/results/${job_id}`);
  await ask("agentic_getSchema", "GET", "/v1/agentic/documents/schemas/receipts");
  const labels = "/v1/agentic/documents/schemas/receipts/labels";
  const label = { path: `${labels}/${document_id}/total_amount`, body: bodyOf("agentic_setLabel") };
  await ask("agentic_setLabel", "PUT", label);
  await ask("agentic_listLabels", "GET", labels);
  await ask("agentic_deleteLabel", "DELETE", label.path);
  const { job_id: extraction } = await ask("agentic_extract", "POST", {
    path: "/v1/agentic/documents/extract",
    body: bodyOf("agentic_extract"),
  });
  await settled(`/v1/results/${extraction}`);
  await predictedDocuments(sample);
  const jobs = "/v1/agentic/documents/jobs";
  await ask("agentic_listJobs", "GET", jobs);
  await ask("agentic_getJob", "GET", `${jobs}/${extraction}`);
  const { job_id: begun } = await ask(null, "POST", {
    ...induce,
    body: { ...induce.body, model_id: "more-receipts" },
  });
  await ask("agentic_cancelJob", "POST", `${jobs}/${begun}/cancel`);
  await settledOrFailed(`${jobs}/${begun}`);
  await ask("agentic_deleteJob", "DELETE", `${jobs}/${begun}`);
  await ask("documents_delete", "DELETE", document);
}

async function removal(datasetId: string, modelId: string): Promise<void> {
  await ask(null, "DELETE", `/v1/models/${modelId}`);
  await ask("datasets_delete", "DELETE", `/v1/datasets/${datasetId}`);
  await ask("tables_delete", "DELETE", `${TABLES}/sales`);
  await ask("schemas_delete", "DELETE", `${SCHEMAS}/public`);
  await ask("catalogs_delete", "DELETE", `${CATALOGS}/shop`);
  await ask("objectStoreConnectors_delete", "DELETE", "/v1/connectors/objstore/lake?force=true");
  await ask("warehouseConnectors_delete", "DELETE", "/v1/connectors/warehouse/shop?force=true");
  await ask("workspaces_delete", "DELETE", `${WORKSPACE}?force=true`);
}

try {
  await signIn();
  await catalog();
  const { dataset, model, challenger } = await training();
  await documents();
  await removal(dataset, challenger);
  const answers = recorder.answers([
    [dataset, EXAMPLE_DATASET],
    [model, EXAMPLE_MODEL],
    [challenger, EXAMPLE_CHALLENGER],
    [endpoint, ENDPOINT],
    [`127.0.0.1:${postgres.port}/shop?sslmode=disable`, "db.example.com:5432/shop?sslmode=require"],
    [connects(new URL(endpoint).port), "s3.example.com accepts connections on port 443"],
    [connects(postgres.port), "db.example.com accepts connections on port 5432"],
    [server.baseUrl, PUBLIC],
    [`http://${issuer.host}`, "https://login.example.com"],
    [issuer.host, "login.example.com"],
    [`"host":"${hostname()}"`, '"host":"worker-1"'],
  ]);
  writeFileSync(OUT, `${JSON.stringify(answers, null, 2)}\n`);
  const formatter = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const file = fileURLToPath(OUT);
  execFileSync(process.execPath, [formatter, "format", "--write", file], { stdio: "inherit" });
  console.log(`${Object.keys(answers).length} answers are in ${OUT.pathname}`);
} finally {
  await server.stop();
  await issuer.stop();
  await Promise.all([postgres.remove(), s3.remove()]);
  await removeHomes();
}
