/**
 * Running headers and footers: lines at the head and the foot of pages that recur from page to page at
 * the same height, but for their numbers. They are kept, as blocks of their own.
 */

import type { LaidLine } from "./line.ts";
import type { LaidPage } from "./page.ts";

/** Lines looked at from either end of a page. */
const OUTER_LINES = 6;
/** Parts of the page's height within which they stand. */
const MARGIN = 0.17;
/** Points that their heights differ by. */
const SAME_HEIGHT = 3;
/** Pages looked back at: left and right pages may differ. */
const LOOK_BACK = 2;

/** A page's own lines among them, such as the title of its chapter. */
const MAX_OWN = 1;

interface Outer {
  readonly line: LaidLine;
  readonly mask: string;
  readonly isFoot: boolean;
  /** Points from its end of the page. */
  readonly distance: number;
}

export function runningLines(pages: readonly LaidPage[]): ReadonlySet<LaidLine> {
  const recurring = new Set<LaidLine>();
  const outer = pages.map(outerLines);
  for (const [index, lines] of outer.entries()) {
    for (let back = 1; back <= Math.min(LOOK_BACK, index); back++) {
      for (const line of lines) {
        const same = outer[index - back]!.find((other) => isSame(line, other));
        if (same === undefined) continue;
        recurring.add(line.line).add(same.line);
      }
    }
  }
  return new Set(
    outer.flatMap((lines) =>
      [false, true].flatMap((isFoot) =>
        outermost(
          lines.filter((line) => line.isFoot === isFoot),
          recurring,
        ),
      ),
    ),
  );
}

/** From the page's edge inwards, up to the page's own lines. */
function outermost(lines: readonly Outer[], recurring: ReadonlySet<LaidLine>): LaidLine[] {
  const running: LaidLine[] = [];
  let own = 0;
  for (const { line } of lines) {
    if (recurring.has(line)) running.push(line);
    else own += 1;
    if (own > MAX_OWN) break;
  }
  return running;
}

/** The head's from the top, then the foot's from the bottom. */
function outerLines({ regions, height }: LaidPage): Outer[] {
  const lines = regions.flat().sort((a, b) => a.baseline - b.baseline);
  const outer: Outer[] = [];
  const add = (line: LaidLine, isFoot: boolean): void => {
    const distance = isFoot ? height - line.baseline : line.baseline;
    if (distance > MARGIN * height) return;
    outer.push({ line, mask: masked(line.text), isFoot, distance });
  };
  for (const line of lines.slice(0, OUTER_LINES)) add(line, false);
  for (const line of lines.slice(-OUTER_LINES).reverse()) add(line, true);
  return outer;
}

function isSame(a: Outer, b: Outer): boolean {
  return (
    a.isFoot === b.isFoot && a.mask === b.mask && Math.abs(a.distance - b.distance) <= SAME_HEIGHT
  );
}

/** Numbers of any kind are one, and so are the words of a page's own. */
function masked(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[\s\-–—|[(]*[ivxl]{1,7}[\s\-–—|)\].]*$/u, "0")
    .replace(/\p{N}+/gu, "0");
}
