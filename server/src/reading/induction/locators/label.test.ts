import { describe, expect, test } from "vitest";
import { type DocumentText, documentText } from "../../parsing/document-text.ts";
import type { Box } from "../../parsing/normal-form.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locateLabel } from "./label.ts";
import { locatorSchema } from "./locator.ts";

interface Asked {
  readonly labels: readonly string[];
  readonly kind: ValueKind;
  readonly where?: readonly string[];
  readonly except?: readonly string[];
  readonly pick?: string;
}

function findIn(content: DocumentText, { kind, where = ["right", "below"], ...rest }: Asked) {
  const locator = locatorSchema.parse({ kind: "label", where, ...rest });
  if (locator.kind !== "label") throw new Error("not a label");
  return locateLabel(content, locator, { kind, multiple: false, enum: [] }, NEUTRAL_CONVENTIONS);
}

const IBAN: Asked = { labels: ["iban"], kind: "identifier" };

const find = (text: string, asked: Asked) =>
  findIn(documentText(parseText("a.txt", text)), asked).map(({ normal }) => normal);

/** Spans by their places, one line for each top. */
function page(rows: readonly (readonly [string, number, number, number])[][]): DocumentText {
  const lines = rows.map((row) => ({
    spans: row.map(([text, left, top, right]) => {
      const box: Box = [left, top, right, top + 10];
      return { text, box };
    }),
  }));
  return documentText({
    version: 1,
    mediaType: "application/pdf",
    title: null,
    pages: [{ number: 1, width: 600, height: 800, blocks: [{ kind: "paragraph", lines }] }],
    warnings: [],
  });
}

describe("figures that others write otherwise", () => {
  test.each([
    ["Mileage: 39810", "quantity", 39810],
    ["Mileage: 28,167 km", "number", 28167],
    ["Mileage  28,167 km", "number", 28167],
    ["Mileage:\n28,167 km", "number", 28167],
    ["Mileage: see below", "number", undefined],
    ["Mileage: 12 March 2024", "quantity", undefined],
    ["Mileage  3.02", "percent", undefined],
    ["Mileage  3", "money", undefined],
    ["Mileage  $4.50", "quantity", undefined],
  ] as const)("%s as a %s", (text, kind, value) => {
    expect(find(text, { labels: ["mileage"], kind })[0]).toBe(value);
  });

  test("stand before the label that says what they are, where that is alone", () => {
    const asked: Asked = { labels: ["used this month"], kind: "quantity", where: ["left"] };
    expect(find("272 kWh  used this month", asked)).toEqual([272]);
    expect(find("272 kWh  used this month by all", asked)).toEqual([]);
    expect(find("used this month  272 kWh", asked)).toEqual([]);
  });
});

describe("a label to the right of which a value stands", () => {
  test.each([
    ["Date: 3 May 2018", "date", "2018-05-03"],
    ["TOTAL  9.00", "money", 9],
    ["TOTAL (RM) :  9.00", "money", 9],
    ["Total RM8.60", "money", 8.6],
    ["5.9  TYPE:  2  TOTAL  10.40", "money", 10.4],
    ["RECEIPT #: CS00052997 DATE: 28/02/2016", "date", "2016-02-28"],
  ] as const)("%s", (text, kind, value) => {
    expect(find(text, { labels: ["total", "date"], kind })[0]).toBe(value);
  });

  test.each([
    ["Injuries: None", 0],
    ["Injuries: 1 None", 0],
    ["Injuries: none  Light: day", 0],
    ["Injuries: 1 Serious, 2 Minor", 3],
    ["Injuries: 4", 4],
  ])("counts nobody where it denies: %s", (text, count) => {
    expect(find(text, { labels: ["injuries"], kind: "number" })[0]).toBe(count);
  });

  test("has no code where another label's stands beside it", () => {
    const find = (text: string) => findIn(documentText(parseText("a.txt", text)), IBAN);
    expect(find("IBAN:        BiC: RABONL2U")).toEqual([]);
    const found = find("IBAN:        NL50INGB0683251309");
    expect(found.map(({ normal }) => normal)).toEqual(["NL50INGB0683251309"]);
  });

  test.each([
    ["Faktura nr: F 1234K20/1234/12", "F 1234K20/1234/12"],
    ["Faktura nr: FV 12/2020", "FV 12/2020"],
    ["Faktura nr: 1234K20/1234/12", "1234K20/1234/12"],
    ["Faktura nr: INV 30064443", "30064443"],
  ])("reads a code with the letters of its series: %s", (text, code) => {
    expect(find(text, { labels: ["faktura no"], kind: "identifier" })[0]).toBe(code);
  });

  test("that stands in a sentence counts nothing by a denial", () => {
    expect(find("The injuries none", { labels: ["injuries"], kind: "number" })).toEqual([]);
  });

  test("ends where the next label begins", () => {
    const text = "Receipt #: CS00052997 Date: 28/02/2016";
    expect(find(text, { labels: ["receipt no"], kind: "identifier" })).toEqual(["CS00052997"]);
    expect(find(text, { labels: ["receipt no"], kind: "text" })).toEqual(["CS00052997"]);
  });

  test("is surer than one with other words before the value", () => {
    const text = "Total items in stock 7.00\nTotal 12.00";
    expect(find(text, { labels: ["total"], kind: "money" })[0]).toBe(12);
  });

  test("is passed over where an exception stands beside it", () => {
    const text = "Sub Total 7.00\nTotal tax 1.00\nTotal 8.00";
    expect(find(text, { labels: ["total"], kind: "money", except: ["sub", "tax"] })).toEqual([8]);
  });

  test("is picked as asked among those alike", () => {
    const text = "Total 7.00\nTotal 9.00\nTotal 8.00";
    const labels = ["total"];
    expect(find(text, { labels, kind: "money" })[0]).toBe(7);
    expect(find(text, { labels, kind: "money", pick: "last" })[0]).toBe(8);
    expect(find(text, { labels, kind: "money", pick: "largest" })[0]).toBe(9);
    expect(find(text, { labels, kind: "money", pick: "smallest" })[0]).toBe(7);
  });

  test("of a column of labels is no header, and a header of rows is no label of the next", () => {
    const bulletin = "Station  Dover\nIssued  2024-06-11 06:00\nTemperature  35 °C";
    expect(find(bulletin, { labels: ["station"], kind: "text" })).toEqual(["Dover"]);
    const rows = "Name  Amount\nAlice  5.00\nBob  6.00";
    expect(find(rows, { labels: ["name"], kind: "text" })).toEqual(["Alice"]);
  });

  test("gives no amount for a number that is asked for as a code", () => {
    expect(find("GST: RM0.00", { labels: ["gst"], kind: "identifier" })).toEqual([]);
    const excess = "After the policy excess of £150.00 we will pay you £40.00.";
    expect(find(excess, { labels: ["policy"], kind: "identifier" })).toEqual([]);
  });

  test("says little in a phrase, more before a colon", () => {
    const [phrase] = findIn(documentText(parseText("a.txt", "Time frame of the work")), {
      labels: ["time"],
      kind: "text",
    });
    const [named] = findIn(documentText(parseText("a.txt", "Time: frame of the work")), {
      labels: ["time"],
      kind: "text",
    });
    expect(named!.confidence).toBeGreaterThan(2 * (phrase?.confidence ?? 0));
  });
});

