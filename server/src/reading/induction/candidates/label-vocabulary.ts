/**
 * What the documents of a sample call things: the words that stand before colons and those pieces of
 * lines that come back in most documents while what stands before or behind them differs. Where a
 * label begins between a value and its colon (`Springfield, IL File Number:`) the documents
 * decide together: its words come back, the value's do not. As in wrapper induction (Crescenzi,
 * Mecca and Merialdo, "RoadRunner", 2001), what is shared is the form and what differs is filled in.
 */

import type { DocumentText, PlacedSpan } from "../../parsing/document-text.ts";
import { choiceOf } from "../locators/choice.ts";
import { isRowOfTerms } from "../locators/header-row.ts";
import { behindList, isLabelText, LABEL_AND_COLON } from "../locators/label-form.ts";
import { labelKey, labelWords, withoutNumbering } from "../locators/label-key.ts";
import { columnNeighbours, isCaption, textOfStretch } from "../locators/layout.ts";
import { read } from "../values/kinds.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { isOfTerms, meaningOf } from "../words/label-concepts.ts";

const MOST_LINES = 2_000;
const LONGEST_SPAN = 2_000;
const MOST_LABELS = 400;
/** Words before a colon that may be the label. */
const MOST_WORDS = 6;

/** Of the documents: those that write a label with a colon, and how many at least. */
const LEAST_NAMED = 0.2;
const FEWEST = 2;
/** A word before a label belongs to it where it stands before so many of its occurrences. */
const BELONGS = 0.7;

/** Of the documents: those that have a piece that no colon marks. */
const LEAST_BARE = 0.6;
const LEAST_HEADING = 0.3;
/** The same of a piece with others beside it: of several layouts each has its own labels. */
const LEAST_BESIDE = 0.2;
const FEWEST_BARE = 3;
/** What stands beside a piece is the same where it is so in so many documents. */
const SAME = 0.9;
const MOSTLY = 0.5;
/** From so many documents on, what is nowhere different is the form's. */
const ENOUGH_FOR_FORM = 8;

const NO_LABELS = new Set("none nil na n a unknown not applicable".split(" "));

/** @returns `labelKey`s, in order */
export function learnLabels(documents: readonly DocumentText[]): string[] {
  const named = namedLabels(documents);
  const bare = bareLabels(documents, new Set(named.keys()));
  return [...new Map([...bare, ...named])]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_LABELS)
    .map(([key]) => key)
    .sort();
}

/** Keys that stand before colons, with the documents that write them so. */
function namedLabels(documents: readonly DocumentText[]): Map<string, number> {
  const wholes = new Counter();
  const endings = new Counter();
  /** What stands behind an open label: an answer with a colon of its own, or the next label. */
  const answers = new Counter();
  const chains: Word[][] = [];
  for (const [document, { lines }] of documents.entries()) {
    for (const { spans } of lines.slice(0, MOST_LINES)) {
      for (const [index, span] of spans.entries()) {
        const isAnswer = /[:：]\s*$/u.test(spans[index - 1]?.text ?? "");
        const colons = [...span.text.slice(0, LONGEST_SPAN).matchAll(LABEL_AND_COLON)];
        for (const { 1: whole, index: at } of colons) {
          const written = at === 0 ? whole : behindList(whole!);
          const words = lastWords(written!);
          // Two labels side by side are none of the other's answer: `Buyer:   Supplier:`, `Ship to:   Your order: 17`
          const isOpen = /[:：]\s*$/u.test(span.text) || meaningOf(labelKey(written!)) !== null;
          if (at === 0 && isAnswer && !isOpen) {
            answers.add(labelKey(written!), document);
            continue;
          }
          const isWhole = at === 0 && isLabelText(written!);
          if (isWhole) wholes.add(labelKey(written!), document);
          chains.push(words);
          for (let from = 0; from < words.length; from++) {
            endings.add(keyOf(words.slice(from)), document);
          }
        }
      }
    }
  }
  const fewest = Math.max(Math.min(FEWEST, documents.length), LEAST_NAMED * documents.length);
  const labels = new Map<string, number>();
  for (const words of chains) {
    const key = labelOf(words, wholes, endings);
    const seen = Math.max(wholes.of(key), endings.of(key));
    // `Conducted under: Part 91: General`
    if (/\p{N}/u.test(key) && wholes.of(key) < FEWEST) continue;
    if (seen >= fewest && isLabelText(key)) labels.set(key, seen);
  }
  for (const [key, seen] of answers.entries()) {
    if (seen >= Math.max(FEWEST, LEAST_BARE * documents.length) && isLabelText(key)) {
      labels.set(key, seen);
    }
  }
  return labels;
}

