/**
 * Rows of labels over rows of what answers them, again and again, as the boxes of a form: no table,
 * whose header stands over rows of one kind. How they are set shows it (labels smaller than answers,
 * or in another face each time), the numbers of the boxes, or blank lines between the pairs of rows.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import { isColumnTitle } from "./label-form.ts";
import { BOX_LABEL, isCurrencyWord, labelKey } from "./label-key.ts";
import { isCaption, isRowUnder, spanIndexAt, wordsOf } from "./layout.ts";

export interface StackedRows {
  /** Indices of lines that are labels alone, answered by the line below. */
  readonly labels: ReadonlySet<number>;
  /** Of the lines below them. */
  readonly answers: ReadonlySet<number>;
  /** Of lines in which labels and answers alternate, under others such. */
  readonly pairs: ReadonlySet<number>;
}

const MOST_LINES = 2_000;
const MOST_SPANS = 8;
/** Pairs of rows that follow each other. */
const LONGEST_RUN = 40;
/** Pairs of rows that show a form where a single one may be a table of one row. */
const FEWEST_PAIRS = 2;

const known = new WeakMap<DocumentText, StackedRows>();

export function stackedRows(content: DocumentText): StackedRows {
  let rows = known.get(content);
  if (rows === undefined) {
    rows = read(content);
    known.set(content, rows);
  }
  return rows;
}

/** `parted`: two lines between blank ones. */
type Evidence = "set" | "numbered" | "face" | "parted" | "none";

interface RowPair {
  readonly at: number;
  readonly evidence: Evidence;
}

function read(content: DocumentText): StackedRows {
  const { lines } = content;
  const labels = new Set<number>();
  const answers = new Set<number>();
  const most = Math.min(lines.length, MOST_LINES);
  // What names the blanks over it has no answer below.
  const evidence = Array.from({ length: Math.max(0, most - 1) }, (_, at) =>
    isCaption(content, at) ? null : evidenceOf(lines, at),
  );
  for (let index = 0; index < evidence.length; ) {
    const run = runFrom(lines, evidence, index);
    for (const { at } of run) {
      labels.add(at);
      answers.add(at + 1);
    }
    index += Math.max(1, 2 * run.length);
  }
  return { labels, answers, pairs: pairsIn(lines.slice(0, most)) };
}

/** Lines of one block with as many pieces, each second one of which answers the one before it. */
function pairsIn(lines: readonly PlacedLine[]): Set<number> {
  const pairs = new Set<number>();
  for (let from = 0; from < lines.length; ) {
    const { block, spans } = lines[from]!;
    let to = from;
    while (lines[to]?.block === block && lines[to]!.spans.length === spans.length) to += 1;
    const own = lines.slice(from, to);
    if (arePairs(own)) for (const index of own.keys()) pairs.add(from + index);
    from = Math.max(to, from + 1);
  }
  return pairs;
}

/** Words and figures in turn: in a table with a header, the figures begin below the first line. */
function arePairs(lines: readonly PlacedLine[]): boolean {
  const [first, ...others] = lines;
  const count = first?.spans.length ?? 0;
  if (others.length === 0 || count < 4 || count > MOST_SPANS || count % 2 > 0) return false;
  const labels = lines.flatMap(({ spans }) => spans.filter((_, index) => index % 2 === 0));
  const keys = labels.map(({ text }) => labelKey(text));
  if (new Set(keys).size < keys.length) return false;
  if (!labels.every(({ text }) => isColumnTitle(text) && !/[:：]/u.test(text))) return false;
  const figures = (line: PlacedLine): number =>
    line.spans.filter(({ text }, index) => index % 2 > 0 && /\p{N}/u.test(text)).length;
  const below = others.reduce((sum, line) => sum + figures(line), 0);
  const isTable = figures(first!) === 0 && 2 * below >= (count / 2) * others.length;
  return !isTable && figures(first!) + below > 0;
}

/** The pairs of rows that follow each other from a line on, where they are a form's. */
function runFrom(
  lines: readonly PlacedLine[],
  evidences: readonly (Evidence | null)[],
  from: number,
): readonly RowPair[] {
  const run: RowPair[] = [];
  for (let at = from; at < evidences.length && run.length < LONGEST_RUN; at += 2) {
    const evidence = evidences[at]!;
    if (evidence === null) break;
    run.push({ at, evidence });
  }
  // What stands alone may be a title over a line of its own.
  const isAlone = ({ at }: RowPair): boolean => lines[at]!.spans.length < 2;
  const isSure = ({ evidence }: RowPair): boolean => evidence === "set" || evidence === "numbered";
  if (run.length === 0 || isAlone(run[0]!)) return [];
  // A header that comes again is a table's, which goes on over pages.
  const rows = run.map(({ at }) => labelKey(lines[at]!.text));
  if (new Set(rows).size < rows.length) return [];
  if (run.every(isSure)) return run;
  const several = run.filter((pair) => !isAlone(pair) && pair.evidence !== "none");
  const hasFigure = run.some(({ at }) => /\p{N}/u.test(lines[at + 1]!.text));
  if (several.length >= FEWEST_PAIRS && hasFigure && isOfOneFace(lines, run)) return run;
  const sure = run.findIndex((pair) => !isSure(pair));
  return run.slice(0, sure);
}

