import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import type { Block } from "../../parsing/normal-form.ts";
import { parseText } from "../../parsing/parse.ts";
import { itemTablesOf } from "./item-table.ts";

const read = (content: ReturnType<typeof documentText>) =>
  itemTablesOf(content).map(({ columns, rows }) => ({
    columns: columns.map(({ header }) => header),
    rows: rows.map((row) => columns.map(({ column }) => row.get(column)?.text ?? "")),
  }));
const ofLines = (...lines: readonly string[]) =>
  read(documentText(parseText("a.txt", lines.join("\n"))));

function ofTable(headerRows: number, ...rows: readonly (readonly string[])[]) {
  const block: Block = {
    kind: "table",
    headerRows,
    rows: rows.map((row) =>
      row.map((text) => ({ lines: text === "" ? [] : [{ spans: [{ text, box: null }] }] })),
    ),
  };
  const pages = [{ number: 1, width: null, height: null, blocks: [block] }];
  const document = { mediaType: "application/pdf", title: null, warnings: [], pages };
  return read(documentText({ version: 1, ...document }));
}

test("a form whose labels have codes beside them is no table of items", () => {
  const rows = [
    ["Globex GmbH", "Delivery note", "DN-78422"],
    ["9 Harbour Street", "Delivery date", "04.11.2023"],
    ["Bristol", "Order no.", "44206791"],
  ];
  expect(ofTable(1, ...rows)).toEqual([]);
});

const BOLTS = ["Hex bolts", "4", "1.50", "6.00"];
const HOSE = ["Hose", "2", "9.50", "19.00"];

describe("tables that text sets with spaces", () => {
  test("are titles over rows, a rule between and sums behind left out", () => {
    expect(
      ofLines(
        "Artikel          Menge   Einzelpreis   Betrag",
        "---------------------------------------------",
        "Hex bolts            4          1.50     6.00",
        "Hose                 2          9.50    19.00",
        "with couplings",
        "",
        "                     Zwischensumme      25.00",
        "                     MwSt. 19%           4.75",
      ),
    ).toEqual([
      {
        columns: ["Artikel", "Menge", "Einzelpreis", "Betrag"],
        rows: [BOLTS, ["Hose with couplings", "2", "9.50", "19.00"]].map((row) =>
          row[0] === "Hose with couplings" ? HOSE : row,
        ),
      },
    ]);
  });

  test("name what has a code alone by the line below it", () => {
    expect(
      ofLines(
        "QTY   DESCRIPTION   TOTAL",
        "1     D             20.00",
        "CHICKEN",
        "1     D              5.00",
        "BEVERAGE",
        "TOTAL: 31.00",
      )[0]?.rows,
    ).toEqual([
      ["1", "CHICKEN", "20.00"],
      ["1", "BEVERAGE", "5.00"],
    ]);
  });

  test("are none that sum up taxes or payments, nor rows without figures", () => {
    expect(ofLines("Tax   Amount   Gross", "6%    1.00     2.00", "0%    3.00     3.00")).toEqual(
      [],
    );
    expect(ofLines("Vendor     Item", "Acme Ltd   Hose", "Beta Inc   Bolts")).toEqual([]);
  });
});

describe("a table that a page runs together with what stands over it", () => {
  test("begins below the titles of its items", () => {
    const [table] = ofTable(
      2,
      ["Vendor", "", "Ship to", ""],
      ["12 Mill Lane", "", "9 Harbour Street", ""],
      ["PO no.", "4711", "Date", "4 May 2024"],
      ["Item", "Qty", "Unit price", "Amount"],
      BOLTS,
      HOSE,
    );
    expect(table).toEqual({
      columns: ["Item", "Qty", "Unit price", "Amount"],
      rows: [BOLTS, HOSE],
    });
  });

  test("ends where a form's titles come again, and is none where labels and answers alternate", () => {
    const [form] = ofTable(
      1,
      ["Employer", "Employee", "Employee no."],
      ["Acme Ltd", "Ann Lee", "0779"],
      ["Pay period", "Job title", "Payment date"],
      ["May 2024", "Nurse", "4 May 2024"],
    );
    expect(form?.rows.length ?? 0).toBeLessThan(2);
    expect(
      ofTable(1, ["Guest", "Ann Lee", "Room", "415"], ["Arrival", "4 May", "Nights", "3"]),
    ).toEqual([]);
  });
});
