/** Kept fields as questions: id, wording, unit, enumeration, rationale, and how each is answered. */

import { habitsOf } from "../extraction/habits.ts";
import { enumeration } from "../gates/enumeration.ts";
import type { GateContext, ObservedField, Verdict } from "../gates/gate.ts";
import { isPresence, rounded } from "../gates/gate.ts";
import { evenness } from "../gates/mutual-information.ts";
import { voteUnit } from "../gates/unit.ts";
import type { Answerer, Question } from "../schema.ts";
import type { Kept } from "../select.ts";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";
import { rationale } from "./rationale.ts";
import { slug, uniqueSlug } from "./slug.ts";
import { wordQuestion } from "./wording.ts";

export interface AskedField {
  readonly field: ObservedField;
  readonly question: Question;
  readonly answerer: Answerer;
  /** Of the metadata. */
  readonly figures: Readonly<Record<string, unknown>>;
}

/** Kinds of which a sample may have seen all values; names and codes are always more. */
const CLOSED: ReadonlySet<ValueKind> = new Set(["text", "place"]);

export function writeQuestions(
  kept: readonly Kept[],
  context: GateContext,
  isSplit: boolean,
): AskedField[] {
  const taken = new Set<string>();
  return kept.map(({ field, verdicts }) => {
    const { proposal, answers } = field;
    const id = uniqueSlug(slug(proposal.name), taken);
    taken.add(id);
    const vote = voteUnit(answers);
    const unit = proposal.kind === "money" || proposal.unit === null ? vote.unit : proposal.unit;
    const isClosed = CLOSED.has(proposal.kind) && !proposal.multiple;
    const values = isClosed ? enumeration(answers) : [];
    const stated = answers.filter((answer) => answer !== null).length;
    const held = context.isHeld.filter(Boolean).length;
    const heldStated = answers.filter(
      (answer, index) => answer !== null && context.isHeld[index] === true,
    ).length;
    const evidence = {
      documents: answers.length,
      stated,
      heldDocuments: held,
      heldStated,
      isSplit,
      agreement: proposal.agreement ?? null,
      isPresence: isPresence(field),
    };
    const question: Question = {
      id,
      question: wordQuestion(proposal, unit),
      rationale: rationale(field, evidence),
      unit: unit ?? "",
      enum: values,
    };
    const { kind, multiple, locators } = proposal;
    const target = { kind, multiple, enum: values.length > 0 ? values : [...proposal.enum] };
    const figures = {
      origin: proposal.origin,
      kind,
      relevance: rounded(field.relevance),
      coverage: rounded(held === 0 ? 0 : heldStated / held),
      coverage_of_sample: rounded(stated / Math.max(1, answers.length)),
      entropy: rounded(
        evenness(
          answers.flatMap((answer) =>
            answer === null ? [] : [comparingKey(proposal.kind, answer.value)],
          ),
        ),
      ),
      redundancy: redundancyOf(verdicts),
      agreement: proposal.agreement == null ? null : rounded(proposal.agreement),
      unit_majority: vote.majority === null ? null : rounded(vote.majority),
      gates: verdicts,
    };
    const habits = habitsOf(
      target,
      answers.map((answer) => answer?.value ?? null),
    );
    return { field, question, answerer: { id, target, locators: [...locators], habits }, figures };
  });
}

function redundancyOf(verdicts: readonly Verdict[]): number {
  return verdicts.find(({ gate }) => gate === "redundancy")?.score ?? 0;
}
