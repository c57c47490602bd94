/** What is said of series whose steps or values are not all there. */

import { expect, it } from "vitest";
import type { Table } from "../../data/table.ts";
import { runConfigSchema } from "../config/config.ts";
import { planTable } from "./plan.ts";

const config = runConfigSchema.parse({
  task: { taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: 6 },
});
const table = (times: readonly number[], values: readonly number[]): Table => ({
  rows: times.length,
  columns: [
    { kind: "numeric", name: "t", values: Float64Array.from(times) },
    { kind: "numeric", name: "y", values: Float64Array.from(values) },
  ],
});

it("whose frequency changes are told so, be there others or not", () => {
  const daily = Array.from({ length: 60 }, (_, i) => i);
  const weekly = Array.from({ length: 30 }, (_, i) => 60 + 7 * i);
  const times = [...daily, ...weekly];
  expect(() => planTable(table(times, times), config, [])).toThrow(
    /^The series has 90 rows in 264 steps of 1, the commonest distance between its rows/,
  );
});

it("are scored at the steps that have a value", () => {
  const days = Array.from({ length: 60 }, (_, i) => i);
  const values = days.map((day) => (day % 2 === 0 ? Number.NaN : Math.sin(day)));
  const { plan } = planTable(table(days, values), config, []);
  expect(plan.warnings.join("\n")).toMatch(/There are only 60 steps, and scores are of 9 of them/);
});
