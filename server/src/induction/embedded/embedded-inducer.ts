/**
 * The inducer that needs nothing but the documents: the skill's fields that they state, and the
 * labels that many of them share.
 */

import type { Inducer, InductionRequest, Proposal, Proposals, SampleDocument } from "../inducer.ts";
import { learnConventions } from "../values/conventions.ts";
import { proposeSkillField } from "./skill-field.ts";

export class EmbeddedInducer implements Inducer {
  readonly name = "embedded";

  propose(
    documents: readonly SampleDocument[],
    { skill }: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals> {
    const conventions = learnConventions(documents.map(({ content }) => content));
    const proposals: Proposal[] = [];
    for (const field of skill.fields) {
      signal.throwIfAborted();
      const proposal = proposeSkillField(field, documents, conventions);
      if (proposal !== null) proposals.push(proposal);
    }
    return Promise.resolve({ proposals, conventions, notes: [], reasoning: {} });
  }
}
