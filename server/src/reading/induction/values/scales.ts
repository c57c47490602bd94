/** Words that multiply an amount: thousand, million, billion, in the languages of documents. */

import { inAnyCase } from "./any-case.ts";

const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  k: 1e3,
  tausend: 1e3,
  mille: 1e3,
  mil: 1e3,
  million: 1e6,
  millions: 1e6,
  mn: 1e6,
  mio: 1e6,
  "mio.": 1e6,
  mm: 1e6,
  m: 1e6,
  millionen: 1e6,
  miljoen: 1e6,
  millones: 1e6,
  milioni: 1e6,
  "mln.": 1e6,
  mln: 1e6,
  billion: 1e9,
  billions: 1e9,
  bn: 1e9,
  "mrd.": 1e9,
  mrd: 1e9,
  milliarden: 1e9,
  milliards: 1e9,
  trillion: 1e12,
  lakh: 1e5,
  lakhs: 1e5,
  crore: 1e7,
  crores: 1e7,
};

const alternatives = (words: readonly string[]): string =>
  [...words]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((word) => word.replace(".", "\\."))
    .join("|");

/** For patterns with the `u` flag; in any case. */
export const SCALE_WORD = `(?:${inAnyCase(alternatives(Object.keys(SCALES).filter((word) => word.length > 1)))})`;
/** These count only at once behind their number: RM 12.00 M is a size. */
export const SCALE_LETTER = "[kKmM]";

/** 1 where nothing is written. */
export function scaleOf(written: string | undefined): number {
  return written === undefined ? 1 : (SCALES[written.toLowerCase().replace(/^[ -]/, "")] ?? 1);
}
