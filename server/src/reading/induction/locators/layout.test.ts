import { expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { columnNeighbours, isCaption } from "./layout.ts";

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

it("takes no line in small letters for what names the one far above", () => {
  const piece = (text: string, top: number, size: number) => ({
    kind: "paragraph" as const,
    lines: [{ spans: [{ text, box: [50, top, 150, top + size] as const, size }] }],
  });
  const isUnder = (top: number): boolean => {
    const pages = [
      {
        number: 1,
        width: 600,
        height: 800,
        blocks: [piece("Ann Lee", 100, 10), piece("Tenant", top, 7)],
      },
    ];
    return isCaption(
      documentText({ version: 1, mediaType: "application/pdf", title: null, pages, warnings: [] }),
      1,
    );
  };
  expect(isUnder(112)).toBe(true);
  expect(isUnder(140)).toBe(true);
  // The foot of the page.
  expect(isUnder(700)).toBe(false);
});
