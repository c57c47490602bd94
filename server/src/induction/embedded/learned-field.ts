/** A field that no skill knows: a label that many documents share, and its values. */

import type { AlignedField } from "../alignment/align.ts";
import type { Finding, Proposal, SampleDocument } from "../inducer.ts";
import { locate } from "../locators/locate.ts";
import type { Target } from "../locators/locator.ts";
import type { Skill } from "../skills/skill.ts";
import { read } from "../values/read.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { isFieldName, isSpecific } from "./field-name.ts";
import { areValues, refinedKind } from "./field-values.ts";
import { weighLocators } from "./trust.ts";

/** Of the documents that are looked at; the gates ask for more on others. */
const LEAST_SHARE = 0.4;
const FEWEST_DOCUMENTS = 2;
/** Values of one field are of one kind. */
const LEAST_KIND_AGREEMENT = 0.7;
/** What rows of a table state. */
const OF_TABLES: ReadonlySet<ValueKind> = new Set([
  "money",
  "number",
  "percent",
  "date",
  "quantity",
]);

/** Whether enough documents share it, and a person would ask for it. */
export function isCandidate(
  learned: AlignedField,
  documents: readonly SampleDocument[],
  skill: Skill,
  isLabel: (key: string) => boolean,
): boolean {
  const { documents: stated, kindAgreement, origin, kind, labels, keys } = learned;
  if (stated < Math.max(FEWEST_DOCUMENTS, LEAST_SHARE * documents.length)) return false;
  if (kindAgreement < LEAST_KIND_AGREEMENT) return false;
  if (origin === "table" && !(OF_TABLES.has(kind) && labels[0]!.split(", ").every(isSpecific))) {
    return false;
  }
  return (
    isFieldName(labels[0]!, keys[0]!, skill) &&
    areValues(kind, [...learned.findings.values()], documents, isLabel)
  );
}

export function proposeLearnedField(
  learned: AlignedField,
  documents: readonly SampleDocument[],
  conventions: Conventions,
): Proposal {
  const kind = refinedKind(learned.kind, [...learned.findings.values()], conventions);
  const target: Target = { kind, multiple: false, enum: [] };
  const found = learned.locators.map((locator) => ({
    locator,
    findings: documents.map(
      ({ content }): Finding | null => locate(content, locator, target, conventions)[0] ?? null,
    ),
  }));
  // What the labels said where they were seen judges the locators.
  const seen = documents.map(({ id }) => {
    const finding = learned.findings.get(id) ?? null;
    if (finding === null || kind === learned.kind) return finding;
    const value = read(kind, finding.text, conventions);
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
