/**
 * Candidates from headings that many documents share: the text of a short section, and of long ones,
 * such as a contract's clauses, whether the section is there.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { SampleDocument } from "../inducer.ts";
import { type Heading, headingsOf } from "../locators/headings.ts";
import { locatorSchema } from "../locators/locator.ts";
import { locateSection } from "../locators/section.ts";
import { conventionsOf } from "../values/conventions.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import type { Mention } from "./mention.ts";

const FEWEST_DOCUMENTS = 2;
/** Of the documents: headings that differ a little are aligned later, so that few are many. */
const LEAST_SHARE = 0.1;
const MOST_HEADINGS = 60;
/** Characters of a section's text that is an answer rather than a passage. */
const LONGEST_ANSWER = 240;
const LONGEST_TITLE = 60;

export function sectionCandidates(
  documents: readonly SampleDocument[],
  conventions: Conventions,
): readonly Mention[] {
  const byDocument = documents.map(({ content }) =>
    withoutGroups(content, firstOfEach(headingsOf(content))),
  );
  const shared = sharedKeys(byDocument, documents.length);
  return documents.flatMap((document, number) => {
    const own = conventionsOf(document.content, conventions);
    const headings = byDocument[number]!.filter(({ key }) => shared.has(key));
    return headings.slice(0, MOST_HEADINGS).flatMap((heading, place): Mention[] => {
      const kind = shared.get(heading.key)!;
      const locator = locatorSchema.parse({ kind: "section", headings: [heading.key] });
      if (locator.kind !== "section") return [];
      const target = { kind, multiple: false, enum: [] };
      const finding = locateSection(document.content, locator, target, own)[0];
      if (finding === undefined || finding.normal === false) return [];
      return [
        {
          documentId: document.id,
          finding,
          origin: "section",
          label: heading.title,
          key: heading.key,
          kind,
          locator,
          neighbours: [headings[place - 1]?.key ?? null, headings[place + 1]?.key ?? null],
        },
      ];
    });
  });
}

/** Lines of labels and values, from which on a section is a group of fields and no field itself. */
const LINES_OF_GROUP = 2;

/** @param headings in the document's order */
function withoutGroups({ lines }: DocumentText, headings: readonly Heading[]): Heading[] {
  let first = 0;
  return headings.filter(({ bodyStart, bodyEnd }) => {
    while (first < lines.length && lines[first]!.start < bodyStart) first += 1;
    let pairs = 0;
    for (let at = first; at < lines.length && pairs < LINES_OF_GROUP; at += 1) {
      const { start, text, spans } = lines[at]!;
      if (start >= bodyEnd) break;
      if (spans.length === 2 || LABELLED.test(text)) pairs += 1;
    }
    return pairs < LINES_OF_GROUP;
  });
}

const LABELLED = /^\p{L}[^:：.]{1,40}[:：]\s/u;

function firstOfEach(headings: readonly Heading[]): Heading[] {
  const first = new Map<string, Heading>();
  for (const heading of headings) {
    if (heading.title.length > LONGEST_TITLE || first.has(heading.key)) continue;
    first.set(heading.key, heading);
  }
  return [...first.values()];
}

/** The kind of answer that each shared heading has: text where it is short in most documents. */
function sharedKeys(
  byDocument: readonly (readonly Heading[])[],
  documents: number,
): Map<string, ValueKind> {
  const lengths = new Map<string, number[]>();
  const written = new Map<string, Set<string>>();
  for (const headings of byDocument) {
    for (const { key, bodyStart, bodyEnd } of headings) {
      // What several documents call by words of one meaning they share.
      const meaning = meaningOf(key) ?? key;
      written.set(meaning, (written.get(meaning) ?? new Set()).add(key));
      const known = lengths.get(meaning);
      if (known === undefined) lengths.set(meaning, [bodyEnd - bodyStart]);
      else known.push(bodyEnd - bodyStart);
    }
  }
  const fewest = Math.max(FEWEST_DOCUMENTS, LEAST_SHARE * documents);
  const kinds = new Map<string, ValueKind>();
  for (const [meaning, each] of lengths) {
    if (each.length < fewest) continue;
    const sorted = each.sort((a, b) => a - b);
    const isShort = sorted[sorted.length >> 1]! <= LONGEST_ANSWER;
    for (const key of written.get(meaning)!) kinds.set(key, isShort ? "text" : "boolean");
  }
  return kinds;
}
