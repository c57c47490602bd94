/** Pages of runs as pages of blocks. */

import { Enumeration } from "../enumerators.ts";
import type { Page } from "../normal-form.ts";
import { blocksOf } from "./blocks.ts";
import { type LaidPage, styleOf } from "./page.ts";
import { runningLines } from "./running.ts";

/** What pages have in common is taken from all of them, so they come together. */
export function layOut(pages: readonly LaidPage[]): Page[] {
  const style = {
    page: styleOf(pages),
    running: runningLines(pages),
    enumeration: new Enumeration(),
  };
  return pages.map(({ number, width, height, regions, apart }) => ({
    number,
    width: Math.round(width * 100) / 100,
    height: Math.round(height * 100) / 100,
    blocks: [...regions, ...apart].flatMap((lines) => blocksOf(lines, style)),
  }));
}
