/** What a document that was read optically says of it. */

import { dataPackage, languageNames } from "./languages.ts";
import type { Reading } from "./read-image.ts";

/** Pages of one document that are read optically; each takes some seconds. */
export const MAX_OPTICAL_PAGES = 30;

/** Pages whose letters are less sure than this, 0 to 1, say so. */
const LEAST_SURE_PAGE = 0.6;

export interface OpticalPage {
  /** From 1. */
  readonly number: number;
  readonly reading: Pick<Reading, "sureness" | "languages" | "missing">;
}

/** @param left pages that hold an image and were not read, from 1 */
export function readOptically(read: readonly OpticalPage[], left: readonly number[]): string[] {
  const warnings: string[] = [];
  if (read.length > 0) {
    const languages = languageNames(read.flatMap(({ reading }) => reading.languages));
    warnings.push(
      `${pagesOf(read.map(numberOf))} read optically (OCR, ${languages}); letters may be mistaken.`,
    );
  }
  for (const code of new Set(read.flatMap(({ reading }) => reading.missing ?? []))) {
    const pages = read.filter(({ reading }) => reading.missing === code).map(numberOf);
    const name = languageNames([code]);
    warnings.push(
      `${pagesOf(pages)} read without data of ${name}, which the text seems to be in: letters with accents and the like are lost. Whoever runs the service installs it as the npm package ${dataPackage(code)}; then delete the document and upload it again.`,
    );
  }
  const doubtful = read.filter(({ reading }) => reading.sureness < LEAST_SURE_PAGE).map(numberOf);
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

const numberOf = ({ number }: OpticalPage): number => number;

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
