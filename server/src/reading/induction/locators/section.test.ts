import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locatorSchema } from "./locator.ts";
import { LONGEST_SECTION_TEXT, locateSection } from "./section.ts";

function find(text: string, headings: string[], kind: ValueKind, multiple = false) {
  const locator = locatorSchema.parse({ kind: "section", headings });
  if (locator.kind !== "section") throw new Error("no section");
  const content = documentText(parseText("a.txt", text));
  const found = locateSection(content, locator, { kind, multiple, enum: [] }, NEUTRAL_CONVENTIONS);
  for (const { start, end, text } of found) expect(content.text.slice(start, end)).toBe(text);
  return found.map(({ normal }) => normal);
}

const NOTE =
  "PROCEDURES PERFORMED: Removal of a\ncyst.\n\nBLOOD LOSS: About 50 mL.\n\nDATE OF SURGERY AND DISCHARGE: May 4, 2011.\n";

test("a few words behind a heading's colon are all of it where a sentence begins below", () => {
  const note = `PRIORITY: Routine\n\nThere is no family history of note, and medication is listed overleaf.\n\nPLAN: None.\n`;
  expect(find(note, ["Priority"], "text")).toEqual(["Routine"]);
  const list = "FINDINGS: Stone, left\nHydronephrosis\n\nPLAN: None.\n";
  expect(find(list, ["Findings"], "text")).toEqual(["Stone, left Hydronephrosis"]);
});

describe("a section", () => {
  test("is its text, tidied", () => {
    expect(find(NOTE, ["Procedure performed:"], "text")).toEqual(["Removal of a cyst"]);
  });

  test("is read as a value of the field's kind", () => {
    expect(find(NOTE, ["blood loss"], "quantity")).toEqual([50]);
    expect(find(NOTE, ["date of surgery"], "date")).toEqual(["2011-05-04"]);
  });

  test("is nothing where the heading is not there, or has no value of the kind", () => {
    expect(find(NOTE, ["allergies"], "text")).toEqual([]);
    expect(find(NOTE, ["procedures performed"], "date")).toEqual([]);
  });

  test("has a title of the meaning, alone between blank lines", () => {
    const cv = "Ann Lee\n\nKenntnisse\n\nExcel, Python\n\nSprachen\n\nDeutsch";
    expect(find(cv, ["skills"], "text")).toEqual(["Excel, Python"]);
    expect(find(cv, ["languages"], "text")).toEqual(["Deutsch"]);
  });

  test("answers whether it is there", () => {
    const contract = "1. Insurance. The seller keeps it.\n\n2. Price. Ten.";
    expect(find(contract, ["insurance"], "boolean")).toEqual([true]);
    expect(find(contract, ["audit"], "boolean")).toEqual([false]);
  });

  test("prefers the heading that is asked for to one with more words", () => {
    const text = "TERM: One year.\n\nRENEWAL TERM: Two years.";
    expect(find(text, ["term"], "duration")).toEqual(["P1Y", "P2Y"]);
    expect(find(text, ["renewal term"], "duration")).toEqual(["P2Y"]);
  });

  test("is cut at a sentence where it is long", () => {
    const [found] = find(`HISTORY: ${"He was well. ".repeat(100)}`, ["history"], "text");
    expect(String(found).length).toBeLessThanOrEqual(LONGEST_SECTION_TEXT);
    expect(found).toMatch(/He was well$/);
  });

  test("has all its names where several are asked for", () => {
    const text = "PARTIES:\n\nJane Roe (“Employee”) and Acme Tools, Inc., its affiliates (“Acme”).";
    expect(find(text, ["parties"], "organization", true)).toEqual(["Jane Roe", "Acme Tools, Inc."]);
  });
});
