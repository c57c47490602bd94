/** What an interval or a set promises: of all rows together, and not of the one that it is told with. */

import { figure, percent, shortened } from "@distillery/engine/charts";

const MOST_CLASSES = 12;
const LONGEST_NAME = 80;
/** By so much less than the coverage, what the model gives a set by itself is told. */
const LESS = 0.05;

export function intervalPromise(
  [low, high]: readonly [low: number, high: number],
  coverage: number,
): string {
  return `${percent(coverage, 0)} interval: ${figure(low)} to ${figure(high)}. Such intervals hold the truth in about ${percent(coverage, 0)} of all rows.`;
}

/**
 * @param set classes that may be the true one, at least one
 * @param probabilities by class, as the model gives them
 */
export function setPromise(
  set: readonly string[],
  probabilities: readonly (readonly [name: string, probability: number])[],
  coverage: number,
): string {
  const named = set.slice(0, MOST_CLASSES).map((name) => shortened(name, LONGEST_NAME));
  const more = set.length - named.length;
  const names = new Intl.ListFormat("en", { type: "disjunction" }).format(
    more > 0 ? [...named, `one of ${more} more`] : named,
  );
  const of = new Map(probabilities);
  const given = set.reduce((sum, name) => sum + (of.get(name) ?? 0), 0);
  const doubt =
    given < coverage - LESS
      ? ` Of this row the model is less sure: it gives ${set.length === 1 ? "it" : "them together"} ${percent(given, 0)}.`
      : "";
  return `${percent(coverage, 0)} set: ${names}. Such sets hold the truth in about ${percent(coverage, 0)} of all rows.${doubt}`;
}

/** How far a share is moved: so much of 100, and not of what it was. */
export const points = (share: number): string => percent(share).replace(/\s%$/, " points");
