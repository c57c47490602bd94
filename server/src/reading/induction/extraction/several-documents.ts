/**
 * Several documents in one file: what names the document (its invoice's number) stands there twice,
 * with different values, and what else the first one states is stated again behind the second. What is
 * found in such a file would be mixed of all; so the first document is read, and it is said so.
 *
 * A document of several pages repeats its own number, and states its other fields once.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Answerer, ExtractionPlan } from "../schema.ts";
import type { Conventions, Normal } from "../values/value.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { stretch } from "./stretch.ts";

/** What is read of a part of a file: the confidence and the value of each question that it answers. */
export type Reading = Readonly<
  Record<
    string,
    { readonly value: Normal; readonly confidence: number; readonly page: number } | null
  >
>;

export interface FirstDocument {
  /** Of the first document; of a single one, the whole. */
  readonly content: DocumentText;
  readonly warnings: readonly string[];
}

/** Codes that name a party, its account or its tax file: they are the same in many documents. */
const OF_PARTY =
  /(?:^|_)(?:tax|vat|gst|sst|registration|register|company|customer|client|supplier|seller|buyer|account|iban|bic|swift|phone|siren|siret)(?:_|$)/;

/** Weaker findings of a second value are not looked at. */
const LEAST_LOOKED_AT = 0.2;
/** Of the first document's number: how sure the second one's must be, read by itself. */
const LEAST_STRONG = 0.6;
/** Of what a file answers, what its first document alone does, and of this what the second one does too. */
interface Bar {
  readonly whole: number;
  readonly again: number;
  readonly fewest: number;
}
const BARS: Readonly<Record<"page" | "withinPage" | "date", Bar>> = {
  page: { whole: 0.6, again: 0.5, fewest: 2 },
  // No page's end speaks for it, or no number does.
  withinPage: { whole: 0.8, again: 0.75, fewest: 3 },
  date: { whole: 0.6, again: 0.75, fewest: 3 },
};
/** Second values that are tried. */
const MOST_TRIED = 4;
/** Lines by which a document may begin off the place where the first one's layout has it. */
const MOST_OFF = 3;
const MOST_NAMED = 5;
const LONGEST_LINE = 40;
/** Less sure values do not contradict each other. */
const LEAST_SURE = 0.5;

type Telling = "identifier" | "date";

/** A question whose answer tells documents apart, and what the file has for it. */
interface Told {
  readonly answerer: Answerer;
  readonly kind: Telling;
  /** In the text's order. */
  readonly values: readonly Candidate[];
}

/** @param readPart answers the plan's questions for a part of the file */
export function firstDocument(
  plan: ExtractionPlan,
  content: DocumentText,
  conventions: Conventions,
  readPart: (part: DocumentText) => Reading,
): FirstDocument {
  const apart = toldApart(plan, content, conventions);
  if (apart.length === 0) return { content, warnings: [] };
  const whole = readPart(content);
  for (const told of apart) {
    const [first, ...others] = told.values;
    for (const other of others.slice(0, MOST_TRIED)) {
      const at = beginOf(content, first!, other);
      if (at === null) continue;
      const [head, rest] = [stretch(content, 0, at), stretch(content, at, content.lines.length)];
      const bar = barOf(told.kind, first!.page, other.page);
      if (bar === null) continue;
      const read = { whole, own: readPart(head), again: readPart(rest) };
      if (!isAnother(plan, told.answerer.id, read, bar)) continue;
      return { content: head, warnings: [warning(told.answerer.id, read, content, head)] };
    }
  }
  return { content, warnings: apart.flatMap(contradicted) };
}

/** Dates tell documents apart that are a page each: reports and contracts have many dates. */
function barOf(kind: Telling, page: number, otherPage: number): Bar | null {
  if (kind === "identifier") return otherPage === page ? BARS.withinPage : BARS.page;
  return otherPage === page + 1 ? BARS.date : null;
}

/** The document's own numbers, and its dates where no number is repeated, of which the file has several. */
function toldApart(plan: ExtractionPlan, content: DocumentText, conventions: Conventions): Told[] {
  const each = (kind: Telling, answerers: readonly Answerer[]): Told[] =>
    answerers.map(({ locators, ...rest }) => {
      const answerer = { ...rest, locators: locators.filter(isLabelled) };
      const values = candidatesOf(answerer, content, conventions, null)
        .filter(({ confidence }) => confidence >= LEAST_LOOKED_AT)
        .sort((a, b) => a.start - b.start);
      return { answerer, kind, values };
    });
  const numbers = each("identifier", plan.answerers.filter(namesDocument));
  // One that stands there again carries the document on.
  const isRepeated = numbers.some(({ values }) => values.some(({ repeats }) => repeats > 0));
  const dates = plan.answerers.filter(({ target }) => target.kind === "date" && !target.multiple);
  return [...numbers, ...(isRepeated ? [] : each("date", dates))].filter(
    ({ values }) => values.length > 1,
  );
}

