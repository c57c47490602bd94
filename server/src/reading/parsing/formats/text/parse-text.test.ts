import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seenCharacters } from "../../characters.ts";
import { documentText } from "../../document-text.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { parsedDocumentSchema } from "../../normal-form.ts";
import { inkOf, outline } from "../../testing/outline.ts";
import { parsePlainText } from "./parse-text.ts";

const outlineOf = (text: string): string[] => outline(parsePlainText(text));

describe("lines of plain text", () => {
  it("are parted into spans where two spaces or a tab stand", () => {
    expect(outlineOf("TOTAL:   9.00\nCash\t10.00\nDATE:  1 May 2020")).toEqual([
      "p: TOTAL: ¦ 9.00 / Cash ¦ 10.00 / DATE: ¦ 1 May 2020",
    ]);
  });

  it("are parted where dots lead from one column to the next, but not in contents", () => {
    expect(outlineOf("Peso .......... 12 kg\nMotivo ........ Rent\nTotal......  9.00")).toEqual([
      "p: Peso ¦ 12 kg / Motivo ¦ Rent / Total ¦ 9.00",
    ]);
    expect(outlineOf("Definitions ............ 12\nHe said .... and went")).toEqual([
      "p: Definitions ............ 12 / He said .... and went",
    ]);
  });

  it("keep two spaces after a sentence and after an item's number together", () => {
    expect(outlineOf("The patient was prepped.  He was draped in the usual way.")).toEqual([
      "p: The patient was prepped. He was draped in the usual way.",
    ]);
    expect(outlineOf("1.02.  Prices. All prices are net")).toEqual([
      "li: 1.02. Prices. All prices are net",
    ]);
    expect(outlineOf("1.  Pens  3  10.00")).toEqual(["li: 1. ¦ Pens ¦ 3 ¦ 10.00"]);
    expect(outlineOf("ARTICLE  II  MARKETING\n\nText follows here")).toEqual([
      "h2: ARTICLE II MARKETING",
      "p: Text follows here",
    ]);
  });

  it("that are whole paragraphs are parted where former lines ended, not in the middle", () => {
    const sentence = "The supplier shall deliver the goods to the address that the buyer names ";
    const text = `${sentence.repeat(4)}at once.     ARTICLE II DELIVERY AND  RISK`;
    expect(outlineOf(text)).toEqual([
      `p: ${sentence.repeat(4)}at once.`,
      "h2: ARTICLE II DELIVERY AND RISK",
    ]);
  });

  it("end with any of the systems' line ends; form feeds end pages", () => {
    const document = parsePlainText("a\r\nb\rc\u2028d\fsecond\f");
    expect(document.pages.map(({ number, blocks }) => [number, blocks.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(outline(document)).toEqual(["p: a / b / c / d", "p: second"]);
  });

  it("lose what nobody sees, and compose what is decomposed", () => {
    expect(outlineOf("To\u200btal:\u00a0e\u0301\u202e\u{e0041}")).toEqual(["p: Total: \u00e9"]);
  });
});

describe("headings of plain text", () => {
  it("are lines in capitals, with a colon, or numbered, in a text of small letters", () => {
    const text = [
      "NON-DISCLOSURE",
      "AGREEMENT",
      "PARTIES:",
      "Jane Doe and the company that employs her.",
      "1. Covenant Not to Compete.",
      "(a) During the employment the employee will not compete.",
      "(b) Nor will she help others to do so.",
      "Governing law:",
      "This agreement is governed by the laws of Oregon.",
    ].join("\n");
    expect(outlineOf(text)).toEqual([
      "h2: NON-DISCLOSURE / AGREEMENT",
      "h2: PARTIES:",
      "p: Jane Doe and the company that employs her.",
      "h2: 1. Covenant Not to Compete.",
      "li: (a) During the employment the employee will not compete.",
      "li: (b) Nor will she help others to do so.",
      "h3: Governing law:",
      "p: This agreement is governed by the laws of Oregon.",
    ]);
    expect(parsePlainText(text).title).toBe("NON-DISCLOSURE AGREEMENT");
  });

  it("are not what stands in capitals where all does", () => {
    expect(outlineOf("ACME SDN BHD\nTAX INVOICE\nTOTAL  9.00\nTHANK YOU")).toEqual([
      "p: ACME SDN BHD / TAX INVOICE / TOTAL ¦ 9.00 / THANK YOU",
    ]);
    expect(
      outlineOf("THANK YOU.\n1. GOODS SOLD ARE NOT\nRETURNABLE\nEXCEPT WITHIN 7 DAYS."),
    ).toEqual(["p: THANK YOU.", "li: 1. GOODS SOLD ARE NOT / RETURNABLE / EXCEPT WITHIN 7 DAYS."]);
  });

  it("may be alone between blank lines, or have their number on a line of its own", () => {
    const long =
      "The supplier wishes to appoint the distributor for the sale of its products in the region.";
    expect(outlineOf(`Background\n\n${long}\n\nI.\nNON-COMPETITION\n${long}`)).toEqual([
      "h3: Background",
      `p: ${long}`,
      "h2: I. / NON-COMPETITION",
      `p: ${long}`,
    ]);
  });
});

describe("items of lists in plain text", () => {
  it("go on over lines; initials of names in a paragraph are no items", () => {
    const text = [
      "Voting for the action of the committee were William J. McDonough and Donald",
      "L. Kohn; Michael H. Moskow, who voted for it as did all the others of the",
      "committee, which met on that day in the city and will meet again next month.",
      "",
      "- first item that goes on over the end of its line and that is therefore of",
      "two lines",
      "- second",
      "1. One",
      "2. Two",
    ].join("\n");
    expect(outlineOf(text).map((line) => line.slice(0, 20))).toEqual([
      "p: Voting for the ac",
      "li: - first item tha",
      "li: - second",
      "li: 1. One",
      "li: 2. Two",
    ]);
  });
});

describe("any text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(
        fc.constantFrom(
          ...[
            "A",
            "b",
            "TOTAL",
            "1.",
            "(a)",
            "•",
            ":",
            "Title:",
            "9.00",
            " ",
            "  ",
            "\t",
            "\n",
            "\n\n",
          ],
          ...[
            "\r\n",
            "\f",
            "\u00a0",
            "\u3000",
            "\u0301",
            "\u200b",
            "ARTICLE",
            "II",
            ".",
            "e",
            "\ud800",
          ],
        ),
        { maxLength: 80 },
      )
      .map((parts) => parts.join("")),
  );

  it("keeps every character that can be seen, in order", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const document = parsePlainText(text);
        parsedDocumentSchema.parse(document);
        expect(inkOf(documentText(document).text)).toBe(inkOf(seenCharacters(text)));
      }),
    );
  });

  it("makes spans that are trimmed, not empty and without line ends", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const { spans } of documentText(parsePlainText(text)).lines) {
          for (const span of spans) expect(span.text).toMatch(/^\S(?:.*\S)?$/u);
        }
      }),
    );
  });

  it("is refused where it has more pages or parts than are read", () => {
    const fault = (text: string): unknown => {
      try {
        return parsePlainText(text, { ...PARSING_LIMITS, pages: 3, nodes: 100 }).pages.length;
      } catch (error) {
        return error;
      }
    };
    expect(fault("a\fb\fc")).toBe(3);
    expect(fault("a\fb\fc\fd")).toMatchObject({ code: "too_many_pages" });
    expect(fault("a\n".repeat(101))).toMatchObject({ code: "too_large" });
    expect(fault(`a${" ".repeat(5000)}b`)).toBe(1);
  });
});
