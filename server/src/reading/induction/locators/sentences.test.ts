import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { foldWord, proseOf } from "./sentences.ts";

function sentencesOf(text: string): string[] {
  const content = documentText(parseText("a.txt", text));
  const { starts, ends, sentences } = proseOf(content);
  return sentences.map(({ from, to }) =>
    content.text.slice(starts[from], ends[to - 1]).replace(/\s+/g, " "),
  );
}

describe("sentences", () => {
  test.each([
    ["The rate rose. It fell again.", ["The rate rose", "It fell again"]],
    ["Made by Acme, Inc. and Beta Corp. of Ohio.", ["Made by Acme, Inc. and Beta Corp. of Ohio"]],
    ["Sold to Acme Inc. The buyer pays.", ["Sold to Acme Inc", "The buyer pays"]],
    [
      "See Section 2.1 and Art. 4 of the U.S. Code.",
      ["See Section 2.1 and Art. 4 of the U.S. Code"],
    ],
    [
      "Es beginnt am 5. Mai 2020 in der Industriestr. 8.",
      ["Es beginnt am 5. Mai 2020 in der Industriestr. 8"],
    ],
    ["Signed by J. B. Smith of St. Louis.", ["Signed by J. B. Smith of St. Louis"]],
    ["It is 1.25 percent. 4 members voted.", ["It is 1.25 percent", "4 members voted"]],
    ["Really? Yes! Good.", ["Really", "Yes", "Good"]],
    ['He said "no." Then he left.', ['He said "no', "Then he left"]],
    ["It (the first.) Ended.", ["It (the first", "Ended"]],
    [
      'Made by Acme Corporation. ("Acme") whose office',
      ['Made by Acme Corporation. ("Acme") whose office'],
    ],
  ])("of %j", (text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  test("a clause's number belongs to its heading", () => {
    expect(sentencesOf("Each party agrees. 12. GOVERNING LAW. Ohio law applies.")).toEqual([
      "Each party agrees",
      "12. GOVERNING LAW",
      "Ohio law applies",
    ]);
  });

  test("go on over line ends and through the items of a list", () => {
    expect(
      sentencesOf(
        "The buyer shall not:\n\n(a) sell the goods;\n\n(b) lend them; or\n\n(c) burn them.\n\nNext.",
      ),
    ).toEqual(["The buyer shall not: (a) sell the goods; (b) lend them; or (c) burn them", "Next"]);
  });

  test("go on over a page's end, its footer and the next page's header", () => {
    const page = (number: number, text: string): string =>
      `ACME SUPPLY CONTRACT 2020\n\n${text}\n\nPage ${number} of 3\n\n`;
    const text =
      page(1, "The supplier delivers the goods to") +
      page(2, "the buyer in May. The buyer pays") +
      page(3, "in June.");
    const found = sentencesOf(text);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^The supplier delivers the goods to .*the buyer in May$/);
    expect(found[1]).toMatch(/^The buyer pays .*in June$/);
  });

  test("end where a paragraph does, with or without a full stop", () => {
    expect(sentencesOf("First thing\n\nSecond thing\n\nThird")).toEqual([
      "First thing",
      "Second thing",
      "Third",
    ]);
  });

  test("cover all words once, in order, as they stand in the text", () => {
    const piece = fc.constantFrom(
      "Inc.",
      "the",
      "A.",
      "2.1",
      "(b)",
      "“Acme”",
      "party's",
      "\n",
      "\n\n",
      "12%",
      ";",
      "U.S.",
      "Ärzte",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), (pieces) => {
        const content = documentText(parseText("a.txt", `Start ${pieces.join(" ")}`));
        const { words, starts, ends, sentences, index } = proseOf(content);
        let next = 0;
        for (const { from, to } of sentences) {
          expect(from).toBe(next);
          expect(to).toBeGreaterThan(from);
          next = to;
        }
        expect(next).toBe(words.length);
        for (const [place, word] of words.entries()) {
          expect(foldWord(content.text.slice(starts[place], ends[place]))).toBe(word);
          const sentence = sentences.findIndex(({ from, to }) => from <= place && place < to);
          expect(index.get(word)).toContain(sentence);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("are bounded where a text has none", () => {
    const content = documentText(parseText("a.txt", "word ".repeat(5_000)));
    const longest = Math.max(...proseOf(content).sentences.map(({ from, to }) => to - from));
    expect(longest).toBeLessThanOrEqual(800);
  });
});

describe("a word", () => {
  test.each([
    ["Party’s", "party"],
    ["don't", "dont"],
    ["Société", "societe"],
    ["1,000.50", "1,000.50"],
  ])("%j is compared as %j", (written, folded) => {
    expect(foldWord(written)).toBe(folded);
  });
});
