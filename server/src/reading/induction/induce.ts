/**
 * The pipeline around an inducer: the sample is ordered and split, the inducer proposes fields on
 * one part, the gates judge them by what their locators answer, and the best become questions, frozen
 * with the way to answer them. The result is a function of the documents' bytes, the request and
 * what the inducer proposes.
 */

import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { compare } from "./alignment/label-group.ts";
import { coverageGate } from "./gates/coverage.ts";
import type { Gate, GateContext, ObservedField } from "./gates/gate.ts";
import { identifyingGate } from "./gates/identifying.ts";
import { varietyGate } from "./gates/variety.ts";
import { splitSample } from "./held-out.ts";
import type {
  Inducer,
  InductionProgress,
  InductionRequest,
  Proposal,
  SampleDocument,
} from "./inducer.ts";
import { notAsked } from "./not-asked.ts";
import { observe } from "./observe.ts";
import { type AskedField, writeQuestions } from "./questions/write.ts";
import type { DocumentSchema, ExtractionPlan } from "./schema.ts";
import { type Rejected, select } from "./select.ts";

/** The gates of a single field, in the order in which they are told. */
const FIELD_GATES: readonly Gate[] = [coverageGate, varietyGate, identifyingGate];

export interface InductionOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: InductionProgress) => void;
}

export interface InductionResult {
  readonly schema: DocumentSchema;
  readonly plan: ExtractionPlan;
  /** Files of `reasoning/`: name to content. Never shown. */
  readonly reasoning: Readonly<Record<string, string>>;
}

/** Proposals beyond this are not judged: those that fewest documents state go first. */
const MOST_PROPOSALS = 300;

/** @throws RangeError for an empty sample; the signal's reason; what the inducer throws */
export async function induce(
  sample: readonly SampleDocument[],
  request: InductionRequest,
  inducer: Inducer,
  { signal, onProgress }: InductionOptions,
): Promise<InductionResult> {
  if (sample.length === 0) throw new RangeError("a schema is induced from one document at least");
  const split = splitSample(sample, inducer.fewestToHoldOut);
  const { documents, proposing, held } = split;
  onProgress?.({ phase: "proposing", done: 0, total: proposing.length });
  const proposed = await inducer.propose(proposing, request, signal);
  onProgress?.({ phase: "proposing", done: proposing.length, total: proposing.length });
  const proposals = [...proposed.proposals].sort(byEvidence).slice(0, MOST_PROPOSALS);
  const fields = observe({ ...proposed, proposals }, documents, request, {
    signal,
    onDocument: (done) => onProgress?.({ phase: "gating", done, total: documents.length }),
  });
  const isHeld = documents.map((document) => held.includes(document));
  const context: GateContext = { request, documents, isHeld };
  const { kept, rejected } = select(fields, FIELD_GATES, context);
  const asked = writeQuestions(kept, context, split.isSplit);
  onProgress?.({ phase: "wording", done: asked.length, total: asked.length });
  const questions = asked.map(({ question }) => question);
  const plan: ExtractionPlan = {
    version: 1,
    conventions: {
      ...proposed.conventions,
      languages: [...proposed.conventions.languages],
    },
    answerers: asked.map(({ answerer }) => answerer),
  };
  const metadata = {
    documents: documents.length,
    held_back: split.isSplit ? held.length : 0,
    inducer: proposed.inducer ?? inducer.name,
    notes: [...proposed.notes, ...sampleNotes(split)],
    conventions: {
      day_first: plan.conventions.dayFirst,
      decimal_comma: plan.conventions.decimalComma,
      currency: plan.conventions.currency,
      languages: plan.conventions.languages,
    },
    candidates: fields.length,
    rejected: rejected.length,
    not_asked: notAsked(request, asked, rejected, proposed.declined ?? []),
    questions: Object.fromEntries(asked.map(({ question, figures }) => [question.id, figures])),
    hash: frozenHash(questions, plan),
  };
  const { slug } = request.skill;
  return {
    schema: { skill: slug, use_case: request.useCase, questions, metadata },
    plan,
    reasoning: {
      ...proposed.reasoning,
      "candidates.json": candidatesJson(asked, rejected),
    },
  };
}

/** SHA-256 of RFC 8785 JSON, lowercase hex. */
export function frozenHash(questions: DocumentSchema["questions"], plan: ExtractionPlan): string {
  const text = canonicalize({ questions, plan });
  if (text === undefined) throw new TypeError("a schema is not JSON");
  return createHash("sha256").update(text).digest("hex");
}

/** Most seen first; equals in one order, whatever the inducer's. */
function byEvidence(a: Proposal, b: Proposal): number {
  const [left, right] = [a, b].map(({ weight, sightings }) => [
    weight,
    new Set(sightings.map(({ documentId }) => documentId)).size,
  ]) as [[number, number], [number, number]];
  return right[0] - left[0] || right[1] - left[1] || compare(proposalKey(a), proposalKey(b));
}

function proposalKey({ name, kind, labels, locators }: Proposal): string {
  return JSON.stringify([name, kind, labels, locators]);
}

function sampleNotes({ isSplit, duplicates }: ReturnType<typeof splitSample>): string[] {
  const notes: string[] = [];
  if (!isSplit) notes.push("The sample is too small to hold documents back: the gates saw all.");
  if (duplicates > 0)
    notes.push(`${duplicates} documents are repeats of others and were left out.`);
  return notes;
}

function candidatesJson(
  asked: readonly AskedField[],
  rejected: readonly Rejected<ObservedField>[],
): string {
  const about = ({ proposal, relevance, answers }: ObservedField): object => ({
    name: proposal.name,
    origin: proposal.origin,
    kind: proposal.kind,
    labels: proposal.labels,
    relevance,
    stated: answers.filter((answer) => answer !== null).length,
    examples: [
      ...new Set(answers.flatMap((answer) => (answer === null ? [] : [answer.span.text]))),
    ].slice(0, 5),
  });
  return JSON.stringify(
    {
      kept: asked.map(({ field, question, figures }) => ({
        id: question.id,
        ...about(field),
        ...figures,
      })),
      rejected: rejected.map(({ field, reason, verdicts }) => ({
        ...about(field),
        reason,
        verdicts,
      })),
    },
    null,
    1,
  );
}
