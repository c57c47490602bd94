import { expect, it } from "vitest";
import { schemaName } from "./schema-name.ts";

const id = "0b9a3f0e-5d5c-4b77-9f0b-0a1f5e2c7d11";

it("calls a schema by what somebody chose, else by what it is for, else by its skill", () => {
  const of = { skill: "receipts", use_case: " Spending by month " };
  expect(schemaName({ ...of, id: "spending" })).toBe("spending");
  expect(schemaName({ ...of, id })).toBe("Spending by month");
  expect(schemaName({ ...of, id, use_case: " " })).toBe("Questions by the skill receipts");
  expect(schemaName({ ...of, id, use_case: "x".repeat(10_000) }, 20)).toHaveLength(20);
});
