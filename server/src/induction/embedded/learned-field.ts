/** A field that no skill knows: a label that many documents share, and its values. */

import type { AlignedField } from "../alignment/align.ts";
import type { Finding, Proposal, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locate } from "../locators/locate.ts";
import type { Target } from "../locators/locator.ts";
import type { Skill } from "../skills/skill.ts";
import type { Conventions } from "../values/value.ts";
import { contentWords } from "../words/content-words.ts";
import { isKnownWord } from "../words/word-vectors.ts";
import { weighLocators } from "./trust.ts";

/** Of the documents that are looked at; the gates ask for more on others. */
const LEAST_SHARE = 0.4;
const FEWEST_DOCUMENTS = 2;
/** Values of one field are of one kind. */
const LEAST_KIND_AGREEMENT = 0.7;
const MOST_LABEL_WORDS = 6;
const LONGEST_LABEL = 60;

/** Null where the label is no name of a field, or too few documents share it. */
export function proposeLearnedField(
  learned: AlignedField,
  documents: readonly SampleDocument[],
  skill: Skill,
  conventions: Conventions,
): Proposal | null {
  if (learned.documents < Math.max(FEWEST_DOCUMENTS, LEAST_SHARE * documents.length)) return null;
  if (learned.kindAgreement < LEAST_KIND_AGREEMENT) return null;
  if (!namesAField(learned, skill)) return null;
  const target: Target = { kind: learned.kind, multiple: false, enum: [] };
  const found = learned.locators.map((locator) => ({
    locator,
    findings: documents.map(
      ({ content }): Finding | null => locate(content, locator, target, conventions)[0] ?? null,
    ),
  }));
  // What the labels said where they were seen judges the locators.
  const seen = documents.map(({ id }) => learned.findings.get(id) ?? null);
  const { trusts, agreement } = weighLocators(learned.kind, [
    ...found.map(({ findings }) => findings),
    seen,
  ]);
  const label = learned.labels[0]!;
  return {
    origin: learned.origin,
    name: label,
    labels: learned.labels,
    kind: learned.kind,
    unit: null,
    enum: [],
    multiple: false,
    question: null,
    serves: [],
    weight: 0,
    locators: found.map(({ locator }, index) => ({ locator, trust: trusts[index]! })),
    agreement,
    sightings: documents.flatMap(({ id }) => {
      const finding = learned.findings.get(id);
      return finding === undefined ? [] : [{ documentId: id, finding }];
    }),
  };
}

/** Whether a person would understand the label: words of a language, and not boilerplate. */
function namesAField({ labels, keys }: AlignedField, skill: Skill): boolean {
  const label = labels[0]!;
  const words = contentWords(label);
  if (words.length === 0 || label.length > LONGEST_LABEL) return false;
  if (keys[0]!.split(" ").length > MOST_LABEL_WORDS || /\d{2}/.test(label)) return false;
  const avoided = skill.avoid.map(labelKey).filter((key) => key !== "");
  if (keys.some((key) => avoided.some((bad) => ` ${key} `.includes(` ${bad} `)))) return false;
  const known = new Set(contentWords(skill.vocabulary.join(" ")));
  const understood = words.filter((word) => isKnownWord(word) || known.has(word)).length;
  return understood >= words.length / 2;
}
