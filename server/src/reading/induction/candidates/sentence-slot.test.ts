import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { sentenceSlotCandidates } from "./sentence-slot.ts";

function slotsOf(texts: readonly string[]): Record<string, string[]> {
  const documents = texts.map((text, index) => ({
    id: `d${index}`,
    name: `d${index}.txt`,
    hash: `${index}`,
    content: documentText(parseText("a.txt", text)),
  }));
  const slots: Record<string, string[]> = {};
  for (const { locator, finding } of sentenceSlotCandidates(documents, NEUTRAL_CONVENTIONS)) {
    const [pattern] = locator.kind === "phrase" ? locator.patterns : [];
    const known = slots[pattern ?? ""] ?? [];
    slots[pattern ?? ""] = [...known, finding.text.replace(/\s+/g, " ")];
  }
  return slots;
}

/** Names, posts and days of four letters of one text. */
const LETTERS = [
  ["Oliver Harding", "Site Engineer", "3 July 2021", "290 Robinson Way", "Hotel Astoria: a room"],
  ["Georgina Cook", "Data Analyst", "9 May 2016", "Flat 6 Max Plains", "Hotel Miramar: two rooms"],
  ["Kim Lee", "Site Engineer", "4 June 2020", "18 Park Lane", "Hotel Bellavista: a suite"],
  ["Ana Ruiz", "Payroll Clerk", "11 March 2019", "7 Booth Camp", "Hotel Savoy: a double room"],
] as const;

test("what differs between words that letters have alike is a field, before values and behind them", () => {
  const slots = slotsOf(
    LETTERS.map(
      ([name, post, day, house, hotel]) =>
        `Dear ${name},\n\nWith effect from ${day} the employee is engaged as ${post} with full pay\n` +
        `by our company in the town. He will be leaving ${house}, which I rent to him since\n` +
        `${day} by ${name} as agreed between us, and until then we have booked the ${hotel}.\n`,
    ),
  );
  const around = (words: string): string[] =>
    Object.entries(slots).flatMap(([pattern, values]) => (pattern.includes(words) ? values : []));
  expect(around("employee is engaged as {value} with full")).toEqual(
    LETTERS.map(([, post]) => post),
  );
  expect(around("he will be leaving {value} which i")).toEqual(
    LETTERS.map(([, , , house]) => house),
  );
  expect(around("rent to him since ...6 by {value} as agreed")).toEqual(
    LETTERS.map(([name]) => name),
  );
  expect(around("we have booked the hotel {value}")).toEqual([
    ...["Astoria", "Miramar", "Bellavista", "Savoy"],
  ]);
  expect(Object.keys(slots).length).toBe(4);
});

test("what never differs, two letters alone, and what shows by its form are none", () => {
  const letter = (name: string, day: string, code: string): string =>
    `The post is given by the board to a good man, and ${name} has the honour to be given it as of\n` +
    `${day}, and the account in the bank of our town is ${code} until further notice of ours.\n`;
  const letters = [
    letter("Ms Cook", "3 July 2021", "07 0824 7948 1293 4859 97"),
    letter("Ms Cook", "9 May 2016", "98 8872 2492 1113 8244 28"),
    letter("Ms Cook", "4 June 2020", "56 3663 4920 0756 5340 88"),
  ];
  expect(slotsOf(letters)).toEqual({});
  const named = LETTERS.slice(0, 2).map(
    ([name]) => `It is agreed and declared by ${name} as of now.`,
  );
  expect(slotsOf(named)).toEqual({});
});
