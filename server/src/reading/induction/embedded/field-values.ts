/** What kind of values a learned field has, and whether they are values at all. */

import type { AlignedField } from "../alignment/align.ts";
import type { Finding, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { showsByForm } from "../locators/layout.ts";
import { read } from "../values/kinds.ts";
import { recognise } from "../values/recognise.ts";
import { type Conventions, NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";

/** Kinds by which a text that holds one is better read: `06/12/2018 4:52 PM` is a date. */
const READABLE: readonly ValueKind[] = ["date", "money", "percent", "duration", "quantity"];
const MOST_HOLD_IT = 0.8;
const LONGEST_READ = 60;
/** A text of more words is a passage. */
const MOST_WORDS = 25;
/** Of texts, those that go on in the middle of a sentence. */
const MOST_RUNNING = 0.3;
/** Words of an answer that may begin small. */
const MOST_ANSWER_WORDS = 6;
/** Of texts, those that are other fields' labels: what stands under a heading of a table. */
const MOST_LABELS = 0.5;
/** Of ticked boxes, and of those that are not. */
const FEWEST_OF_EACH = 2;
/** Pages from which on small numbers beside headings are those of a table of contents. */
const LONG_DOCUMENT = 5;

/** Kinds that a bare number may be of as well. */
const WITH_UNIT: readonly ValueKind[] = ["money", "quantity", "percent"];

/** Values of one field are of one kind. */
const LEAST_AGREEMENT = 0.7;
/** Of a form's field, those that hold a value where the others say in words why there is none. */
const LEAST_FILLED = 0.5;

/**
 * The field with its values as one kind, though they look like several: numbers of which some are as
 * long as codes, names of which some are companies'. Null where they are nothing in common, which
 * beside a form's label they always are: texts.
 */
export function ofOneKind(learned: AlignedField, isLabelled: boolean): AlignedField | null {
  const { kind, kindAgreement, stated, keys } = learned;
  if (isLabelled && kind === "number" && hasLeadingZero(learned)) return asCodes(learned);
  if (kindAgreement >= LEAST_AGREEMENT) return learned;
  if (!isLabelled) return null;
  const values = [...stated.values()];
  const isOf = (...kinds: readonly ValueKind[]): boolean =>
    values.every((value) => kinds.includes(value.kind));
  if (showsByForm(kind) && kindAgreement >= LEAST_FILLED && isOf(kind, "text", "boolean")) {
    return learned;
  }
  // One sender writes the currency or the unit, another does not.
  const written = WITH_UNIT.find((each) => isOf("number", each));
  const areDigits = values.every(({ finding }) => /^[\d.,]+$/.test(finding.text));
  const isCode = keys[0]!.split(" ").at(-1) === "no";
  const target: ValueKind =
    isOf("number", "identifier") && areDigits && !isCode ? "number" : (written ?? "text");
  const findings = new Map(
    [...stated].flatMap(([document, { finding }]) => {
      const value = read(target, finding.text, NEUTRAL_CONVENTIONS);
      return value === null ? [] : [[document, { ...finding, normal: value.normal }] as const];
    }),
  );
  return { ...learned, kind: target, kindAgreement: 1, findings, documents: findings.size };
}

/** Nobody writes `0221` for a number: of one code all are codes, though most begin otherwise. */
function hasLeadingZero({ stated }: AlignedField): boolean {
  const texts = [...stated.values()].map(({ finding }) => finding.text);
  return texts.some((text) => /^0\d+$/.test(text)) && texts.every((text) => /^\d+$/.test(text));
}

function asCodes(learned: AlignedField): AlignedField {
  const findings = new Map(
    [...learned.stated].map(([document, { finding }]) => [
      document,
      { ...finding, normal: finding.text },
    ]),
  );
  return {
    ...learned,
    kind: "identifier",
    kindAgreement: 1,
    findings,
    documents: findings.size,
  };
}

/** The kind itself, or the one that almost all texts hold. */
export function refinedKind(
  kind: ValueKind,
  findings: readonly Finding[],
  conventions: Conventions,
): ValueKind {
  if (kind !== "text" || findings.length === 0) return kind;
  const held = findings.map(({ text }) =>
    text.length > LONGEST_READ
      ? new Set<ValueKind>()
      : new Set(recognise(text, conventions).map((value) => value.kind)),
  );
  return (
    READABLE.find(
      (each) => held.filter((kinds) => kinds.has(each)).length >= MOST_HOLD_IT * findings.length,
    ) ?? kind
  );
}

export function areValues(
  kind: ValueKind,
  findings: readonly Finding[],
  documents: readonly SampleDocument[],
  isLabel: (key: string) => boolean,
  isLabelled = false,
): boolean {
  if (kind === "text") {
    const labels = findings.filter(({ text }) => isLabel(labelKey(text))).length;
    if (labels > MOST_LABELS * findings.length) return false;
    // Beside a label, `needs repair` is an answer.
    const most = isLabelled ? MOST_ANSWER_WORDS : 0;
    const running = findings.filter(
      ({ text }) => /^\p{Ll}/u.test(text) && text.split(/\s+/).length > most,
    ).length;
    const passages = findings.filter(({ text }) => text.split(/\s+/).length > MOST_WORDS).length;
    return Math.max(running, passages) <= MOST_RUNNING * findings.length;
  }
  if (kind === "boolean") {
    // "None" under a heading is no answer to it: a form is ticked here and not there.
    const yes = findings.filter(({ normal }) => normal === true).length;
    return Math.min(yes, findings.length - yes) >= (isLabelled ? 1 : FEWEST_OF_EACH);
  }
  if (kind !== "number") return true;
  const pages = Math.max(...documents.map(({ content }) => content.pages));
  if (pages < LONG_DOCUMENT) return true;
  return !findings.every(
    ({ normal }) =>
      typeof normal === "number" && Number.isInteger(normal) && Math.abs(normal) <= pages,
  );
}
