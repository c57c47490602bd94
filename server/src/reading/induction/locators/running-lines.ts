/**
 * Lines that stand between the pages of a text and not in it: page numbers, and headers and footers,
 * which repeat with at most their numbers changed.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";

const PAGE_NUMBER =
  /^[\s\-–—|[(]*(page\s*)?(\d{1,4}|[ivxl]{1,6}|[a-z]-\d{1,3})(\s*(of|\/)\s*\d{1,4})?[\s\-–—|)\].]*$/i;
const LONGEST = 160;
const FEWEST_REPEATS = 3;
const FEWEST_LINES_APART = 3;

/** What the repeating lines have in common, numbers masked. */
export function runningLines({ lines, pages }: DocumentText): ReadonlySet<string> {
  const seen = new Map<string, { count: number; last: number }>();
  for (const [number, line] of lines.entries()) {
    if (line.kind === "table" || !standsAlone(lines, number)) continue;
    const mask = masked(line.text);
    if (mask === null) continue;
    const known = seen.get(mask);
    if (known === undefined) seen.set(mask, { count: 1, last: number });
    // Headers are pages apart; lines that repeat one below another are a list.
    else if (number - known.last >= FEWEST_LINES_APART)
      seen.set(mask, { count: known.count + 1, last: number });
  }
  const fewest = Math.max(FEWEST_REPEATS, Math.ceil(pages / 3));
  return new Set([...seen].filter(([, { count }]) => count >= fewest).map(([mask]) => mask));
}

export function isRunningLine(running: ReadonlySet<string>, line: PlacedLine): boolean {
  if (line.kind === "table") return false;
  if (line.text.length <= 20 && PAGE_NUMBER.test(line.text)) return true;
  if (running.size === 0) return false;
  const mask = masked(line.text);
  return mask !== null && running.has(mask);
}

function masked(text: string): string | null {
  if (text.length > LONGEST || !/\p{L}{3}/u.test(text)) return null;
  return text.toLowerCase().replace(/\d+/g, "0").replace(/\s+/g, " ").trim();
}

/** First or last line of its page, or the only line of its block. */
function standsAlone(lines: readonly PlacedLine[], number: number): boolean {
  const [before, line, after] = [lines[number - 1], lines[number]!, lines[number + 1]];
  if (before?.page !== line.page || after?.page !== line.page) return true;
  return before.block !== line.block && after.block !== line.block;
}
