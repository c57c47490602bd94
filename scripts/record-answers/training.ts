/** From an upload to models, their evaluation and what goes by itself. */

import {
  EXAMPLE_CHALLENGER,
  EXAMPLE_DATASET,
  EXAMPLE_MODEL,
} from "../../server/src/api/guide/examples.ts";
import { serving } from "./serving.ts";
import { ask, bodyOf, settled, settledOrFailed, trained } from "./stage.ts";

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

/** The ids that the examples have others for. */
interface Known {
  readonly dataset: string;
  readonly model: string;
  readonly challenger: string;
}

export async function training(): Promise<Known> {
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
