/**
 * The text under a heading, or the first value of the field's kind in it. Asked for a yes or no, a
 * section answers whether it is there, unless it says yes or no itself.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { denies } from "../values/boolean.ts";
import { read } from "../values/kinds.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { type Heading, headingsOf } from "./headings.ts";
import { nextKnownLabel, opensWithLabel } from "./known-labels.ts";
import { labelKey } from "./label-key.ts";
import type { Locator, Target } from "./locator.ts";
import { LISTED, NAME_KINDS, namesIn } from "./name-list.ts";
import { absent } from "./presence.ts";

type SectionLocator = Extract<Locator, { kind: "section" }>;

/** Characters of a text answer, cut at a sentence's end where there is one. */
export const LONGEST_SECTION_TEXT = 300;
/** Of a section, in which a value is looked for. */
const LONGEST_READ = 1_500;

const SURE = 0.9;
const PLURAL = 0.97;
/** In other words, or another language. */
const SAME_MEANING = 0.9;
/** The heading has more words than were asked for. */
const WIDER = 0.75;
const MOST_MORE_WORDS = 3;
const NOT_THERE = 0.75;

/** Best first. */
export function locateSection(
  content: DocumentText,
  { headings }: SectionLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const wanted = headings.map(labelKey).filter((key) => key !== "");
  const findings: Finding[] = [];
  if (target.multiple && NAME_KINDS.has(target.kind)) {
    for (const { key, bodyStart, bodyEnd } of headingsOf(content)) {
      const likeness = Math.max(0, ...wanted.map((each) => likenessOf(key, each)));
      if (likeness < PLURAL) continue;
      for (const { start, end } of namesIn(content.text.slice(bodyStart, bodyEnd))) {
        const normal = content.text.slice(bodyStart + start, bodyStart + end).replace(/\s+/g, " ");
        const value = { kind: target.kind, start, end, normal, unit: null, certainty: LISTED };
        findings.push({ ...finding(content, value, bodyStart), confidence: SURE * LISTED });
      }
      if (findings.length > 0) return findings;
    }
  }
  for (const heading of headingsOf(content)) {
    const likeness = Math.max(0, ...wanted.map((key) => likenessOf(heading.key, key)));
    if (likeness === 0) continue;
    const own = { ...heading, bodyEnd: answerEnd(content, heading, conventions) };
    const found = answerOf(content, own, target, conventions);
    if (found !== null) findings.push({ ...found, confidence: found.confidence * likeness * SURE });
  }
  if (findings.length === 0 && target.kind === "boolean") return [absent(NOT_THERE)];
  return findings.sort((a, b) => b.confidence - a.confidence || a.start - b.start);
}

/** 0 where the headings differ. */
function likenessOf(heading: string, wanted: string): number {
  if (heading === wanted) return 1;
  const singular = (key: string): string => key.split(" ").map(withoutPlural).join(" ");
  const [a, b] = [singular(heading), singular(wanted)];
  if (a === b) return PLURAL;
  const meaning = meaningOf(heading);
  if (meaning !== null && meaning === meaningOf(wanted)) return SAME_MEANING;
  const words = new Set(a.split(" "));
  const asked = b.split(" ");
  const isWider =
    words.size <= asked.length + MOST_MORE_WORDS && asked.every((word) => words.has(word));
  return isWider ? WIDER : 0;
}

function withoutPlural(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** Where a short section's text ends: before a line that begins with another label. */
function answerEnd(
  content: DocumentText,
  { start, bodyStart, bodyEnd }: Heading,
  conventions: Conventions,
): number {
  if (bodyEnd - bodyStart > LONGEST_READ) return bodyEnd;
  const { lines } = content;
  const own = lineAt(content, start);
  if (bodyStart < own.end) {
    const next = nextKnownLabel(own, bodyStart - own.start, conventions, true);
    if (next !== null) return Math.max(bodyStart, own.start + next - 1);
  }
  const isAnswered = isAnswer(content.text.slice(bodyStart, Math.max(bodyStart, own.end)));
  for (let at = lines.indexOf(own) + 1; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.start >= bodyEnd) break;
    const isApart = line.block !== own.block || own.text.length < MOST_OF_LINE * line.text.length;
    const isNextText = isAnswered && isApart && isSentence(line.text);
    if (line.start >= bodyStart && (isNextText || opensWithLabel(line, conventions))) {
      return Math.max(bodyStart, line.start - 1);
    }
  }
  return bodyEnd;
}

