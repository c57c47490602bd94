import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { locateCell } from "./cell.ts";
import { locatorSchema } from "./locator.ts";

function table(headerRows: number, ...rows: readonly (readonly string[])[]) {
  const cells = rows.map((row) =>
    row.map((text) => ({ lines: text === "" ? [] : [{ spans: [{ text, box: null }] }] })),
  );
  return documentText({
    version: 1,
    mediaType: "text/html",
    title: null,
    pages: [
      {
        number: 1,
        width: null,
        height: null,
        blocks: [{ kind: "table", headerRows, rows: cells }],
      },
    ],
    warnings: [],
  });
}

const CONTENT = table(
  1,
  ["Item", "2022", "Amount", "Note"],
  ["Net sales", "1.00", "200.00", "first"],
  ["Total", "3.00", "", ""],
  ["Total assets", "5.00", "600.00", ""],
  ["Net sales", "7.00", "800.00", ""],
);

function find(rows: string[], columns: string[], pick = "first") {
  const locator = locatorSchema.parse({ kind: "cell", rows, columns, pick });
  if (locator.kind !== "cell") throw new Error("not a cell");
  const target = { kind: "money" as const, multiple: false, enum: [] };
  return locateCell(CONTENT, locator, target, NEUTRAL_CONVENTIONS);
}

describe("a cell", () => {
  test("is where its row and its column meet", () => {
    expect(find(["net sales"], ["amount"]).map(({ normal }) => normal)).toEqual([200, 800]);
  });

  test("without a column is the row's first value", () => {
    expect(find(["total assets"], [])[0]).toMatchObject({ normal: 5, text: "5.00" });
  });

  test("of a row that has none in the column is a less sure value of the row", () => {
    const [exact] = find(["total assets"], ["amount"]);
    const [instead] = find(["total"], ["amount"]).filter(({ normal }) => normal === 3);
    expect(exact!.normal).toBe(600);
    expect(instead!.confidence).toBeLessThan(exact!.confidence);
  });

  test("is picked among rows alike", () => {
    expect(find(["net sales"], ["amount"], "largest")[0]!.normal).toBe(800);
    expect(find(["net sales"], ["amount"], "last")[0]!.normal).toBe(800);
  });

  test("is not found by what no row is called", () => {
    expect(find(["gross sales"], [])).toEqual([]);
  });
});
