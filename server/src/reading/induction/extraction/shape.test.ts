import { expect, it } from "vitest";
import { ofShape, shapesOf } from "./shape.ts";

const CODE = { kind: "identifier", multiple: false } as const;
const NAME = { kind: "organization", multiple: false } as const;

const odds = (question: typeof CODE | typeof NAME, sample: readonly string[], value: string) =>
  ofShape(question, shapesOf(question, sample), value);

it("tells a code that is made otherwise than all of the sample", () => {
  const alike = ["INV-2001", "INV-2002", "INV-17", "INV-2044", "INV-3", "INV-2051"];
  expect(odds(CODE, alike, "INV-99999")).toBe(1);
  expect(odds(CODE, alike, "ABOUT 300")).toBeLessThan(0.2);
  // Where each is made in its own way, another way says little.
  const apart = ["INV-2001", "2002/17", "A17B", "44-9-1", "R 3 4", "2051"];
  expect(odds(CODE, apart, "X/9.9")).toBe(1);
});

it("tells a sentence from names, and not where the sample's answers are sentences", () => {
  const names = ["Alder Bakery", "Birch & Sons of York", "Cedar School", "elm house ltd"];
  const sentence = "I am writing to you because the heating is broken";
  expect(odds(NAME, names, sentence)).toBeLessThan(0.3);
  expect(odds(NAME, names, "Society for the Protection of Ancient Buildings")).toBe(1);
  expect(odds(NAME, [...names, sentence], "we went home when it was dark")).toBe(1);
});

it("says nothing of several values, of numbers, and of schemas that keep no shapes", () => {
  expect(shapesOf({ kind: "organization", multiple: true }, ["A; B"])).toEqual({});
  expect(shapesOf({ kind: "money", multiple: false }, [12.5])).toEqual({});
  expect(ofShape(CODE, {}, "ABOUT 300")).toBe(1);
});
