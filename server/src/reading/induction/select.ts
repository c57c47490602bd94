/**
 * Which fields become questions: those that pass the gates, most relevant first, none of them twice;
 * then, while there is room, those that pass on that condition.
 */

import {
  type Gate,
  type GateContext,
  isPresence,
  type ObservedField,
  type Verdict,
} from "./gates/gate.ts";
import { leakageGate } from "./gates/leakage.ts";
import { MOST_REDUNDANCY, redundancy } from "./gates/redundancy.ts";
import { wordQuestion } from "./questions/wording.ts";

export interface Kept {
  readonly field: ObservedField;
  readonly verdicts: readonly Verdict[];
}

export interface Rejected<Field> {
  readonly field: Field;
  readonly reason: string;
  readonly verdicts: readonly Verdict[];
}

export interface Selection {
  /** Most relevant first, at most as many as were asked for. */
  readonly kept: readonly Kept[];
  readonly rejected: readonly Rejected<ObservedField>[];
}

export function select(
  fields: readonly ObservedField[],
  gates: readonly Gate[],
  context: GateContext,
): Selection {
  const kept: Kept[] = [];
  const rejected: Rejected<ObservedField>[] = [];
  const passed: Kept[] = [];
  const spare: Kept[] = [];
  for (const field of [...fields].sort(byRank)) {
    const leakage = leakageGate(wordQuestion(field.proposal, field.proposal.unit));
    const verdicts = [...gates, leakage].map((gate) => gate(field, context));
    const failed = verdicts.find((verdict) => !verdict.passed);
    if (failed !== undefined) {
      rejected.push({ field, reason: `${failed.gate}: ${failed.note}`, verdicts });
    } else if (verdicts.some(({ isSpare }) => isSpare === true)) spare.push({ field, verdicts });
    else passed.push({ field, verdicts });
  }
  for (const { field, verdicts } of [...passed, ...spare]) {
    const nearest = mostRedundant(field, kept);
    const verdict: Verdict = {
      gate: "redundancy",
      passed: nearest.score < MOST_REDUNDANCY,
      score: nearest.score,
      note: nearest.name === null ? null : `nearest: ${nearest.name}`,
    };
    const all = [...verdicts, verdict];
    const wider = verdict.passed ? -1 : widerThan(field, kept);
    if (wider >= 0) {
      const [narrow] = kept.splice(wider, 1, { field, verdicts: all });
      const reason = `redundancy: ${field.proposal.name} is answered by more documents`;
      rejected.push({ ...narrow!, reason });
    } else if (!verdict.passed) {
      rejected.push({ field, reason: `redundancy: as good as ${nearest.name}`, verdicts: all });
    } else if (kept.length === context.request.maxQuestions) {
      const reason = `rank: ${kept.length} fields matter more`;
      rejected.push({ field, reason, verdicts: all });
    } else kept.push({ field, verdicts: all });
  }
  return { kept, rejected };
}

/** More documents answer the one of two by so many times that it is asked in place of the other. */
const WIDER = 2;

/** Of what is kept, the only one that the field is as good as, where twice as many documents answer it; or -1. */
function widerThan(field: ObservedField, kept: readonly Kept[]): number {
  const same = [...kept.keys()].filter(
    (index) => redundancy(field, kept[index]!.field) >= MOST_REDUNDANCY,
  );
  const [only] = same;
  if (only === undefined || same.length > 1 || kept[only]!.field.proposal.weight > 0) return -1;
  return countOf(field) >= WIDER * countOf(kept[only]!.field) ? only : -1;
}

const countOf = ({ answers }: ObservedField): number =>
  answers.filter((answer) => answer !== null).length;

function mostRedundant(
  field: ObservedField,
  kept: readonly Kept[],
): { readonly name: string | null; readonly score: number } {
  let most: { readonly name: string | null; readonly score: number } = { name: null, score: 0 };
  for (const { field: other } of kept) {
    const score = redundancy(field, other);
    if (score > most.score) most = { name: other.proposal.name, score };
  }
  return most;
}

/** What the use case names comes first. A field that more documents state, and a clause that more of them have, is worth a little more. */
const COVERAGE_SHARE = 0.2;

function byRank(a: ObservedField, b: ObservedField): number {
  return rank(b) - rank(a) || (a.proposal.name < b.proposal.name ? -1 : 1);
}

function rank(field: ObservedField): number {
  const { relevance, answers, isNamed } = field;
  const isTold = isPresence(field)
    ? answers.map((answer) => answer?.value === true)
    : answers.map((answer) => answer !== null);
  return (
    Number(isNamed) +
    relevance +
    COVERAGE_SHARE * (isTold.filter(Boolean).length / Math.max(1, answers.length))
  );
}
