/**
 * Finds values by their labels: in the rest of the line (`Date: 3 May`, `TOTAL  9.00`), under or over
 * the label in its column (a form's box, a header over its value).
 *
 * How sure a finding is falls with what stands in between: words that the label does not have, a
 * label in the middle of a sentence, letters that differ, a line's distance.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { toTheRight } from "./beside-label.ts";
import { type Choice, choiceOf } from "./choice.ts";
import { findingOf, firstValue, ordered, readStretch } from "./finding.ts";
import { isKnownLabel } from "./known-labels.ts";
import { isLabelled, isQuestion } from "./label-form.ts";
import { LabelIndex } from "./label-index.ts";
import { isCurrencyWord, labelKey } from "./label-key.ts";
import { isExcepted, isInAnswer, LEADING, type Place, placeOf, pointedAt } from "./label-place.ts";
import { columnNeighbours, showsByForm, spanIndexAt, stretchOfSpan, wordsOf } from "./layout.ts";
import type { Locator, Target } from "./locator.ts";
import { isNextLabel } from "./next-row.ts";
import { pointedAddress } from "./pointed-address.ts";
import { rangeEnd } from "./range-end.ts";
import { isInBoxLabel } from "./stacked-rows.ts";

type LabelLocator = Extract<Locator, { kind: "label" }>;

interface Compiled {
  readonly labels: LabelIndex;
  readonly except: LabelIndex;
}

const compiled = new WeakMap<LabelLocator, Compiled>();

function compile(locator: LabelLocator): Compiled {
  let known = compiled.get(locator);
  if (known === undefined) {
    known = {
      labels: new LabelIndex(locator.labels),
      except: new LabelIndex(locator.except.map(labelKey)),
    };
    compiled.set(locator, known);
  }
  return known;
}

/** Where the value stands, against one in the rest of the line. */
const BELOW = 0.8;
const ABOVE = 0.6;
const LEFT = 0.8;

/** A label of several words may go on with how to fill it in: `(print or type name, …)`. */
const MOST_INSTRUCTIONS = 8;
const INSTRUCTED = 0.6;

/** Labels of one document that are followed. */
const MOST_LABELS = 400;
const MOST_LABELS_IN_LINE = 12;

export function locateLabel(
  content: DocumentText,
  locator: LabelLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const { labels, except } = compile(locator);
  const pick = locator.pick === "end" ? "first" : locator.pick;
  const findings: Finding[] = [];
  let followed = 0;
  for (const [index, line] of content.lines.entries()) {
    const words = wordsOf(line);
    for (const match of labels.matches(words, MOST_LABELS_IN_LINE)) {
      if (followed === MOST_LABELS) return ordered(findings, pick);
      const place = placeOf(content, index, line, match);
      if (isExcepted(place, except, target, conventions)) continue;
      if (isInAnswer(place, conventions) || isInBoxLabel(content, index, place.to)) continue;
      followed += 1;
      const choice = choiceAt(place, locator);
      if (choice !== null) {
        findings.push(...tickedOf(place, choice, target, conventions));
        continue;
      }
      let found: Finding[] = [];
      if (locator.where.includes("right")) found = toTheRight(place, target, conventions);
      if (found.length === 0 && locator.where.includes("below")) {
        found = inTheColumn(place, 1, labels, target, conventions);
      }
      if (found.length === 0 && locator.where.includes("above")) {
        found = inTheColumn(place, -1, labels, target, conventions);
      }
      if (found.length === 0 && locator.where.includes("left")) {
        found = toTheLeft(place, target, conventions);
      }
      findings.push(
        ...(locator.pick === "end"
          ? found.flatMap((first) => rangeEnd(content, first, conventions) ?? [])
          : found),
      );
    }
  }
  return ordered(findings, pick);
}

/** Boxes behind the label, or on the line under one that stands alone. */
function choiceAt({ content, index, line, to }: Place, { where }: LabelLocator): Choice | null {
  const own = choiceOf(line);
  if (own !== null) return where.includes("right") && to <= own.start ? own : null;
  const below = content.lines[index + 1];
  const isAlone = line.spans.length === 1 && !/[\p{L}\p{N}]/u.test(line.text.slice(to));
  if (!isAlone || !where.includes("below") || below?.page !== line.page) return null;
  const choice = choiceOf(below);
  return choice !== null && below.text.slice(0, choice.start).trim() === "" ? choice : null;
}

function tickedOf(
  { sureness }: Place,
  { ticked }: Choice,
  target: Target,
  conventions: Conventions,
): Finding[] {
  return ticked.flatMap((stretch) => {
    const value = readStretch(stretch, target, conventions);
    return value === null
      ? []
      : [findingOf(stretch.line, value, sureness * pointedAt(value.certainty))];
  });
}

/** `17 kWh   used this month`: the piece before a label that fills its own. */
function toTheLeft({ line, from, to, sureness }: Place, target: Target, conventions: Conventions) {
  const spanIndex = spanIndexAt(line, from);
  const [before, span] = [line.spans[spanIndex - 1], line.spans[spanIndex]!];
  const isAlone = !/[\p{L}\p{N}]/u.test(line.text.slice(to, span.end - line.start));
  if (before === undefined || sureness < LEADING || !isAlone) return [];
  const value = firstValue(stretchOfSpan(line, before), target, conventions);
  if (value === null) return [];
  return [findingOf(line, value, sureness * LEFT * pointedAt(value.certainty))];
}

function inTheColumn(
  place: Place,
  step: 1 | -1,
  labels: LabelIndex,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const { content, index, line, match, from, to, sureness } = place;
  const spanIndex = spanIndexAt(line, from);
  const span = line.spans[spanIndex]!;
  // A label has little else in its span: words after it are a sentence's.
  const rest = wordsOf(line).filter(
    ({ start, key }) => start >= to && start < span.end - line.start && !isCurrencyWord(key),
  );
  const isInstruction = sureness === LEADING && match.to - match.from > 2;
  if (rest.length > (isInstruction ? MOST_INSTRUCTIONS : 0)) return [];
  const factor = sureness * (rest.length > 0 ? INSTRUCTED : 1) * (step > 0 ? BELOW : ABOVE);
  for (const stretch of columnNeighbours(content, index, spanIndex, step)) {
    const text = stretch.line.text.slice(stretch.start, stretch.end);
    if (isLabelled(text) || isQuestion(text) || isKnownLabel(text, conventions)) return [];
    if (step > 0 && isNextLabel(line, spanIndex, stretch, text)) return [];
    const words = wordsOf(stretch.line).filter(
      ({ start }) => start >= stretch.start && start < stretch.end,
    );
    if (labels.at(words, 0) !== null) return [];
    if (target.kind === "address" && step > 0) {
      const address = pointedAddress(content, content.lines.indexOf(stretch.line, index), stretch);
      if (address !== null) return [{ ...address, confidence: address.confidence * factor }];
    }
    const value = firstValue(stretch, target, conventions);
    if (value !== null)
      return [findingOf(stretch.line, value, factor * pointedAt(value.certainty))];
    if (!showsByForm(target.kind)) return [];
  }
  return [];
}
