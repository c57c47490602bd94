/** Variety: a field that answers the same in every document tells a model nothing. */

import { comparingKey } from "../values/same-value.ts";
import { answersOfHeld, type Gate, isPresence, rounded } from "./gate.ts";
import { evenness } from "./mutual-information.ts";

/** Two values of which one is rarer than about 1 in 50. */
export const LEAST_EVENNESS = 0.15;
/** Fewer held-back answers than this are too few to measure by: all answers are taken. */
const ENOUGH_HELD = 8;
/**
 * From so many documents on, a clause that all have (or none) is constant: were one in ten different,
 * the chance to see none of them would be below 5 %.
 */
const ENOUGH_FOR_CONSTANT = 29;

export const varietyGate: Gate = (field, context) => {
  const gate = "variety";
  const held = answersOfHeld(field, context);
  const answers =
    held.length >= ENOUGH_HELD ? held : field.answers.filter((answer) => answer !== null);
  const values = answers.map(({ value }) => comparingKey(field.proposal.kind, value));
  const score = rounded(evenness(values));
  if (score >= LEAST_EVENNESS) return { gate, passed: true, score, note: null };
  if (isPresence(field) && field.answers.length < ENOUGH_FOR_CONSTANT) {
    const note = `justified: ${field.answers.length} documents are too few to call a clause constant`;
    return { gate, passed: true, score, note };
  }
  const note =
    new Set(values).size > 1 ? "almost all documents answer the same" : "all answer the same";
  return { gate, passed: false, score, note };
};
