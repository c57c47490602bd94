import { expect, it } from "vitest";
import type { DataShape } from "../family.ts";
import { intervalGbdt } from "./family.ts";

const of = (channels: number): DataShape => ({
  rows: 300,
  task: { kind: "sequence_regression", classes: [] },
  features: [],
  sequences: { channels, steps: 100 },
});

it("begins with summaries alone where spectra of all values would take minutes", () => {
  const [first, second] = intervalGbdt.portfolio(of(50));
  expect(first).toMatchObject({ detail: "summaries", depth: 1 });
  expect(second).toMatchObject({ detail: "all", depth: 3 });
  expect(intervalGbdt.searchSpace(of(50))).toHaveProperty("detail");
  expect(intervalGbdt.fitSeconds?.(of(50))).toBeLessThan(5);
});

it("reads everything of few values", () => {
  expect(intervalGbdt.defaults(of(1))).toMatchObject({ detail: "all", depth: 3 });
  expect(intervalGbdt.searchSpace(of(1))).not.toHaveProperty("detail");
});
