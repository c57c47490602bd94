import { expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { columnNeighbours } from "./layout.ts";

/** Lines of pieces, each from one place to another across the page. */
function page(...lines: readonly (readonly (readonly [string, number, number])[])[]) {
  return documentText({
    version: 1,
    mediaType: "application/pdf",
    title: null,
    pages: [
      {
        number: 1,
        width: 600,
        height: 800,
        blocks: [
          {
            kind: "paragraph",
            lines: lines.map((pieces, row) => ({
              spans: pieces.map(([text, left, right]) => ({
                text,
                box: [left, 100 + 14 * row, right, 110 + 14 * row] as const,
              })),
            })),
          },
        ],
      },
    ],
    warnings: [],
  });
}

it("gives a value that reaches under the next header to its own column", () => {
  const content = page(
    [
      ["Description", 50, 110],
      ["Batch", 200, 230],
      ["Amount", 300, 345],
    ],
    [
      ["A crate of bolts, galvanised, large", 50, 240],
      ["12.50", 315, 345],
    ],
  );
  const below = [0, 1, 2].map((index) =>
    columnNeighbours(content, 0, index, 1).map(({ line, start, end }) =>
      line.text.slice(start, end),
    ),
  );
  expect(below).toEqual([["A crate of bolts, galvanised, large"], [], ["12.50"]]);
});
