/** Whole numbers in words, zero to ninety-nine and a hundred, as contracts and notes write them. */

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const BY_WORD: ReadonlyMap<string, number> = new Map([
  ...SMALL.map((word, index) => [word, index] as const),
  ...TENS.map((word, index) => [word, (index + 2) * 10] as const),
  ["hundred", 100] as const,
]);

/** For patterns with the `i` flag. */
export const NUMBER_WORDS = `(?:(?:${TENS.join("|")})(?:[- ](?:${SMALL.slice(1, 10).join("|")}))?|${[...SMALL].reverse().join("|")}|(?:a |one )?hundred(?: (?:and )?(?:${TENS.join("|")}))?)`;

const IN_TEXT = new RegExp(`(?<!\\p{L})${NUMBER_WORDS}(?!\\p{L})`, "iu");

/** What words such as `twenty-four` say; null where they are none. */
export function numberOfWords(written: string): number | null {
  let sum = 0;
  const words = written
    .toLowerCase()
    .split(/[- ]+/)
    .filter((word) => word !== "and" && word !== "a");
  if (words.length === 0) return null;
  for (const [index, word] of words.entries()) {
    const number = BY_WORD.get(word);
    if (number === undefined) return null;
    if (word === "hundred") sum = Math.max(sum, 1) * 100;
    else if (index > 0 && sum % 10 !== 0) return null;
    else sum += number;
  }
  return sum;
}

/** The first number in words in a text. */
export function wholeNumberInWords(
  text: string,
): { readonly start: number; readonly end: number; readonly number: number } | null {
  const match = IN_TEXT.exec(text);
  const number = match === null ? null : numberOfWords(match[0]);
  if (match === null || number === null) return null;
  return { start: match.index, end: match.index + match[0].length, number };
}
