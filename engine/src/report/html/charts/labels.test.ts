import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uniqueLabels } from "./labels.ts";
import { textWidth } from "./text-width.ts";

const widthOf = (label: string): number => textWidth(label, 12);

describe("labels of long names", () => {
  it("show what tells names apart that begin alike", () => {
    const names = Array.from(
      { length: 12 },
      (_, i) => `spectral band reflectance at wavelength ${400 + 2 * i} nm (calibrated)`,
    );
    const labels = uniqueLabels(names);
    for (const [i, label] of labels.entries()) {
      expect(label).toMatch(new RegExp(`^spec.*…${400 + 2 * i} nm`));
      expect(widthOf(label)).toBeLessThanOrEqual(160);
    }
  });

  it("begin what differs with a whole word", () => {
    const of = (number: string): string =>
      `Department of very long names no. ${number}, division A`;
    const labels = uniqueLabels([of("17"), of("18"), of("19")], 110);
    expect(labels.map((label) => label.split("…")[1].slice(0, 2))).toEqual(["17", "18", "19"]);
  });

  it("are names as they are where these are short, and their beginnings where that is enough", () => {
    const long = "a column of which the name goes on and on and on";
    expect(uniqueLabels(["age", "", " sex\n"])).toEqual(["age", "(empty)", "sex"]);
    expect(uniqueLabels(["age", long])[1]).toMatch(/^a column of which.*…$/);
  });

  it("are each its own, and none is wider than its room", () => {
    const word = fc.constantFrom("ab", "a", "x1", "😀", "長い", " ", "-", "iii", "WWWW");
    const name = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 20 }),
        fc.constantFrom(80, 110, 160),
        (names, most) => {
          const labels = uniqueLabels(names, most);
          expect(new Set(labels).size).toBe(names.length);
          for (const label of labels) expect(widthOf(label)).toBeLessThanOrEqual(most + 1e-9);
        },
      ),
    );
  });
});
