import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseMarkup } from "../../parsing/formats/html/parse-html.ts";
import { PARSING_LIMITS } from "../../parsing/limits.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locate } from "./locate.ts";
import { locatorSchema } from "./locator.ts";

const RECEIPT = `TAX INVOICE
BLUE HERON TRADING SDN BHD (123456-X)
NO. 12, JALAN MAWAR 3/4,
TAMAN MELATI,
43000 KAJANG, SELANGOR.
TEL: 03-8012 3456
DATE: 03/05/2018
PENCIL  2.50
PAPER  11.00
TOTAL  13.50
CASH  20.00
CHANGE  6.50
04/05/2018`;

function find(text: string, kind: ValueKind, region: string, pick = "first") {
  const content = documentText(parseText("a.txt", text));
  const locator = locatorSchema.parse({ kind: "position", region, pick });
  return locate(content, locator, { kind, multiple: false, enum: [] }, NEUTRAL_CONVENTIONS);
}

describe("a position", () => {
  test("at the top finds who wrote the letter, without registration and kind of document", () => {
    expect(find(RECEIPT, "organization", "top")[0]).toMatchObject({
      normal: "BLUE HERON TRADING SDN BHD",
      text: "BLUE HERON TRADING SDN BHD",
    });
    expect(find("Green Lamp Invoice\n1 lamp  3.00", "organization", "top")[0]!.normal).toBe(
      "Green Lamp",
    );
  });

  test("may be asked for names that their own words show", () => {
    const named = (text: string): unknown =>
      locate(
        documentText(parseText("a.txt", text)),
        locatorSchema.parse({ kind: "position", region: "top", isByForm: true }),
        { kind: "organization", multiple: false, enum: [] },
        NEUTRAL_CONVENTIONS,
      )[0]?.normal;
    expect(named("Curriculum Vitae\nAnn Lee")).toBeUndefined();
    expect(named("Delivery Note\nBlue Heron Ltd")).toBe("Blue Heron Ltd");
  });

  test("takes no row of a table for a title, but a heading with a colon", () => {
    const titleOf = (html: string): unknown =>
      locate(
        documentText(parseMarkup(html, PARSING_LIMITS)),
        locatorSchema.parse({ kind: "position", region: "title" }),
        { kind: "text", multiple: false, enum: [] },
        NEUTRAL_CONVENTIONS,
      )[0]?.normal;
    const table = "<table><tr><td>Salary<td>high</tr><tr><td>Location<td>Reno</tr></table>";
    expect(titleOf(`<h1>Blue Heron is hiring: Potter for glazed tiles</h1>${table}`)).toBe(
      "Blue Heron is hiring: Potter for glazed tiles",
    );
    expect(titleOf(`${table}<p>Kiln Report</p>`)).toBe("Kiln Report");
  });

  test("joins a name whose line ends openly", () => {
    const text = "HOME HARDWARE &\nELECTRICAL\nNO. 12, JALAN MAWAR 3/4\nPENCIL  2.50";
    expect(find(text, "organization", "top")[0]!.normal).toBe("HOME HARDWARE & ELECTRICAL");
  });

  test("joins a name that goes on in the next line", () => {
    const text = "BLUE HERON HARDWARE\nENTERPRISE (KAJANG) SDN BHD\n1 lamp  3.00";
    expect(find(text, "organization", "top")[0]!.normal).toBe(
      "BLUE HERON HARDWARE ENTERPRISE (KAJANG) SDN BHD",
    );
  });

  test("takes no recipient for the sender", () => {
    const text = "Bill to:\nGreen Lamp Ltd.\n\nBlue Heron Inc.\n1 lamp  3.00";
    expect(find(text, "organization", "top")[0]!.normal).toBe("Blue Heron Inc.");
  });

  test("finds an address over its lines, and ends before the next field", () => {
    expect(find(RECEIPT, "address", "top")[0]!.normal).toBe(
      "NO. 12, JALAN MAWAR 3/4, TAMAN MELATI, 43000 KAJANG, SELANGOR.",
    );
  });

  test("finds the first, the last and the largest value anywhere", () => {
    expect(find(RECEIPT, "date", "anywhere")[0]!.normal).toBe("2018-05-03");
    expect(find(RECEIPT, "date", "anywhere", "last")[0]!.normal).toBe("2018-05-04");
    expect(find(RECEIPT, "money", "anywhere", "largest")[0]!.normal).toBe(20);
  });

  test("looks in its region alone", () => {
    const text = `${"a line of words\n".repeat(40)}Signed 4 May 2018`;
    expect(find(text, "date", "top")).toEqual([]);
    expect(find(text, "date", "bottom")[0]!.normal).toBe("2018-05-04");
  });

  test("finds the title that is set largest", () => {
    const span = (text: string, size: number) => ({ spans: [{ text, box: null, size }] });
    const lines = [
      span("Form 7-B, page 1", 8),
      span("Application for Nothing", 16),
      span("Please print", 9),
    ];
    const content = documentText({
      version: 1,
      mediaType: "application/pdf",
      title: null,
      pages: [{ number: 1, width: 600, height: 800, blocks: [{ kind: "paragraph", lines }] }],
      warnings: [],
    });
    const locator = locatorSchema.parse({ kind: "position", region: "title" });
    const target = { kind: "text" as const, multiple: false, enum: [] };
    expect(locate(content, locator, target, NEUTRAL_CONVENTIONS)[0]!.normal).toBe(
      "Application for Nothing",
    );
  });
});

describe("a unit", () => {
  const unit = (text: string) =>
    locate(
      documentText(parseText("a.txt", text)),
      { kind: "unit", of: "money" },
      { kind: "text", multiple: false, enum: [] },
      NEUTRAL_CONVENTIONS,
    )[0];

  test("is what most amounts are written in", () => {
    expect(unit("Price € 12,00\nPrice € 13,00\nShipping $ 4.00")!.normal).toBe("EUR");
    expect(unit("Price € 12,00\nPrice € 13,00\nShipping $ 4.00")!.confidence).toBeLessThan(
      unit("Price € 12,00\nPrice € 13,00")!.confidence,
    );
  });

  test("stands in a column's head as well, and is not guessed", () => {
    expect(unit("ITEM  AMOUNT (RM)\nPENCIL  2.50")).toMatchObject({ normal: "MYR", text: "RM" });
    expect(unit("PENCIL  2.50")).toBeUndefined();
  });
});

describe("a template", () => {
  const find = (text: string) =>
    locate(
      documentText(parseText("a.txt", text)),
      { kind: "template", before: "received by the registry", after: "eastern time" },
      { kind: "date", multiple: false, enum: [] },
      NEUTRAL_CONVENTIONS,
    ).map(({ normal }) => normal);

  test("holds what stands between its words", () => {
    expect(find("Received by the registry 4 May 2018 Eastern time")).toEqual(["2018-05-04"]);
  });

  test("is not there where one of its sides is not", () => {
    expect(find("Received by the registry 4 May 2018")).toEqual([]);
    expect(find("Received by 4 May 2018 Eastern time")).toEqual([]);
  });
});

test("a title is read without what it is filed under", () => {
  const title = (text: string): unknown => find(text, "text", "title")[0]?.normal;
  expect(title("[INC0012345] Slow queries on the replica\n\nPriority: High")).toBe(
    "Slow queries on the replica",
  );
  expect(title("NM-123: Oil spill at the press\n\nPlace: Hall 3")).toBe("Oil spill at the press");
  expect(title("Annual Report for the Year 2023\n\nAuthor: Ann Lee")).toBe(
    "Annual Report for the Year 2023",
  );
});
