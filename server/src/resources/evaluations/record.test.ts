import { expect, it } from "vitest";
import type { EvaluationJobRow } from "./job.ts";
import { toEvaluationProgress } from "./record.ts";

const now = new Date();
const waiting: EvaluationJobRow = {
  ...{ id: "", organization_id: "", kind: "evaluation", status: "pending", name: "", tags: {} },
  ...{ datasets: [], models: [], documents: [] },
  request: { dataset_id: "", metrics: null, slices: [], random_state: 0 },
  details: { models: [], dataset_name: "" },
  ...{ progress: null, result: null, error_message: "", retry: null },
  ...{ created_at: now, updated_at: now, started_at: null, finished_at: null, pruned_at: null },
};

it("an evaluation's seconds go on while it runs, whatever was written last, and stand when it has ended", () => {
  const progress = { phase: "evaluating", seconds: 10.7 } as const;
  const begun = { ...waiting, progress, started_at: new Date(Date.now() - 300_000) };
  expect(toEvaluationProgress({ ...begun, status: "running" }).seconds).toBeGreaterThan(299);
  expect(toEvaluationProgress({ ...begun, status: "completed" }).seconds).toBe(10.7);
  const none = { phase: "new", done: 0, total: 0, seconds: 0, estimate: null };
  expect(toEvaluationProgress(waiting)).toEqual(none);
});
