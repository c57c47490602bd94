/**
 * Identifying: names, codes and texts that are another in every document name the document and
 * describe nothing to a model. They are what rows are told apart and joined by, though: where there
 * is room for further questions, they come last, but for texts that have no label.
 */

import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";
import { type Gate, isFieldOfForm, rounded } from "./gate.ts";

/** Kinds of which each value may differ and still be a measure. */
const MEASURES: ReadonlySet<ValueKind> = new Set([
  "date",
  "money",
  "number",
  "percent",
  "quantity",
  "duration",
  "boolean",
]);
const CODES: ReadonlySet<ValueKind> = new Set(["identifier", "phone", "email", "url"]);
/** Of a skill's field that is worth asking though it identifies. */
const LEAST_WEIGHT = 0.35;
const MOST_DISTINCT = 0.9;

/** Of texts, those that are a time of day, as they are compared: a measure too. */
const MOSTLY = 0.8;
const TIME = /^(?:[01]?\d|2[0-3]) [0-5]\d(?: [0-5]\d)?(?: (?:am|pm|a m|p m|uhr|h|hrs))?$/;

function areTimes(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.filter((key) => TIME.test(key)).length >= MOSTLY * keys.length;
}

export const identifyingGate: Gate = (field) => {
  const gate = "identifying";
  const { proposal, isAsked } = field;
  const values = field.answers.flatMap((answer) =>
    answer === null ? [] : [comparingKey(proposal.kind, answer.value)],
  );
  const score = values.length === 0 ? 0 : rounded(new Set(values).size / values.length);
  const isMeasure = MEASURES.has(proposal.kind) || areTimes(values);
  if (isMeasure) return { gate, passed: true, score, note: null };
  const isCode = CODES.has(proposal.kind);
  if (!isCode && score <= MOST_DISTINCT) return { gate, passed: true, score, note: null };
  if (isAsked) return { gate, passed: true, score, note: "justified: the use case speaks of it" };
  if (proposal.weight >= LEAST_WEIGHT) {
    return { gate, passed: true, score, note: "justified: the skill asks for it" };
  }
  const note = isCode
    ? "it names the document or its parties"
    : "it is another text in every document";
  if (proposal.kind === "text" && !isFieldOfForm(field)) {
    return { gate, passed: false, score, note };
  }
  return { gate, passed: true, isSpare: true, score, note: `there is room for it, though ${note}` };
};
