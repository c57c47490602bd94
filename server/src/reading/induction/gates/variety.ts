/** Variety: a field that answers the same in every document tells a model nothing. */

import { distance } from "fastest-levenshtein";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";
import { answersOfHeld, type Gate, isPresence, rounded } from "./gate.ts";
import { evenness } from "./mutual-information.ts";

/** Two values of which one is rarer than about 1 in 50. */
const LEAST_EVENNESS = 0.15;
/** Fewer held-back answers than this are too few to measure by: all answers are taken. */
const ENOUGH_HELD = 8;
/** In fewer documents than this, anything may be the same by chance. */
const FEWEST_TO_JUDGE = 4;
/**
 * From so many documents on, a clause that all have (or none) is constant: were one in ten different,
 * the chance to see none of them would be below 5 %.
 */
const ENOUGH_FOR_CONSTANT = 29;

/** Kinds whose texts may be one text that was read in several ways. */
const NAMES: ReadonlySet<ValueKind> = new Set([
  "text",
  "organization",
  "person",
  "address",
  "place",
]);
const SHORTEST_LIKE = 10;
/** Of its letters, what may differ in a text that is read twice. */
const MOST_MISREAD = 0.25;
const MOST_LETTERS = 120;

/** Each text by the first that is like it: boilerplate of scans is constant however it was read. */
function likeTexts(texts: readonly string[]): string[] {
  const leaders: string[] = [];
  return texts.map((text) => {
    if (text.length < SHORTEST_LIKE) return text;
    const start = text.slice(0, MOST_LETTERS);
    const leader = leaders.find((other) => {
      const longest = Math.max(start.length, other.length);
      return (
        Math.abs(start.length - other.length) <= MOST_MISREAD * longest &&
        distance(start, other) <= MOST_MISREAD * longest
      );
    });
    if (leader !== undefined) return leader;
    leaders.push(start);
    return start;
  });
}

export const varietyGate: Gate = (field, context) => {
  const gate = "variety";
  const held = answersOfHeld(field, context);
  const answers =
    held.length >= ENOUGH_HELD ? held : field.answers.filter((answer) => answer !== null);
  const keys = answers.map(({ value }) => comparingKey(field.proposal.kind, value));
  const values = NAMES.has(field.proposal.kind) ? likeTexts(keys) : keys;
  const score = rounded(evenness(values));
  if (score >= LEAST_EVENNESS) return { gate, passed: true, score, note: null };
  if (field.isNamed && answers.length > 0) {
    return { gate, passed: true, score, note: "justified: the use case names it" };
  }
  if (isPresence(field) && field.answers.length < ENOUGH_FOR_CONSTANT) {
    const note = `justified: ${field.answers.length} documents are too few to call a clause constant`;
    return { gate, passed: true, score, note };
  }
  if (field.answers.length < FEWEST_TO_JUDGE) {
    const note = `justified: ${field.answers.length} documents are too few to call it constant`;
    return { gate, passed: true, score, note };
  }
  const note =
    new Set(values).size > 1 ? "almost all documents answer the same" : "all answer the same";
  return { gate, passed: false, score, note };
};
