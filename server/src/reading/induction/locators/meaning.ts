/**
 * Finds values by labels of one meaning, also where the sample writes none of their words: what is
 * learned from `Anfangssaldo` is found beside `Opening balance` and `Ancien solde`.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { locateLabel } from "./label.ts";
import { inlineLabels, isLabelText, LABEL_AND_COLON } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import type { Locator, Target } from "./locator.ts";

type MeaningLocator = Extract<Locator, { kind: "meaning" }>;
type LabelLocator = Extract<Locator, { kind: "label" }>;

const MOST_LINES = 2_000;
/** The glossary is surer of some words than of others. */
const SURENESS = 0.95;

const byMeaning = new WeakMap<DocumentText, ReadonlyMap<string, ReadonlySet<string>>>();
const followed = new WeakMap<MeaningLocator, Map<string, LabelLocator>>();

export function locateMeaning(
  content: DocumentText,
  locator: MeaningLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const written = labelsOf(content);
  const labels = locator.meanings.flatMap((meaning) => [...(written.get(meaning) ?? [])]).sort();
  if (labels.length === 0) return [];
  const found = locateLabel(content, labelLocator(locator, labels), target, conventions);
  return found.map((finding) => ({ ...finding, confidence: finding.confidence * SURENESS }));
}

/** One for each set of labels, so that it is compiled once. */
function labelLocator(locator: MeaningLocator, labels: string[]): LabelLocator {
  let own = followed.get(locator);
  if (own === undefined) {
    own = new Map();
    followed.set(locator, own);
  }
  const key = labels.join("\n");
  let label = own.get(key);
  if (label === undefined) {
    const { except } = locator;
    label = { kind: "label", labels, where: ["right", "below"], pick: "first", except };
    own.set(key, label);
  }
  return label;
}

/** What may be a label in the document, by what it means. */
function labelsOf(content: DocumentText): ReadonlyMap<string, ReadonlySet<string>> {
  let labels = byMeaning.get(content);
  if (labels !== undefined) return labels;
  const read = new Map<string, Set<string>>();
  const add = (text: string, isNamed = false): void => {
    // `T: +49 …`
    if (!isLabelText(text) && !(isNamed && /^\p{L}$/u.test(text))) return;
    const key = labelKey(text);
    const meaning = meaningOf(key);
    if (meaning === null) return;
    const known = read.get(meaning);
    if (known === undefined) read.set(meaning, new Set([key]));
    else known.add(key);
  };
  for (const { spans } of content.lines.slice(0, MOST_LINES)) {
    for (const { text } of spans) {
      const colons = [...text.matchAll(LABEL_AND_COLON)];
      for (const { 1: label } of colons) add(label!, true);
      if (colons.length === 0) add(text);
      for (const { label } of inlineLabels(text)) add(label);
    }
  }
  labels = read;
  byMeaning.set(content, labels);
  return labels;
}
