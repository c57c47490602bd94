import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { receiptItemsOf } from "./receipt-items.ts";

const bought = (...lines: readonly string[]) =>
  receiptItemsOf(documentText(parseText("a.txt", lines.join("\n"))))?.rows.map((row) =>
    [...row.values()].map(({ text }) => text),
  ) ?? null;

describe("what a receipt's lines without a header name", () => {
  it("are names with prices that add up to the first sum", () => {
    expect(
      bought(
        "FRESHWAY MARKET",
        "12 Mill Lane",
        "01/02/2024   Rcpt# 1063",
        "Eggs 12              2.40",
        "Olive oil   2 x 5.00  10.00 A",
        "TOTAL               $12.40",
        "VISA                 12.40",
      ),
    ).toEqual([
      ["Eggs 12", "2.40"],
      ["Olive oil", "10.00"],
    ]);
    expect(
      bought("REWE", "EUR", "VOLLMILCH 3,5%   1,29 B", "BROT   1.002,71 B", "SUMME EUR   1.004,00"),
    ).toEqual([
      ["VOLLMILCH 3,5%", "1,29"],
      ["BROT", "1.002,71"],
    ]);
  });

  it("may be named on the line above their count", () => {
    expect(
      bought("Bananas", "   1 @ 1.42  1.42", "Brown bread", "   2 @ 1.00  2.00", "Sub total 3.42"),
    ).toEqual([
      ["Bananas", "1.42"],
      ["Brown bread", "2.00"],
    ]);
  });

  it("have counts before them as a column of their own, where all have one", () => {
    expect(bought("2 Bread   2.40", "1 Milk   2.30", "TOTAL   4.70")).toEqual([
      ["Bread", "2.40", "2"],
      ["Milk", "2.30", "1"],
    ]);
    expect(bought("2 Bread   2.40", "Milk   2.30", "TOTAL   4.70")).toEqual([
      ["2 Bread", "2.40"],
      ["Milk", "2.30"],
    ]);
  });

  it("have what one costs beside them, which is in no sum", () => {
    expect(
      bought("Bread   1.20", "Milk   6.90", "   3 @ 2.30", "Discount   -0.10", "TOTAL   8.00"),
    ).toEqual([
      ["Bread", "1.20"],
      ["Milk", "6.90"],
    ]);
  });

  it("are none where nothing adds up, or what adds up was not bought", () => {
    expect(bought("Bread   1.20", "Milk   2.30", "TOTAL   9.99")).toBeNull();
    expect(bought("Deposit   5.00", "TOTAL   5.00")).toBeNull();
    expect(bought("Change   0.00", "TOTAL   0.00")).toBeNull();
    expect(bought("ITEM QTY PRICE", "1 X 5.00  5.00", "TOTAL   5.00")).toBeNull();
    expect(bought("Bread   1.20")).toBeNull();
    const summary = ["GST SUMMARY", "SR 6%   6.23", "ZR 0%   1.00", "TOTAL   7.23"];
    expect(bought("Bread   1.20", "TOTAL   2.00", ...summary)).toBeNull();
  });

  it("take nothing for a discount, but for what it is in the sum", () => {
    expect(bought("Paper   41.07", "Saving   -9.60", "TOTAL   31.47")).toEqual([
      ["Paper", "41.07"],
    ]);
  });

  // Each would take its square: hours.
  it.each([
    ["figures behind a name", `aa${" 1".repeat(200_000)} b 5.00`],
    ["counts", `${"1 ".repeat(200_000)}b 5.00`],
    ["groups of an amount", `${" 123".repeat(200_000)}x`],
    ["the line above a count", `aa${" 1".repeat(200_000)} b`],
  ])("are none of a line of %s that goes on and on", (_, line) => {
    expect(bought(line, "1 x 5.00   5.00", "TOTAL   5.00")).toBeNull();
  });
});
