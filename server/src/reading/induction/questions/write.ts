/** Kept fields as questions: id, wording, unit, enumeration, rationale, and how each is answered. */

import { habitsOf } from "../extraction/habits.ts";
import { enumeration } from "../gates/enumeration.ts";
import {
  type GateContext,
  isPresence,
  type ObservedField,
  rounded,
  type Verdict,
} from "../gates/gate.ts";
import { counts, evenness } from "../gates/mutual-information.ts";
import { voteUnit } from "../gates/unit.ts";
import type { Answerer, Question } from "../schema.ts";
import type { Kept } from "../select.ts";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";
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
    const isVoted = proposal.unit === null || (proposal.kind === "money" && vote.unit !== null);
    const unit = isVoted ? vote.unit : proposal.unit;
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
      answers.flatMap((answer) => answer?.confidence ?? []),
    );
    return { field, question, answerer: { id, target, locators: [...locators], habits }, figures };
  });
}

function redundancyOf(verdicts: readonly Verdict[]): number {
  return verdicts.find(({ gate }) => gate === "redundancy")?.score ?? 0;
}

interface Evidence {
  readonly documents: number;
  readonly stated: number;
  readonly heldDocuments: number;
  readonly heldStated: number;
  readonly isSplit: boolean;
  /** How often its locators agreed where the documents were looked at, or null for a single one. */
  readonly agreement: number | null;
  readonly isPresence: boolean;
}

/** Why a question is asked, in figures of the sample. No document's own values are quoted. */
function rationale(field: ObservedField, evidence: Evidence): string {
  const sentences = [field.isAsked ? "The use case speaks of it." : null];
  const { documents, stated, heldDocuments, heldStated } = evidence;
  const answers = field.answers.flatMap((answer) => (answer === null ? [] : [answer.value]));
  if (evidence.isPresence) {
    const yes = answers.filter((value) => value === true).length;
    sentences.push(`${yes} of ${documents} documents have it.`);
  } else {
    const held = evidence.isSplit
      ? `, among them ${heldStated} of the ${heldDocuments} that were held out`
      : "";
    sentences.push(`Stated by ${stated} of ${documents} documents${held}.`);
    const distinct = counts(answers.map(String)).size;
    sentences.push(`${distinct} different ${distinct === 1 ? "answer" : "answers"}.`);
  }
  const labels = field.proposal.labels.slice(0, 3);
  if (labels.length > 0) {
    sentences.push(`Documents call it ${labels.map((label) => `“${label}”`).join(", ")}.`);
  }
  if (evidence.agreement !== null) {
    sentences.push(`The ways of finding it agree in ${Math.round(evidence.agreement * 100)} %.`);
  }
  return sentences.filter((sentence) => sentence !== null).join(" ");
}

const LONGEST_ID = 63;

/**
 * A question's id: what a field is called, as a column's name. Letters a to z, digits and `_`; `field`
 * where nothing of the name can be written so.
 */
export function slug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/ß/g, "ss")
    .replace(/[łŁ]/g, "l")
    .replace(/[øØ]/g, "o")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (words === null) return "field";
  const joined = /^[0-9]/.test(words[0]!) ? `field_${words.join("_")}` : words.join("_");
  return joined.slice(0, LONGEST_ID).replace(/_+$/, "");
}

/** As it is, or with the first free number from 2. */
export function uniqueSlug(name: string, taken: ReadonlySet<string>): string {
  const first = slug(name);
  if (!taken.has(first)) return first;
  for (let number = 2; ; number++) {
    const ending = `_${number}`;
    const next = `${first.slice(0, LONGEST_ID - ending.length)}${ending}`;
    if (!taken.has(next)) return next;
  }
}
