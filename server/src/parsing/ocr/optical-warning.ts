/** What a document that was read optically says of it. */

import { installedLanguages } from "./languages.ts";

/** Pages of one document that are read optically; each takes some seconds. */
export const MAX_OPTICAL_PAGES = 30;

/** Pages whose letters are less sure than this, 0 to 1, say so. */
export const LEAST_SURE_PAGE = 0.6;

/**
 * @param read pages that were; @param left pages that hold an image and were not, from 1
 * @param doubtful pages of low quality
 */
export function readOptically(
  read: readonly number[],
  left: readonly number[],
  doubtful: readonly number[],
): string[] {
  const warnings: string[] = [];
  if (read.length > 0) {
    warnings.push(
      `${pagesOf(read)} read optically (OCR, ${ocrLanguages()}); letters may be mistaken.`,
    );
  }
  if (doubtful.length > 0) {
    warnings.push(
      `${pagesOf(doubtful)} hardly legible: what was read there is mostly doubtful. A sharper scan, at 300 dots an inch, is read better.`,
    );
  }
  if (left.length > 0) {
    warnings.push(
      `${pagesOf(left)} not read: at most ${MAX_OPTICAL_PAGES} pages of a document are read optically.`,
    );
  }
  return warnings;
}

/** `English, German` */
export function ocrLanguages(): string {
  return installedLanguages()
    .map(({ name }) => name)
    .join(", ");
}

/** `Pages 1 to 3 and 7 were`. */
function pagesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const parts = ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0];
  return numbers.length > 1 ? `Pages ${list} were` : `Page ${list} was`;
}