interface Word {
  readonly key: string;
  readonly isCapital: boolean;
}

/** Words of a text that may end a label, as they are compared. */
function lastWords(written: string): Word[] {
  return labelWords(withoutNumbering(written))
    .map(({ key, start }) => ({ key, isCapital: /\p{Lu}/u.test(written[start] ?? "") }))
    .slice(-MOST_WORDS);
}

function keyOf(words: readonly Word[]): string {
  return labelKey(words.map(({ key }) => key).join(" "));
}

/** Of the words before a colon, those that come back before it. */
function labelOf(words: readonly Word[], wholes: Counter, endings: Counter): string {
  const whole = keyOf(words);
  if (wholes.of(whole) >= FEWEST) return whole;
  let from = words.length - 1;
  for (; from > 0; from--) {
    const key = keyOf(words.slice(from));
    const wider = keyOf(words.slice(from - 1));
    const isKnownAlone = wholes.of(key) >= FEWEST && wholes.of(wider) < FEWEST;
    // `12 knots Visibility:` a capital begins the label, though the unit comes back before it.
    const begins = words[from]!.isCapital && !words[from - 1]!.isCapital;
    if (isKnownAlone || begins || endings.of(wider) < BELONGS * endings.of(key)) break;
  }
  return keyOf(words.slice(from));
}

interface Piece {
  documents: number;
  /** Numbers of those documents, ascending. */
  readonly owners: number[];
  /** Of them, those in which it stands where terms are answered. */
  answering: number;
  isHeading: boolean;
  /** Wherever it was seen, something else stands in its line, or what it names over it. */
  isBeside: boolean;
  readonly before: Map<string, number>;
  /** The same within its line. */
  readonly beside: Map<string, number>;
  readonly behind: Map<string, number>;
  /** What stands before it, within its line and over it, together: see `contextOf`. */
  readonly contexts: Map<string, number>;
  /** What stands under it in its column. */
  readonly under: Map<string, number>;
}

/** Pieces of lines without a colon that are the form's and nobody's answer. */
function bareLabels(
  documents: readonly DocumentText[],
  named: ReadonlySet<string>,
): Map<string, number> {
  const pieces = new Map<string, Piece>();
  for (const [document, content] of documents.entries()) {
    const seen = new Set<string>();
    const own = piecesOf(content);
    for (const [index, { key, isHeading, isBeside, isAnswer, beside, over }] of own.entries()) {
      if (seen.has(key)) continue;
      seen.add(key);
      const piece = pieceOf(pieces, key);
      piece.documents += 1;
      piece.owners.push(document);
      if (isAnswer) piece.answering += 1;
      piece.isHeading ||= isHeading;
      piece.isBeside &&= isBeside;
      const before = own[index]!.isAfterEmpty ? "" : (own[index - 1]?.key ?? "");
      count(piece.before, before);
      count(piece.contexts, contextOf(before, beside, over));
      count(piece.beside, beside);
      count(piece.behind, own[index + 1]?.isAfterEmpty ? "" : (own[index + 1]?.key ?? ""));
      if (over !== "") count(pieceOf(pieces, over).under, key);
    }
  }
  const layouts = layoutsOf(pieces);
  const labels = new Map<string, number>();
  for (const [key, piece] of pieces) {
    const alone = piece.isHeading ? LEAST_HEADING : LEAST_BARE;
    const share = piece.isBeside ? LEAST_BESIDE : alone;
    if (piece.documents < Math.max(FEWEST_BARE, share * documents.length)) continue;
    if (key.endsWith(":") || !isLabelText(key) || isAnswerWord(key)) continue;
    const isCommon = piece.documents >= Math.max(FEWEST_BARE, alone * documents.length);
    // Of several layouts with one title, each goes on with another label.
    const befores = isCommon ? piece.before : piece.beside;
    const before = constant(befores);
    const asks = (other: string): boolean =>
      other !== "" && (named.has(other.replace(/:$/, "")) || isVaried(pieces.get(other)?.behind));
    // A label is in as many documents as any answer to it.
    const isAsFrequent = (other: string): boolean =>
      (pieces.get(other)?.documents ?? 0) >= piece.documents;
    // In several layouts, each with its label before it: `Petrol` beside `Diesel`.
    const isOneOfFew = (other: string): boolean =>
      asks(other) && isAsFrequent(other) && hasOtherRepeated(pieces.get(other)?.behind, key);
    const isHeader = (other: string): boolean =>
      isAsFrequent(other) && isVaried(pieces.get(other)?.under);
    // Here behind its label and there under a title: a station in two layouts.
    const isNamed = (other: string): boolean => named.has(other.replace(/:$/, ""));
    const isAnsweredIn = (context: string): boolean => {
      const { before: last, beside, over } = partsOf(context);
      const isBehindColon = [beside, over].some((other) => other.endsWith(":") && isNamed(other));
      return isBehindColon || isHeader(over) || isOneOfFew(isCommon ? last : beside);
    };
    // A colon that was misread is none.
    const mayBeAnsweredIn = (context: string): boolean =>
      isAnsweredIn(context) || isNamed(partsOf(context).beside);
    const isAnswer =
      piece.answering >= SAME * piece.documents ||
      (before === null ? shareOf(befores, isOneOfFew) >= SAME : asks(before)) ||
      (shareOf(piece.contexts, isAnsweredIn) >= MOSTLY &&
        shareOf(piece.contexts, mayBeAnsweredIn) >= SAME);
    const isFilled = constant(piece.before) === null || isVaried(piece.behind);
    if (isAnswer || !(isFilled || documents.length >= ENOUGH_FOR_FORM)) continue;
    if (isCommon || !isOfSome(piece, layouts)) labels.set(key, piece.documents);
  }
  return labels;
}

