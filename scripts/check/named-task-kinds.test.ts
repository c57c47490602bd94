import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TASK_KINDS } from "../../engine/src/tasks/index.ts";
import { namedKinds, taskKindFaults } from "./named-task-kinds.ts";

const KINDS = ["regression", "binclass"];
const kindsIn = (source: string) => namedKinds(source, KINDS).map(({ kind }) => kind);

test.each([
  ['if (task.kind === "regression") return;', ["regression"]],
  ["const kinds = ['binclass', `regression`];", ["binclass", "regression"]],
  ['const SPACES = { regression: "identity", binclass: "logit" };', ["regression", "binclass"]],
  ["  binclass: 1,", ["binclass"]],
  ["return USUAL.regression;", ["regression"]],
  ['x("a"); // of "regression"', []],
  [' * Of "regression" alone.', []],
  ["const regression = shape.values;", []],
  ['throw new Error("Use regression instead.");', []],
  ["const url = 'http://a/regression';", []],
])("%s", (source, found) => {
  expect(kindsIn(source)).toEqual(found);
});

test("lines are counted from 1", () => {
  expect(namedKinds('a;\n\nb("binclass");\n', KINDS)).toEqual([{ line: 3, kind: "binclass" }]);
});

test("the product names kinds in one place only", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const kinds = TASK_KINDS;
  expect(taskKindFaults(root, kinds)).toEqual([]);
});
