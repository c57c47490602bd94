/** A field that no skill knows: a label that many documents share, and its values. */

import type { AlignedField } from "../alignment/align.ts";
import type { Finding, Proposal, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locate } from "../locators/locate.ts";
import type { Target } from "../locators/locator.ts";
import type { Skill } from "../skills/skill.ts";
import { conventionsOf } from "../values/conventions.ts";
import { read } from "../values/kinds.ts";
import { unitOfLabel } from "../values/label-unit.ts";
import { type Conventions, NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { conceptsOf, meaningOf } from "../words/label-concepts.ts";
import { isFieldName, isSpecific } from "./field-name.ts";
import { areValues, ofOneKind, refinedKind } from "./field-values.ts";
import { meaningLocator } from "./skill-field.ts";
import { weighLocators } from "./trust.ts";

/** Of the documents that are looked at; the gates ask for more on others. */
const LEAST_SHARE = 0.3;
/** Of those that a label of a form names, as of several senders each has its own, or the use case. */
const LEAST_NAMED_SHARE = 0.2;
const FEWEST_DOCUMENTS = 2;
/** What rows of a table state. */
const OF_TABLES: ReadonlySet<ValueKind> = new Set([
  "money",
  "number",
  "percent",
  "date",
  "quantity",
]);

export interface Judging {
  readonly documents: readonly SampleDocument[];
  readonly skill: Skill;
  readonly isLabel: (key: string) => boolean;
  readonly isNamed: (label: string) => boolean;
}

/** A learned field that may be proposed, or why it is none that a person would ask for. */
export type Judged = { readonly field: AlignedField } | { readonly reason: string };

export function judged(
  learned: AlignedField,
  { documents, skill, isLabel, isNamed }: Judging,
): Judged {
  const { origin, labels, keys } = learned;
  const isLabelled = origin === "label" || origin === "table";
  const evidence = { isLabelled, isNamed: isLabelled && isNamed(labels[0]!) };
  const field = ofOneKind(learned, isLabelled);
  if (field === null) return { reason: "its values are not of one kind" };
  const share = evidence.isNamed || origin === "label" ? LEAST_NAMED_SHARE : LEAST_SHARE;
  if (field.documents < Math.max(FEWEST_DOCUMENTS, share * documents.length)) {
    return {
      reason: `${field.documents} of ${documents.length} documents that were read state it`,
    };
  }
  // A company over its address is no title of a section.
  if (origin === "section" && isNameOfCompany(labels[0]!)) return { reason: "it is a name" };
  const isRow = OF_TABLES.has(field.kind) && labels[0]!.split(", ").every(isSpecific);
  if (origin === "table" && !isRow && !evidence.isNamed) {
    return { reason: "it is a row of a table, not a figure" };
  }
  const name = labels.findIndex((label, index) =>
    isFieldName(label, keys[index]!, skill, evidence),
  );
  if (name < 0) return { reason: "its label does not say what is asked for" };
  const findings = [...field.findings.values()];
  if (!evidence.isNamed && !areValues(field.kind, findings, documents, isLabel, isLabelled)) {
    return { reason: "what is beside its label is not an answer" };
  }
  return { field: { ...field, keys: withFirst(keys, name), labels: withFirst(labels, name) } };
}

/** The entry at the index before the others. */
const withFirst = <Entry>(entries: readonly Entry[], index: number): readonly Entry[] => [
  entries[index]!,
  ...entries.slice(0, index),
  ...entries.slice(index + 1),
];

function isNameOfCompany(label: string): boolean {
  const name = read("organization", label, NEUTRAL_CONVENTIONS);
  return name !== null && name.certainty >= SURE_NAME && meaningOf(labelKey(label)) === null;
}

/** From here on a legal form shows a company. */
const SURE_NAME = 0.85;

/** What its labels agree to say that the values are in. */
function unitIn(labels: readonly string[]): string | null {
  const units = new Set(labels.flatMap((label) => unitOfLabel(label)?.unit ?? []));
  return units.size === 1 ? [...units][0]! : null;
}

/** `Employee no.`, `N° de dossier`; a `number of packages` counts. */
const isNumbered = ({ keys }: AlignedField): boolean =>
  2 * keys.filter((key) => conceptsOf(key).includes("no") && !COUNTS.test(key)).length >
  keys.length;

const COUNTS = /(?:^| )no (?:of|de|di|der|von|van) (?!\p{L}+ no$)/u;
const isDigits = ({ text }: Finding): boolean => /^\d{2,}$/.test(text);

/** Of labels and rows: what words in a sentence mean is not what stands behind them. */
function meaningsOf({ keys, origin }: AlignedField): string[] {
  if (origin !== "label" && origin !== "table") return [];
  return [...new Set(keys.flatMap((key) => meaningOf(key) ?? []))].sort();
}

export function proposeLearnedField(
  learned: AlignedField,
  documents: readonly SampleDocument[],
  conventions: Conventions,
): Proposal {
  const findings = [...learned.findings.values()];
  const areCodes = learned.kind === "number" && isNumbered(learned) && findings.every(isDigits);
  const kind = areCodes ? "identifier" : refinedKind(learned.kind, findings, conventions);
  const target: Target = { kind, multiple: false, enum: [] };
  const found = [...learned.locators, ...meaningLocator(meaningsOf(learned))].map((locator) => ({
    locator,
    findings: documents.map(
      ({ content }): Finding | null =>
        locate(content, locator, target, conventionsOf(content, conventions))[0] ?? null,
    ),
  }));
  // What the labels said where they were seen judges the locators.
  const seen = documents.map(({ id, content }) => {
    const finding = learned.findings.get(id) ?? null;
    if (finding === null || kind === learned.kind) return finding;
    const value = read(kind, finding.text, conventionsOf(content, conventions));
    return value === null ? null : { ...finding, normal: value.normal };
  });
  const { trusts, agreement } = weighLocators(kind, [
    ...found.map(({ findings }) => findings),
    seen,
  ]);
  const label = learned.labels[0]!;
  return {
    origin: learned.origin,
    name: label,
    labels: learned.labels,
    kind,
    unit: unitIn(learned.labels),
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
