import { expect, it } from "vitest";
import { type BatchForm, bodyOf, fileCall } from "./batch-request.ts";

const form: BatchForm = {
  model: "churn@prod",
  source: "dataset",
  dataset: "d",
  table: "",
  sql: "SELECT 1",
  file: null,
  format: "csv",
  prefix: "",
  register: "",
  intervals: false,
  contributions: false,
  skipsFaulty: false,
  name: "",
};

it("names the chosen rows alone, and leaves out what is by default", () => {
  expect(bodyOf(form)).toEqual({
    model_id: "churn@prod",
    source: { dataset_id: "d" },
    output: { format: "csv" },
  });
  expect(bodyOf({ ...form, source: "sql" })["source"]).toEqual({ sql: "SELECT 1" });
  expect(bodyOf({ ...form, source: "series" })).not.toHaveProperty("source");
});

it("says the same beside a file, in the query", () => {
  const call = fileCall({ ...form, register: "a & b", skipsFaulty: true, name: "n" });
  const query = new URLSearchParams(call.slice(call.indexOf("?")));
  expect(Object.fromEntries(query)).toEqual({
    model_id: "churn@prod",
    format: "csv",
    register_dataset: "a & b",
    on_error: "null",
    name: "n",
  });
});
