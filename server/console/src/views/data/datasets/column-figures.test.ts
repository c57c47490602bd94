import { describe, expect, it } from "vitest";
import { type ColumnFigures, chosenColumns, oddities, readProfile } from "./column-figures.ts";

const column = (over: Partial<ColumnFigures>): ColumnFigures => ({
  ...{ name: "age", kind: "numeric", count: 100, missing: 0, distinct: 40 },
  ...over,
});

describe("readProfile", () => {
  it("keeps what is shown of numbers, times and categories", () => {
    const profile = [
      column({ min: 1, max: 9, quantiles: [{ q: 0.5, value: 4 }] }),
      column({
        kind: "timestamp",
        min: "2020-01-01T00:00:00.000Z",
        histogram: { edges: [null, "2020-01-02T00:00:00.000Z"], counts: [3] },
      }),
      column({ kind: "categorical", top_values: [{ value: "<b>", count: 3 }] }),
    ];
    expect(readProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
    expect(() => readProfile([{ name: "x" }])).toThrow();
  });
});

describe("chosenColumns", () => {
  const columns = [
    column({ name: "b2", missing: 3 }),
    column({ name: "B10", kind: "text", distinct: 100 }),
    column({ name: "a", missing: 60 }),
  ];
  const names = (choice: object) =>
    chosenColumns(columns, {
      ...{ part: "", kind: "", onlyOdd: false, sort: "place" as const },
      ...choice,
    }).map(({ name }) => name);

  it("finds by a part of the name, by kind, and by what is odd", () => {
    expect(names({ part: " b" })).toEqual(["b2", "B10"]);
    expect(names({ kind: "text" })).toEqual(["B10"]);
    expect(names({ onlyOdd: true })).toEqual(["B10", "a"]);
  });

  it("sorts, and leaves columns that are equal where they were", () => {
    expect(names({ sort: "missing" })).toEqual(["a", "b2", "B10"]);
    expect(names({ sort: "name" })).toEqual(["a", "b2", "B10"]);
    expect(names({ sort: "place" })).toEqual(["b2", "B10", "a"]);
  });
});

describe("oddities", () => {
  it("says what to look at", () => {
    expect(oddities(column({}))).toEqual([]);
    expect(oddities(column({ missing: 100, distinct: 0 }))).toEqual(["no value at all"]);
    expect(oddities(column({ missing: 51 }))).toEqual(["more than half is missing"]);
    expect(oddities(column({ distinct: 1 }))).toEqual(["the same value in every row"]);
    expect(oddities(column({ distinct: 100 }))).toEqual([]);
    expect(oddities(column({ kind: "text", distinct: 90, missing: 10 }))).toEqual([
      "a different value in every row",
    ]);
    expect(oddities(column({ implausible: [{ kind: "far_value", count: 2 }] }))).toEqual([
      "values far from all others",
    ]);
  });
});
