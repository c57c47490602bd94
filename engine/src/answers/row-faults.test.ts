import { expect, test } from "vitest";
import { DataError } from "../data/table.ts";
import { modelFault } from "./row-faults.ts";

test.each([
  [{ row: 2, column: "b" }, ["data", 1, 1]],
  [{ column: "b" }, ["columns", 1]],
  [{ row: 2 }, ["data", 1]],
  [{}, ["data"]],
  // Lacked by the rows.
  [{ column: "c" }, ["columns"]],
  [{ row: 1, column: "c" }, ["data", 0]],
])("a fault of rows by columns, %j, has a place that is there", (where, loc) => {
  const rows = { columns: ["a", "b"], data: [[1, 2]] };
  expect(modelFault(new DataError("wrong", where), rows)?.loc).toEqual(loc);
});
