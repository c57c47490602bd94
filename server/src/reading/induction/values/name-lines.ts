/** Lines that are a business's name as a whole, without a legal form. */

import { isBusinessWord, isLabelWord, isShopWord } from "./business-words.ts";
import type { Segment } from "./segments.ts";

/** Where a letterhead can be. */
const HEAD_LINES = 5;
/** No name is longer. */
export const LONGEST_LINE = 70;

export interface LineName {
  readonly start: number;
  readonly end: number;
  readonly certainty: number;
}

/** Lines that name a business by a word of one, or may where a letterhead can be. */
export function lineNames(text: string, segments: readonly Segment[]): LineName[] {
  const found: LineName[] = [];
  for (const [index, { text: written, start, end, line, place }] of segments.entries()) {
    if (written.length > LONGEST_LINE || written.length < 3) continue;
    // HARDWARE & / ELECTRICAL
    const next = segments[index + 1];
    const goesOn = /[&+]$/.test(written) && next?.line === line + 1 && isNamePart(next.text);
    const whole = text.slice(start, goesOn ? next.end : end);
    const certainty = certaintyOfLine(whole, line, place);
    if (certainty === 0) continue;
    const lead = /^[*"“'‘\-–. ]*/.exec(whole)![0].length;
    const trail = /[*"”'’\-–,; ]*$/.exec(whole)![0].length;
    if (whole.length - trail - lead < 3) continue;
    found.push({
      start: start + lead,
      end: start + whole.length - trail,
      certainty: goesOn ? certainty + 0.05 : certainty,
    });
  }
  return found;
}

function certaintyOfLine(text: string, line: number, place: number): number {
  const words = text.match(/[\p{L}\p{N}'’]+/gu) ?? [];
  if (words.length === 0 || words.length > 8 || /[:%=@_]|\d{5}/.test(text)) return 0;
  const digits = text.match(/\d/g)?.length ?? 0;
  const labels = words.filter(isLabelWord).length;
  if (digits * 3 > text.length || labels * 2 >= words.length) return 0;
  if (isLabelWord(words[0]!) || isLabelWord(words.at(-1)!)) return 0;
  if (!(isInCapitals(text) || isCapitalised(words)) || JOINERS.has(words.at(-1)!)) return 0;
  if (text.split("(").length !== text.split(")").length || /[[\]]/.test(text)) return 0;
  const isHead = line < HEAD_LINES;
  const isShop = words.some(isHead && isInCapitals(text) ? isBusinessWord : isShopWord);
  const isSeveral = words.filter((word) => word.length > 1).length > 1;
  if (isSeveral && isShop && labels === 0) {
    if (isHead) return 0.7;
    if (isInCapitals(text) && digits === 0) return 0.5;
  }
  if (line >= HEAD_LINES || place > 0 || digits > 3 || /,/.test(text)) return 0;
  return isInCapitals(text) ? 0.4 : words.length > 1 && digits === 0 ? 0.3 : 0;
}

function isCapitalised(words: readonly string[]): boolean {
  return words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || JOINERS.has(word));
}

const JOINERS = new Set("and of de la le du des di und et en y e i der van von".split(" "));

/** Whether the line, in capitals, can be a piece of a name that goes over several. */
export function isNamePart(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0 || words.length > 6 || text.length > 50 || /[:%@\d]/.test(text))
    return false;
  return isInCapitals(text) && !words.some(isLabelWord);
}

export function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const small = text.match(/\p{Ll}/gu)?.length ?? 0;
  return letters >= 3 && small <= letters * 0.1;
}
