/** An endpoint, what it is asked, and what came true of it. */

import {
  EXAMPLE_CHALLENGER,
  EXAMPLE_MODEL,
  EXAMPLE_PREDICTION,
} from "../../server/src/api/guide/examples.ts";
import { API_KEY } from "../../test/support/server.ts";
import type { Json } from "./recorder.ts";
import { ask, bodyOf, server } from "./stage.ts";

export async function serving(model: string, challenger: string): Promise<void> {
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
