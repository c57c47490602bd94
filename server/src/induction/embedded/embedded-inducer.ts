/**
 * The inducer that needs nothing but the documents: the skill's fields that they state, and the
 * labels that many of them share.
 */

import { type AlignedField, align } from "../alignment/align.ts";
import type { Inducer, InductionRequest, Proposal, Proposals, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { learnConventions } from "../values/conventions.ts";
import { GENERATORS } from "./generators.ts";
import { proposeLearnedField } from "./learned-field.ts";
import { proposeSkillField } from "./skill-field.ts";
import { hasValuesOf, namedFields } from "./skill-match.ts";

export class EmbeddedInducer implements Inducer {
  readonly name = "embedded";

  /** A step that computes for long ends before the next where the signal is aborted. */
  propose(
    documents: readonly SampleDocument[],
    { skill }: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals> {
    const conventions = learnConventions(documents.map(({ content }) => content));
    const mentions = GENERATORS.flatMap((generator) => {
      signal.throwIfAborted();
      return generator(documents, conventions);
    });
    const aligned = align(mentions);
    const fieldOf = namedFields(skill.fields, aligned);
    const ofSkill = new Set(fieldOf.keys());
    const proposals: Proposal[] = [];
    for (const field of skill.fields) {
      signal.throwIfAborted();
      const named = aligned.filter((learned) => fieldOf.get(learned) === field);
      const first = proposeSkillField(field, documents, conventions, labelsOf(named));
      if (first === null) continue;
      const alike = aligned.filter(
        (learned) => !ofSkill.has(learned) && hasValuesOf(first, learned),
      );
      const labels = labelsOf([...named, ...alike]);
      const further =
        alike.length === 0 ? null : proposeSkillField(field, documents, conventions, labels);
      for (const learned of alike) ofSkill.add(learned);
      proposals.push(further ?? first);
    }
    for (const learned of aligned) {
      if (ofSkill.has(learned)) continue;
      signal.throwIfAborted();
      const proposal = proposeLearnedField(learned, documents, skill, conventions);
      if (proposal !== null) proposals.push(proposal);
    }
    const reasoning = { "alignment.json": alignmentJson(aligned, ofSkill) };
    return Promise.resolve({ proposals, conventions, notes: [], reasoning });
  }
}

/** Most frequent first, one of each key. */
function labelsOf(aligned: readonly AlignedField[]): string[] {
  const byKey = new Map<string, string>();
  for (const { labels } of aligned) {
    for (const label of labels) if (!byKey.has(labelKey(label))) byKey.set(labelKey(label), label);
  }
  return [...byKey.values()];
}

const MOST_TOLD = 200;

function alignmentJson(
  aligned: readonly AlignedField[],
  ofSkill: ReadonlySet<AlignedField>,
): string {
  const told = aligned.slice(0, MOST_TOLD).map((field) => ({
    labels: field.labels,
    kind: field.kind,
    kind_agreement: field.kindAgreement,
    documents: field.documents,
    origin: field.origin,
    of_skill: ofSkill.has(field),
  }));
  return JSON.stringify(told, null, 1);
}
