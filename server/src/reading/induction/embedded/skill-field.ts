/** A skill's field as a proposal: with those of its locators that find something, or tell one of its values, weighed. */

import type { Finding, Proposal, SampleDocument, Sighting } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locate } from "../locators/locate.ts";
import { type Locator, locatorSchema, type Target } from "../locators/locator.ts";
import type { SkillField } from "../skills/skill.ts";
import { conventionsOf } from "../values/conventions.ts";
import type { Conventions } from "../values/value.ts";
import { weighLocators } from "./trust.ts";

/** What the sample calls a skill's field. */
export interface Learned {
  readonly labels: readonly string[];
  /** Where its sentences tell it. */
  readonly phrases: readonly Locator[];
}

const NOTHING: Learned = { labels: [], phrases: [] };

/** Null where no locator finds anything in any of the documents. */
export function proposeSkillField(
  field: SkillField,
  documents: readonly SampleDocument[],
  conventions: Conventions,
  learned: Learned = NOTHING,
  meanings: readonly string[] = [],
): Proposal | null {
  const target: Target = { kind: field.kind, multiple: field.multiple, enum: field.enum };
  const found = [...locatorsOf(field, learned.labels, meanings), ...learned.phrases]
    .map((locator) => ({
      locator,
      findings: documents.map(({ content }) =>
        best(locate(content, locator, target, conventionsOf(content, conventions))),
      ),
    }))
    .filter(
      ({ locator, findings }) =>
        findings.some((finding) => finding !== null) || saysOneOf(locator, field),
    );
  if (found.every(({ findings }) => findings.every((finding) => finding === null))) return null;
  const { trusts, agreement } = weighLocators(
    field.kind,
    found.map(({ findings }) => findings),
  );
  const sightings = documents.flatMap(({ id }, index): Sighting[] => {
    const finding = found.map(({ findings }) => findings[index]!).find((each) => each !== null);
    return finding === undefined || finding === null ? [] : [{ documentId: id, finding }];
  });
  return {
    origin: "skill",
    name: field.id,
    labels: learned.labels,
    kind: field.kind,
    unit: field.unit,
    enum: field.enum,
    multiple: field.multiple,
    question: field.question,
    serves: field.serves,
    weight: field.weight,
    locators: found.map(({ locator }, index) => ({ locator, trust: trusts[index]! })),
    agreement,
    sightings,
  };
}

/** Whether it tells one of the field's values, which a later document may be the first to have. */
function saysOneOf(locator: Locator, { enum: values }: SkillField): boolean {
  return values.length > 0 && locator.kind === "phrase" && locator.says !== undefined;
}

/** The skill's labels, its other locators, what the sample calls the field besides, and what that means. */
export function locatorsOf(
  field: SkillField,
  learnedLabels: readonly string[],
  meanings: readonly string[] = [],
): readonly Locator[] {
  const known = keysOf(field.labels);
  const learned = keysOf(learnedLabels).filter((key) => !known.includes(key));
  const { locators, except } = field;
  return [
    ...labelLocator(known, except),
    ...locators,
    ...labelLocator(learned, except),
    ...meaningLocator(meanings, except),
  ];
}

/** By what labels mean, where they are none of those that are known. */
export function meaningLocator(
  meanings: readonly string[],
  except: readonly string[] = [],
): Locator[] {
  return meanings.length === 0 ? [] : [locatorSchema.parse({ kind: "meaning", meanings, except })];
}

function labelLocator(labels: readonly string[], except: readonly string[]): Locator[] {
  if (labels.length === 0) return [];
  return [locatorSchema.parse({ kind: "label", labels, where: ["right", "below"], except })];
}

function keysOf(labels: readonly string[]): string[] {
  return [...new Set(labels.map(labelKey))].filter((key) => key !== "");
}

function best(findings: readonly Finding[]): Finding | null {
  return findings[0] ?? null;
}
