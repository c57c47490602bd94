/** What a request leaves open. */

import { describe, expect, it } from "vitest";
import { toRunConfig, trainerRunSchema, wantsEnsemble } from "./request.ts";

const minimal = {
  dataset_id: "0c5d1f7e-6f6b-4e0e-9d59-2f6f4a1f5a11",
  task: { task_kind: "regression", label_column: "y" },
};

describe("whether trials are blended", () => {
  const cases: [string, object, boolean][] = [
    ["so it is by default", {}, true],
    ["not in time, whose last rows a blend would lack", { time_column: "t" }, false],
    ["nor where the task names it", { task: { ...minimal.task, time_column: "t" } }, false],
    ["but where it is asked for", { time_column: "t", ensemble: true }, true],
    ["not with a teacher", { teacher_model_id: minimal.dataset_id }, false],
  ];
  it.each(cases)("%s", (_, more, wanted) => {
    const request = trainerRunSchema.parse({ ...minimal, ...more });
    expect(wantsEnsemble(request)).toBe(wanted);
    expect(toRunConfig(request).ensemble).toBe(wanted);
  });
});
