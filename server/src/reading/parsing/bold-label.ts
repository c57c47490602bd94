/**
 * A label in bold letters and, a word's space behind it, its value in others: `**Gate** B12`. What the
 * eye tells apart by its letters alone are two pieces of a line; a word that a sentence stresses, or
 * one that opens a paragraph, is none.
 */

const MOST_LABEL_WORDS = 5;
const MOST_VALUE_WORDS = 7;
const LONGEST_LABEL = 40;

/** `Gate`, `Ticket no.`: words, and nothing that ends a clause but the point of an abbreviation. */
const LABEL = /^\p{Lu}[^:;,!?=|]*(?:[\p{L})#°º]|(?<=\p{L}[\p{L}º]?)\.)$/u;
const VALUE = /^[\p{Lu}\p{Lt}\p{Lo}\p{N}\p{Sc}#+(]/u;

/**
 * @param bold what a line begins with in bold letters
 * @param rest what it goes on with to its end, none of it bold
 */
export function isBoldLabel(bold: string, rest: string): boolean {
  const [label, value] = [bold.trim(), rest.trim()];
  if (label.length > LONGEST_LABEL || wordsIn(label) > MOST_LABEL_WORDS) return false;
  // `Scope. The supplier …`: a word before a point is longer than an abbreviation.
  if (/\p{L}{5}\.$/u.test(label) || !/\p{L}{2}/u.test(label)) return false;
  return LABEL.test(label) && VALUE.test(value) && wordsIn(value) <= MOST_VALUE_WORDS;
}

const wordsIn = (text: string): number => text.split(/\s+/u).length;
