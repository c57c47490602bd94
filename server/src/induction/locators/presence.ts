/**
 * Whether something is said in a document: true where a sentence matches a pattern and none of the
 * exceptions, false where none does. False is an answer too, which no place shows: its span is empty.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Locator } from "./locator.ts";
import { compiledPatterns, firstMatch, spanOf } from "./phrase.ts";
import { sentencesFor } from "./phrase-pattern.ts";
import { proseOf } from "./sentences.ts";

type PresenceLocator = Extract<Locator, { kind: "presence" }>;

const SAID = 0.9;
/** It may be said in words that no pattern knows. */
const NOT_SAID = 0.75;

/** Always one finding, whose value is a boolean. */
export function locatePresence(
  content: DocumentText,
  { patterns, except }: PresenceLocator,
): Finding[] {
  const prose = proseOf(content);
  const exceptions = compiledPatterns(except);
  for (const pattern of compiledPatterns(patterns)) {
    for (const number of sentencesFor(pattern, prose)) {
      const sentence = prose.sentences[number]!;
      const match = firstMatch(pattern.before, prose, sentence);
      if (match === null) continue;
      if (exceptions.some(({ before }) => firstMatch(before, prose, sentence) !== null)) continue;
      return [{ ...spanOf(content, prose, match), normal: true, unit: null, confidence: SAID }];
    }
  }
  return [absent(NOT_SAID)];
}

/** The answer that something is nowhere said. */
export function absent(confidence: number): Finding {
  return { normal: false, unit: null, text: "", start: 0, end: 0, page: 1, confidence };
}
