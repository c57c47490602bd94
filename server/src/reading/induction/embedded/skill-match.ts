/**
 * Which learned labels name a field that the skill knows: by the label itself, read wrongly or not,
 * or because its values are those that the field's locators find.
 */

import type { AlignedField } from "../alignment/align.ts";
import { editLikeness } from "../alignment/likeness.ts";
import type { Proposal } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { showsByForm } from "../locators/layout.ts";
import type { SkillField } from "../skills/skill.ts";
import { recognise } from "../values/recognise.ts";
import { comparingKey, sameValue } from "../values/same-value.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { contentWords, stem } from "../words/content-words.ts";
import { isOfTerms, meaningOf } from "../words/label-concepts.ts";
import { wordSimilarity } from "../words/word-vectors.ts";
import { fieldsByMeaning } from "./field-meanings.ts";
import { isSpecific } from "./field-name.ts";

/** Kinds that one written value may be taken for, besides its own. */
const LOOSE: ReadonlySet<ValueKind> = new Set([
  "text",
  "identifier",
  "number",
  "organization",
  "person",
  "address",
  "place",
]);
/** Letters from which on a label may be a skill's though some were misread. */
const SHORTEST_MISREAD = 8;
/** Different values that both give, nothing aside. */
const FEWEST_SAME = 3;
const LEAST_SAME = 0.8;

/** Each learned field that a skill's field names, with that field: the same label before a likeness. */
export function namedFields(
  fields: readonly SkillField[],
  aligned: readonly AlignedField[],
): Map<AlignedField, SkillField> {
  const labels = fields.map((field) => field.labels.map(labelKey));
  const meanings = fieldsByMeaning(fields);
  const named = new Map<AlignedField, SkillField>();
  for (const learned of aligned) {
    let [best, nearest] = [0, -1];
    for (const [index, field] of fields.entries()) {
      const isKin = mayBe(field.kind, learned.kind) || holds(learned, field.kind);
      if (!isKin) continue;
      for (const key of tellingKeys(learned)) {
        for (const label of labels[index]!) {
          const near = editLikeness(label, key);
          // `Model` is no `modelo` that was misread.
          if (near < 1 && key.length < SHORTEST_MISREAD) continue;
          if (near > best) [best, nearest] = [near, index];
        }
      }
    }
    const field = nearest >= 0 ? fields[nearest]! : meantBy(learned, meanings);
    if (field !== null) named.set(learned, field);
  }
  return named;
}

/** Without those that name nothing by themselves (`Date`), where the sample mostly says more: `Statement date`. */
function tellingKeys({ keys }: AlignedField): readonly string[] {
  const isTelling = (key: string): boolean => meaningOf(key) !== null || !isOfTerms(key);
  return isTelling(keys[0]!) ? keys.filter(isTelling) : keys;
}

/** `$900 per month`, `The rent is $900`: texts that all have a value of the kind in them. */
function holds({ kind, findings }: AlignedField, field: ValueKind): boolean {
  if (kind !== "text" || !showsByForm(field) || findings.size === 0) return false;
  return [...findings.values()].every(
    ({ text }) => recognise(text, NEUTRAL_CONVENTIONS, [field]).length > 0,
  );
}

/** The field that the first of the labels with a meaning has in common with a skill's. */
function meantBy(
  { keys, kind }: AlignedField,
  meanings: ReadonlyMap<string, SkillField>,
): SkillField | null {
  for (const key of keys) {
    const meaning = meaningOf(key);
    const field = meaning === null ? undefined : meanings.get(meaning);
    if (field !== undefined) return mayBe(field.kind, kind) ? field : null;
  }
  return null;
}

/** Whether documents that state both give them the same values, and not always the same one. */
export function hasValuesOf(proposal: Proposal, learned: AlignedField): boolean {
  let [both, same] = [0, 0];
  const different = new Set<string>();
  for (const { documentId, finding } of proposal.sightings) {
    const other = learned.findings.get(documentId);
    if (other === undefined) continue;
    both += 1;
    if (!sameValue(proposal.kind, finding.normal, other.normal)) continue;
    same += 1;
    if (finding.normal !== 0) different.add(comparingKey(proposal.kind, finding.normal));
  }
  // Of few that the field finds, or of few that the label names, most are the other's too.
  const fewer = Math.min(learned.documents, proposal.sightings.length);
  return different.size >= FEWEST_SAME && same / both >= LEAST_SAME && both >= fewer / 2;
}

/** Nearer words may well mean one thing. */
const LEAST_RELATED = 0.55;

/**
 * Whether documents call the values of a field, which was found by its place alone, by words that the
 * field has none of: a closing date is not the document's.
 */
export function isNamedOtherwise({ labels, origin }: AlignedField, field: SkillField): boolean {
  const label = labels[0]!;
  if (origin !== "label" || !isSpecific(label)) return false;
  const { id, question } = field;
  const known = stems([id.replaceAll("_", " "), question, ...field.labels].join(" "));
  return !specificWords(label).some((word) =>
    known.some((other) => word === other || (wordSimilarity(word, other) ?? 0) >= LEAST_RELATED),
  );
}

const stems = (text: string): string[] => [...new Set(contentWords(text).map(stem))];

function specificWords(text: string): string[] {
  return [...new Set(contentWords(text).filter(isSpecific).map(stem))];
}

function mayBe(field: ValueKind, learned: ValueKind): boolean {
  if (field === learned) return true;
  if (field === "money" || learned === "money") return field === "number" || learned === "number";
  return LOOSE.has(field) && LOOSE.has(learned);
}
