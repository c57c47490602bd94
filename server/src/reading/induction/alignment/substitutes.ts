/**
 * Fields of forms that ask in different orders, or leave some out: each issuer has labels of its own,
 * and no document has two of them for one thing. Labels that documents have instead of each other are
 * joined where they are likelier one field than either is with any other label of the other's forms:
 * an assignment in which only what is clear is taken, again and again, as each pair that is joined
 * leaves fewer to choose from.
 */

import type { Mention } from "../candidates/mention.ts";
import type { ValueKind } from "../values/value.ts";
import { contradict } from "../words/label-concepts.ts";
import type { LabelGroup } from "./label-group.ts";
import { areOfOneKin } from "./likeness.ts";
import { placeLikeness } from "./order.ts";
import type { Cluster } from "./place.ts";
import {
  labelLikeness,
  type Profile,
  profileOf,
  sizeOf,
  substituteLikeness,
} from "./substitute-likeness.ts";

/** Fields that are compared, most documents first. */
const MOST_FIELDS = 160;
/** What a single document has for a label is often a value: words that have to do with the other's show it. */
const FEWEST_DOCUMENTS = 2;
const LEAST_RELATED_OF_ONE = 0.25;
const LEAST_LIKELY = 0.4;
/** Likelier by so much than what else either could be. */
const LEAST_AHEAD = 0.2;
const MOST_ROUNDS = 8;
/** Of what points at one place. */
const SURE = 10;
/** Where the glossary takes the labels for two things, and the place that overrules it nevertheless. */
const CONTRARY = 0.4;
const LEAST_PLACED = 0.75;

interface Field {
  readonly groups: Cluster;
  readonly documents: ReadonlySet<string>;
  /** Where each document has it first. */
  readonly spans: ReadonlyMap<string, Span>;
  /** Whether only sentences say it. */
  readonly isPhrase: boolean;
  /** Of its labels: what words of a sentence mean tells nothing apart. */
  readonly labels: readonly string[];
  readonly profile: Profile;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Whether keys of two labels are known to name different things. */
export type AreApart = (a: string, b: string) => boolean;

/** The clusters, joined: of joined ones the first's place. */
export function joinSubstitutes(
  clusters: readonly Cluster[],
  areApart: AreApart = () => false,
): Cluster[] {
  const inOrder = valuesInOrder(clusters);
  const compared = chosen(clusters);
  let fields = clusters.map((groups): Field | Cluster =>
    compared.has(groups) ? fieldOf(groups, inOrder) : groups,
  );
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const pairs = clearPairs(fields, areApart);
    if (pairs.length === 0) break;
    const gone = new Set<number>();
    for (const [into, from] of pairs) {
      fields[into] = fieldOf([...groupsOf(fields[into]!), ...groupsOf(fields[from]!)], inOrder);
      gone.add(from);
    }
    fields = fields.filter((_, index) => !gone.has(index));
  }
  return fields.map(groupsOf);
}

const isField = (each: Field | Cluster): each is Field => "profile" in each;
const groupsOf = (each: Field | Cluster): Cluster => (isField(each) ? each.groups : each);

/**
 * What has a label or words of a sentence before it; a heading's text is compared
 * with nothing, nor is a label that holds a value (`Notice no. 350 of`).
 */
function chosen(clusters: readonly Cluster[]): ReadonlySet<Cluster> {
  const named = clusters
    .map((groups) => ({ groups, documents: documentsOf(groups).size }))
    .filter(({ groups }) =>
      groups.some(({ key, mentions }) => !/\d{2}/.test(key) && mentions.some(isCompared)),
    )
    .sort((a, b) => b.documents - a.documents)
    .slice(0, MOST_FIELDS);
  return new Set(named.map(({ groups }) => groups));
}

const isOfForm = ({ origin }: Mention): boolean => origin === "label" || origin === "table";
const isCompared = ({ origin }: Mention): boolean => origin !== "section";
const documentsOf = (groups: Cluster): Set<string> =>
  new Set(groups.flatMap(({ documents }: LabelGroup) => [...documents]));

function fieldOf(
  groups: Cluster,
  inOrder: (id: string, kind: ValueKind) => readonly number[],
): Field {
  const mentions = groups.flatMap((group) => group.mentions.filter(isCompared));
  const keys = groups.map(({ key }) => key);
  const spans = new Map<string, Span>();
  for (const { documentId, finding } of mentions) {
    const known = spans.get(documentId);
    if (known === undefined || finding.start < known.start) spans.set(documentId, finding);
  }
  return {
    groups,
    documents: documentsOf(groups),
    spans,
    isPhrase: mentions.every((mention) => !isOfForm(mention)),
    labels: groups.filter((group) => group.mentions.some(isOfForm)).map(({ key }) => key),
    profile: profileOf(keys, mentions, inOrder),
  };
}

