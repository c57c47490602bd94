import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inlineLabels, isLabelText } from "./label-form.ts";

const listed = (text: string): string[] =>
  inlineLabels(text).map(({ label, from, to }) => `${label}=${text.slice(from, to)}`);

describe("labels within a list", () => {
  test.each([
    ["Re: Ann Lee, DOB 12/03/1970, Policy No. 943", ["DOB=12/03/1970", "Policy No.=943"]],
    [
      "General state poor, weight 79 kg. Blood pressure 147/63 mmHg, pulse 65/min. Abdomen soft.",
      ["weight=79 kg", "Blood pressure=147/63 mmHg", "pulse=65/min"],
    ],
    ["Hb 11,9 g/dl, CRP 99 mg/l.", ["Hb=11,9 g/dl", "CRP=99 mg/l"]],
    ["Findings: BP 131/60, HR 108 bpm", ["BP=131/60", "HR=108 bpm"]],
    ["It was sent, at last. Paragraph 3 holds", []],
    ["Weight 79 kg", []],
  ])("of %j are %j", (text, pairs) => {
    expect(listed(text)).toEqual(pairs);
  });

  test("stand where they say, in order", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("pulse 65", ", ", "Hb 11,9 g/dl", ". ", ": ", "(", "Ann Lee", ")"),
        ),
        (parts) => {
          const text = parts.join("");
          let last = 0;
          for (const { label, start, from, to } of inlineLabels(text)) {
            expect(text.slice(start, start + label.length)).toBe(label);
            expect(start).toBeGreaterThanOrEqual(last);
            expect(from).toBeGreaterThan(start);
            expect(to).toBeGreaterThan(from);
            last = to;
          }
        },
      ),
    );
  });
});

test.each([
  ["Dear Ms Carter", false],
  ["Sehr geehrte Frau Klein", false],
  ["Chère Madame", false],
  ["Dearness allowance", true],
  ["Cherry trees", true],
])("whether %j names something: %j", (text, isLabel) => {
  expect(isLabelText(text)).toBe(isLabel);
});
