/** Legal forms of companies of many countries, as they stand at the end of a name. */

const FORMS: readonly string[] = [
  // English-speaking countries
  "incorporated",
  "inc",
  "corporation",
  "corp",
  "company",
  "co",
  "limited liability company",
  "l l c",
  "llc",
  "limited liability partnership",
  "l l p",
  "llp",
  "limited partnership",
  "l p",
  "lp",
  "ltd",
  "limited",
  "plc",
  "p l c",
  "pllc",
  "p c",
  "n a",
  "pty ltd",
  "pty",
  "pvt ltd",
  "private limited",
  "pte ltd",
  "pte",
  "trust",
  "bancorp",
  "bancshares",
  "holdings",
  "group",
  // Malaysia, Indonesia, India
  "sdn bhd",
  "sdn bnd",
  "sdn bho",
  "s b",
  "sdn",
  "bhd",
  "berhad",
  "sendirian berhad",
  "plt",
  "tbk",
  // German, Dutch, Nordic
  "gmbh co kg",
  "gmbh",
  "ag",
  "kg",
  "kgaa",
  "ohg",
  "gbr",
  "ug",
  "e v",
  "ev",
  "e k",
  "se",
  "b v",
  "bv",
  "n v",
  "nv",
  "v o f",
  "vof",
  "c v",
  "ab",
  "asa",
  "as",
  "a s",
  "aps",
  "oy",
  "oyj",
  "kft",
  "zrt",
  // Romance
  "s a",
  "sa",
  "s a s",
  "sas",
  "sasu",
  "s a r l",
  "sarl",
  "s à r l",
  "eurl",
  "sci",
  "snc",
  "s l",
  "sl",
  "s l u",
  "s p a",
  "spa",
  "s r l",
  "srl",
  "s n c",
  "s a s",
  "lda",
  "ltda",
  "s a de c v",
  "sa de cv",
  // Polish, Czech
  "sp z o o",
  "spółka z ograniczoną odpowiedzialnością",
  "spółka akcyjna",
  "sp j",
  "s r o",
  "a s",
  "kk",
  "k k",
];

/** Lowercase without accents kept apart: words of letters joined by one space. */
const KEYS: ReadonlySet<string> = new Set(FORMS);
const MOST_WORDS = Math.max(...FORMS.map((form) => form.split(" ").length));

/** A name's words in lowercase, without punctuation. */
export function nameWords(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** How many of the last words are a legal form: the longest that there is; 0 where none. */
export function legalFormLength(words: readonly string[]): number {
  for (let count = Math.min(MOST_WORDS, words.length); count > 0; count--) {
    if (KEYS.has(words.slice(-count).join(" "))) return count;
  }
  return 0;
}
