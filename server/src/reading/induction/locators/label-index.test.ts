import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LabelIndex } from "./label-index.ts";
import { labelKey, labelWords } from "./label-key.ts";

const keysIn = (labels: readonly string[], text: string) =>
  new LabelIndex(labels).matches(labelWords(text)).map(({ key }) => key);

test("an exact label goes before a longer one that is read into it", () => {
  const index = new LabelIndex(["invoice value"]);
  const [match] = index.matches(labelWords("Gross mass (kg)  Invoice value"));
  expect(match).toMatchObject({ key: "invoice value", from: 3, to: 5, edits: 0 });
});

describe("a label index", () => {
  test("takes the longest label that begins at a word", () => {
    expect(keysIn(["total", "total due", "due"], "Total due today")).toEqual(["total due"]);
  });

  test("joins what is torn apart and what is written as one", () => {
    expect(keysIn(["sub total"], "SUBTOTAL")).toEqual(["sub total"]);
    expect(keysIn(["subtotal"], "Sub-Total")).toEqual(["subtotal"]);
    expect(keysIn(["total"], "TO TAL")).toEqual(["total"]);
  });

  test("forgives letters in long words, none in short ones", () => {
    expect(keysIn(["invoice number"], "INVOICC NUMBER")).toEqual(["invoice no"]);
    expect(keysIn(["registration no"], "Registratlon No.")).toEqual(["registration no"]);
    expect(keysIn(["invoice to"], "Invoice no")).toEqual([]);
    expect(keysIn(["date"], "rate")).toEqual([]);
  });

  test("takes no term for another that a letter makes of it", () => {
    expect(keysIn(["employer"], "Employee")).toEqual([]);
    expect(keysIn(["employer"], "Emplover")).toEqual(["employer"]);
  });

  test("finds in any words what a plain search finds", () => {
    const word = fc.constantFrom("a", "b", "ab", "ba", "aa");
    const words = fc.array(word, { minLength: 1, maxLength: 8 });
    const labels = fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, labels, (text, wanted) => {
        const keys = wanted.map((each) => each.join(" "));
        const found = new LabelIndex(keys)
          .matches(labelWords(text.join(" ")))
          .map(({ from, to }) => [from, to]);
        expect(found).toEqual(plainSearch(text, keys));
      }),
    );
  });
});

/** Every run of words tried, the longest first; short words, so that none is forgiven a letter. */
function plainSearch(text: readonly string[], labels: readonly string[]): [number, number][] {
  const squashed = new Set(labels.map((label) => labelKey(label).replaceAll(" ", "")));
  const found: [number, number][] = [];
  let from = 0;
  while (from < text.length) {
    let to = text.length;
    while (to > from && !squashed.has(text.slice(from, to).join(""))) to -= 1;
    if (to > from) found.push([from, to]);
    from = Math.max(to, from + 1);
  }
  return found;
}
