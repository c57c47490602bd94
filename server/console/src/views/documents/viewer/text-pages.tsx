/** A document's text, page by page, with one place marked. Of a very long one, a part at a time. */

import { useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { count } from "../../../ui/numbers.ts";
import { type Highlight, piecesOf, windowOf } from "./highlight.ts";
import { bringIntoView } from "./page-mark.tsx";

interface TextPagesProps {
  readonly text: string;
  readonly pages: readonly {
    readonly number: number;
    readonly start: number;
    readonly end: number;
  }[];
  readonly highlight: Highlight | null;
}

/** Characters that one press shows more of. */
const STEP = 200_000;

export function TextPages({ text, pages, highlight }: TextPagesProps) {
  const place = highlight ? `${highlight.start} ${highlight.end}` : "";
  const [more, setMore] = useState({ place, before: 0, after: 0 });
  const { before, after } = more.place === place ? more : { before: 0, after: 0 };
  const first = windowOf(text.length, highlight);
  const from = Math.max(0, first.from - before);
  const to = Math.min(text.length, first.to + after);
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (mark.current !== null && place !== "") bringIntoView(mark.current);
  }, [place]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="pages text" tabIndex={0} aria-label="Text of the document">
      {from > 0 && (
        <Button onClick={() => setMore({ place, before: before + STEP, after })}>
          Show {count(Math.min(STEP, from))} characters before
        </Button>
      )}
      {pages.map(({ number, start, end }) => {
        const within = { from: Math.max(start, from), to: Math.min(end, to) };
        if (within.from >= within.to) return null;
        return (
          <div key={number}>
            {pages.length > 1 && <p className="note">Page {number}</p>}
            <pre dir="auto">
              {piecesOf(text, within, highlight).map(({ text: piece, isMarked }) =>
                isMarked ? (
                  <mark key="marked" ref={mark}>
                    {piece}
                  </mark>
                ) : (
                  piece
                ),
              )}
            </pre>
          </div>
        );
      })}
      {text.trim() === "" && <p>No text was found in it.</p>}
      {to < text.length && (
        <Button onClick={() => setMore({ place, before, after: after + STEP })}>
          Show {count(Math.min(STEP, text.length - to))} more characters
        </Button>
      )}
    </section>
  );
}
