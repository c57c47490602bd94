/** Some of a document's lines as a document: pages keep their numbers, offsets begin anew. */

import type { DocumentText } from "../../parsing/document-text.ts";

/** @param from the first line, @param to the line after the last */
export function stretch(content: DocumentText, from: number, to: number): DocumentText {
  const lines = content.lines.slice(from, to);
  const offset = lines[0]?.start ?? 0;
  const text = content.text.slice(offset, lines.at(-1)?.end ?? offset);
  const placed =
    offset === 0
      ? lines
      : lines.map((line) => ({
          ...line,
          start: line.start - offset,
          end: line.end - offset,
          spans: line.spans.map((span) => ({
            ...span,
            start: span.start - offset,
            end: span.end - offset,
          })),
        }));
  return { text, lines: placed, pages: new Set(lines.map(({ page }) => page)).size };
}
