/**
 * The inducer that needs nothing but the documents: the skill's fields that they state, and the
 * labels that many of them share.
 */

import { type AlignedField, align } from "../alignment/align.ts";
import { datelineCandidates } from "../candidates/dateline.ts";
import { keyValueCandidates } from "../candidates/key-value.ts";
import { learnLabels } from "../candidates/label-vocabulary.ts";
import type { CandidateGenerator } from "../candidates/mention.ts";
import { phraseCandidates } from "../candidates/phrase.ts";
import { roleCandidates } from "../candidates/role.ts";
import { sectionCandidates } from "../candidates/section.ts";
import { sentenceSlotCandidates } from "../candidates/sentence-slot.ts";
import { tableCandidates } from "../candidates/table.ts";
import { templateCandidates } from "../candidates/template.ts";
import { titleCandidates } from "../candidates/title.ts";
import type {
  Declined,
  Inducer,
  InductionRequest,
  Proposal,
  Proposals,
  SampleDocument,
} from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { slug } from "../questions/write.ts";
import { RelevanceJudge } from "../relevance/relevance.ts";
import { learnConventions } from "../values/conventions.ts";
import { proposeColumns } from "./columns.ts";
import { meaningsOfField } from "./field-meanings.ts";
import { judged, proposeLearnedField } from "./learned-field.ts";
import { byLetterhead, haveLetterheads } from "./letterheads.ts";
import { asOneQuestion } from "./one-question.ts";
import { proposePartyAddress } from "./party-address.ts";
import { type Learned, proposeSkillField } from "./skill-field.ts";
import { hasValuesOf, isNamedOtherwise, namedFields } from "./skill-match.ts";

/** What looks for candidates in the documents, in the order in which ties are settled. */
const GENERATORS: readonly CandidateGenerator[] = [
  keyValueCandidates,
  roleCandidates,
  datelineCandidates,
  sectionCandidates,
  tableCandidates,
  phraseCandidates,
  sentenceSlotCandidates,
  templateCandidates,
  titleCandidates,
];

export class EmbeddedInducer implements Inducer {
  readonly name = "embedded";
  /**
   * Of a dozen documents, each layout has two or three. What it calls a field is learned from
   * those, so that one kept back costs more than what the gates would see in it.
   */
  readonly fewestToHoldOut = 20;

