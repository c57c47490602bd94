import { expect, it } from "vitest";
import { fidelityOf } from "./fidelity.ts";

const fidelity = {
  teacher: "big",
  about: "",
  rows: 100,
  correlation: 0.98,
  scores: { student: 0.3, teacher: 0.2, baseline: null },
  lift: { share: 0.9, low: 0.8, high: 1 },
  disagreements: [
    { row: 7, target: 1, student: [0.2], teacher: [0.9] },
    { row: "7", target: 1 },
  ],
};

it("reads what is known of a student and its teacher", () => {
  const found = fidelityOf({ fidelity }, ["no", "yes"], String);
  expect(found).toMatchObject({
    teacher: "big",
    agreement: null,
    lift: { share: 0.9 },
    scores: { baseline: null, teacher: 0.2 },
    apart: [{ row: 7, truth: "yes", student: "no (80 %)", teacher: "yes (90 %)" }],
  });
  const three = { row: 0, target: 2, student: [0.1, 0.6, 0.3], teacher: [0.1, 0.2, 0.7] };
  const several = { ...fidelity, disagreements: [three] };
  expect(fidelityOf({ fidelity: several }, ["a", "b", "c"], String)?.apart).toEqual([
    { row: 0, truth: "c", student: "b (60 %)", teacher: "c (70 %)" },
  ]);
  const value = { ...fidelity, disagreements: [{ row: 3, target: 5, student: [4], teacher: [6] }] };
  expect(fidelityOf({ fidelity: value }, [], String)?.apart[0]).toMatchObject({
    truth: "5",
    student: "4",
  });
});

it("is null of a model that learned from labels alone", () => {
  expect(fidelityOf({}, [], String)).toBeNull();
  expect(fidelityOf(null, [], String)).toBeNull();
});
