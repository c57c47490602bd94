/**
 * What fonts and typesetters make of letters, taken back: ligatures that have a code of their own,
 * soft hyphens, symbols of private codes, words set with space between their letters.
 */

import { seenCharacters } from "../characters.ts";

const LIGATURES: Readonly<Record<string, string>> = {
  "\ufb00": "ff",
  "\ufb01": "fi",
  "\ufb02": "fl",
  "\ufb03": "ffi",
  "\ufb04": "ffl",
  "\ufb05": "st",
  "\ufb06": "st",
};

/** Codes of the symbol fonts (Symbol, Wingdings) that office programs write lists and boxes with. */
const SYMBOLS: Readonly<Record<string, string>> = {
  "\uf0b7": "•",
  "\uf0a7": "▪",
  "\uf0d8": "•",
  "\uf0fc": "☑",
  "\uf0fe": "☑",
  "\uf052": "☑",
  "\uf053": "☒",
  "\uf0fd": "☒",
  "\uf078": "☒",
  "\uf0a8": "☐",
  "\uf06f": "☐",
  "\uf071": "☐",
};

/** As a reader takes it. White space at the ends stays, as one space each. */
export function readableText(text: string): string {
  const marked = text
    .replace(/[\ufb00-\ufb06]/gu, (ligature) => LIGATURES[ligature]!)
    .replace(/[\ue000-\uf8ff]/gu, (symbol) => SYMBOLS[symbol] ?? "")
    // At a line's end a soft hyphen shows.
    .replace(/\u00ad$/u, "-");
  return withoutLetterSpacing(seenCharacters(marked).replace(/\s+/gu, " "));
}

/** `I N V O I C E`, by letters each on its own. */
function withoutLetterSpacing(text: string): string {
  return /^ ?\p{L}(?: \p{L}){3,}(?: ?[:.])? ?$/u.test(text)
    ? text.replace(/(?<=\S) (?=\S)/gu, "")
    : text;
}
