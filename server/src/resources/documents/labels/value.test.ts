import { expect, it } from "vitest";
import type { Answerer } from "../../../reading/induction/schema.ts";
import type { ValueKind } from "../../../reading/induction/values/value.ts";
import { labelValue } from "./value.ts";

const answerer = (kind: ValueKind, more: Partial<Answerer["target"]> = {}): Answerer => ({
  id: "asked",
  target: { kind, enum: [], multiple: false, ...more },
  locators: [],
});

const ofColumn: Answerer = {
  ...answerer("text", { multiple: true }),
  locators: [
    {
      trust: 1,
      locator: { kind: "column", headers: ["qty"], beside: [], entries: "number", gives: "list" },
    },
  ],
};

const conventions = {
  dayFirst: true,
  decimalComma: false,
  currency: "GBP",
  languages: ["en"],
};

const said = (
  kind: ValueKind,
  value: string | number | boolean,
  {
    unit = null as string | null,
    ...more
  }: Partial<Answerer["target"]> & { unit?: string | null } = {},
) => labelValue(answerer(kind, more), conventions, value, unit);

const label = (...given: Parameters<typeof said>) => said(...given).value;

it("keeps the rows of a table's column apart, also those that have no entry", () => {
  expect(labelValue(ofColumn, conventions, "4;; 2").value).toBe("4; ; 2");
  expect(labelValue(ofColumn, conventions, " ; ").value).toBeNull();
  expect(labelValue(answerer("text", { multiple: true }), conventions, "4;; 2").value).toBe("4; 2");
});

it("keeps what is said in the form that answers have", () => {
  expect(label("number", "12.50")).toBe(12.5);
  expect(label("date", "2031-02-28")).toBe("2031-02-28");
  expect(label("date", "28/02/2031")).toBe("2031-02-28");
  expect(label("date", "Friday, 28 February 2031, 10:15 am")).toBe("2031-02-28");
  expect(label("date", "2031-02-28T10:15:00Z")).toBe("2031-02-28");
  expect(label("boolean", "true")).toBe(true);
  expect(label("duration", "two years")).toBe("P2Y");
  expect(label("duration", "until it is ended")).toBe("until it is ended");
  expect(label("identifier", "inv-2018/7")).toBe("INV-2018/7");
  expect(label("organization", " Ångström & Co, no. 7 ")).toBe("Ångström & Co, no. 7");
});

it("refuses what the column of the answers could not hold", () => {
  expect(() => label("number", `1${"0".repeat(400)}`)).toThrow("a number such as 12.5");
  for (const day of ["2031-02-30", "2031-13", "2031-00-01"]) {
    expect(() => label("date", day)).toThrow("a date such as 2031-04-30");
  }
  expect(() => label("organization", true)).toThrow("asked is a text");
});

it("keeps the currency or unit that is said, in the value or beside it", () => {
  expect(said("money", "EUR 120.00")).toEqual({ value: 120, unit: "EUR" });
  expect(said("money", "1.234,56 €")).toEqual({ value: 1234.56, unit: "EUR" });
  expect(said("money", "(EUR 1,234.50)")).toEqual({ value: -1234.5, unit: "EUR" });
  expect(said("money", 120, { unit: "eur" })).toEqual({ value: 120, unit: "EUR" });
  expect(said("money", 120, { unit: "XAF" })).toEqual({ value: 120, unit: "XAF" });
  expect(said("quantity", "5 pounds", { unit: "lb" })).toEqual({ value: 5, unit: "lb" });
  expect(said("percent", "5.5 %")).toEqual({ value: 5.5, unit: "%" });
  // Nobody said one: the documents' own is no word of a person.
  for (const amount of ["120", "120.00", "1,120.00", 120]) {
    expect(said("money", amount).unit).toBeNull();
  }
});

it("refuses a unit that contradicts the value, or that its kind has none of", () => {
  expect(() => said("money", "EUR 120.00", { unit: "USD" })).toThrow(
    "body.unit: the value of asked is in EUR, and its unit is said to be USD",
  );
  expect(() => said("money", 120, { unit: "coins" })).toThrow("body.unit: asked has a currency");
  expect(() => said("date", "2031-02-28", { unit: "EUR" })).toThrow("body.unit: asked has no unit");
  expect(() => said("money", "", { unit: "EUR" })).toThrow("body.unit");
});

it("refuses a text of which it would lose a word", () => {
  for (const [kind, text] of [
    ["money", "XAF 120.00"],
    ["money", "₿120.00"],
    ["money", "120.00 or 130.00"],
    ["money", "EUR 120.00 less 3 %"],
    ["number", "EUR 120.00"],
    ["number", "12 to 15"],
    ["percent", "5 % or 6"],
    ["quantity", "5 kg net of 2 kg"],
    ["date", "1 or 2 April 2031"],
    ["date", "2031-04-01 to 2031-04-30"],
    ["boolean", "no, but it was paid"],
  ] as const) {
    expect(() => label(kind, text), text).toThrow("body.value: asked is");
  }
});

it("refuses a number that two habits read as two", () => {
  const german = { ...conventions, decimalComma: true };
  expect(() => labelValue(answerer("money"), german, "1.234")).toThrow("1.234 may be 1234 here");
  expect(labelValue(answerer("money"), german, 1.234).value).toBe(1.234);
  expect(labelValue(answerer("money"), german, "1.234,56").value).toBe(1234.56);
  expect(label("money", "1.234")).toBe(1.234);
});

it("keeps of named values one, and of several each in its form", () => {
  const named = { enum: ["No", "Not approved", "Yes"] };
  expect(label("text", "not Approved.", named)).toBe("Not approved");
  expect(label("text", "No", { enum: ["Number", "No"] })).toBe("No");
  expect(() => label("text", "approved", named)).toThrow("asked is one of No, Not approved, Yes");
  expect(() => label("text", true, named)).toThrow("body.value");
  const several = { multiple: true };
  expect(label("date", "28/02/2031; 2031-03-01", several)).toBe("2031-02-28; 2031-03-01");
  expect(label("organization", "Acme Ltd;Bolt plc", several)).toBe("Acme Ltd; Bolt plc");
  expect(() => label("text", "No; maybe", { ...named, ...several })).toThrow("one of");
  expect(() => said("money", "EUR 1.00; USD 2.00", several)).toThrow("one unit");
});
