/** The pieces of a document's lines as what may be labels, with what stands around each. */

import type { DocumentText, PlacedSpan } from "../../parsing/document-text.ts";
import { choiceOf } from "../locators/choice.ts";
import { isRowOfTerms } from "../locators/header-row.ts";
import { labelKey } from "../locators/label-key.ts";
import { columnNeighbours, isCaption, textOfStretch } from "../locators/layout.ts";
import { read } from "../values/kinds.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { isOfTerms, meaningOf } from "../words/label-concepts.ts";

/** Of a document, and letters of a piece: what lies beyond is not looked at. */
export const MOST_LINES = 2_000;
export const LONGEST_SPAN = 2_000;

export interface PlacedKey {
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

/** Of its first lines. */
export function piecesOf(content: DocumentText): PlacedKey[] {
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
