/**
 * Registers a table, trains on it, and asks the model:
 * `DISTILLERY_URL=… DISTILLERY_API_KEY=… node train.ts`, against a running service.
 */

import process from "node:process";
import { createClient, ServiceError } from "@distillery/client";

const client = createClient({
  url: process.env.DISTILLERY_URL ?? "http://127.0.0.1:8080",
  token: process.env.DISTILLERY_API_KEY,
});

const lines = Array.from({ length: 400 }, (_, i) => {
  const [area, rooms, district] = [40 + ((i * 37) % 120), 1 + (i % 5), ["harbour", "hill"][i % 2]];
  return `${area},${rooms},${district},${area * 3_000 + rooms * 9_000 + (i % 2) * 40_000}`;
});
const dataset = await client.uploadDataset(`area,rooms,district,price\n${lines.join("\n")}\n`, {
  fileName: "houses.csv",
  onProgress: ({ sentBytes, totalBytes }) =>
    console.log(`sent ${sentBytes} of ${totalBytes} bytes`),
});
console.log(`${dataset.name}: ${dataset.rows} rows, ${dataset.columns.length} columns`);

const { job_id } = await client.training.run.mutate({
  dataset_id: dataset.dataset_id,
  task: { task_kind: "regression", label_column: "price" },
  model_families: ["gbdt", "linear"],
  n_trials: 2,
});
const job = await client.waitForJob(job_id, {
  onProgress: (progress) => console.log(JSON.stringify(progress)),
});
if (job.kind !== "training" || !job.result) throw new Error("It was another job.");
const { model_id } = job.result;

const { predictions } = await client.models.predict.mutate({
  model_id,
  instances: [{ area: 100, rooms: 3, district: "harbour" }],
});
console.log("a house by the harbour:", JSON.stringify(predictions[0]));

try {
  await client.models.predict.mutate({ model_id, instances: [{ area: "large" }] });
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  for (const { loc, msg } of error.faults) console.log(`refused: ${loc.join(".")}: ${msg}`);
}
