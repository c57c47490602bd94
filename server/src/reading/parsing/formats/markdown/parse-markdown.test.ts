import { describe, expect, it } from "vitest";
import { PARSING_LIMITS } from "../../limits.ts";
import { outline } from "../../testing/outline.ts";
import { isLongMarkdown, parseMarkdown } from "./parse-markdown.ts";

describe("Markdown", () => {
  it("is read by its marks", () => {
    const text = `---
title: Offer
---
# Offer

**Date:** 2020-01-01
**By:** Ann

- one
- two

| Item | Price |
|------|------:|
| Pen  | 1.00  |

<b>html</b> & more
`;
    expect(outline(parseMarkdown(text, PARSING_LIMITS))).toEqual([
      "p: title: Offer",
      "h1: Offer",
      "p: Date: 2020-01-01 / By: Ann",
      "li: one",
      "li: two",
      "th: Item | Price",
      "td: Pen | 1.00",
      "p: html & more",
    ]);
  });

  it("is refused where quotes are nested deep; a line without end is for the text's reader", () => {
    expect(() => parseMarkdown(`${"> ".repeat(60)}a`, PARSING_LIMITS)).toThrow(/nested too deep/u);
    expect(isLongMarkdown("word ".repeat(100))).toBe(false);
    expect(isLongMarkdown("[".repeat(60_000))).toBe(true);
  });
});
