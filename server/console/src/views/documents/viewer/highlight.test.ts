import fc from "fast-check";
import { expect, it } from "vitest";
import { piecesOf, windowOf } from "./highlight.ts";

it("cuts a text so that nothing is lost and the highlight stands alone", () => {
  const places = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40), fc.nat(40));
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), places, (text, [a, b, c, d]) => {
      const within = {
        from: Math.min(a, b, text.length),
        to: Math.min(Math.max(a, b), text.length),
      };
      const highlight = { start: Math.min(c, d), end: Math.max(c, d) };
      const pieces = piecesOf(text, within, highlight);
      expect(pieces.map((piece) => piece.text).join("")).toBe(text.slice(within.from, within.to));
      const marked = pieces.find(({ isMarked }) => isMarked)?.text ?? "";
      const from = Math.max(within.from, highlight.start);
      expect(marked).toBe(text.slice(from, Math.max(from, Math.min(within.to, highlight.end))));
    }),
  );
});

it("marks nothing without a highlight", () => {
  expect(piecesOf("abc", { from: 0, to: 3 }, null)).toEqual([{ text: "abc", isMarked: false }]);
});

it("shows what stands around a highlight that is far down", () => {
  expect(windowOf(1_000_000, null)).toEqual({ from: 0, to: 200_000 });
  expect(windowOf(1_000_000, { start: 500_000, end: 500_010 })).toEqual({
    from: 480_000,
    to: 680_000,
  });
  expect(windowOf(300, { start: 5, end: 9 })).toEqual({ from: 0, to: 300 });
});