/** Pieces that the same documents have, from which on these are of one layout. */
const FEWEST_OF_LAYOUT = 3;
const MOST_OF_LAYOUT = 0.8;

/** Documents that have the same pieces, each by the pieces' owners. */
function layoutsOf(pieces: ReadonlyMap<string, Piece>): ReadonlySet<number>[] {
  const own = [...pieces.values()].filter(({ owners }) => owners.length >= FEWEST_BARE);
  return [...Map.groupBy(own, ({ owners }) => owners.join(" ")).values()]
    .filter((same) => same.length >= FEWEST_OF_LAYOUT)
    .map(([first]) => new Set(first!.owners));
}

/**
 * Whether the layouts that have the piece have it in a part of their documents alone: an answer that
 * comes again, a name or a term of delivery, where a label is in all.
 */
function isOfSome({ owners }: Piece, layouts: readonly ReadonlySet<number>[]): boolean {
  const shares = layouts.flatMap((layout) => {
    const shared = owners.filter((document) => layout.has(document)).length;
    return shared === 0 ? [] : [shared / layout.size];
  });
  return shares.length > 0 && shares.every((share) => share < MOST_OF_LAYOUT);
}

/** Whether terms and what is none are in turn in a line: of few documents `Estate` comes again behind `Vehicle`. */
function areTermsAndAnswers(spans: readonly PlacedSpan[]): boolean {
  if (spans.length % 2 > 0) return false;
  return spans.every(({ text }, index) => {
    const key = labelKey(text.slice(0, LONGEST_SPAN));
    return index % 2 === 0 ? meaningOf(key) !== null : !isOfTerms(key);
  });
}

/** A company's name at the head of its papers comes back like a label. */
function isCompany(text: string): boolean {
  const name = read("organization", text, NEUTRAL_CONVENTIONS);
  return name !== null && name.certainty >= LEAST_NAMING;
}

/** From here on it is a name by its legal form, or by more than capitals and a word of business. */
const LEAST_NAMING = 0.55;

function pieceOf(pieces: Map<string, Piece>, key: string): Piece {
  let piece = pieces.get(key);
  if (piece === undefined) {
    const [before, beside, behind, contexts, under] = Array.from(
      { length: 5 },
      () => new Map<string, number>(),
    );
    piece = {
      documents: 0,
      owners: [],
      answering: 0,
      isHeading: false,
      isBeside: true,
      before: before!,
      beside: beside!,
      behind: behind!,
      contexts: contexts!,
      under: under!,
    };
    pieces.set(key, piece);
  }
  return piece;
}

const contextOf = (...parts: readonly [before: string, beside: string, over: string]): string =>
  parts.join("\n");

function partsOf(context: string): { before: string; beside: string; over: string } {
  const [before, beside, over] = context.split("\n") as [string, string, string];
  return { before, beside, over };
}

interface PlacedKey {
  /** Of a label that its colon ends the piece with, with the colon. */
  readonly key: string;
  readonly isHeading: boolean;
  readonly isBeside: boolean;
  /** Where terms are answered in their line. */
  readonly isAnswer: boolean;
  /** Behind a table's empty cell. */
  readonly isAfterEmpty: boolean;
  /** What stands before it in its line, or nothing. */
  readonly beside: string;
  /** What stands over it in its column, or nothing. */
  readonly over: string;
}

