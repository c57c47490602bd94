/** The words of a short text that carry its meaning, in the form in which they are compared. */

/** Articles, prepositions, conjunctions, auxiliaries, pronouns: nothing begins or ends with them. */
const LINKING_WORDS = new Set(
  (
    "a about above after all also am an and any are as at be been before being below between both " +
    "but by can could did do does doing down during each few for from further had has have having " +
    "he her here hers him his how i if in into is it its itself just may me might more most must my " +
    "nor not of on once only or our over own same shall she should so some such than that the their " +
    "them then there these they this those through to too under until up upon us used very was we " +
    "were what when where which while who whom whose why will with within would you your"
  ).split(" "),
);

/** Words that every use case and every question has. */
const EMPTY_WORDS = new Set(
  "no off out per use state stated states document documents find get give given list name tell want".split(
    " ",
  ),
);

/** Whether a lowercase word only holds others together. */
export function isLinkingWord(word: string): boolean {
  return LINKING_WORDS.has(word);
}

/** Lowercase words of letters without those that say nothing, in order, repeats kept. */
export function contentWords(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return words.filter(
    (word) => word.length > 1 && !LINKING_WORDS.has(word) && !EMPTY_WORDS.has(word),
  );
}

/** Without the endings of plural and of common derivations: `parties` and `party` are one. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word))
    return word.slice(0, -1);
  return word;
}
