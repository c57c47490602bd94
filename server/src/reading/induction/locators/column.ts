/**
 * Finds the entries of a table's column by its header: one for each row that is an item, in order, joined
 * by `; `. An entry is empty where the row has none, so that the nth of each column are of one row.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { read } from "../values/kinds.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { columnMeaning } from "../words/label-concepts.ts";
import { itemTablesOf } from "./item-table.ts";
import type { ItemCell, ItemColumn, ItemTable } from "./items.ts";
import { LabelIndex } from "./label-index.ts";
import { labelWords } from "./label-key.ts";
import type { Locator } from "./locator.ts";

type ColumnLocator = Extract<Locator, { kind: "column" }>;

const BETWEEN_ENTRIES = "; ";

const EXACT = 0.9;
const ALIKE = 0.75;
/** Where none of the columns beside it is one that the sample had beside it. */
const ELSEWHERE = 0.6;

/** At most one: the column of the table that has most of the columns that stand beside it. */
export function locateColumn(
  content: DocumentText,
  { headers, beside, entries, gives }: ColumnLocator,
  conventions: Conventions,
): Finding[] {
  const index = new LabelIndex(headers);
  const meanings = new Set(headers.map(columnMeaning));
  const known = new Set(beside.map(columnMeaning));
  let best: { finding: Finding; rank: number } | null = null;
  for (const table of itemTablesOf(content)) {
    const named = table.columns
      .map((column) => ({ column, sureness: surenessOf(index, meanings, column) }))
      .sort((a, b) => b.sureness - a.sureness)[0];
    if (named === undefined || named.sureness === 0) continue;
    const others = table.columns.filter(({ key }) => known.has(columnMeaning(key))).length;
    const confidence = named.sureness * (others > 0 || known.size === 0 ? 1 : ELSEWHERE);
    const list = findingIn(content, table, named.column, entries, conventions, confidence);
    const finding =
      list !== null && gives === "count"
        ? { ...list, normal: table.rows.length, unit: null }
        : list;
    const rank = confidence + others;
    if (finding !== null && (best === null || rank > best.rank)) best = { finding, rank };
  }
  return best === null ? [] : [best.finding];
}

function surenessOf(
  index: LabelIndex,
  meanings: ReadonlySet<string>,
  { header, key }: ItemColumn,
): number {
  const words = labelWords(header);
  const match = index.at(words, 0);
  if (match === null || match.to < words.length) {
    return meanings.has(columnMeaning(key)) ? ALIKE : 0;
  }
  return match.edits === 0 ? EXACT : ALIKE;
}

function findingIn(
  { text }: DocumentText,
  { rows }: ItemTable,
  { column }: ItemColumn,
  kind: ValueKind,
  conventions: Conventions,
  confidence: number,
): Finding | null {
  const cells = rows.map((row) => row.get(column));
  const stated = cells.filter((cell) => cell !== undefined);
  const [first, last] = [stated[0], stated.at(-1)];
  if (first === undefined || last === undefined) return null;
  const entries = cells.map((cell) => entryOf(cell, kind, conventions));
  const units = new Set(entries.flatMap(({ unit }) => unit ?? []));
  return {
    normal: entries.map((entry) => entry.text).join(BETWEEN_ENTRIES),
    unit: units.size === 1 ? [...units][0]! : null,
    text: text.slice(first.start, last.end),
    start: first.start,
    end: last.end,
    page: first.page,
    confidence,
  };
}

interface Entry {
  readonly text: string;
  readonly unit: string | null;
}

/** A cell in one form; as it is written where it is not of the column's kind. */
function entryOf(cell: ItemCell | undefined, kind: ValueKind, conventions: Conventions): Entry {
  if (cell === undefined) return { text: "", unit: null };
  const value = kind === "text" ? null : read(kind, cell.text, conventions);
  const text = value === null ? cell.text : String(value.normal);
  // What parts the entries is in none of them.
  return { text: text.replace(/\s*;\s*/gu, ", "), unit: value?.unit ?? null };
}
