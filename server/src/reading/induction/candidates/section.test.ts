import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { sectionCandidates } from "./section.ts";

const LONG = "It is a long passage that says what was done. ".repeat(12);

function documents(...texts: string[]) {
  return texts.map((text, index) => ({
    id: `d${index}`,
    name: `d${index}.txt`,
    hash: `${index}`,
    content: documentText(parseText("a.txt", text)),
  }));
}

test("headings that documents share are fields: texts where they are short, else whether they are there", () => {
  const sample = documents(
    `DIAGNOSIS: Hernia.\n\nANESTHESIA: Local.\n\nTECHNIQUE: ${LONG}`,
    `DIAGNOSIS: Cyst.\n\nTECHNIQUE: ${LONG}\n\nREMARK OF ONE: Odd.`,
    "Nothing of the kind.",
  );
  const mentions = sectionCandidates(sample, NEUTRAL_CONVENTIONS);
  expect(
    mentions.map(({ documentId, key, kind, finding }) => [documentId, key, kind, finding.normal]),
  ).toEqual([
    ["d0", "diagnosis", "text", "Hernia"],
    ["d0", "technique", "boolean", true],
    ["d1", "diagnosis", "text", "Cyst"],
    ["d1", "technique", "boolean", true],
  ]);
  expect(mentions[0]).toMatchObject({
    origin: "section",
    label: "DIAGNOSIS",
    locator: { kind: "section", headings: ["diagnosis"] },
    neighbours: [null, "technique"],
  });
});
