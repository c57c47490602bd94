/** Mentions of many documents as fields: labels that name one thing, whatever each document writes. */

import type { Mention, MentionOrigin } from "../candidates/mention.ts";
import type { Finding } from "../inducer.ts";
import type { Locator } from "../locators/locator.ts";
import type { ValueKind } from "../values/value.ts";
import { completeLinkage } from "./complete-linkage.ts";
import { compare, groupByLabel, type LabelGroup, mostFrequent } from "./label-group.ts";
import { ALIKE, likeness } from "./likeness.ts";
import { joinByPlace } from "./place.ts";
import { type AreApart, joinSubstitutes } from "./substitutes.ts";

export interface AlignedField {
  /** Labels before words of sentences, most documents first. */
  readonly keys: readonly string[];
  /** As written, one a key, in the same order. */
  readonly labels: readonly string[];
  readonly kind: ValueKind;
  /** The share of the documents that mention it in which a value is of its kind. */
  readonly kindAgreement: number;
  readonly origin: MentionOrigin;
  /** Documents that mention it. */
  readonly documents: number;
  /** By document id, the first mention of the field's kind. */
  readonly findings: ReadonlyMap<string, Finding>;
  /** By document id, the first mention of whatever kind. */
  readonly stated: ReadonlyMap<string, StatedValue>;
  /** That find its mentions, most documents first. */
  readonly locators: readonly Locator[];
}

export interface StatedValue {
  readonly kind: ValueKind;
  readonly finding: Finding;
}

/** Locators kept of one field. */
const MOST_LOCATORS = 4;

/**
 * Most documents first, then by label.
 * @param areApart that are known to name different things, as where a use case names both
 */
export function align(mentions: readonly Mention[], areApart?: AreApart): AlignedField[] {
  const groups = groupByLabel(mentions);
  const clusters = completeLinkage(groups, likeness, ALIKE);
  const placed = joinByPlace(clusters.map((cluster) => cluster.map((index) => groups[index]!)));
  return joinSubstitutes(placed, areApart)
    .map(fieldOf)
    .sort((a, b) => b.documents - a.documents || compare(a.keys[0]!, b.keys[0]!));
}

function fieldOf(unordered: readonly LabelGroup[]): AlignedField {
  const groups = [...unordered].sort(byDocuments);
  const mentions = groups.flatMap((group) => group.mentions);
  const kind = mostStated(mentions);
  const ofKind = mentions.filter((mention) => mention.kind === kind);
  const findings = new Map<string, Finding>();
  for (const { documentId, finding } of ofKind) {
    if (!findings.has(documentId)) findings.set(documentId, finding);
  }
  const stated = new Map<string, StatedValue>();
  for (const { documentId, finding, kind: own } of mentions) {
    if (!stated.has(documentId)) stated.set(documentId, { kind: own, finding });
  }
  return {
    keys: groups.map(({ key }) => key),
    labels: groups.map(({ mentions: own }) => writtenLabel(own)),
    kind,
    kindAgreement: findings.size / new Set(mentions.map(({ documentId }) => documentId)).size,
    origin: originOf(ofKind),
    documents: findings.size,
    findings,
    stated,
    // Where one issuer writes the unit and another does not, both have labels to follow.
    locators: joinedLocators([...ofKind, ...mentions.filter((each) => each.kind !== kind)]),
  };
}

/** A form's labels before what sentences say, as they name a field better. */
const byDocuments = (a: LabelGroup, b: LabelGroup): number =>
  Number(isLabel(b)) - Number(isLabel(a)) ||
  b.documents.size - a.documents.size ||
  compare(a.key, b.key);

const isLabel = ({ mentions }: LabelGroup): boolean =>
  mentions.some(({ origin }) => origin === "label" || origin === "table");

/** Surest first: what stands beside a label is told apart better than what a sentence goes on with. */
const ORIGINS: readonly MentionOrigin[] = ["label", "table", "section", "phrase", "template"];

/** The kind of value that most documents have; of equals, that of the surest origin. */
function mostStated(mentions: readonly Mention[]): ValueKind {
  const kinds = new Map<ValueKind, { readonly documents: Set<string>; origin: number }>();
  for (const { kind, documentId, origin } of mentions) {
    const known = kinds.get(kind) ?? { documents: new Set<string>(), origin: ORIGINS.length };
    known.documents.add(documentId);
    known.origin = Math.min(known.origin, ORIGINS.indexOf(origin));
    kinds.set(kind, known);
  }
  const [best] = [...kinds].sort(
    ([a, x], [b, y]) => y.documents.size - x.documents.size || x.origin - y.origin || compare(a, b),
  );
  return best?.[0] ?? "text";
}

/** What most say; a label that a third of them has before its value is no heading or piece of a sentence. */
function originOf(mentions: readonly Mention[]): MentionOrigin {
  const origins = count(mentions, ({ origin }) => origin);
  const isLabel = 3 * (origins.get("label") ?? 0) >= mentions.length;
  return isLabel ? "label" : (mostFrequent(origins) ?? "label");
}

/** Dots that lead from a label to its value. */
const LEADERS = /(?:\s*[.·…_]){2,}\s*$/u;

function writtenLabel(mentions: readonly Mention[]): string {
  return mostFrequent(count(mentions, ({ label }) => label.replace(LEADERS, "").trim())) ?? "";
}

/** Locators that differ in nothing but their labels, or their patterns, are one. */
function joinedLocators(mentions: readonly Mention[]): Locator[] {
  const joined = new Map<string, { locator: Locator; readonly documents: Set<string> }>();
  for (const { locator, documentId } of mentions) {
    const shape = shapeOf(locator);
    const known = joined.get(shape);
    if (known === undefined) {
      joined.set(shape, { locator, documents: new Set([documentId]) });
      continue;
    }
    known.documents.add(documentId);
    known.locator = withAllOf(known.locator, locator);
  }
  return [...joined]
    .sort(([a, { documents: m }], [b, { documents: n }]) => n.size - m.size || compare(a, b))
    .slice(0, MOST_LOCATORS)
    .map(([, { locator }]) => locator);
}

function shapeOf(locator: Locator): string {
  if (locator.kind === "label") return JSON.stringify({ ...locator, labels: [] });
  return JSON.stringify(locator.kind === "phrase" ? { ...locator, patterns: [] } : locator);
}

function withAllOf(locator: Locator, other: Locator): Locator {
  if (locator.kind === "label" && other.kind === "label") {
    return { ...locator, labels: inOrder(locator.labels, other.labels) };
  }
  if (locator.kind === "phrase" && other.kind === "phrase") {
    return { ...locator, patterns: inOrder(locator.patterns, other.patterns) };
  }
  return locator;
}

const inOrder = (one: readonly string[], other: readonly string[]): string[] =>
  [...new Set([...one, ...other])].sort(compare);

function count<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, number> {
  const found = new Map<Key, number>();
  for (const item of items) {
    const key = keyOf(item);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}
