import { expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locate } from "./locate.ts";
import { locatorSchema } from "./locator.ts";

const table = (rows: readonly (readonly string[])[]) => {
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((text) => `<${tag}>${text}</${tag}>`).join("")}</tr>`;
  const [header, ...body] = rows;
  return documentText(
    parseText(
      "a.html",
      `<table><thead>${cells(header!, "th")}</thead>${body.map((row) => cells(row, "td")).join("")}</table>`,
    ),
  );
};

const FUNDS = table([
  ["", "Unrestricted funds", "Restricted funds", "Total 2022", "Total 2021"],
  ["Donations", "38,628", "71,697", "110,325", "102,602"],
  ["Total income", "55,184", "-", "157,608", "146,575"],
]);

function first(content: typeof FUNDS, label: string, kind: ValueKind) {
  const target = { kind, multiple: false, enum: [] };
  const locators = [
    { kind: "label", labels: [label], where: ["right"], pick: "first", except: [] },
    { kind: "cell", rows: [label], columns: [], pick: "first" },
  ];
  return locators.map(
    (locator) =>
      locate(content, locatorSchema.parse(locator), target, NEUTRAL_CONVENTIONS)[0]?.normal,
  );
}

it("takes a row's sum where its columns are the parts of one", () => {
  expect(first(FUNDS, "total income", "number")).toEqual([157608, 157608]);
  expect(first(FUNDS, "donations", "number")).toEqual([110325, 110325]);
});

it("takes the figure next to the name where what stands before the sum is no part of it", () => {
  const items = table([
    ["Item", "Unit", "Price", "Total"],
    ["Freight", "3 pieces", "5.00", "15.00"],
    ["Pallet", "1 piece", "9.00", "9.00"],
  ]);
  expect(first(items, "freight", "money")[1]).toBe(5);
});
