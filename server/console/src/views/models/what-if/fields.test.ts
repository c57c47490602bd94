import { expect, it } from "vitest";
import { drawnRow, fieldsOf, niceStep, sweepOf, typicalRow } from "./fields.ts";

const input = (column: string, kind: string) => ({
  column,
  kind,
  nullable: false,
  range: null,
  range_rows: null,
  earliest: null,
  categories: [],
  category_count: null,
});
const numbers = (min: number, max: number, median: number) => ({
  min,
  max,
  median,
  mean: median,
  std: 1,
  histogram: { edges: [min, max], counts: [9] },
});
const column = (name: string, distinct: number) => ({
  name,
  kind: "",
  role: "feature" as const,
  missing: 0,
  distinct,
  distinctIsEstimate: false,
});

const card = {
  inputs: [
    { ...input("temp", "numeric"), range: [0.1, 0.9] as [number, number] },
    input("hr", "numeric"),
    { ...input("safety", "categorical"), categories: ["low", "high"], category_count: 40 },
    input("at", "timestamp"),
    input("open", "boolean"),
  ],
  importance: [{ column: "hr", importance: 2, deviation: null }],
  example: { temp: 0.456789, at: "2020-01-01" },
};
const columns = [
  { ...column("hr", 24), numbers: numbers(0, 23, 11.5) },
  { ...column("safety", 3), top: [{ value: "med", count: 5 }] },
  { ...column("at", 100), numbers: numbers(0, 86_400_000, 3_600_000) },
];

it("fills a form with what is usual, the most important column first", () => {
  const fields = fieldsOf(card, columns);
  expect(fields.map((field) => field.column)).toEqual(["hr", "temp", "safety", "at", "open"]);
  expect(fields[0]).toMatchObject({ kind: "number", min: 0, max: 23, step: 1, typical: 12 });
  expect(fields[2]).toMatchObject({ choices: ["low", "high", "med"], isOpen: true });
  expect(typicalRow(fields)).toEqual({
    hr: 12,
    temp: 0.457,
    safety: "med",
    at: "1970-01-01T01:00:00.000Z",
    open: true,
  });
});

it("does without the report's figures, by what the model itself knows", () => {
  const [hr, temp, safety, at] = fieldsOf(card);
  expect(hr).toMatchObject({ column: "hr", min: 0, max: 1 });
  expect(temp).toMatchObject({ min: 0.1, max: 0.9, step: 0.002 });
  expect(safety).toMatchObject({ typical: "low" });
  expect(at).toMatchObject({ typical: "2020-01-01", min: null, max: null });
});

it.each([
  [0.004, 0.002],
  [0.005, 0.005],
  [1, 1],
  [73, 50],
  [1e-9, 1e-9],
])("a slider of steps of at most %f has steps of %f", (most, step) => {
  expect(niceStep(most)).toBe(step);
});

it("draws each value as often as it is in the training data", () => {
  const fields = fieldsOf(card, [
    {
      ...column("hr", 24),
      numbers: { ...numbers(0, 23, 12), histogram: { edges: [0, 11.5, 23], counts: [0, 4] } },
    },
    { ...column("safety", 3), top: [{ value: "med", count: 5 }] },
    { ...column("open", 2), top: [{ value: "false", count: 9 }] },
  ]);
  for (const draw of [0, 0.3, 0.999]) {
    const row = drawnRow(fields, () => draw);
    expect(row).toMatchObject({ safety: "med", open: false, at: "2020-01-01" });
    expect(row["hr"]).toBeGreaterThanOrEqual(12);
    expect(Number.isInteger(row["hr"])).toBe(true);
    expect(row["temp"]).toBeGreaterThanOrEqual(0.1);
    expect(row["temp"]).toBeLessThanOrEqual(0.9);
  }
  expect(drawnRow(fieldsOf(card), () => 0.99)).toMatchObject({ safety: "high", open: false });
});

it("sweeps a column from end to end, whole numbers by whole steps", () => {
  const [hr, temp, safety, at] = fieldsOf(card, columns);
  expect(sweepOf(hr!)).toEqual(Array.from({ length: 24 }, (_, i) => i));
  const swept = sweepOf(temp!);
  expect(swept).toHaveLength(41);
  expect(swept[0]).toBe(0.1);
  expect(swept.at(-1)).toBe(0.9);
  expect(sweepOf(safety!)).toEqual(["low", "high", "med"]);
  expect(sweepOf(at!, 3)).toEqual([
    "1970-01-01T00:00:00.000Z",
    "1970-01-01T12:00:00.000Z",
    "1970-01-02T00:00:00.000Z",
  ]);
});
