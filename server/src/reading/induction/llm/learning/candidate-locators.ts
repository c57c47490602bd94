/**
 * Locators that might find a field again, made of what stood around its values: what several
 * documents share, most frequent first. Whether they do find it is measured (`learn-locators.ts`).
 */

import { labelKey } from "../../locators/label-key.ts";
import { type Locator, locatorSchema } from "../../locators/locator.ts";
import type { Contexts } from "./contexts.ts";

const MOST_LABELS = 12;
const MOST_PHRASES = 12;
const SHORTEST_PHRASE = 2;

/**
 * @param contexts of one sighting a document
 * @param least documents that must share what a locator is made of
 */
export function candidateLocators(contexts: readonly Contexts[], least: number): Locator[] {
  const labels = (of: (context: Contexts) => readonly string[]): string[] =>
    shared(contexts, (context) => of(context).map(labelKey), least).slice(0, MOST_LABELS);
  const locators: unknown[] = [];
  for (const label of labels(({ right }) => right)) {
    for (const pick of ["first", "last"]) {
      locators.push({ kind: "label", labels: [label], where: ["right"], pick });
    }
  }
  for (const label of labels(({ below }) => below)) {
    locators.push({ kind: "label", labels: [label], where: ["below"] });
  }
  for (const row of labels(({ cell }) => (cell === null ? [] : [cell.row]))) {
    const columns = labels(({ cell }) =>
      cell?.column && labelKey(cell.row) === row ? [cell.column] : [],
    );
    locators.push({ kind: "cell", rows: [row], columns });
  }
  for (const heading of labels((context) => (context.heading === null ? [] : [context.heading]))) {
    locators.push({ kind: "section", headings: [heading] });
  }
  for (const pattern of phrases(contexts, least)) {
    locators.push({ kind: "phrase", patterns: [pattern] });
  }
  for (const region of ["top", "title", "bottom", "anywhere"]) {
    for (const pick of region === "title" ? ["first"] : ["first", "last", "largest"]) {
      locators.push({ kind: "position", region, pick });
    }
  }
  return locators.map((locator) => locatorSchema.parse(locator));
}

/** The words right before the value, and those right after it, as far as documents share them. */
function phrases(contexts: readonly Contexts[], least: number): string[] {
  const patterns = shared(
    contexts,
    ({ before, after }) => {
      const found: string[] = [];
      for (let words = SHORTEST_PHRASE; words <= before.length; words++) {
        const phrase = before.slice(-words);
        if (tellingWords(phrase) >= 1) found.push(`${phrase.join(" ")} {value}`);
      }
      for (let words = SHORTEST_PHRASE; words <= after.length; words++) {
        const phrase = after.slice(0, words);
        // What comes after says less of a value than what leads up to it.
        if (tellingWords(phrase) >= 2) found.push(`{value} ${phrase.join(" ")}`);
      }
      return found;
    },
    least,
  );
  return patterns.slice(0, MOST_PHRASES);
}

/** Words that are more than grammar, by their length. */
const tellingWords = (words: readonly string[]): number =>
  words.filter((word) => /^\p{L}{4,}$/u.test(word)).length;

/** What at least so many contexts have, most frequent first, then longest, then by the alphabet. */
function shared(
  contexts: readonly Contexts[],
  textsOf: (context: Contexts) => readonly string[],
  least: number,
): string[] {
  const counts = new Map<string, number>();
  for (const context of contexts) {
    for (const text of new Set(textsOf(context))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .filter(([text, count]) => count >= least && text !== "")
    .sort(([a, m], [b, n]) => n - m || b.length - a.length || (a < b ? -1 : 1))
    .map(([text]) => text);
}
