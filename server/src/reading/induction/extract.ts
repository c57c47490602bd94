/**
 * Answers a frozen schema's questions for one document: follows each question's locators, weighs
 * what they find by how far each is trusted, and lets those that agree add up.
 *
 * A value's confidence is that of the noisy-or of its supports (Pearl, Probabilistic Reasoning in
 * Intelligent Systems, 1988, §4.3.2), brought down where another value is nearly as well supported and
 * where letters are hard to read, and weighed by how like the sample's answers it is. One that is then
 * hardly sure at all is none.
 */

import { type DocumentText, lineAt } from "../parsing/document-text.ts";
import type { Box } from "../parsing/normal-form.ts";
import { moneyEvidence } from "./extraction/arithmetic.ts";
import { type Candidate, candidatesOf } from "./extraction/candidates.ts";
import { choiceOf, leastSureness, likenessOf, presenceOf } from "./extraction/habits.ts";
import type { Finding } from "./inducer.ts";
import { labelKey } from "./locators/label-key.ts";
import { areOfColumn, type Target } from "./locators/locator.ts";
import type { Answerer, ExtractionPlan } from "./schema.ts";
import { conventionsOf } from "./values/conventions.ts";
import { isOrderOpen } from "./values/date.ts";
import type { Conventions, Normal } from "./values/value.ts";
import { meaningOf } from "./words/label-concepts.ts";

/** What a document answers to a question. */
export interface Answer {
  /** One form whatever was written (see `Normal`); of several values, joined by `; `. */
  readonly value: Normal;
  readonly unit: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** From 1. */
  readonly page: number;
  /** Verbatim, by offsets of the document's text; its box where the format has positions. */
  readonly span: {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    readonly box: Box | null;
  };
  /** What is not settled by the document. */
  readonly note?: string;
}

/** Answers by question id; null where the document does not say. */
export type Answers = Readonly<Record<string, Answer | null>>;

/** Less sure than this is not an answer. */
const LEAST_CONFIDENCE = 0.22;

/** Values that a question of several may have. */
const MOST_VALUES = 12;

export function extract(plan: ExtractionPlan, content: DocumentText): Answers {
  const answers: Record<string, Answer | null> = {};
  const conventions = conventionsOf(content, plan.conventions);
  for (const answerer of plan.answerers) {
    answers[answerer.id] = answer(answerer, content, conventions);
  }
  return answers;
}

function answer(
  answerer: Answerer,
  content: DocumentText,
  conventions: Conventions,
): Answer | null {
  const { target } = answerer;
  const evidence = target.kind === "money" ? moneyEvidence(content, answerer, conventions) : null;
  const found = candidatesOf(answerer, content, conventions, evidence);
  const candidates = found
    .map((finding) => asEnumerated(finding, target))
    .filter((finding) => finding !== null && finding.confidence >= LEAST_CONFIDENCE);
  const best = candidates[0];
  if (best === undefined || best === null) return null;
  if (!target.multiple) {
    return answerOf(answerer, content, best, best.normal, conventions, choiceOf(found.length));
  }
  const several = candidates.filter((finding) => finding !== null).slice(0, MOST_VALUES);
  const values = [...new Set(several.map(({ normal }) => String(normal)))];
  return answerOf(answerer, content, best, values.join("; "), conventions);
}

function answerOf(
  answerer: Answerer,
  content: DocumentText,
  finding: Candidate,
  value: Normal,
  conventions: Conventions,
  choice = 1,
): Answer | null {
  const { unit, page, text, start, end } = finding;
  const sure = surenessOf(finding, answerer, value, choice) * legibilityOf(content, start, end);
  const { habits, locators } = answerer;
  // That a clause is said, or is not, is an answer however unlikely.
  const isPlain = !isPresence(locators) && !areOfColumn(locators);
  if (habits !== undefined && isPlain && sure < leastSureness(habits)) return null;
  const span = { text, start, end, box: boxOf(content, start, end) };
  const isOpen = answerer.target.kind === "date" && isOrderOpen(text, conventions);
  const confidence = Math.round((isOpen ? Math.min(sure, ORDER_ASSUMED) : sure) * 1000) / 1000;
  const answered = { value, unit, confidence, page, span };
  return isOpen ? { ...answered, note: orderNote(conventions) } : answered;
}

