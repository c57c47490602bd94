import { expect, it } from "vitest";
import { addressOf, kindInWords } from "./lineage-address.ts";

const node = (kind: string, facts = {}, deleted = false) => ({
  ...{ kind, id: "a b", name: "it", state: null, created_at: null, deleted, facts },
});

it("leads to what has a view, to jobs by their kinds, and to nothing that is gone", () => {
  const run = node("job", { job_kind: "training" });
  expect([addressOf(run), kindInWords(run)]).toEqual(["/train/runs/a%20b", "run"]);
  const batch = node("job", { job_kind: "batch_prediction" });
  expect([addressOf(batch), kindInWords(batch)]).toEqual([
    "/serve/batch/a%20b",
    "batch prediction",
  ]);
  expect(addressOf(node("document_schema"))).toBe("/documents/schemas/a%20b");
  expect(addressOf(node("upload"))).toBeNull();
  expect(addressOf(node("dataset", {}, true))).toBeNull();
});
