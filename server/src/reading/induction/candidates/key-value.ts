/** Candidates from labels beside and over values, as forms, invoices, receipts and notes have them. */

import type { SampleDocument } from "../inducer.ts";
import { findingOf } from "../locators/finding.ts";
import { labelKey, withoutNumbering } from "../locators/label-key.ts";
import { dayRange } from "../values/day-range.ts";
import { readContainer } from "../values/identifier.ts";
import { read } from "../values/kinds.ts";
import { unitOfLabel } from "../values/label-unit.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { conceptsOf } from "../words/label-concepts.ts";
import { pairsOf } from "./key-value-pairs.ts";
import { type Mention, ofEachDocument, withNeighbours } from "./mention.ts";
import { statedValue } from "./stated-value.ts";

/** Mentions of one document that are kept, the first. */
const MOST_MENTIONS = 300;

export const keyValueCandidates = ofEachDocument(mentionsOf);

/** Where else a value may stand that one document has there. */
const SIDES = {
  right: ["right", "below"],
  below: ["below", "right"],
  above: ["above"],
  left: ["left"],
} as const;

/** What a label is about whose figures are none: nobody adds them up. */
const CODES: ReadonlySet<string> = new Set(["no", "tariff_code"]);

/** A bare number with two decimals is money, unless its label says what it is measured in. */
function labelledValue(label: string, text: string, conventions: Conventions): TypedValue | null {
  const stated = statedValue(withoutRemark(text, conventions), conventions);
  // `0779` is no quantity, and behind `Commodity code` neither is `8471.30`.
  const isOfCode = (): boolean =>
    /^\s*\d+[.,]\d[\d.,]*\s*$/.test(text) &&
    conceptsOf(labelKey(label)).some((concept) => CODES.has(concept));
  if (stated?.kind === "number" && (/^\s*0\d+\s*$/.test(text) || isOfCode())) {
    return read("identifier", text, conventions) ?? stated;
  }
  const container = stated?.kind === "identifier" ? readContainer(text) : null;
  if (container !== null) return container;
  // Behind `Voyage no.`, `215W` are no watts.
  const isCode = /^\s*\d+\p{L}+\s*$/u.test(text) && conceptsOf(labelKey(label)).includes("no");
  if (stated?.kind === "quantity" && isCode) return read("identifier", text, conventions) ?? stated;
  if (stated?.kind !== "money" || unitOfLabel(label)?.isCurrency !== false) return stated;
  return read("number", text, conventions) ?? stated;
}

/** `41 °C - closed cup`, `1.03 g/cm3 at 20 °C`: a measure, and how it was taken. */
function withoutRemark(text: string, conventions: Conventions): string {
  const remark = REMARK.exec(text.slice(0, LONGEST_MEASURE));
  if (remark === null) return text;
  const measure = text.slice(0, remark.index);
  return statedValue(measure, conventions)?.kind === "quantity" ? measure : text;
}

const REMARK = /\s+(?:[-–—(]\s?(?=\p{L})|(?:at|bei|a|à|bij|przy)\s+(?=\p{N}))/u;
const LONGEST_MEASURE = 60;

function mentionsOf({ id, content }: SampleDocument, conventions: Conventions): Mention[] {
  const mentions: Mention[] = [];
  for (let index = 0; index < content.lines.length; index += 1) {
    for (const { label, value, where, sureness } of pairsOf(content, index, conventions)) {
      if (mentions.length === MOST_MENTIONS) return withNeighbours(mentions);
      const { line, start, end } = value;
      const stated = labelledValue(label, line.text.slice(start, end), conventions);
      if (stated === null) continue;
      const key = labelKey(label);
      const written = withoutNumbering(label.trim());
      const range = dayRange(line.text.slice(start, end), conventions);
      const mention = (value: TypedValue, own: string, pick: "first" | "end"): Mention => ({
        origin: "label",
        documentId: id,
        label: own,
        key: own === written ? key : labelKey(own),
        kind: value.kind,
        locator: { kind: "label", labels: [key], where: [...SIDES[where]], pick, except: [] },
        finding: findingOf(
          line,
          { ...value, start: value.start + start, end: value.end + start },
          sureness,
        ),
        neighbours: [null, null],
      });
      mentions.push(mention(range?.first ?? stated, written, "first"));
      // What goes from one day to another answers two questions.
      if (range !== null) mentions.push(mention(range.last, `${written} (end)`, "end"));
    }
  }
  return withNeighbours(mentions);
}