/** What shows that a line is labels and the next one their answers; null where it cannot be. */
function evidenceOf(lines: readonly PlacedLine[], at: number): Evidence | null {
  const [line, next, after] = [lines[at]!, lines[at + 1]!, lines[at + 2]];
  if (next.page !== line.page || line.spans.length > MOST_SPANS) return null;
  if (!line.spans.every(({ text }) => isColumnTitle(text)) || /[:：]/u.test(line.text)) return null;
  if (next.spans.some(({ text }) => /[:：]\s*$/u.test(text)) || !isRowUnder(line, next))
    return null;
  if (!areOneColumn(line, next)) return null;
  if (next.spans.every(({ text }) => BOX_LABEL.test(text) && isColumnTitle(text))) return null;
  const face = faceOf(line);
  const below = faceOf(next);
  // A second row in the face of the first is a table's.
  const isTable =
    after !== undefined &&
    after.page === next.page &&
    after.spans.length > 1 &&
    faceOf(after) === below &&
    isRowUnder(line, after) &&
    (face !== below || !areTitles(after));
  if (isTable) return null;
  if (isSmaller(line, next)) return "set";
  const before = lines[at - 1];
  // `88 Jones Crossing` over a town, below a name that is set as both are: lines of one answer.
  const isOfAnswer =
    face !== null && face === below && before?.page === line.page && faceOf(before) === face;
  if (!isOfAnswer && line.spans.every(({ text }) => BOX_LABEL.test(text))) return "numbered";
  if (face !== null && below !== null && face !== below) return "face";
  const isParted =
    line.block === next.block && before?.block !== line.block && after?.block !== next.block;
  return face === below && isParted ? "parted" : "none";
}

const areTitles = ({ spans }: PlacedLine): boolean =>
  spans.every(({ text }) => isColumnTitle(text));

/** Alone in their lines, an answer begins where its label does. */
function areOneColumn({ spans: [a, c] }: PlacedLine, { spans: [b] }: PlacedLine): boolean {
  if (c !== undefined || a!.box === null || b!.box === null) return true;
  return Math.abs(a!.box[0] - b!.box[0]) < b!.box[3] - b!.box[1];
}

function isSmaller({ spans }: PlacedLine, next: PlacedLine): boolean {
  const largest = Math.max(...spans.map(({ size }) => size ?? Number.POSITIVE_INFINITY));
  return next.spans.every(({ size }) => size !== null && size > largest);
}

/** How all of a line's pieces are set; null where they differ, or nobody knows. */
function faceOf({ spans }: PlacedLine): string | null {
  const faces = new Set(spans.map(faceOfSpan));
  const [face] = faces;
  return faces.size === 1 ? face! : null;
}

const faceOfSpan = ({ size, bold }: PlacedSpan): string | null =>
  size === null ? null : `${size} ${bold}`;

/** Whether the rows of labels are set alike, and those of answers. */
function isOfOneFace(lines: readonly PlacedLine[], run: readonly RowPair[]): boolean {
  const [labels, answers] = [0, 1].map(
    (step) => new Set(run.map(({ at }) => faceOf(lines[at + step]!))),
  );
  return labels!.size === 1 && answers!.size === 1;
}

/** Whether labels and answers alternate in a line, each in a face of its own: **Seat** 27E **Gate** C25. */
export function alternatesInFace({ spans }: PlacedLine): boolean {
  if (spans.length < 4 || spans.length % 2 > 0) return false;
  const faces = [0, 1].map(
    (odd) => new Set(spans.filter((_, index) => index % 2 === odd).map(faceOfSpan)),
  );
  const [[label], [answer]] = [[...faces[0]!], [...faces[1]!]];
  if (faces.some(({ size }) => size !== 1) || label === null || answer === null) return false;
  return (
    label !== answer &&
    spans.every(({ text }, index) => index % 2 > 0 || (isColumnTitle(text) && !/[:：]/u.test(text)))
  );
}

/** Whether a word that ends there is of a box's longer label: `Student` in `Student ID`. */
export function isInBoxLabel(content: DocumentText, index: number, to: number): boolean {
  if (!stackedRows(content).labels.has(index)) return false;
  const line = content.lines[index]!;
  const end = line.spans[spanIndexAt(line, Math.max(0, to - 1))]!.end - line.start;
  return wordsOf(line).some(
    (word) =>
      word.start >= to &&
      word.end > to &&
      word.end <= end &&
      /\p{L}/u.test(word.key) &&
      !isCurrencyWord(word.key),
  );
}
