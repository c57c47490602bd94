import { expect, it } from "vitest";
import type { Answerer } from "../../../reading/induction/schema.ts";
import type { ValueKind } from "../../../reading/induction/values/value.ts";
import { labelValue } from "./value.ts";

const answerer = (kind: ValueKind): Answerer => ({
  id: "asked",
  target: { kind, enum: [], multiple: false },
  locators: [],
});

const conventions = {
  dayFirst: true,
  decimalComma: false,
  currency: null,
  languages: ["en"],
};

const label = (kind: ValueKind, value: string | number) =>
  labelValue(answerer(kind), conventions, value);

it("keeps what is said in the form that answers have", () => {
  expect(label("number", "12.50")).toBe(12.5);
  expect(label("date", "2031-02-28")).toBe("2031-02-28");
  expect(label("date", "28/02/2031")).toBe("2031-02-28");
  expect(label("boolean", "true")).toBe(true);
});

it("refuses what the column of the answers could not hold", () => {
  expect(() => label("number", `1${"0".repeat(400)}`)).toThrow("a number such as 12.5");
  for (const day of ["2031-02-30", "2031-13", "2031-00-01"]) {
    expect(() => label("date", day)).toThrow("a date such as 2031-04-30");
  }
});