describe("a label over its value", () => {
  test("in a line of its own", () => {
    expect(find("Grand total\n12.00", { labels: ["grand total"], kind: "money" })).toEqual([12]);
  });

  test("in a row of labels over a row of values", () => {
    const text = "Customer  Order  Invoice\nSC030  SC444  VF100";
    expect(find(text, { labels: ["order"], kind: "identifier" })[0]).toBe("SC444");
  });

  test("with numbers of the form's own", () => {
    const text = "1. Name of Registrant  2. Registration No.\nBlue Ltd.  4711";
    expect(find(text, { labels: ["name of registrant"], kind: "organization" })[0]).toBe(
      "Blue Ltd.",
    );
    expect(find(text, { labels: ["registration no"], kind: "identifier" })[0]).toBe("4711");
  });

  test("in its column of the page, whatever stands between", () => {
    const content = page([
      [
        ["Account number", 300, 100, 380],
        ["Summary", 20, 102, 80],
      ],
      [["Invoice Date", 20, 114, 90]],
      [["29666", 300, 114, 350]],
    ]);
    const asked = { labels: ["account number"], kind: "identifier" } as const;
    expect(findIn(content, asked).map(({ normal }) => normal)).toEqual(["29666"]);
  });

  test("not far below, and not where another label stands", () => {
    const far = page([[["Total", 20, 100, 60]], [["9.00", 20, 300, 60]]]);
    expect(findIn(far, { labels: ["total"], kind: "money" })).toEqual([]);
    expect(find("Date:\nDue: 4 May 2018", { labels: ["date"], kind: "date" })).toEqual([]);
  });

  test("or under it, where asked", () => {
    const text = "4 May 2018\nDate of signature";
    const asked = { labels: ["date of signature"], kind: "date" } as const;
    expect(find(text, asked)).toEqual([]);
    expect(find(text, { ...asked, where: ["above"] })).toEqual(["2018-05-04"]);
  });
});

describe("a row of a laboratory's report", () => {
  test.each([
    ["TSH    4.92 mIU/L    0.40 - 4.00", 4.92],
    ["TSH    51 U/L    < 45", 51],
    ["TSH    6.3    4.0 - 11.0", 6.3],
  ])("gives the result and not the range behind it: %s", (text, result) => {
    expect(find(text, { labels: ["tsh"], kind: "number" })[0]).toBe(result);
  });
});

test("a box of a form is called by all its words", () => {
  const form = "1 Student    2 Student ID    3 Year\nAnn Lee    K77812    7";
  expect(find(form, { labels: ["student"], kind: "text" })).toEqual(["Ann Lee"]);
  expect(
    find("d Control number    327492", { labels: ["control no"], kind: "identifier" }),
  ).toEqual(["327492"]);
});

test("a label is asked with a question's mark, and what asks is no answer", () => {
  const asked: Asked = { labels: ["where did it happen"], kind: "text" };
  expect(find("Where did it happen?   Bristol\nWhat happened?   A fire", asked)).toEqual([
    "Bristol",
  ]);
  expect(find("Where did it happen?\nWhat happened?\nA fire", asked)).toEqual([]);
});

test("a row's name is no answer of the row over it, each having its own beside it", () => {
  const asked: Asked = { labels: ["bic swift"], kind: "identifier" };
  expect(find("BIC / SWIFT   none of it\nAmount   12.00", asked)).toEqual([]);
  expect(find("Meter   Reading\nA12   456", { labels: ["meter"], kind: "identifier" })).toEqual([
    "A12",
  ]);
});

test("a mail's sender is no name", () => {
  const asked: Asked = { labels: ["from"], kind: "text" };
  expect(find("From: docs@bluefunnel.example", asked)).toEqual([]);
  expect(find("From: Oslo", asked)).toEqual(["Oslo"]);
  expect(find("From: docs@bluefunnel.example", { labels: ["from"], kind: "email" })).toEqual([
    "docs@bluefunnel.example",
  ]);
});
