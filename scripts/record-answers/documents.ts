/** Documents, the schema that they are read by, and a model of what they say. */

import type { Json } from "./recorder.ts";
import { ask, bodyOf, settled, settledOrFailed, trained } from "./stage.ts";

const receipt = (day: number, total: number, shop = "CORNER SHOP"): string =>
  `${shop}\nDate: ${String(day).padStart(2, "0")}/04/2031\nItems: ${1 + (day % 5)}\nTotal: ${total.toFixed(2)}`;

export async function documents(): Promise<void> {
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
