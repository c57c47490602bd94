/** Over HTTP, classes have the names that the label's cells have, wherever a run speaks of them. */

import { reportSchema } from "@distillery/engine";
import { beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

it.each([
  ["FALSE", "TRUE"],
  ["0.0", "1.0"],
])("answers %s and %s as the file has them, and tells of dirty cells", async (no, yes) => {
  const lines = Array.from({ length: 120 }, (_, i) => {
    const x = (i * 37) % 101;
    return `${x},${i === 6 ? "n/k" : i * 3 + 1},${x > 50 ? yes : no}`;
  });
  const datasetId = await server.uploadCsv("spelled", ["x,dirty,y", ...lines].join("\n"));
  const jobId = await startRun(server, {
    dataset_id: datasetId,
    task: { task_kind: "binclass", label_column: "y" },
    filter: { column: "y", op: "in", value: [no, yes] },
    model_families: ["linear"],
    n_trials: 1,
    n_cv_splits: 3,
  });
  const { model_id } = await awaitJob(server, jobId);
  const answer = await server.post(`/v1/models/${model_id}/predict`, {
    instances: [{ x: 0 }, { x: 100 }],
  });
  expect(answer).toMatchObject({
    predictions: [
      { label: no, probabilities: { [no]: expect.any(Number), [yes]: expect.any(Number) } },
      { label: yes },
    ],
  });
  const report = reportSchema.parse(await server.get(`/v1/jobs/${jobId}/report?format=json`));
  expect(report.confusion?.labels).toEqual([no, yes]);
  const told = expect.stringMatching(
    /"dirty" has 1 cell of 120 that is no number \("n\/k" in row 7\)/,
  );
  expect(report.warnings).toEqual(expect.arrayContaining([told]));
  expect(await server.get(`/v1/models/${model_id}`)).toMatchObject({
    card: { warnings: expect.arrayContaining([told]) },
  });
});

it("scores and predicts the class that is named as the positive one", async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `${(i * 37) % 101},${i % 6 ? "ok" : "bad"}`);
  const datasetId = await server.uploadCsv("positive", ["x,y", ...lines].join("\n"));
  const run = (positiveClass: string) => ({
    dataset_id: datasetId,
    task: { task_kind: "binclass", label_column: "y", positive_class: positiveClass },
    model_families: ["linear"],
    metrics: ["f1"],
    n_trials: 1,
  });
  const jobId = await startRun(server, run("bad"));
  await awaitJob(server, jobId);
  const report = reportSchema.parse(await server.get(`/v1/jobs/${jobId}/report?format=json`));
  expect(report.confusion?.labels).toEqual(["ok", "bad"]);
  expect(report.thresholdCurves?.map(({ of }) => of)).toEqual(["bad"]);
  const refused = await server.postRaw("/v1/trainer/run", run("bed"));
  expect([refused.status, await refused.json()]).toEqual([
    422,
    {
      detail: [
        {
          loc: ["body", "task", "positive_class"],
          msg: expect.stringMatching(/no class "bed"; its classes are "bad" and "ok"/),
          type: "value_error",
        },
      ],
    },
  ]);
});
