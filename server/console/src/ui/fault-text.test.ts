import { expect, it } from "vitest";
import { faultText } from "./fault-text.ts";

it("says faults without the words of programs", () => {
  expect(faultText("Value error, a sweep weighs several metrics")).toBe(
    "A sweep weighs several metrics",
  );
  expect(faultText("String should match pattern '^[a-z]+$'")).toMatch(/^It has characters/);
  expect(faultText("Field required")).toBe("Field required");
  expect(faultText("value error, of a model's own words")).toBe(
    "value error, of a model's own words",
  );
});
