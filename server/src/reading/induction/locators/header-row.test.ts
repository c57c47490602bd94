import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { isRowOfPairs, isRowOfTerms } from "./header-row.ts";

const content = (...lines: readonly string[]) => documentText(parseText("a.txt", lines.join("\n")));
const isHeader = (...lines: readonly string[]) => isRowOfTerms(content(...lines), 0);
const arePairs = (line: string) => isRowOfPairs(content(line, "rest").lines[0]!);

describe("a row of terms", () => {
  test("stands over what it names", () => {
    expect(isHeader("Vendor      Ship to", "Acme Ltd    Beta Inc.")).toBe(true);
    expect(isHeader("Seat    Gate    Arrivo a", "27E     C25     Madrid")).toBe(true);
  });

  test("is none over other labels, over labels with answers, or with its own answers", () => {
    expect(isHeader("Payment method    Card", "Delivery date    4 May 2024")).toBe(false);
    expect(isHeader("Vendor    Ship to", "Buyer    Carrier")).toBe(false);
    expect(isHeader("Vendor    Ship to", "Terms: net    Carrier: none")).toBe(false);
    expect(isHeader("Seat    27E", "Gate    C25")).toBe(false);
    expect(isHeader("Hex bolts    Ball bearing", "12    4")).toBe(false);
  });
});

test("a form's row with an empty cell is no header of terms", () => {
  const rows = (first: string) =>
    documentText(
      parseText(
        "a.html",
        `<table><tr><td>Permit class</td><td>${first}</td><td>Vehicle</td><td>Tram</td></tr>` +
          "<tr><td>Zorb</td><td>Blue Boy</td><td>Frob</td><td>Ann Lee</td></tr></table>",
      ),
    );
  for (const first of ["", "K1"]) expect(isRowOfTerms(rows(first), 0)).toBe(false);
});

test("pairs of terms and answers alternate in a row", () => {
  expect(arePairs("Da    Dublin    A    Madrid")).toBe(true);
  expect(arePairs("Seat    27E    Gate    C25")).toBe(true);
  expect(arePairs("Seat    Gate    27E    C25")).toBe(false);
  expect(arePairs("Seat    27E")).toBe(false);
});
