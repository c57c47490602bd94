import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locateColumn } from "./column.ts";
import { locatorSchema } from "./locator.ts";

type Rows = readonly (readonly string[])[];

interface Table {
  readonly header?: Rows;
  readonly rows: Rows;
}

/** A page for each table. */
function pages(...tables: readonly Table[]) {
  return documentText({
    version: 1,
    mediaType: "application/pdf",
    title: null,
    pages: tables.map(({ header = [], rows }, index) => ({
      number: index + 1,
      width: null,
      height: null,
      blocks: [
        {
          kind: "table" as const,
          headerRows: header.length,
          rows: [...header, ...rows].map((row) =>
            row.map((text) => ({ lines: text === "" ? [] : [{ spans: [{ text, box: null }] }] })),
          ),
        },
      ],
    })),
    warnings: [],
  });
}

const HEADER = [["Description", "Quantity", "Unit price", "Amount"]];
const BOLTS = ["Hex bolt; M8", "4", "1.50", "6.00"];
const HOSE = ["Hose", "2", "", "19.00"];

function find(
  content: ReturnType<typeof pages>,
  header: string,
  entries: ValueKind = "text",
  gives = "list",
) {
  const beside = HEADER[0]!.map((text) => text.toLowerCase());
  const locator = locatorSchema.parse({
    kind: "column",
    headers: [header],
    beside,
    entries,
    gives,
  });
  if (locator.kind !== "column") throw new Error("not a column");
  return locateColumn(content, locator, NEUTRAL_CONVENTIONS);
}

describe("a column", () => {
  const invoice = pages({
    header: HEADER,
    rows: [
      BOLTS,
      HOSE,
      ["with two couplings", "", "", ""],
      ["", "", "Subtotal", "25.00"],
      ["", "", "Total", "30.00"],
    ],
  });

  test("is a list of its rows' entries, without sums", () => {
    const [amounts] = find(invoice, "amount", "money");
    expect(amounts).toMatchObject({ normal: "6; 19", page: 1 });
    expect(invoice.text.slice(amounts!.start, amounts!.end)).toBe(amounts!.text);
    expect(amounts!.text.startsWith("6.00")).toBe(true);
    expect(amounts!.text.endsWith("19.00")).toBe(true);
  });

  test("has an empty entry where a row has none, and no other mark of its own within one", () => {
    expect(find(invoice, "unit price", "money")[0]!.normal).toBe("1.5; ");
    expect(find(invoice, "description")[0]!.normal).toBe("Hex bolt, M8; Hose with two couplings");
  });

  test("gives how many rows there are", () => {
    expect(find(invoice, "description", "text", "count")[0]!.normal).toBe(2);
  });

  test("goes on over pages, with the header again or with none", () => {
    const again = pages({ header: HEADER, rows: [BOLTS] }, { header: HEADER, rows: [HOSE] });
    expect(find(again, "quantity", "number")[0]!.normal).toBe("4; 2");
    const without = pages({ header: HEADER, rows: [BOLTS, BOLTS] }, { rows: [HOSE] });
    expect(find(without, "quantity", "number")[0]!.normal).toBe("4; 4; 2");
  });

  test("of several tables is that of the one with the columns beside it", () => {
    const stock = {
      header: [["Shelf", "Quantity"]],
      rows: [
        ["A", "90"],
        ["B", "80"],
      ],
    };
    const content = pages(stock, { header: HEADER, rows: [BOLTS, HOSE] });
    expect(find(content, "quantity", "number")[0]!.normal).toBe("4; 2");
  });

  test("is none without its header", () => {
    expect(find(pages({ rows: [BOLTS, HOSE] }), "quantity")).toEqual([]);
    expect(find(invoice, "weight")).toEqual([]);
  });

  test("has a header of two lines", () => {
    const header = [
      ["Account", "Opening"],
      ["", "balance"],
    ];
    const content = pages({
      header,
      rows: [
        ["one", "5.00"],
        ["two", "6.00"],
      ],
    });
    expect(find(content, "opening balance", "money")[0]!.normal).toBe("5; 6");
  });
});