  /** A step that computes for long ends before the next where the signal is aborted. */
  propose(
    documents: readonly SampleDocument[],
    request: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals> {
    const contents = documents.map(({ content }) => content);
    const conventions = { ...learnConventions(contents), labels: learnLabels(contents) };
    const skill = haveLetterheads(documents, conventions)
      ? { ...request.skill, fields: request.skill.fields.map(byLetterhead) }
      : request.skill;
    const columns = proposeColumns(documents, conventions);
    const mentions = GENERATORS.flatMap((generator) => {
      signal.throwIfAborted();
      return generator(documents, conventions);
    }).filter(({ documentId, finding }) => !columns.isAmongItems(documentId, finding));
    const judge = new RelevanceJudge(request);
    const aligned = align(mentions, (a, b) => judge.tellsApart(a, b));
    const fieldOf = namedFields(skill.fields, aligned);
    const ofSkill = new Set(fieldOf.keys());
    const proposals: Proposal[] = [];
    for (const known of skill.fields) {
      signal.throwIfAborted();
      const ofField = aligned.filter((learned) => fieldOf.get(learned) === known);
      const { field, named } = asOneQuestion(known, ofField);
      for (const learned of ofField) if (!named.includes(learned)) ofSkill.delete(learned);
      const meanings = meaningsOfField(known, skill.fields);
      const propose = (own: readonly AlignedField[]): Proposal | null =>
        proposeSkillField(field, documents, conventions, learnedOf(own), meanings);
      const first = propose(named);
      // What the field cannot read beside its labels (`Sex: F`) is asked for as it stands.
      for (const learned of named) {
        if (!isReadIn(first, learned)) ofSkill.delete(learned);
      }
      if (first === null) continue;
      // Of several values the first says nothing of the field: one of the parties is no other name for both.
      const equal = field.multiple
        ? []
        : aligned.filter((learned) => !ofSkill.has(learned) && hasValuesOf(first, learned));
      if (named.length === 0 && equal.some((learned) => isNamedOtherwise(learned, field))) continue;
      // Who sold and who signed may be one person in all of them and are two questions.
      const alike = equal.filter((learned) => !isNamedOtherwise(learned, field));
      const further = alike.length === 0 ? null : propose([...named, ...alike]);
      for (const learned of alike) ofSkill.add(learned);
      proposals.push(further ?? first);
    }
    // What a single document has before a value is as often another label's value.
    const keys = new Set(
      aligned.flatMap((learned) => (learned.documents < FEWEST_LABELLED ? [] : learned.keys)),
    );
    const judging = {
      documents,
      skill,
      isLabel: (key: string) => keys.has(key),
      isNamed: (label: string) => judge.names([label]),
    };
    const candidates: AlignedField[] = [];
    const declined: Declined[] = [];
    for (const learned of aligned) {
      if (ofSkill.has(learned)) continue;
      const verdict = judged(learned, judging);
      if ("field" in verdict) candidates.push(verdict.field);
      else declined.push({ labels: learned.labels, reason: verdict.reason });
    }
    const most = MOST_LEARNED * request.maxQuestions;
    const names = new Set(proposals.map(({ name }) => slug(name)));
    for (const learned of mostRelevant(candidates, judge, documents.length).slice(0, most)) {
      signal.throwIfAborted();
      const proposal = proposeLearnedField(learned, documents, conventions);
      const name = learned.origin === "phrase" ? judge.nameWithin(proposal.name) : null;
      const isFree = name !== null && !names.has(slug(name));
      names.add(slug(isFree ? name : proposal.name));
      proposals.push(isFree ? { ...proposal, name, labels: [name, ...proposal.labels] } : proposal);
    }
    proposals.push(
      ...proposals.flatMap((party) => proposePartyAddress(party, documents, conventions) ?? []),
    );
    const ids = new Set(skill.fields.map(({ id }) => id));
    proposals.push(...columns.proposals.map((column) => withOwnName(column, ids)));
    const reasoning = { "alignment.json": alignmentJson(aligned, ofSkill) };
    return Promise.resolve({ proposals, declined, conventions, notes: [], reasoning });
  }
}

/** Whether the field finds something in most of the documents that have the label. */
function isReadIn(proposal: Proposal | null, { stated }: AlignedField): boolean {
  const read = new Set(
    proposal?.sightings
      .filter(
        ({ finding }) => proposal.enum.length === 0 || proposal.enum.includes(`${finding.normal}`),
      )
      .map(({ documentId }) => documentId),
  );
  return 2 * [...stated.keys()].filter((document) => read.has(document)).length >= stated.size;
}

/** How many rows a table has is not what a skill's field of the name counts, such as `item_count`. */
function withOwnName(column: Proposal, ids: ReadonlySet<string>): Proposal {
  const isTaken = ids.has(slug(column.name));
  return isTaken ? { ...column, name: column.name.replace(/ (\w+)$/u, " row $1") } : column;
}

function learnedOf(aligned: readonly AlignedField[]): Learned {
  const locators = aligned.flatMap((each) => each.locators);
  return {
    labels: labelsOf(aligned),
    phrases: locators.filter(({ kind }) => kind === "phrase").slice(0, MOST_PHRASES),
  };
}

/** Of a skill's field. */
const MOST_PHRASES = 4;

/** Most frequent first, one of each key. */
function labelsOf(aligned: readonly AlignedField[]): string[] {
  const byKey = new Map<string, string>();
  for (const { labels } of aligned) {
    for (const label of labels) if (!byKey.has(labelKey(label))) byKey.set(labelKey(label), label);
  }
  return [...byKey.values()];
}

/** Documents that use a text as a label, from which on it is no value. */
const FEWEST_LABELLED = 2;

/** Learned fields that are followed further, for each question. */
const MOST_LEARNED = 2;

/** By the use case and the skill's vocabulary, and by how many documents state them. */
function mostRelevant(
  candidates: readonly AlignedField[],
  judge: RelevanceJudge,
  documents: number,
): AlignedField[] {
  const ranked = candidates.map((field) => {
    const { score, isNamed } = judge.judge({
      name: field.labels[0]!,
      labels: field.labels,
      serves: [],
      weight: 0,
    });
    return { field, rank: Number(isNamed) + score + (0.5 * field.documents) / documents };
  });
  return ranked
    .sort((a, b) => b.rank - a.rank || (a.field.keys[0]! < b.field.keys[0]! ? -1 : 1))
    .map(({ field }) => field);
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
