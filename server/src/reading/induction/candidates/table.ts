/** Candidates from tables: what a row is called, and what stands in it under which header. */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import type { SampleDocument } from "../inducer.ts";
import { findingOf } from "../locators/finding.ts";
import { isKnownLabel } from "../locators/known-labels.ts";
import { isLabelText } from "../locators/label-form.ts";
import { labelKey } from "../locators/label-key.ts";
import { stackedRows } from "../locators/stacked-rows.ts";
import { sumOfRow } from "../locators/total-columns.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { type Mention, ofEachDocument, withNeighbours } from "./mention.ts";
import { statedValue } from "./stated-value.ts";

const MOST_MENTIONS = 300;

/** A row's values of which each is a candidate of its own, with its column's header. */
const MOST_COLUMNS = 3;

const ROW = 0.7;
const ROW_AND_COLUMN = 0.75;

export const tableCandidates = ofEachDocument(mentionsOf);

interface ReadCell {
  readonly span: PlacedSpan;
  readonly column: number;
  readonly value: TypedValue;
}

function mentionsOf({ id, content }: SampleDocument, conventions: Conventions): Mention[] {
  const mentions: Mention[] = [];
  let table = -1;
  let headers = new Map<number, string>();
  const { labels, answers } = stackedRows(content);
  for (const [index, line] of content.lines.entries()) {
    const place = line.spans[0]?.cell ?? null;
    if (place === null || labels.has(index) || answers.has(index)) continue;
    if (place.table !== table) {
      table = place.table;
      headers = new Map();
    }
    if (place.isHeader) {
      // Of several header rows, the one next to the values names them.
      for (const { text, cell } of line.spans) if (cell !== null) headers.set(cell.column, text);
      continue;
    }
    for (const mention of mentionsOfRow(content, line, headers, conventions)) {
      if (mentions.length === MOST_MENTIONS) return withNeighbours(mentions);
      mentions.push({ ...mention, documentId: id });
    }
  }
  return withNeighbours(mentions);
}

function mentionsOfRow(
  content: DocumentText,
  line: PlacedLine,
  headers: ReadonlyMap<number, string>,
  conventions: Conventions,
): Omit<Mention, "documentId">[] {
  const [first, ...rest] = line.spans;
  if (first === undefined || !isLabelText(first.text)) return [];
  const cells = rest.flatMap((span): ReadCell[] => {
    const value = isKnownLabel(span.text, conventions) ? null : statedValue(span.text, conventions);
    if (value === null || value.kind === "text" || span.cell === null) return [];
    return [{ span, column: span.cell.column, value }];
  });
  const sum = sumOfRow(content, line);
  const nearest = cells.find(({ span }) => span === sum) ?? cells[0];
  if (nearest === undefined) return [];
  const mentions = [mention(line, first.text, null, nearest)];
  if (cells.length < 2) return mentions;
  for (const cell of cells.slice(0, MOST_COLUMNS)) {
    const header = headers.get(cell.column);
    if (header !== undefined && isLabelText(header)) {
      mentions.push(mention(line, first.text, header, cell));
    }
  }
  return mentions;
}

function mention(
  line: PlacedLine,
  row: string,
  header: string | null,
  { span, value }: ReadCell,
): Omit<Mention, "documentId"> {
  const base = span.start - line.start;
  const placed = { ...value, start: value.start + base, end: value.end + base };
  const label = header === null ? row : `${row}, ${header}`;
  return {
    origin: "table",
    label,
    key: labelKey(label),
    kind: value.kind,
    locator: {
      kind: "cell",
      rows: [labelKey(row)],
      columns: header === null ? [] : [labelKey(header)],
      pick: "first",
    },
    finding: findingOf(line, placed, header === null ? ROW : ROW_AND_COLUMN),
    neighbours: [null, null],
  };
}
