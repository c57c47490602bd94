import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { phraseCandidates } from "./phrase.ts";

function documents(...texts: string[]) {
  return texts.map((text, index) => ({
    id: `d${index}`,
    name: `d${index}.txt`,
    hash: `${index}`,
    content: documentText(parseText("a.txt", text)),
  }));
}

test("words before a value that differs between documents are a field, found as the longest of them", () => {
  const sample = documents(
    "The council set the water price at 5 percent. A meeting was held on May 4, 2011.",
    "Late at night the council set the water price at 7 percent. It rained.",
    "After much talk the council set the water price at 9 percent. It was on June 2, 2012 that it ended.",
  );
  const mentions = phraseCandidates(sample, NEUTRAL_CONVENTIONS);
  expect(
    mentions.map(({ documentId, label, kind, finding }) => [
      documentId,
      label,
      kind,
      finding.normal,
    ]),
  ).toEqual([
    ["d0", "set the water price", "percent", 5],
    ["d1", "set the water price", "percent", 7],
    ["d2", "set the water price", "percent", 9],
  ]);
  expect(mentions[0]?.locator).toMatchObject({
    kind: "phrase",
    patterns: ["the council set the water price at {value}"],
  });
});

test("words before a value that never differs are boilerplate", () => {
  const text = "Approved under budget number holding control until May 4, 2011. Thank you.";
  expect(phraseCandidates(documents(`One. ${text}`, `Two. ${text}`), NEUTRAL_CONVENTIONS)).toEqual(
    [],
  );
});

test("words after a value are found too", () => {
  const sample = documents(
    "Acme has 500,000 shares of common stock outstanding.",
    "Beta had 700,000 shares of common stock outstanding.",
  );
  const [mention] = phraseCandidates(sample, NEUTRAL_CONVENTIONS);
  expect(mention).toMatchObject({
    kind: "quantity",
    label: "common stock outstanding",
    finding: { normal: 500_000 },
    locator: { patterns: ["{value} of common stock outstanding"] },
  });
});

test("in sentences two words of a few issuers are enough, in boxes they are not", () => {
  const told = Array.from(
    { length: 6 },
    (_, n) => `We will be glad to pay you a salary of £${n + 20},000 in the first year of it.`,
  );
  const others = Array.from(
    { length: 18 },
    (_, n) => `The company ${n} has nothing at all to say of what it pays to those who work.`,
  );
  const labels = (texts: readonly string[]): string[] => [
    ...new Set(
      phraseCandidates(documents(...texts), NEUTRAL_CONVENTIONS).map(({ label }) => label),
    ),
  ];
  expect(labels([...told, ...others]).some((label) => label.includes("salary"))).toBe(true);
  const boxes = Array.from(
    { length: 6 },
    (_, n) => `Open salary of £${n + 20},000\nBook fee £${n}`,
  );
  expect(labels([...boxes, ...others]).some((label) => label.includes("salary"))).toBe(false);
});

test("a name has the words nearest the value, without those that only join", () => {
  const sample = documents(
    "Für den Bescheid wird eine Gebühr in Höhe von 75,00 € erhoben und sofort fällig.",
    "Für den Bescheid wird eine Gebühr in Höhe von 95,00 € erhoben und sofort fällig.",
  );
  const [mention] = phraseCandidates(sample, NEUTRAL_CONVENTIONS);
  expect(mention!.label).toBe("gebuhr in hohe");
});