const isLabelled = ({ locator: { kind } }: Answerer["locators"][number]): boolean =>
  kind === "label" || kind === "cell";

const namesDocument = ({ id, target }: Answerer): boolean =>
  target.kind === "identifier" && !target.multiple && !OF_PARTY.test(id);

/** The line that the document of the other value begins with; null where it can only be within the first. */
function beginOf(content: DocumentText, first: Candidate, other: Candidate): number | null {
  const { lines } = content;
  const [own, its] = [first, other].map(({ start }) => lines.indexOf(lineAt(content, start)));
  if (own === undefined || its === undefined || its <= own) return null;
  if (other.page !== first.page) return lines.findIndex(({ page }) => page === other.page);
  // On one page it begins as far above its number as the first one does, or at a block near there.
  const top = lines.findIndex(({ page }) => page === first.page);
  const wanted = its - (own - top);
  if (wanted <= own) return null;
  const offs = Array.from({ length: 2 * MOST_OFF + 1 }, (_, at) => at - MOST_OFF).sort(
    (a, b) => Math.abs(a) - Math.abs(b) || a - b,
  );
  const near = offs.map((off) => wanted + off).filter((line) => line > own && line <= its);
  const isTop = (line: number): boolean =>
    lines[top] !== undefined && labelKey(lines[line]!.text) === labelKey(lines[top].text);
  const opensBlock = (line: number): boolean => lines[line]!.block !== lines[line - 1]!.block;
  return near.find(isTop) ?? near.find(opensBlock) ?? near[0] ?? null;
}

interface Readings {
  readonly whole: Reading;
  readonly own: Reading;
  readonly again: Reading;
}

/** Whether what stands behind is a document of its own: numbered otherwise, and stating most fields again. */
function isAnother(
  { answerers }: ExtractionPlan,
  id: string,
  { whole, own, again }: Readings,
  bar: Bar,
): boolean {
  const [number, other] = [own[id], again[id]];
  if (number == null || other == null || number.value === other.value) return false;
  if (other.confidence < LEAST_STRONG * number.confidence) return false;
  const stated = answerers.filter(
    ({ target, locators }) =>
      !target.multiple &&
      locators.some(({ locator }) => locator.kind !== "presence" && locator.kind !== "unit"),
  );
  const answered = stated.filter(({ id: each }) => own[each] != null);
  // A document that carries its own number on has the same one on each page.
  const isCarriedOn = answered.some(
    (answerer) => namesDocument(answerer) && own[answerer.id]?.value === again[answerer.id]?.value,
  );
  const inWhole = stated.filter(({ id: each }) => whole[each] != null).length;
  const both = answered.filter(({ id: each }) => again[each] != null).length;
  return (
    !isCarriedOn &&
    answered.length >= bar.whole * inWhole &&
    both >= Math.max(bar.fewest, bar.again * answered.length)
  );
}

/** On several pages equally sure, yet not told to be several documents. */
function contradicted({ answerer, kind, values }: Told): string[] {
  const surest = Math.max(...values.map(({ confidence }) => confidence));
  const strong = values.filter(({ confidence }) => confidence >= LEAST_STRONG * surest);
  const pages = new Set(strong.map(({ page }) => page));
  if (kind !== "identifier" || surest < LEAST_SURE || pages.size < 2) return [];
  return [
    `${answerer.id} is ${named(strong)}: the surest is given. Upload the file as several where it holds several documents.`,
  ];
}

const named = (values: readonly Candidate[]): string =>
  values
    .slice(0, MOST_NAMED)
    .map(({ normal, page }) => `${normal} on page ${page}`)
    .join(", ");

function warning(
  id: string,
  { own, again }: Readings,
  content: DocumentText,
  head: DocumentText,
): string {
  const last = head.lines.findLast(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const page = last?.page ?? 1;
  const isWithinPage = content.lines[head.lines.length]?.page === page;
  const line = `its line '${last?.text.slice(0, LONGEST_LINE) ?? ""}' on page ${page}`;
  const [one, other] = [own[id], again[id]].map((each) => `${each?.value} on page ${each?.page}`);
  return `It seems to hold several documents: ${id} is ${one}, and ${other}. The answers are those of the first alone, up to ${isWithinPage ? line : `page ${page}`}; upload the others as files of their own.`;
}