/** Of each document, the labels' values of a kind: one a label. */
function valuesInOrder(
  clusters: readonly Cluster[],
): (id: string, kind: ValueKind) => readonly number[] {
  const values = new Map<string, number[]>();
  for (const groups of clusters) {
    const seen = new Set<string>();
    for (const mention of groups.flatMap((group) => group.mentions)) {
      const place = `${mention.documentId} ${mention.kind}`;
      const size = sizeOf(mention.finding.normal);
      if (size === null || !isCompared(mention) || seen.has(place)) continue;
      seen.add(place);
      const known = values.get(place);
      if (known === undefined) values.set(place, [size]);
      else known.push(size);
    }
  }
  return (id, kind) => values.get(`${id} ${kind}`) ?? [];
}

/** Pairs that nothing else rivals, each field once; the clearest first. */
function clearPairs(fields: readonly (Field | Cluster)[], areApart: AreApart): [number, number][] {
  const compared = fields.flatMap((field, index) => (isField(field) ? [{ field, index }] : []));
  const size = compared.length;
  const orderLikeness = placeLikeness(ordersOf(compared.map(({ field }) => field)), size);
  const likely = compared.map(() => new Float64Array(size).fill(-Infinity));
  const together = compared.map(() => new Uint8Array(size));
  for (let a = 0; a < size; a += 1) {
    for (let b = a + 1; b < size; b += 1) {
      const [one, two] = [compared[a]!.field, compared[b]!.field];
      const relation = relationOf(one, two);
      if (relation === "same" && mayBeOne(one, two, areApart)) likely[a]![b] = likely[b]![a] = SURE;
      else if (relation !== "apart") together[a]![b] = together[b]![a] = 1;
      else if (mayBeOne(one, two, areApart))
        likely[a]![b] = likely[b]![a] = apartLikeness(one, two, orderLikeness(a, b));
    }
  }
  /** The likeliest that `a` could be instead of `b`, among the labels of `b`'s forms. */
  const rival = (a: number, b: number): number => {
    let most = 0;
    for (let c = 0; c < size; c += 1) {
      if (c !== b && together[b]![c] === 1) most = Math.max(most, likely[a]![c]!);
    }
    return most;
  };
  const clear: { readonly a: number; readonly b: number; readonly ahead: number }[] = [];
  for (let a = 0; a < size; a += 1) {
    for (let b = a + 1; b < size; b += 1) {
      const own = likely[a]![b]!;
      if (own < LEAST_LIKELY || !isSureLabel(compared[a]!.field, compared[b]!.field)) continue;
      const ahead = own - Math.max(rival(a, b), rival(b, a));
      if (ahead >= LEAST_AHEAD) clear.push({ a, b, ahead });
    }
  }
  clear.sort((x, y) => y.ahead - x.ahead || x.a - y.a || x.b - y.b);
  const taken = new Set<number>();
  return clear.flatMap(({ a, b }): [number, number][] => {
    if (taken.has(a) || taken.has(b)) return [];
    taken.add(a).add(b);
    return [[compared[a]!.index, compared[b]!.index]];
  });
}

/** Of each document, the fields as it has them. */
function ordersOf(fields: readonly Field[]): number[][] {
  const places = new Map<string, { readonly index: number; readonly start: number }[]>();
  for (const [index, { spans }] of fields.entries()) {
    for (const [document, { start }] of spans) {
      const own = places.get(document);
      if (own === undefined) places.set(document, [{ index, start }]);
      else own.push({ index, start });
    }
  }
  return [...places.values()].map((own) =>
    own.sort((a, b) => a.start - b.start || a.index - b.index).map(({ index }) => index),
  );
}

/**
 * Of the documents that have both: whether they point at one place there, as two phrases around one
 * value do. Two labels that do so are read wrongly, one of them at least.
 */
function relationOf(a: Field, b: Field): "apart" | "same" | "different" {
  const areLabels = !a.isPhrase && !b.isPhrase;
  const [few, many] = a.spans.size <= b.spans.size ? [a, b] : [b, a];
  let relation: "apart" | "same" = "apart";
  for (const [document, own] of few.spans) {
    const other = many.spans.get(document);
    if (other === undefined) continue;
    if (areLabels || own.start >= other.end || other.start >= own.end) return "different";
    relation = "same";
  }
  return relation;
}

function isSureLabel(a: Field, b: Field): boolean {
  if (Math.min(a.documents.size, b.documents.size) >= FEWEST_DOCUMENTS) return true;
  return labelLikeness(a.profile.keys, b.profile.keys) >= LEAST_RELATED_OF_ONE;
}

/** @param place what the order of the forms' labels says */
function apartLikeness(a: Field, b: Field, place: number): number {
  const likeness = substituteLikeness(a.profile, b.profile, place);
  if (!areContrary(a, b)) return likeness;
  return place >= LEAST_PLACED ? likeness - CONTRARY : -Infinity;
}

/** By the glossary, which knows one sense of a word that has several: a ship is sent elsewhere. */
const areContrary = (a: Field, b: Field): boolean =>
  a.labels.some((one) => b.labels.some((other) => contradict(one, other)));

function mayBeOne(a: Field, b: Field, areApart: AreApart): boolean {
  return (
    areOfOneKin(a.groups, b.groups) &&
    !a.profile.keys.some((one) => b.profile.keys.some((other) => areApart(one, other)))
  );
}
