/**
 * Patterns for a yes-or-no question: runs of words that the quotes of several documents share and
 * that the documents without one do not hold.
 */

import type { SampleDocument } from "../../inducer.ts";
import { proseOf } from "../../locators/sentences.ts";
import type { FieldSighting } from "../fields/field.ts";

const LENGTHS = [5, 4, 3, 2];
const MOST_PATTERNS = 40;
/** Of a quote, the words that patterns are made of. */
const MOST_WORDS = 120;

/** Most shared first; each a sequence of two to five words. */
export function presencePatterns(
  sightings: readonly FieldSighting[],
  documents: ReadonlyMap<string, SampleDocument>,
  least: number,
): string[] {
  const counts = new Map<string, number>();
  for (const { documentId, quote } of sightings) {
    const { words, starts } = proseOf(documents.get(documentId)!.content);
    const inQuote: string[] = [];
    for (const [index, start] of starts.entries()) {
      if (start >= quote.end || inQuote.length === MOST_WORDS) break;
      if (start >= quote.start) inQuote.push(/^\d/.test(words[index]!) ? "#" : words[index]!);
    }
    const here = new Set<string>();
    for (const length of LENGTHS) {
      for (let from = 0; from + length <= inQuote.length; from++) {
        const run = inQuote.slice(from, from + length);
        if (run.filter((word) => word.length > 3).length >= Math.min(2, length - 1)) {
          here.add(run.join(" "));
        }
      }
    }
    for (const pattern of here) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= least)
    .sort(([a, m], [b, n]) => n - m || b.length - a.length || (a < b ? -1 : 1))
    .slice(0, MOST_PATTERNS)
    .map(([pattern]) => pattern);
}
