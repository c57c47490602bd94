/**
 * Coverage: the share of held-back documents that state the field. Fields that skill or use case ask
 * for may be rarer: that a contract is silent on renewal is an answer too. So may, where there is room
 * for further questions, those that have a label, as of several layouts each has its own, and what
 * sentences of nearly half the documents tell.
 */

import {
  answersOfHeld,
  type Gate,
  isFieldOfForm,
  isPresence,
  type ObservedField,
  rounded,
} from "./gate.ts";

const LEAST_COVERAGE = 0.6;
/** The bar of a field that the use case names, or that the skill holds most central. */
const LEAST_JUSTIFIED = 0.2;
/** Of the sample, what must state a field with a label while there is room, and how many documents. */
const LEAST_WITH_ROOM = 0.2;
const FEWEST_WITH_ROOM = 3;
/** Of the sample, what must state a field that sentences or titles tell; half of it of the documents held out. */
const LEAST_TOLD_WITH_ROOM = 0.4;
/** Of clauses: the share of documents that have one. */
const LEAST_PRESENT = 0.05;
/** A coverage this unlikely under the bar is below it; fewer documents allow no such verdict. */
const UNLIKELY = 0.2;

export const coverageGate: Gate = (field, context) => {
  const gate = "coverage";
  const { answers } = field;
  const held = context.isHeld.filter(Boolean).length;
  const stated = answersOfHeld(field, context).length;
  const everywhere = answers.filter((answer) => answer !== null).length;
  const share = held === 0 ? 0 : stated / held;
  const overall = everywhere / answers.length;
  const score = rounded(share);
  if (isPresence(field)) {
    const yes = answers.filter((answer) => answer?.value === true).length;
    const told = rounded(yes / answers.length);
    if (yes >= Math.max(Math.min(2, answers.length), LEAST_PRESENT * answers.length)) {
      return { gate, passed: true, score, note: `${percent(told)} have it; the others do not` };
    }
    return { gate, passed: false, score: told, note: "hardly any document of the sample has it" };
  }
  if (everywhere < Math.min(2, answers.length)) {
    return { gate, passed: false, score, note: "fewer than two documents state it" };
  }
  if (share >= LEAST_COVERAGE) return { gate, passed: true, score, note: null };
  if (overall >= LEAST_COVERAGE && binomialTail(stated, held, LEAST_COVERAGE) > UNLIKELY) {
    const note = `${percent(overall)} of the sample; too few are held out to call it rarer`;
    return { gate, passed: true, score, note };
  }
  if (field.isNamed) {
    const note = `justified: the use case names it, and ${percent(overall)} of the sample state it`;
    return { gate, passed: true, score, note };
  }
  const bar = justifiedBar(field);
  if (bar < LEAST_COVERAGE && upperBound(everywhere, answers.length) >= bar) {
    const reason = field.isAsked
      ? "the use case speaks of it"
      : `the skill ${context.request.skill.slug} expects it`;
    const note = `justified: ${reason}, and ${percent(overall)} of the sample state it`;
    return { gate, passed: true, score, note };
  }
  const hasRoom = isFieldOfForm(field)
    ? overall >= LEAST_WITH_ROOM
    : Math.min(overall, 2 * share) >= LEAST_TOLD_WITH_ROOM;
  if (everywhere >= FEWEST_WITH_ROOM && hasRoom) {
    const note = `there is room for it, though only ${percent(overall)} of the sample state it`;
    return { gate, passed: true, isSpare: true, score, note };
  }
  return { gate, passed: false, score, note: `fewer than ${percent(LEAST_COVERAGE)} state it` };
};

/** The more central a field is to such documents, the rarer it may be. */
function justifiedBar({ proposal, isAsked }: ObservedField): number {
  if (isAsked) return LEAST_JUSTIFIED;
  return LEAST_COVERAGE - (LEAST_COVERAGE - LEAST_JUSTIFIED) * proposal.weight;
}

/** What the share may be at most, with 90 % confidence, by Wilson's score (1927). */
export function upperBound(stated: number, documents: number): number {
  const z = 1.2816;
  const share = stated / documents;
  const centre = share + z ** 2 / (2 * documents);
  const spread = z * Math.sqrt((share * (1 - share)) / documents + (z / (2 * documents)) ** 2);
  return (centre + spread) / (1 + z ** 2 / documents);
}

/** P(X ≤ k) of a binomial variable. */
export function binomialTail(k: number, n: number, p: number): number {
  let term = (1 - p) ** n;
  let sum = 0;
  for (let i = 0; i <= k; i++) {
    sum += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return Math.min(1, sum);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
