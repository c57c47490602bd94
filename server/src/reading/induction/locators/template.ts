/** Finds what stands between fixed words that all documents of a sample share. */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { findingOf, ordered, readStretch } from "./finding.ts";
import { labelWords } from "./label-key.ts";
import { wordsOf } from "./layout.ts";
import type { Locator, Target } from "./locator.ts";

type TemplateLocator = Extract<Locator, { kind: "template" }>;

const SURENESS = 0.9;

export function locateTemplate(
  content: DocumentText,
  locator: TemplateLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const before = labelWords(locator.before).map(({ key }) => key);
  const after = labelWords(locator.after).map(({ key }) => key);
  if (before.length + after.length === 0) return [];
  const findings: Finding[] = [];
  for (const line of content.lines) {
    const words = wordsOf(line);
    const keys = words.map(({ key }) => key);
    const from = before.length === 0 ? 0 : indexAfter(keys, before, 0);
    if (from < 0) continue;
    const to = after.length === 0 ? keys.length : indexAfter(keys, after, from) - after.length;
    if (to <= from) continue;
    const start = from === 0 ? 0 : words[from - 1]!.end;
    const end = to === words.length ? line.text.length : words[to]!.start;
    const text = line.text.slice(start, end);
    const lead = /^[\s:：=|#.,;-]*/u.exec(text)![0].length;
    const stretch = { line, start: start + lead, end: start + text.trimEnd().length };
    if (stretch.end <= stretch.start) continue;
    const value = readStretch(stretch, target, conventions);
    if (value !== null) findings.push(findingOf(line, value, SURENESS * value.certainty));
  }
  return ordered(findings, "first");
}

/** Index after the first run of words, or a negative number where there is none. */
function indexAfter(keys: readonly string[], run: readonly string[], from: number): number {
  for (let index = from; index + run.length <= keys.length; index += 1) {
    if (run.every((key, offset) => keys[index + offset] === key)) return index + run.length;
  }
  return Number.NEGATIVE_INFINITY;
}
