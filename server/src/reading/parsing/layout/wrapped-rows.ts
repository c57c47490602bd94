/** Rows of cells of which some are wrapped, as one line each (`wrapped-cells.ts`). */

import { goesOnWith, joinedText, MOST_WRAPPED, type Piece } from "../wrapped-cells.ts";
import type { LaidLine, LaidSpan } from "./line.ts";

/** In sizes of the letters: from one line of a cell to the next, and what they may begin apart. */
const MOST_LEADING = 1.6;
const SAME_LEFT = 0.2;
const SAME_SIZE = 0.05;
/** The width of a letter on average. */
const LETTER = 0.55;

/** @param lines of a region, from top to bottom */
export function withWrappedCells(lines: readonly LaidLine[]): readonly LaidLine[] {
  const margin = lines.reduce((most, { right }) => Math.max(most, right), 0);
  const joined: LaidLine[] = [];
  let [above, first, wrapped] = [lines[0], lines[0], 1];
  for (const line of lines) {
    const places =
      joined.length === 0 || wrapped === MOST_WRAPPED
        ? null
        : placesOf(above!, line, first!, margin);
    if (places === null) {
      joined.push(line);
      [above, first, wrapped] = [line, line, 1];
      continue;
    }
    joined.push(joinedLine(joined.pop()!, line, places));
    above = lastLinesOf(above!, line, places);
    wrapped += 1;
  }
  return joined;
}

function placesOf(
  above: LaidLine,
  line: LaidLine,
  first: LaidLine,
  margin: number,
): readonly number[] | null {
  const { size } = line;
  if (above.spans.length < 2 || Math.abs(size - above.size) > SAME_SIZE * size) return null;
  if (line.baseline - above.baseline > MOST_LEADING * size) return null;
  const places = goesOnWith(piecesOf(above), piecesOf(line), piecesOf(first), {
    letter: LETTER * size,
    tolerance: SAME_LEFT * size,
    margin,
  });
  const isSetAlike = places?.every((place, index) => {
    const [cell, span] = [above.spans[place]!, line.spans[index]!];
    return cell.bold === span.bold && Math.abs(cell.size - span.size) <= SAME_SIZE * span.size;
  });
  return isSetAlike === true ? places : null;
}

const piecesOf = ({ spans }: LaidLine): Piece[] =>
  spans.map(({ text, left, right }) => ({ text, from: left, to: right }));

/** The cells as they stand so far: of those that went on, their last lines. */
function lastLinesOf(above: LaidLine, line: LaidLine, places: readonly number[]): LaidLine {
  const spans = above.spans.map((span, place) => line.spans[places.indexOf(place)] ?? span);
  return { ...above, spans, baseline: line.baseline };
}

function joinedLine(above: LaidLine, line: LaidLine, places: readonly number[]): LaidLine {
  const spans = above.spans.map((span, place): LaidSpan => {
    const rest = line.spans[places.indexOf(place)];
    if (rest === undefined) return span;
    return {
      ...span,
      text: joinedText(span.text, rest.text),
      left: Math.min(span.left, rest.left),
      right: Math.max(span.right, rest.right),
      bottom: Math.max(span.bottom, rest.bottom),
      confidence:
        span.confidence === null || rest.confidence === null
          ? null
          : Math.min(span.confidence, rest.confidence),
      runs: [...span.runs, ...rest.runs],
    };
  });
  return {
    ...above,
    spans,
    right: Math.max(above.right, line.right),
    bottom: Math.max(above.bottom, line.bottom),
    lastBaseline: line.baseline,
    text: spans.map(({ text }) => text).join(" "),
  };
}
