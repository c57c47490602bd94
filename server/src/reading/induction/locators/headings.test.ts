import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { headingsOf } from "./headings.ts";

function sections(text: string): Record<string, string> {
  const content = documentText(parseText("a.txt", text));
  return Object.fromEntries(
    headingsOf(content).map(({ title, bodyStart, bodyEnd }) => [
      title,
      content.text.slice(bodyStart, bodyEnd).replace(/\s+/g, " "),
    ]),
  );
}

describe("headings", () => {
  test("in capitals with a colon", () => {
    expect(
      sections(
        "ANESTHESIA: Local.\n\nBLOOD LOSS: None.\n\nDESCRIPTION OF PROCEDURE: He was prepped.  He slept.\n",
      ),
    ).toEqual({
      ANESTHESIA: "Local.",
      "BLOOD LOSS": "None.",
      "DESCRIPTION OF PROCEDURE": "He was prepped. He slept.",
    });
  });

  test("on lines of their own", () => {
    expect(
      sections("GENERAL REMARKS\n\nAll went well.\n\nFURTHER REMARKS\n\nNothing else."),
    ).toEqual({
      "GENERAL REMARKS": "All went well.",
      "FURTHER REMARKS": "Nothing else.",
    });
  });

  test("of clauses that run on in one line", () => {
    expect(
      sections(
        "It is agreed as follows. 1. Term. This lasts a year. 2. GOVERNING LAW. Ohio law applies. 2.1 Venue: Courts of Ohio. 3. Notices. By mail.",
      ),
    ).toEqual({
      Term: "This lasts a year.",
      "GOVERNING LAW": "Ohio law applies. 2.1 Venue: Courts of Ohio.",
      Venue: "Courts of Ohio.",
      Notices: "By mail.",
    });
  });

  test("with letters stand under those with numbers", () => {
    const found = sections(
      "4. Payment. (a) Price. Ten dollars. (b) Time. In May. 5. Risk. It passes.",
    );
    expect(found["Payment"]).toBe("(a) Price. Ten dollars. (b) Time. In May.");
    expect(found["Price"]).toBe("Ten dollars.");
    expect(found["Risk"]).toBe("It passes.");
  });

  test("are no sentences, names or figures", () => {
    expect(
      sections(
        "2. The buyer shall pay.\n\n3. Mr. Smith left.\n\nTotal 12.50.\n\nNew York, 5 May 2012",
      ),
    ).toEqual({});
  });

  test("have bodies within the text that are nested or apart", () => {
    const piece = fc.constantFrom(
      "1. Term.",
      "2.1 Law:",
      "(a) Price.",
      "TITLE HERE",
      "\n\n",
      "some words.",
      "NAME:",
      "ARTICLE IV RISK",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), (pieces) => {
        const content = documentText(parseText("a.txt", `x ${pieces.join(" ")}`));
        const headings = headingsOf(content);
        for (const [index, { start, bodyStart, bodyEnd, rank }] of headings.entries()) {
          expect(start).toBeLessThanOrEqual(bodyStart);
          expect(bodyStart).toBeLessThanOrEqual(bodyEnd);
          expect(bodyEnd).toBeLessThanOrEqual(content.text.length);
          for (const later of headings.slice(index + 1)) {
            if (later.rank <= rank)
              expect(bodyEnd).toBeLessThanOrEqual(Math.max(bodyStart, later.start));
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
