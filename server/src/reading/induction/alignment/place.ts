/**
 * Fields whose labels no glossary knows, by the place that they take among others: of forms in several
 * languages or wordings, each calls its fields in its own way, and asks for them in one order. Labels
 * that both forms have, or that are joined already, are anchors; where as many labels stand between two
 * of them in both, each with values like the other's, they name the same things.
 */

import type { Mention } from "../candidates/mention.ts";
import { contradict } from "../words/label-concepts.ts";
import { increasingPairs } from "./increasing-pairs.ts";
import { compare, type LabelGroup } from "./label-group.ts";
import { areOfOneKin } from "./likeness.ts";
import { areValuesAlike } from "./value-likeness.ts";

/** Different orders of labels that are compared, most documents first; and labels of one. */
const MOST_FORMS = 40;
const MOST_LABELS = 80;
/** Between two anchors. */
const LONGEST_GAP = 8;
/** Of the pairs of forms that could join two labels, those that do. */
const LEAST_JOINED = 0.5;
/** Of the labels between two anchors, those that may be the other form's. */
const LEAST_PLACED = 0.75;
const MOST_ROUNDS = 4;

export type Cluster = readonly LabelGroup[];

/** The clusters, joined: of joined ones the first's place. */
export function joinByPlace(clusters: readonly Cluster[]): Cluster[] {
  let joined: Cluster[] = [...clusters];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const pairs = pairsByPlace(joined);
    if (pairs.length === 0) break;
    const gone = new Set<number>();
    for (const [into, from] of pairs) {
      joined[into] = [...joined[into]!, ...joined[from]!];
      gone.add(from);
    }
    joined = joined.filter((_, index) => !gone.has(index));
  }
  return joined;
}

/** Clusters to join, each at most once; the surest first. */
function pairsByPlace(clusters: readonly Cluster[]): [number, number][] {
  const forms = formsOf(clusters);
  const votes = new Map<number, Map<number, number>>();
  const asked = new Map<number, Map<number, number>>();
  const mayJoin = memoised((a, b) => areOneField(clusters[a]!, clusters[b]!));
  for (const [index, one] of forms.entries()) {
    for (const other of forms.slice(index + 1)) {
      for (const [a, b] of placed(one, other, mayJoin)) add(votes, a, b);
      for (const a of one) for (const b of other) if (a !== b) add(asked, a, b);
    }
  }
  const surest = [...votes]
    .flatMap(([a, others]) => [...others].map(([b, n]) => ({ a, b, n })))
    .filter(({ a, b, n }) => n >= LEAST_JOINED * asked.get(a)!.get(b)!)
    .sort((x, y) => y.n - x.n || x.a - y.a || x.b - y.b);
  const taken = new Set<number>();
  return surest.flatMap(({ a, b }): [number, number][] => {
    if (taken.has(a) || taken.has(b)) return [];
    taken.add(a).add(b);
    return [[a, b]];
  });
}

function add(counts: Map<number, Map<number, number>>, a: number, b: number): void {
  const [low, high] = a < b ? [a, b] : [b, a];
  const own = counts.get(low) ?? new Map<number, number>();
  counts.set(low, own.set(high, (own.get(high) ?? 0) + 1));
}

/** The orders in which documents have the clusters, each once. */
function formsOf(clusters: readonly Cluster[]): number[][] {
  const first = new Map<string, Map<number, Mention>>();
  for (const [index, cluster] of clusters.entries()) {
    for (const mention of cluster.flatMap(({ mentions }) => mentions)) {
      if (mention.origin !== "label" && mention.origin !== "table") continue;
      const own = first.get(mention.documentId) ?? new Map<number, Mention>();
      first.set(mention.documentId, own);
      const known = own.get(index);
      if (known === undefined || mention.finding.start < known.finding.start) {
        own.set(index, mention);
      }
    }
  }
  const orders = [...first.values()].map((own) =>
    [...own]
      .sort(([a, m], [b, n]) => m.finding.start - n.finding.start || a - b)
      .slice(0, MOST_LABELS)
      .map(([index]) => index),
  );
  const distinct = Map.groupBy(orders, (order) => order.join(" "));
  return [...distinct]
    .sort(([a, m], [b, n]) => n.length - m.length || compare(a, b))
    .slice(0, MOST_FORMS)
    .map(([, [order]]) => order!);
}

/** Labels of two forms that take the same place between anchors. */
function placed(
  one: readonly number[],
  other: readonly number[],
  mayJoin: (a: number, b: number) => boolean,
): [number, number][] {
  const anchors = increasingPairs(one, other);
  const ends: (readonly [number, number])[] = [[-1, -1], ...anchors, [one.length, other.length]];
  return ends.slice(1).flatMap(([to, toOther], index): [number, number][] => {
    const [from, fromOther] = ends[index]!;
    const length = to - from - 1;
    const isOpen = from < 0 && to === one.length;
    if (length < 1 || length > LONGEST_GAP || isOpen || length !== toOther - fromOther - 1)
      return [];
    const pairs = Array.from({ length }, (_, step): [number, number] => [
      one[from + 1 + step]!,
      other[fromOther + 1 + step]!,
    ]);
    // What cannot be the other shows another order.
    const joined = pairs.filter(([a, b]) => mayJoin(a, b));
    return joined.length >= LEAST_PLACED * length ? joined : [];
  });
}

function areOneField(a: Cluster, b: Cluster): boolean {
  const documents = new Set(a.flatMap((group) => [...group.documents]));
  if (b.some((group) => [...group.documents].some((document) => documents.has(document)))) {
    return false;
  }
  if (a.some((one) => b.some((other) => contradict(one.key, other.key)))) return false;
  return areOfOneKin(a, b) && areValuesAlike(a, b);
}

function memoised(test: (a: number, b: number) => boolean): (a: number, b: number) => boolean {
  const known = new Map<string, boolean>();
  return (a, b) => {
    const key = `${a} ${b}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = test(a, b);
    known.set(key, value);
    return value;
  };
}
