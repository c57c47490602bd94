/**
 * Coverage: the share of held-back documents that state the field. Fields that skill or use case ask
 * for may be rarer: that a contract is silent on renewal is an answer too.
 */

import { answersOfHeld, CENTRAL, type Gate, isPresence, rounded } from "./gate.ts";

export const LEAST_COVERAGE = 0.6;
/** Of fields that the skill holds central or the use case names. */
export const LEAST_JUSTIFIED = 0.25;
/** A coverage this unlikely under the bar is below it; fewer documents allow no such verdict. */
const UNLIKELY = 0.2;

export const coverageGate: Gate = (field, context) => {
  const gate = "coverage";
  const { proposal, answers } = field;
  const held = context.isHeld.filter(Boolean).length;
  const stated = answersOfHeld(field, context).length;
  const everywhere = answers.filter((answer) => answer !== null).length;
  const share = held === 0 ? 0 : stated / held;
  const overall = everywhere / answers.length;
  const score = rounded(share);
  if (isPresence(field)) {
    const yes = answers.filter((answer) => answer?.value === true).length;
    if (yes > 0) return { gate, passed: true, score, note: null };
    return { gate, passed: false, score: 0, note: "no document of the sample has it" };
  }
  if (everywhere < Math.min(2, answers.length)) {
    return { gate, passed: false, score, note: "fewer than two documents state it" };
  }
  if (share >= LEAST_COVERAGE) return { gate, passed: true, score, note: null };
  if (overall >= LEAST_COVERAGE && binomialTail(stated, held, LEAST_COVERAGE) > UNLIKELY) {
    const note = `${percent(overall)} of the sample; too few are held back to call it rarer`;
    return { gate, passed: true, score, note };
  }
  if (overall >= LEAST_JUSTIFIED) {
    if (field.isAsked) {
      return { gate, passed: true, score, note: "justified: the use case speaks of it" };
    }
    if (proposal.weight >= CENTRAL) {
      const note = `justified: central to documents of the skill ${context.request.skill.slug}`;
      return { gate, passed: true, score, note };
    }
  }
  return { gate, passed: false, score, note: `fewer than ${percent(LEAST_COVERAGE)} state it` };
};

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
