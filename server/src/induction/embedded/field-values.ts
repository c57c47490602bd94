/** What kind of values a learned field has, and whether they are values at all. */

import type { Finding, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, ValueKind } from "../values/value.ts";

/** Kinds by which a text that holds one is better read: `06/12/2018 4:52 PM` is a date. */
const READABLE: readonly ValueKind[] = ["date", "money", "percent", "duration", "quantity"];
const MOST_HOLD_IT = 0.8;
const LONGEST_READ = 60;
/** A text of more words is a passage. */
const MOST_WORDS = 25;
/** Of texts, those that go on in the middle of a sentence. */
const MOST_RUNNING = 0.3;
/** Of texts, those that are other fields' labels: what stands under a heading of a table. */
const MOST_LABELS = 0.5;
/** Of ticked boxes, and of those that are not. */
const FEWEST_OF_EACH = 2;
/** Pages from which on small numbers beside headings are those of a table of contents. */
const LONG_DOCUMENT = 5;

/** The kind itself, or the one that almost all texts hold. */
export function refinedKind(
  kind: ValueKind,
  findings: readonly Finding[],
  conventions: Conventions,
): ValueKind {
  if (kind !== "text" || findings.length === 0) return kind;
  const held = findings.map(({ text }) =>
    text.length > LONGEST_READ
      ? new Set<ValueKind>()
      : new Set(recognise(text, conventions).map((value) => value.kind)),
  );
  return (
    READABLE.find(
      (each) => held.filter((kinds) => kinds.has(each)).length >= MOST_HOLD_IT * findings.length,
    ) ?? kind
  );
}

export function areValues(
  kind: ValueKind,
  findings: readonly Finding[],
  documents: readonly SampleDocument[],
  isLabel: (key: string) => boolean,
): boolean {
  if (kind === "text") {
    const labels = findings.filter(({ text }) => isLabel(labelKey(text))).length;
    if (labels > MOST_LABELS * findings.length) return false;
    const running = findings.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
    const passages = findings.filter(({ text }) => text.split(/\s+/).length > MOST_WORDS).length;
    return Math.max(running, passages) <= MOST_RUNNING * findings.length;
  }
  if (kind === "boolean") {
    // "None" under a heading is no answer to it: a form is ticked here and not there.
    const yes = findings.filter(({ normal }) => normal === true).length;
    return Math.min(yes, findings.length - yes) >= FEWEST_OF_EACH;
  }
  if (kind !== "number") return true;
  const pages = Math.max(...documents.map(({ content }) => content.pages));
  if (pages < LONG_DOCUMENT) return true;
  return !findings.every(
    ({ normal }) =>
      typeof normal === "number" && Number.isInteger(normal) && Math.abs(normal) <= pages,
  );
}
