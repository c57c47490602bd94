/**
 * What the documents of a sample call things: the words that stand before colons and those pieces of
 * lines that come back in most documents while what stands before or behind them differs. Where a
 * label begins between a value and its colon (`Springfield, IL File Number:`) the documents
 * decide together: its words come back, the value's do not. As in wrapper induction (Crescenzi,
 * Mecca and Merialdo, "RoadRunner", 2001), what is shared is the form and what differs is filled in.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import { bareLabels } from "./bare-labels.ts";
import { namedLabels } from "./named-labels.ts";

/** The most frequent ones are kept. */
const MOST_LABELS = 400;

/** @returns `labelKey`s, in order */
export function learnLabels(documents: readonly DocumentText[]): string[] {
  const named = namedLabels(documents);
  const bare = bareLabels(documents, new Set(named.keys()));
  return [...new Map([...bare, ...named])]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_LABELS)
    .map(([key]) => key)
    .sort();
}
