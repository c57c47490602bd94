import { expect, test } from "vitest";
import { toJobConfig } from "./job-config.ts";
import { modelIdOf, modelNameOf } from "./job-models.ts";
import { trainerRunSchema } from "./request.ts";

const request = trainerRunSchema.parse({
  dataset_id: "00000000-0000-4000-8000-000000000002",
  task: { task_kind: "regression", label_column: "y" },
});
const job = {
  id: "2f1c1f0e-7c3b-4f59-9a55-0d6f8e4b1a77",
  details: {
    model_id: "00000000-0000-4000-8000-000000000001",
    model_name: "cars",
    record: toJobConfig(request, [], null),
  },
};

test("the first model's id is the job's record's; further ones follow from the job's id", () => {
  expect(modelIdOf(job, 0)).toBe(job.details.model_id);
  // Python: uuid.uuid5(uuid.UUID(job), "model/1") and "model/12".
  expect(modelIdOf(job, 1)).toBe("c650508a-a40a-50b5-b60a-f80bbf7fdb2b");
  expect(modelIdOf(job, 12)).toBe("b72e86c0-afe0-59b7-bd67-ba90f0e50a48");
});

test("further models are numbered from 2", () => {
  expect([0, 1, 2].map((model) => modelNameOf(job, model))).toEqual(["cars", "cars 2", "cars 3"]);
});
