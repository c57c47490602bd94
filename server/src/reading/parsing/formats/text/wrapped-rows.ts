/** Rows of cells of which some are wrapped, as one line each (`wrapped-cells.ts`), in text that spaces set. */

import type { Line, Span } from "../../normal-form.ts";
import { goesOnWith, joinedText, MOST_WRAPPED, type Piece } from "../../wrapped-cells.ts";
import type { TextLine } from "./text-blocks.ts";

const LETTER = 1;

/** @param lines of a page */
export function withWrappedCells(lines: readonly TextLine[]): readonly TextLine[] {
  const margin = lines.reduce((most, line) => Math.max(most, line === null ? 0 : rightOf(line)), 0);
  const joined: TextLine[] = [];
  let [above, first, wrapped]: [Line | null, Line | null, number] = [null, null, 1];
  for (const line of lines) {
    const places =
      line === null || above === null || wrapped === MOST_WRAPPED
        ? null
        : goesOnWith(piecesOf(above), piecesOf(line), piecesOf(first!), {
            letter: LETTER,
            tolerance: 0,
            margin,
          });
    if (places === null) {
      joined.push(line);
      [above, first, wrapped] = [line, line, 1];
      continue;
    }
    joined.push({ spans: withRests(joined.pop()!.spans, line!, places) });
    above = { spans: above!.spans.map((span, place) => restOf(line!, places, place) ?? span) };
    wrapped += 1;
  }
  return joined;
}

const restOf = ({ spans }: Line, places: readonly number[], place: number): Span | undefined =>
  spans[places.indexOf(place)];

function withRests(above: readonly Span[], line: Line, places: readonly number[]): Span[] {
  return above.map((span, place) => {
    const rest = restOf(line, places, place);
    return rest === undefined ? span : { ...span, text: joinedText(span.text, rest.text) };
  });
}

function piecesOf({ spans }: Line): Piece[] {
  return spans.map(({ text, column = 0 }) => ({ text, from: column, to: column + text.length }));
}

const rightOf = (line: Line): number => piecesOf(line).at(-1)?.to ?? 0;
