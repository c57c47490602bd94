import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { learnLabels } from "./label-vocabulary.ts";

const learned = (texts: readonly string[], name = "a.txt") =>
  learnLabels(texts.map((text) => documentText(parseText(name, text))));

const PLACES = ["Springfield, IL", "Dayton, OH", "Reno, NV", "Boise, ID"];

describe("labels of a sample", () => {
  it("are told from the values before them by what comes back", () => {
    const texts = PLACES.map((place, n) => `Place: ${place} File Number: AB${n}`);
    expect(learned(texts)).toEqual(["file no", "place"]);
  });

  it("begin with a capital, though a unit comes back before them", () => {
    const texts = [12, 7, 31, 4].map((n) => `Wind Speed: ${n} knots Visibility: ${n + 1} miles`);
    expect(learned(texts)).toEqual(["visibility", "wind speed"]);
  });

  it("are no answers that have a colon of their own", () => {
    const texts = [91, 135, 137, 91].map(
      (n, index) => `Conducted under:  Part ${n}: ${PLACES[index]}\nFiled: ${n}`,
    );
    expect(learned(texts)).toEqual(["conducted under", "filed"]);
  });

  it("are headings and cells that stand between different things, not answers", () => {
    const cell = (label: string, value: string) => `<td>${label}</td><td>${value}</td>`;
    const texts = ["K1", "K2", "", "K2", "K1"].map(
      (value, n) =>
        `<h1>Permit</h1><table><tr>${cell("Class", value)}${cell("Species", n % 2 ? "bovine" : "ovine")}</tr>` +
        `<tr>${cell("Herd", `${n}`)}${cell("Country", "Norway")}</tr></table>`,
    );
    const labels = learned(texts, "a.html");
    expect(labels).toEqual(expect.arrayContaining(["class", "species", "herd", "country"]));
    expect(labels).not.toContain("k2");
    expect(labels).not.toContain("bovine");
    expect(labels).not.toContain("norway");
  });

  it("do not depend on the order of the documents", () => {
    const texts = PLACES.map(
      (place, n) => `Place: ${place} Ref ${n}\nOutcome:\n${"abc"[n % 3]}x y`,
    );
    const order = fc.shuffledSubarray(texts, { minLength: texts.length });
    fc.assert(
      fc.property(order, (shuffled) => {
        expect(learned(shuffled)).toEqual(learned(texts));
      }),
      { numRuns: 20 },
    );
  });
});
