/** Finds a table's cell by its row's label and its column's header. */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { findingOf, ordered, readStretch } from "./finding.ts";
import { isKnownLabel } from "./known-labels.ts";
import { LabelIndex } from "./label-index.ts";
import { labelWords } from "./label-key.ts";
import { stretchOfSpan } from "./layout.ts";
import type { Locator, Target } from "./locator.ts";
import { sumOfRow } from "./total-columns.ts";

type CellLocator = Extract<Locator, { kind: "cell" }>;

/** A column that no header names is less sure than one that is. */
const UNNAMED_COLUMN = 0.7;
const LATER_CELL = 0.9;
const EXTRA_WORD = 0.9;

const compiled = new WeakMap<CellLocator, { rows: LabelIndex; columns: LabelIndex }>();

export function locateCell(
  content: DocumentText,
  locator: CellLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  let known = compiled.get(locator);
  if (known === undefined) {
    known = { rows: new LabelIndex(locator.rows), columns: new LabelIndex(locator.columns) };
    compiled.set(locator, known);
  }
  const { rows, columns } = known;
  const findings: Finding[] = [];
  let table = -1;
  let named = new Set<number>();
  for (const line of content.lines) {
    const first = line.spans[0]!;
    const place = first.cell;
    if (place === null) continue;
    if (place.table !== table) {
      table = place.table;
      named = new Set();
    }
    if (place.isHeader || place.row === 0) {
      for (const { text, cell } of line.spans) {
        if (cell !== null && begins(columns, text) > 0) named.add(cell.column);
      }
    }
    const sureness = begins(rows, first.text);
    if (sureness === 0) continue;
    findings.push(
      ...cellsOf(content, line, named, locator.columns.length > 0, target, conventions, sureness),
    );
  }
  return ordered(findings, locator.pick);
}

/** How surely the text is one of the labels: 0 where it does not begin with one. */
function begins(labels: LabelIndex, text: string): number {
  const words = labelWords(text);
  const match = labels.at(words, 0);
  return match === null ? 0 : EXTRA_WORD ** (words.length - match.to);
}

function cellsOf(
  content: DocumentText,
  line: PlacedLine,
  named: ReadonlySet<number>,
  wantsNamed: boolean,
  target: Target,
  conventions: Conventions,
  sureness: number,
): Finding[] {
  const inNamed = ({ cell }: PlacedSpan) => cell !== null && named.has(cell.column);
  const others = line.spans.slice(1);
  const sum = wantsNamed ? null : sumOfRow(content, line);
  const inOrder = sum === null ? others : [sum, ...others.filter((span) => span !== sum)];
  const wanted = wantsNamed ? others.filter(inNamed) : inOrder;
  const [spans, factor] = wanted.length > 0 ? [wanted, 1] : [others, UNNAMED_COLUMN];
  const findings: Finding[] = [];
  for (const span of spans) {
    // In a form's row another label follows, with its own value behind it.
    if (isKnownLabel(span.text, conventions)) break;
    const value = readStretch(stretchOfSpan(line, span), target, conventions);
    if (value === null) continue;
    const confidence = sureness * factor * LATER_CELL ** findings.length * value.certainty;
    findings.push(findingOf(line, value, confidence));
  }
  return findings;
}
