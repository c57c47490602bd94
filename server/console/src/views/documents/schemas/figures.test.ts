import { expect, it } from "vitest";
import { gatesOf, notAskedOf, notesOf } from "./figures.ts";

const metadata = {
  notes: ["the sample is small", 3],
  not_asked: [{ name: "bought", reason: "no label has this name" }, null],
  questions: { total: { gates: [{ gate: "coverage", passed: true, score: 0.5, note: null }] } },
};

it("reads what the gates measured, and why something is not asked", () => {
  expect(gatesOf(metadata, "total")).toEqual([
    { gate: "coverage", passed: true, score: 0.5, note: "" },
  ]);
  expect(notAskedOf(metadata)).toEqual([{ name: "bought", reason: "no label has this name" }]);
  expect(notesOf(metadata)).toEqual(["the sample is small"]);
});

it("finds nothing in metadata of another make", () => {
  for (const odd of [
    {},
    { questions: [] },
    { questions: { total: 1 }, not_asked: {}, notes: "" },
  ]) {
    expect(gatesOf(odd, "total")).toEqual([]);
    expect(notAskedOf(odd)).toEqual([]);
    expect(notesOf(odd)).toEqual([]);
  }
});