function piecesOf(content: DocumentText): PlacedKey[] {
  const ofItems = tablesOfItems(content);
  return content.lines.slice(0, MOST_LINES).flatMap(({ spans, kind }, line) => {
    // What boxes offer are answers, ticked or not.
    if (choiceOf(content.lines[line]!) !== null) return [];
    const cell = spans[0]!.cell;
    const isItem = cell !== null && !cell.isHeader && ofItems.has(cell.table);
    // What stands over a caption is its answer.
    const isNamed = line + 1 < content.lines.length && isCaption(content, line + 1);
    const arePairs = areTermsAndAnswers(spans);
    const isUnderTerms = line > 0 && isRowOfTerms(content, line - 1);
    const isNaming = !isItem && !isNamed && (spans.length > 1 || isCaption(content, line));
    return spans.map((span, index) => {
      const [above] = columnNeighbours(content, line, index, -1);
      // A line of one piece goes on with the one above, unless that asks.
      const isAsked = above !== undefined && /[:：]\s*$/u.test(textOfStretch(above));
      const over = spans.length > 1 || isAsked ? above : undefined;
      const isAfter = isAfterEmpty(spans[index - 1], span);
      return {
        key: keyWithColon(span.text),
        beside: index === 0 || isAfter ? "" : keyWithColon(spans[index - 1]!.text),
        over: over === undefined ? "" : keyWithColon(textOfStretch(over)),
        isHeading: kind === "heading",
        isBeside: isNaming && !isCompany(span.text),
        isAnswer:
          (arePairs && index % 2 > 0) ||
          (isUnderTerms && !isOfTerms(labelKey(span.text.slice(0, LONGEST_SPAN)))),
        isAfterEmpty: isAfter,
      };
    });
  });
}

function keyWithColon(text: string): string {
  const key = labelKey(text.slice(0, LONGEST_SPAN));
  if (/[:：]\s*$/u.test(text)) return `${key}:`;
  return /[:：]/u.test(text) ? `${key} :` : key;
}

/** Tables with a header over several rows: what comes back in one is what was bought. */
function tablesOfItems({ lines }: DocumentText): Set<number> {
  const rows = new Map<number, { header: boolean; body: number }>();
  for (const { spans } of lines) {
    const cell = spans[0]!.cell;
    if (cell === null) continue;
    const table = rows.get(cell.table) ?? { header: false, body: 0 };
    rows.set(cell.table, table);
    if (cell.isHeader) table.header = true;
    else table.body += 1;
  }
  return new Set([...rows].flatMap(([table, own]) => (own.header && own.body > 1 ? [table] : [])));
}

function isAfterEmpty(before: PlacedSpan | undefined, { cell }: PlacedSpan): boolean {
  if (cell === null) return false;
  return cell.column > (before?.cell == null ? 0 : before.cell.column + before.cell.columns);
}

function isAnswerWord(key: string): boolean {
  if (key.split(" ").every((word) => NO_LABELS.has(word))) return true;
  const value = read("boolean", key, NEUTRAL_CONVENTIONS);
  return value !== null && value.end - value.start === key.length;
}

/** What almost all have; null where they differ. */
function constant(counts: ReadonlyMap<string, number>): string | null {
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return [...counts].find(([, n]) => n >= SAME * total)?.[0] ?? null;
}

/** Whether something else stands there in several documents as well. */
function hasOtherRepeated(counts: ReadonlyMap<string, number> | undefined, key: string): boolean {
  return [...(counts ?? [])].some(([other, n]) => other !== "" && other !== key && n >= FEWEST);
}

/** The part of what was counted that is such. */
function shareOf(counts: ReadonlyMap<string, number>, isSuch: (key: string) => boolean): number {
  let [such, total] = [0, 0];
  for (const [key, n] of counts) {
    total += n;
    if (isSuch(key)) such += n;
  }
  return total === 0 ? 0 : such / total;
}

function isVaried(counts: ReadonlyMap<string, number> | undefined): boolean {
  if (counts === undefined) return false;
  // Where one layout ends another goes on.
  const others = new Map([...counts].filter(([key]) => key !== ""));
  return others.size > 0 && constant(others) === null;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** In how many documents a key was seen. */
class Counter {
  readonly #documents = new Map<string, Set<number>>();

  add(key: string, document: number): void {
    const known = this.#documents.get(key);
    if (known === undefined) this.#documents.set(key, new Set([document]));
    else known.add(document);
  }

  entries(): [string, number][] {
    return [...this.#documents].map(([key, { size }]) => [key, size]);
  }

  of(key: string): number {
    return this.#documents.get(key)?.size ?? 0;
  }
}