const MOST_ANSWER_WORDS = 5;
const FEWEST_OF_SENTENCE = 6;
/** Of the next line's length: a longer line may go on there. */
const MOST_OF_LINE = 0.6;

/** `Priority: Routine`: a few words that no sentence goes on from. */
function isAnswer(text: string): boolean {
  const words = text.match(/\S+/gu) ?? [];
  return words.length > 0 && words.length <= MOST_ANSWER_WORDS && /[\p{L}\p{N})]\s*$/u.test(text);
}

function isSentence(text: string): boolean {
  return /^\p{Lu}/u.test(text) && (text.match(/\p{Ll}{2,}/gu)?.length ?? 0) >= FEWEST_OF_SENTENCE;
}

function answerOf(
  content: DocumentText,
  { start, bodyStart, bodyEnd }: Heading,
  { kind }: Target,
  conventions: Conventions,
): Finding | null {
  const { text } = content;
  if (kind === "boolean") {
    const value =
      bodyEnd > bodyStart
        ? read("boolean", text.slice(bodyStart, Math.min(bodyEnd, bodyStart + 40)), conventions)
        : null;
    if (value !== null) return finding(content, value, bodyStart);
    const [first = ""] = text.slice(bodyStart, bodyEnd).split("\n", 1);
    const denial = { kind, start: 0, end: first.length, normal: false, unit: null, certainty: 0.8 };
    if (first !== "" && denies(first)) return finding(content, denial, bodyStart);
    const end = bodyStart > start ? Math.min(bodyStart, text.length) : start + 1;
    const written = text.slice(start, end).trimEnd();
    const place = { kind, start: 0, end: written.length, normal: true, unit: null, certainty: 1 };
    return finding(content, place, start);
  }
  if (bodyEnd <= bodyStart) return null;
  if (kind === "text") {
    const end = sentenceEnd(text, bodyStart, bodyEnd);
    const normal = text
      .slice(bodyStart, end)
      .replace(/\s+/g, " ")
      .replace(/[\s.;,]+$/, "")
      .trim();
    if (normal === "") return null;
    return finding(
      content,
      { kind, start: 0, end: end - bodyStart, normal, unit: null, certainty: 1 },
      bodyStart,
    );
  }
  const body = text
    .slice(bodyStart, Math.min(bodyEnd, bodyStart + LONGEST_READ))
    .replaceAll("\n", " ");
  const value =
    recognise(body, conventions, [kind]).find((found) => found.kind === kind) ??
    (body.length <= LONGEST_SECTION_TEXT ? read(kind, body, conventions) : null);
  return value === null ? null : finding(content, value, bodyStart);
}

function finding(content: DocumentText, value: TypedValue, offset: number): Finding {
  const start = value.start + offset;
  const end = value.end + offset;
  return {
    normal: value.normal,
    unit: value.unit,
    text: content.text.slice(start, end),
    start,
    end,
    page: lineAt(content, start).page,
    confidence: 0.5 + 0.5 * value.certainty,
  };
}

function sentenceEnd(text: string, start: number, end: number): number {
  if (end - start <= LONGEST_SECTION_TEXT) return end;
  const head = text.slice(start, start + LONGEST_SECTION_TEXT);
  const stop = head.lastIndexOf(". ");
  const space = head.lastIndexOf(" ");
  return start + (stop > LONGEST_SECTION_TEXT / 3 ? stop + 1 : space > 0 ? space : head.length);
}
