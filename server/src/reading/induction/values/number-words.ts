/** Whole numbers in words, zero to ninety-nine and a hundred, as contracts and notes write them. */

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
/** Of German, French, Spanish, Italian, Portuguese, Dutch and Polish, as lengths of time are counted. */
const OF_LANGUAGES: Readonly<Record<number, string>> = {
  1: "ein eine einem einen einer eines un une uno una um uma een één jeden jednego",
  2: "zwei deux dos due dois duas twee dwa dwie",
  3: "drei trois tres tre três drie trzy",
  4: "vier quatre cuatro quattro quatro cztery",
  5: "fünf cinq cinco cinque vijf pięć",
  6: "sechs seis sei zes sześć",
  7: "sieben siete sette sete zeven siedem",
  8: "acht huit ocho otto oito osiem",
  9: "neun neuf nueve nove negen dziewięć",
  10: "zehn dix diez dieci dez tien dziesięć",
  12: "zwölf douze doce dodici doze twaalf dwanaście",
  15: "fünfzehn quinze quince quindici vijftien piętnaście",
  18: "achtzehn dix-huit dieciocho diciotto dezoito achttien osiemnaście",
  20: "zwanzig vingt veinte venti vinte twintig dwadzieścia",
  24: "vierundzwanzig vingt-quatre veinticuatro ventiquattro vierentwintig",
  30: "dreißig trente treinta trenta trinta dertig trzydzieści",
  60: "sechzig soixante sesenta sessanta sessenta zestig sześćdziesiąt",
  90: "neunzig quatre-vingt-dix noventa novanta negentig dziewięćdziesiąt",
};
const FOREIGN: readonly (readonly [string, number])[] = Object.entries(OF_LANGUAGES).flatMap(
  ([number, words]) => words.split(" ").map((word) => [word, Number(number)] as const),
);
const BY_WORD: ReadonlyMap<string, number> = new Map([
  ...FOREIGN,
  ...SMALL.map((word, index) => [word, index] as const),
  ...TENS.map((word, index) => [word, (index + 2) * 10] as const),
  ["hundred", 100] as const,
]);

/** For patterns with the `i` flag. */
const NUMBER_WORDS = `(?:(?:${TENS.join("|")})(?:[- ](?:${SMALL.slice(1, 10).join("|")}))?|${[...SMALL].reverse().join("|")}|(?:a |one )?hundred(?: (?:and )?(?:${TENS.join("|")}))?)`;

/** The same, and those of other languages, in which one is an article too: a unit must follow. */
export const NUMBER_WORDS_BEFORE_UNITS = `(?:${NUMBER_WORDS}|${FOREIGN.map(([word]) => word)
  .sort((a, b) => b.length - a.length)
  .join("|")})`;

const IN_TEXT = new RegExp(`(?<!\\p{L})${NUMBER_WORDS}(?!\\p{L})`, "iu");

/** What words such as `twenty-four` say; null where they are none. */
export function numberOfWords(written: string): number | null {
  let sum = 0;
  const whole = BY_WORD.get(written.toLowerCase());
  if (whole !== undefined) return whole;
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
