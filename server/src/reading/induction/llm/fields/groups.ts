/**
 * Fields of single documents as fields of all: those of one name are one to begin with. Which names
 * mean the same is the model's to say (`review/merge-prompt.ts`), within what the documents allow:
 * two fields that single documents answer differently are two.
 */

import type { ValueKind } from "../../values/value.ts";
import type { Place } from "../verify/quote-finder.ts";
import type { SeenField } from "./verified.ts";

export interface Group {
  /** Of the documents, most first. */
  readonly name: string;
  readonly question: string;
  /** In the documents' order. */
  readonly seen: readonly SeenField[];
}

/** Most often seen first, then by name. */
export function groupsByName(seen: readonly SeenField[]): Group[] {
  const byName = new Map<string, SeenField[]>();
  for (const field of seen) {
    const there = byName.get(field.name);
    if (there === undefined) byName.set(field.name, [field]);
    else there.push(field);
  }
  return ordered([...byName].map(([name, fields]) => groupOf(fields, name)));
}

/** @param question where the group has none of its own yet: the most frequent one of what was seen */
export function groupOf(seen: readonly SeenField[], name: string, question?: string): Group {
  const inOrder = [...seen].sort((a, b) => a.document - b.document);
  return {
    name,
    question: question ?? commonest(inOrder.map((field) => field.question)),
    seen: inOrder,
  };
}

export function ordered(groups: readonly Group[]): Group[] {
  return [...groups].sort(
    (a, b) => documentsOf(b).size - documentsOf(a).size || (a.name < b.name ? -1 : 1),
  );
}

export const documentsOf = ({ seen }: Group): Set<number> =>
  new Set(seen.map(({ document }) => document));

/** Whether their values are of unlike kinds, or most documents that state both do so at different places. */
export function areDifferent(a: Group, b: Group): boolean {
  if (formOf(a) !== formOf(b)) return true;
  let both = 0;
  let apart = 0;
  const places = placesByDocument(b);
  for (const [document, mine] of placesByDocument(a)) {
    const theirs = places.get(document);
    if (theirs === undefined) continue;
    both += 1;
    if (!mine.some((place) => theirs.some((other) => overlap(place, other)))) apart += 1;
  }
  return apart * 2 > both;
}

const NUMBERS: ReadonlySet<ValueKind> = new Set(["money", "number", "percent", "quantity"]);

/** What the group's first field was said to be: kinds of one form are easily taken for each other. */
function formOf({ seen }: Group): "number" | "date" | "boolean" | "words" {
  const kind = seen[0]?.kind ?? "text";
  if (NUMBERS.has(kind)) return "number";
  return kind === "date" || kind === "boolean" ? kind : "words";
}

function placesByDocument({ seen }: Group): Map<number, Place[]> {
  const places = new Map<number, Place[]>();
  for (const { document, evidence } of seen) {
    const here = places.get(document) ?? [];
    for (const { value, quote } of evidence) here.push(typeof value === "boolean" ? quote : value);
    places.set(document, here);
  }
  return places;
}

const overlap = (a: Place, b: Place): boolean => a.start < b.end && b.start < a.end;

/** The most frequent; of several the first in the alphabet. */
function commonest(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [best] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (best === undefined) throw new RangeError("the commonest of none");
  return best[0];
}
