/** What words of a person's name look like. */

import { nameLexicon } from "./name-lexicon.ts";

/** Whether the word is a given name, in title case or in capitals. */
export function isGivenName(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().given.has(word.toLowerCase());
}

export function isSurname(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().surnames.has(word.toLowerCase());
}
