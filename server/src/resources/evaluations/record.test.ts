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

it("what an earlier version wrote, or nobody, is shown as not counted", () => {
  const none = { phase: "new", done: 0, total: 0, seconds: 0, estimate: null };
  expect(toEvaluationProgress(waiting)).toEqual(none);
  const progress = { phase: "evaluating", seconds: 10.7 } as const;
  expect(toEvaluationProgress({ ...waiting, progress })).toEqual({ ...none, ...progress });
});
