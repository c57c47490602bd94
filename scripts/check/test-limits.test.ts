import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ownLimits, testLimitFaults } from "./test-limits.ts";

test.each([
  ['test("a", () => {\n  b();\n}, 60_000);', [3]],
  ['  it.each([1])(\n    "a",\n    () => {\n      b();\n    },\n    120_000,\n  );', [5]],
  [`look();\n  await vi${"."}waitFor(look);`, [2]],
  ['test("a", () => {\n  b();\n});', []],
  ["const sum = of.reduce((a, b) => {\n  return a + b;\n}, 0);", []],
  ["rows(\n  {\n    a,\n  },\n  12,\n);", []],
])("%j", (source, lines) => {
  expect(ownLimits(source)).toEqual(lines);
});

test("no test has a time limit of its own", () => {
  expect(testLimitFaults(fileURLToPath(new URL("../..", import.meta.url)))).toEqual([]);
});