/** A date of which no other tells whether day or month stands first: languages and currencies only suggest it. */
const ORDER_ASSUMED = 0.6;

const orderNote = ({ dayFirst }: Conventions): string =>
  `Day and month cannot be told apart, here or in the sample's documents; it was read with the ${dayFirst ? "day" : "month"} first.`;

/** How sure the value is by its place, by its form, and by what the sample's answers were like. */
function surenessOf(
  { confidence, repeats }: Candidate,
  { target, locators, habits }: Answerer,
  value: Normal,
  choice: number,
): number {
  if (areOfColumn(locators)) return confidence;
  const byPlace = confidence * exactness(value);
  if (habits === undefined) return byPlace;
  if (isPresence(locators) && typeof value === "boolean") {
    return presenceOf(habits, value ? 1 + repeats : 0);
  }
  const odds = (byPlace / Math.max(1e-3, 1 - byPlace)) * likenessOf(target, habits, value) * choice;
  return odds / (1 + odds);
}

const isPresence = (locators: Answerer["locators"]): boolean =>
  locators.every(({ locator }) => locator.kind === "presence");

/** How surely each further word of a text is rightly read, and belongs to it. */
const WORD_EXACT = 0.94;
const MOST_WORDS = 14;

/**
 * What is found at the right place may still begin or end at a wrong one: the more words a text has,
 * the likelier. A number or a date is read as a whole or not at all.
 */
function exactness(value: Normal): number {
  if (typeof value !== "string") return 1;
  const words = value.match(/\p{L}{2,}[^\s]*/gu)?.length ?? 0;
  return WORD_EXACT ** Math.min(MOST_WORDS, Math.max(0, words - 1));
}

/** How surely the letters of the stretch were recognised, 0 to 1; 1 where they were not read optically. */
function legibilityOf({ lines }: DocumentText, start: number, end: number): number {
  let [letters, sure] = [0, 0];
  for (const line of lines) {
    if (line.start >= end) break;
    if (line.end <= start) continue;
    for (const span of line.spans) {
      const shared = Math.min(span.end, end) - Math.max(span.start, start);
      if (shared <= 0) continue;
      letters += shared;
      sure += shared * (span.confidence ?? 1);
    }
  }
  return letters === 0 ? 1 : sure / letters;
}

/** The smallest box around the spans that the stretch touches on its first page, or null. */
function boxOf(content: DocumentText, start: number, end: number): Box | null {
  if (content.lines.length === 0) return null;
  const { page } = lineAt(content, start);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of content.lines) {
    if (line.start >= end) break;
    if (line.end <= start || line.page !== page) continue;
    for (const span of line.spans) {
      if (span.end <= start || span.start >= end || span.box === null) continue;
      left = Math.min(left, span.box[0]);
      top = Math.min(top, span.box[1]);
      right = Math.max(right, span.box[2]);
      bottom = Math.max(bottom, span.box[3]);
    }
  }
  return left === Infinity ? null : [left, top, right, bottom];
}

/** The finding with the allowed value that it says, itself where all are, null where it says none. */
function asEnumerated<Found extends Finding>(finding: Found, target: Target): Found | null {
  if (target.enum.length === 0 || typeof finding.normal === "boolean") return finding;
  const said = ` ${labelKey(String(finding.normal))} `;
  const equal = target.enum.find((value) => ` ${labelKey(value)} ` === said);
  // The longest that is within it: "not approved" before "approved".
  const within = [...target.enum]
    .sort((a, b) => b.length - a.length)
    .find((value) => said.includes(` ${labelKey(value)} `));
  const value = equal ?? within ?? meant(String(finding.normal), target);
  return value === undefined ? null : { ...finding, normal: value };
}

/** `Bonifico` is a bank transfer. */
function meant(said: string, { enum: values }: Target): string | undefined {
  const meaning = meaningOf(labelKey(said));
  return meaning === null
    ? undefined
    : values.find((value) => meaningOf(labelKey(value)) === meaning);
}
