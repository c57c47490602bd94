import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { LANGUAGES, snippetOf } from "./snippet-text.ts";

const ORIGIN = "http://127.0.0.1:8080";
const RUN = {
  method: "POST",
  path: "/v1/trainer/run",
  procedure: "training.run.mutate",
  body: {
    dataset_id: "3f1c2e7a-5b8d-4c9e-a1f0-6d2b7c8e9f10",
    task: { task_kind: "regression", label_column: 'it\'s "$(rm)" \\ `x`' },
    ensemble: false,
    n_cv_splits: null,
    "a-b": undefined,
  },
} as const;

it("quotes whatever a shell would read", () => {
  const text = snippetOf("curl", RUN, ORIGIN);
  const echoed = execFileSync("sh", ["-c", text.replace("curl", "printf '%s\\n'")], {
    encoding: "utf8",
  });
  const sent: unknown = JSON.parse(echoed.slice(echoed.indexOf("{")));
  expect(sent).toEqual(JSON.parse(JSON.stringify(RUN.body)));
});

it("writes each language's own words", () => {
  expect(snippetOf("python", RUN, ORIGIN)).toContain('"n_cv_splits": None');
  expect(snippetOf("python", RUN, ORIGIN)).toContain('"ensemble": False');
  expect(snippetOf("typescript", RUN, ORIGIN)).toContain("client.training.run.mutate({\n");
  expect(snippetOf("typescript", RUN, ORIGIN)).toContain("  n_cv_splits: null");
});

it("calls by its path what is no procedure, and sends no body where there is none", () => {
  const call = { method: "GET", path: "/v1/jobs/1/events" } as const;
  expect(snippetOf("typescript", call, ORIGIN)).toContain('client.request("/v1/jobs/1/events")');
  const sent = {
    method: "POST",
    path: "/v1/batch_predictions",
    body: { model_id: "m@1" },
  } as const;
  expect(snippetOf("typescript", sent, ORIGIN)).toContain(
    'client.request("/v1/batch_predictions", {\n  json: { model_id: "m@1" },\n}',
  );
  for (const language of LANGUAGES) {
    expect(snippetOf(language, call, ORIGIN)).not.toMatch(/body|json=|-d /);
  }
});
