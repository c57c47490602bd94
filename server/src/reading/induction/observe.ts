/** What extraction answers for each proposal in each document of the sample. */

import { extract } from "./extract.ts";
import type { ObservedField } from "./gates/gate.ts";
import type { InductionRequest, Proposals, SampleDocument } from "./inducer.ts";
import { RelevanceJudge } from "./relevance/relevance.ts";
import type { Answerer, ExtractionPlan } from "./schema.ts";

export interface ObserveOptions {
  readonly signal: AbortSignal;
  readonly onDocument: (done: number) => void;
}

/** @param documents by hash; the answers are in their order */
export function observe(
  { proposals, conventions }: Proposals,
  documents: readonly SampleDocument[],
  request: InductionRequest,
  { signal, onDocument }: ObserveOptions,
): ObservedField[] {
  const answerers = proposals.map(
    ({ kind, multiple, enum: values, locators }, index): Answerer => ({
      id: fieldId(index),
      target: { kind, multiple, enum: [...values] },
      locators: [...locators],
    }),
  );
  const plan: ExtractionPlan = {
    version: 1,
    conventions: { ...conventions, languages: [...conventions.languages] },
    answerers,
  };
  const all = documents.map(({ content }, index) => {
    signal.throwIfAborted();
    const answers = extract(plan, content);
    onDocument(index + 1);
    return answers;
  });
  const judge = new RelevanceJudge(request);
  return proposals.map((proposal, index) => {
    const { score, isAsked, isNamed } = judge.judge(proposal);
    const answers = all.map((each) => each[fieldId(index)] ?? null);
    return { proposal, relevance: score, isAsked, isNamed, answers };
  });
}

function fieldId(index: number): string {
  return `field_${index}`;
}
