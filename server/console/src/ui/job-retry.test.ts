import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { JobRetry } from "./job-retry.tsx";

it("says what the latest attempt failed by, and nothing where none has", () => {
  const markup = (retry?: { attempt: number; message: string; failed_at: string }): string =>
    renderToStaticMarkup(createElement(JobRetry, { of: retry ? { retry } : {} }));
  expect(markup()).toBe("");
  const failed_at = new Date(Date.now() - 120_000).toISOString();
  const first = markup({ attempt: 1, message: "the store did not answer", failed_at });
  expect(first).toMatch(/It failed.*2 minutes ago.*tried again.*the store did not answer/);
  expect(markup({ attempt: 3, message: "", failed_at })).toContain("Attempt 3 failed");
});
