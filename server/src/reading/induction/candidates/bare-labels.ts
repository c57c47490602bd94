/** Labels that no colon marks: pieces of lines that come back in most documents while what stands around them differs. */

import type { DocumentText } from "../../parsing/document-text.ts";
import { isLabelText } from "../locators/label-form.ts";
import { read } from "../values/kinds.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { piecesOf } from "./line-pieces.ts";

/** Of the documents: those that have a piece that no colon marks. */
const LEAST_BARE = 0.6;
const LEAST_HEADING = 0.3;
/** The same of a piece with others beside it: of several layouts each has its own labels. */
const LEAST_BESIDE = 0.2;
const FEWEST_BARE = 3;
/** What stands beside a piece is the same where it is so in so many documents. */
const SAME = 0.9;
const MOSTLY = 0.5;
/** Other pieces are a few of several where so many documents have them. */
const FEWEST_OTHERS = 2;
/** From so many documents on, what is nowhere different is the form's. */
const ENOUGH_FOR_FORM = 8;

const NO_LABELS = new Set("none nil na n a unknown not applicable".split(" "));

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
export function bareLabels(
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
  return [...(counts ?? [])].some(
    ([other, n]) => other !== "" && other !== key && n >= FEWEST_OTHERS,
  );
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
