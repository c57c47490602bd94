import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { titleCandidates } from "./title.ts";

const mentions = (title: string) => {
  const text = `Stadt Emden\n\n${title}\n\nThe notice no. 9 of the town is no longer in force since then.\n`;
  const content = documentText(parseText("a.txt", text));
  return titleCandidates([{ id: "a", name: "a", hash: "a", content }], NEUTRAL_CONVENTIONS).map(
    ({ label, kind, finding }) => [label, kind, finding.normal],
  );
};

test.each([
  [
    "Bescheid Nr. 350 vom 03.05.2023",
    [
      ["Bescheid Nr.", "identifier", "350"],
      ["Bescheid date", "date", "2023-05-03"],
    ],
  ],
  [
    "Inspection Report No. 12 of 3 May 2023",
    [
      ["Inspection Report No.", "identifier", "12"],
      ["Inspection Report date", "date", "2023-05-03"],
    ],
  ],
  ["Licença n.º 17", [["Licença n.º", "identifier", "17"]]],
  ["Annual Report for 2023", [["Annual Report year", "number", 2023]]],
  ["Geschäftsbericht 2021", [["Geschäftsbericht year", "number", 2021]]],
  ["Terms of delivery", []],
])("of %j", (title, expected) => {
  expect(mentions(title)).toEqual(expected);
});
