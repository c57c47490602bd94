import { describe, expect, it } from "vitest";
import { firstBody, knownOf, modelColumns, rowOf, typicalRow } from "./form-row.ts";

const columns = modelColumns([
  { name: "size", kind: "numeric", nullable: false },
  { name: "isNew", kind: "boolean" },
  { name: "colour", kind: "categorical" },
  { name: "note", kind: "something later" },
  { kind: "numeric" },
]);
const known = knownOf([
  { name: "size", min: 1, max: 9, quantiles: [{ q: 0.5, value: 4.5 }], distinct: 80 },
  { name: "isNew", top_values: [{ value: true, count: 3 }], distinct: 2 },
  { name: "colour", top_values: [{ value: "red" }, { value: "blue" }], distinct: 2 },
]);

describe("modelColumns", () => {
  it("takes kinds that it does not know for text, and leaves out what has no name", () => {
    expect(columns.map(({ kind }) => kind)).toEqual(["numeric", "boolean", "categorical", "text"]);
  });
});

describe("knownOf", () => {
  it("tells the range, the values and whether these are all", () => {
    expect(known.get("size")).toMatchObject({ range: [1, 9], typical: "4.5", isWhole: false });
    expect(known.get("colour")).toEqual({
      values: ["red", "blue"],
      isWhole: true,
      range: null,
      typical: "red",
    });
    expect(known.get("isNew")).toMatchObject({ values: ["true"], isWhole: false });
  });
});

describe("rowOf", () => {
  it("begins with what is typical, and writes each cell as its kind", () => {
    expect(rowOf(columns, typicalRow(columns, known))).toEqual({
      size: 4.5,
      isNew: true,
      colour: "red",
      note: null,
    });
  });

  it("sends what is empty as missing, and what is no number as it stands", () => {
    expect(rowOf(columns, { size: "big", isNew: "", colour: "", note: "7" })).toEqual({
      size: "big",
      isNew: null,
      colour: null,
      note: "7",
    });
  });
});

describe("firstBody", () => {
  it("asks for the steps of the training where it forecasts", () => {
    expect(firstBody({ task_kind: "forecasting", horizon: 12 }, columns, known)).toEqual({
      horizon: 12,
    });
  });

  it("gives a sequence its id and its order", () => {
    const task = { task_kind: "sequence_binclass", sequence_column: "id", order_column: "at" };
    const body = firstBody(task, columns.slice(0, 1), known);
    expect(body).toMatchObject({ instances: [{ id: "1", at: 0, size: 4.5 }, { at: 1 }, {}, {}] });
  });
});
