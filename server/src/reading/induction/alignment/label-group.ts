/** All mentions of a sample that write a label alike: what alignment compares and joins. */

import type { Mention } from "../candidates/mention.ts";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";

export interface LabelGroup {
  /** `labelKey` of all its mentions. */
  readonly key: string;
  readonly words: readonly string[];
  readonly mentions: readonly Mention[];
  /** Ids of the documents that mention it. */
  readonly documents: ReadonlySet<string>;
  /** Mentions of each kind of value. */
  readonly kinds: ReadonlyMap<ValueKind, number>;
  /** Mentions beside which each other label stands. */
  readonly neighbours: ReadonlyMap<string, number>;
  /** First value of each document, as compared. */
  readonly values: ReadonlyMap<string, string>;
}

/** Longer is a sentence. */
const MOST_WORDS = 8;
/** Groups beyond this are left out, those of fewest documents first. */
const MOST_GROUPS = 600;

/** In one order whatever that of the mentions: most documents first, then by key. */
export function groupByLabel(mentions: readonly Mention[]): LabelGroup[] {
  const byKey = new Map<string, Mention[]>();
  for (const mention of mentions) {
    const { key } = mention;
    if (!/\p{L}{2}/u.test(key) || key.split(" ").length > MOST_WORDS) continue;
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [mention]);
    else same.push(mention);
  }
  return [...byKey]
    .map(([key, each]) => groupOf(key, each))
    .sort((a, b) => b.documents.size - a.documents.size || compare(a.key, b.key))
    .slice(0, MOST_GROUPS);
}

function groupOf(key: string, unordered: readonly Mention[]): LabelGroup {
  const mentions = [...unordered].sort(byPlace);
  const kinds = new Map<ValueKind, number>();
  const neighbours = new Map<string, number>();
  const values = new Map<string, string>();
  for (const { kind, finding, documentId, neighbours: beside } of mentions) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const other of beside) {
      if (other !== null) neighbours.set(other, (neighbours.get(other) ?? 0) + 1);
    }
    if (!values.has(documentId)) values.set(documentId, comparingKey(kind, finding.normal));
  }
  const documents = new Set(mentions.map(({ documentId }) => documentId));
  return { key, words: key.split(" "), mentions, documents, kinds, neighbours, values };
}

/** Not by the documents' ids, which are other ones at each upload: by what stands there. */
function byPlace(a: Mention, b: Mention): number {
  return (
    a.finding.start - b.finding.start ||
    a.finding.end - b.finding.end ||
    compare(a.origin, b.origin) ||
    compare(a.finding.text, b.finding.text) ||
    compare(a.documentId, b.documentId)
  );
}

/** The most frequent entry; of equals, the first by its text. */
export function mostFrequent<Value extends string>(
  values: ReadonlyMap<Value, number>,
): Value | null {
  const [best] = [...values].sort(([a, n], [b, m]) => m - n || compare(a, b));
  return best?.[0] ?? null;
}

export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
