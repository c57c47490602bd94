/** What words of a person's name look like. */

import { nameLexicon } from "./name-lexicon.ts";

/** Whether the word is a given name, in title case or in capitals. */
export function isGivenName(word: string): boolean {
  if (!/^\p{Lu}\p{L}/u.test(word)) return false;
  const [first] = word.toLowerCase().split("-");
  const { given } = nameLexicon();
  return (
    given.has(first!) ||
    given.has(first!.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ł", "l"))
  );
}

/** Whether it is one that is a word as well, such as Mark: with an initial or a surname a name. */
export function isDoubtfulName(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().doubtful.has(word.toLowerCase());
}

export function isSurname(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().surnames.has(word.toLowerCase());
}
