import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { isLabelText } from "../locators/label-form.ts";
import { learnConventions } from "../values/conventions.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { keyValueCandidates } from "./key-value.ts";
import { tableCandidates } from "./table.ts";
import { templateCandidates } from "./template.ts";

const sample = (text: string, id = "a") => ({
  id,
  name: `${id}.txt`,
  hash: id,
  content: documentText(parseText(`${id}.txt`, text)),
});

const pairs = (text: string) =>
  keyValueCandidates([sample(text)], NEUTRAL_CONVENTIONS).map(({ key, kind, finding }) => [
    key,
    kind,
    finding.normal,
  ]);

test("figures are read as their own document writes them, whatever most of the sample does", () => {
  const english = sample("Charged: 1,702.93\nHammer price: £7,048", "b");
  const german = ["a", "c"].map((id) => sample(`Aufgeld: 1.702,93\nZuschlag: 7.048 EUR`, id));
  const voted = learnConventions([english, ...german].map(({ content }) => content));
  const found = keyValueCandidates([english, ...german], voted);
  expect(
    found.flatMap(({ key, finding }) =>
      key === "hammer price" || key === "zuschlag" ? [finding.normal] : [],
    ),
  ).toEqual([7048, 7048, 7048]);
});

describe("labels with their values", () => {
  test.each([
    ["Date: 4 May 2018", ["date", "date", "2018-05-04"]],
    ["Invoice No. :  VF-1001", ["invoice no", "identifier", "VF-1001"]],
    ["TOTAL  RM 9.00", ["total", "money", 9]],
    ["Sub Total RM8.60", ["sub total", "money", 8.6]],
    ["Discount  5 %", ["discount", "percent", 5]],
    ["Cashier:  ANNE", ["cashier", "text", "ANNE"]],
    ["Fuel type  Diesel", ["fuel type", "text", "Diesel"]],
    ["3 Social wages  900.00", ["social wages", "number", 900]],
    ["Voyage no.: 215W", ["voyage no", "identifier", "215W"]],
    ["HS code: 8471.30", ["hs code", "identifier", "8471.30"]],
    ["Delivered on 26/11/2024 at 12:40", ["delivered on", "date", "2024-11-26"]],
    ["Admitted:  23.06.2023, 10.22 Uhr", ["admitted", "date", "2023-06-23"]],
    ["D.D.T.  DN-78422", ["d d t", "identifier", "DN-78422"]],
    ["Container: TCLU 6807936", ["container", "identifier", "TCLU 6807936"]],
    ["Re: Ann Lee, DOB 4 May 1970, Policy No. 943", ["dob", "date", "1970-05-04"]],
    ["Re: Ann Lee, DOB 4 May 1970, Policy No. 943", ["policy no", "number", 943]],
    ["Weight: 5.9 KG", ["weight", "quantity", 5.9]],
  ] as const)("%s", (text, pair) => {
    expect(pairs(text)).toContainEqual(pair);
  });

  test("of a form's boxes stand below, of numbered lines beside each other", () => {
    expect(pairs("1 Qualm    2 Zorbs\nAnn Lee    9\n3 Frobs\nRome")).toEqual([
      ["qualm", "text", "Ann Lee"],
      ["zorbs", "number", 9],
      ["frobs", "text", "Rome"],
    ]);
    const lines = pairs("e Employee name    Ann Lee\n5 Social wages    900.00");
    expect(lines.map(([key]) => key)).toEqual(["employee name", "social wages"]);
  });

  test("of several in a line are all there", () => {
    expect(pairs("Receipt #: CS00052997 Date: 28/02/2016").map(([key]) => key)).toEqual([
      "receipt no",
      "date",
    ]);
  });

  test("in rows over rows", () => {
    expect(pairs("Order  Invoice date\nSC0004  4 May 2018")).toEqual([
      ["order", "identifier", "SC0004"],
      ["invoice date", "date", "2018-05-04"],
    ]);
  });

  test("alternate with what answers them in a line, where the documents know each second", () => {
    const labels = ["ten name van", "rekening"];
    const content = "Ten name van   Sander Bakker   Rekening   NL86 ABNA 4229";
    const found = (known: readonly string[]) =>
      keyValueCandidates([sample(content)], { ...NEUTRAL_CONVENTIONS, labels: known }).map(
        ({ key, finding }) => [key, finding.text],
      );
    expect(found(labels)).toEqual([
      ["ten name van", "Sander Bakker"],
      ["rekening", "NL86 ABNA 4229"],
    ]);
    expect(found(["rekening"])).not.toContainEqual(["ten name van", "Sander Bakker"]);
  });

  test("know their neighbours", () => {
    const mentions = keyValueCandidates(
      [sample("A date: 4 May 2018\nTotal: RM 9.00\nChange: RM 1.00")],
      NEUTRAL_CONVENTIONS,
    );
    expect(mentions.map(({ neighbours }) => neighbours)).toEqual([
      [null, "total"],
      ["a date", "change"],
      ["total", null],
    ]);
  });

  test("are no sentences, numbers or times", () => {
    expect(isLabelText("Please note that we close the shop on Sundays and on holidays")).toBe(
      false,
    );
    expect(isLabelText("12345678")).toBe(false);
    expect(pairs("Open 12:30")).toEqual([]);
  });

  test("of any text stand in it and are labels of it", () => {
    const piece = fc.oneof(
      fc.constantFrom("Date:", "TOTAL", "RM 9.00", "4/5/2018", "Name:", "  ", "\n", ":", "No. 7"),
      fc.string({ unit: "binary", maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const text = `x ${pieces.join(" ").replaceAll("\0", "")}`;
        const document = sample(text);
        for (const { finding, key, label } of keyValueCandidates([document], NEUTRAL_CONVENTIONS)) {
          expect(document.content.text.slice(finding.start, finding.end)).toBe(finding.text);
          expect(document.content.text).toContain(label);
          expect(key).not.toBe("");
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("tables", () => {
  test("give what a row is called, and with it the column", () => {
    const row = (...texts: string[]) =>
      texts.map((text) => ({ lines: [{ spans: [{ text, box: null }] }] }));
    const content = documentText({
      version: 1,
      mediaType: "text/html",
      title: null,
      pages: [
        {
          number: 1,
          width: null,
          height: null,
          blocks: [
            {
              kind: "table",
              headerRows: 1,
              rows: [
                row("Item", "Net", "Gross"),
                row("Paper", "$2.00", "$3.00"),
                row("Notes", "none", "-"),
              ],
            },
          ],
        },
      ],
      warnings: [],
    });
    const document = { id: "a", name: "a", hash: "a", content };
    const mentions = tableCandidates([document], NEUTRAL_CONVENTIONS);
    expect(mentions.map(({ key, finding }) => [key, finding.normal])).toEqual([
      ["paper", 2],
      ["paper net", 2],
      ["paper gross", 3],
    ]);
  });
});

describe("templates", () => {
  const documents = ["4 May 2018", "9 June 2018", "7 July 2018", "1 May 2019"].map((date, index) =>
    sample(
      `Notice\nReceived by the registry on ${date}\nMade in the ${index} year of the reign`,
      `d${index}`,
    ),
  );

  test("are what lines share before values that differ", () => {
    const mentions = templateCandidates(documents, NEUTRAL_CONVENTIONS);
    expect(mentions.map(({ key, kind, finding }) => [key, kind, finding.text])).toEqual(
      ["4 May 2018", "9 June 2018", "7 July 2018", "1 May 2019"].map((date) => [
        "received by the registry on",
        "date",
        date,
      ]),
    );
  });

  test("need several documents", () => {
    expect(templateCandidates(documents.slice(0, 2), NEUTRAL_CONVENTIONS)).toEqual([]);
  });
});
