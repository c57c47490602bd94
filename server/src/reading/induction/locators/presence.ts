/**
 * Whether something is said in a document: true where a sentence matches a pattern and none of the
 * exceptions, false where none does. False is an answer too, which no place shows: its span is empty.
 *
 * A form's label says nothing by itself: where words match within one, what answers it decides.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { denies } from "../values/boolean.ts";
import type { Conventions } from "../values/value.ts";
import { isKnownLabel } from "./known-labels.ts";
import type { Locator } from "./locator.ts";
import { compiledPatterns, firstMatch, spanOf } from "./phrase.ts";
import { type PhrasePattern, sentencesFor } from "./phrase-pattern.ts";
import { segmentAfter } from "./segment.ts";
import { type Prose, proseOf, type Sentence } from "./sentences.ts";

type PresenceLocator = Extract<Locator, { kind: "presence" }>;

const SAID = 0.9;
/** It may be said in words that no pattern knows. */
const NOT_SAID = 0.75;

/** Sentences that are looked for: two say it more surely than one, and more of them hardly more than two. */
const MOST_SENTENCES = 3;

/** One finding for each sentence that says it, at most three; where none does, one that says so. */
export function locatePresence(
  content: DocumentText,
  { patterns, except }: PresenceLocator,
  conventions: Conventions,
): Finding[] {
  const prose = proseOf(content);
  const exceptions = compiledPatterns(except);
  const found = new Map<number, Finding>();
  for (const pattern of compiledPatterns(patterns)) {
    for (const number of sentencesFor(pattern, prose)) {
      if (found.has(number)) continue;
      const sentence = prose.sentences[number]!;
      if (firstMatch(pattern.before, prose, sentence) === null) continue;
      if (exceptions.some(({ before }) => firstMatch(before, prose, sentence) !== null)) continue;
      const match = affirmed(content, prose, pattern, sentence, conventions);
      if (match === null) continue;
      const place = spanOf(content, prose, match);
      found.set(number, { ...place, normal: true, unit: null, confidence: SAID });
      if (found.size === MOST_SENTENCES) return [...found.values()];
    }
  }
  return found.size > 0 ? [...found.values()] : [absent(NOT_SAID)];
}

/** Matches of one sentence that are looked at. */
const MOST_MATCHES = 20;

/** The first match that is no label, or one that is answered by something. */
function affirmed(
  content: DocumentText,
  prose: Prose,
  { before }: PhrasePattern,
  sentence: Sentence,
  conventions: Conventions,
): Sentence | null {
  let from = sentence.from;
  for (let tried = 0; tried < MOST_MATCHES; tried++) {
    const match = firstMatch(before, prose, { from, to: sentence.to });
    if (match === null) return null;
    const answer = answerToLabel(
      content,
      prose.starts[match.from]!,
      prose.ends[match.to - 1]!,
      conventions,
    );
    if (answer === null || (answer !== "" && !denies(answer))) return match;
    from = match.from + 1;
  }
  return null;
}

/** What a label is about may stand in it before and after the words that match. */
const LABEL_REST = /^[^.:：;!?\n]{0,40}[:：]/u;
const LABEL_LEAD = /^[^.:：;!?]{0,40}$/u;

/** What a form answers to the label that the stretch lies in, empty for nothing; null for no label. */
function answerToLabel(
  content: DocumentText,
  start: number,
  end: number,
  conventions: Conventions,
): string | null {
  const line = lineAt(content, start);
  const span = line.spans.find((each) => start >= each.start && end <= each.end);
  if (span === undefined) return null;
  const rest = span.text.slice(end - span.start);
  const lead = span.text.slice(0, start - span.start);
  const colon = LABEL_REST.exec(rest);
  const isLabel = colon !== null && LABEL_LEAD.test(lead.slice(lead.lastIndexOf(":") + 1));
  if (!isLabel && !isKnownLabel(span.text, conventions)) return null;
  const from = end - line.start + (colon?.[0].length ?? rest.length);
  const segment = segmentAfter(line, from, conventions);
  if (segment !== null) return line.text.slice(segment.start, segment.end);
  // A heading's answer, or a list's, stands under it.
  return isLabel && line.spans.length > 1 ? "" : null;
}

/** The answer that something is nowhere said. */
export function absent(confidence: number): Finding {
  return { normal: false, unit: null, text: "", start: 0, end: 0, page: 1, confidence };
}
