/** Names of months in the languages of documents, and words around a day's number. */

/** In lowercase without accents; each line one month, in en, de, fr, nl, es, it, pt, pl, sv/da, ms. */
const NAMES: readonly string[] = [
  "january jan januar janner jan janvier janv januari enero ene gennaio gen janeiro stycznia styczen sty",
  "february feb februar fevrier fevr fev februari febrero febbraio fevereiro lutego luty lut",
  "march mar marz maerz mrz mars maart mrt marzo marco marca marzec mac",
  "april apr avril avr abril abr aprile kwietnia kwiecien kwi",
  "may mai mei mayo maggio mag maio maja maj",
  "june jun juni juin junio giugno giu junho czerwca czerwiec cze",
  "july jul juli juillet juil julio luglio lug julho lipca lipiec lip julai",
  "august aug aout augustus agosto ago augusti sierpnia sierpien sie ogos",
  "september sep sept septembre septiembre set settembre setembro wrzesnia wrzesien wrz",
  "october oct oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik paz oktober",
  "november nov novembre noviembre novembro listopada listopad lis",
  "december dec dezember dez decembre desember diciembre dic dicembre dezembro grudnia grudzien gru disember dis",
];

const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, index) => names.split(" ").map((name) => [name, index + 1] as const)),
);

/** Abbreviations that are words of other languages, or goods: no month without a full year. */
const OTHER_WORDS = new Set(
  "set out ago mag lis dis sie mac gen ott dic lip lut cze gru marca marco mars".split(" "),
);

export function isOtherWord(written: string): boolean {
  const key = written.toLowerCase().replace(".", "");
  return OTHER_WORDS.has(key);
}

/** Where a text names months: start and end of each word. The verb `may` is none. */
export function monthWords(text: string): (readonly [number, number])[] {
  const places: (readonly [number, number])[] = [];
  for (const { 0: word, index } of text.matchAll(/[A-Za-zÀ-ž]{3,}/g)) {
    if (word.length > 12 || word === "may" || monthNumber(word) === null) continue;
    places.push([index, index + word.length]);
  }
  return places;
}

/** 1 to 12 of a month's name or abbreviation, whatever its case, accents and full stop; or null. */
export function monthNumber(written: string): number | null {
  const lower = written.toLowerCase();
  const known = MONTHS.get(lower);
  if (known !== undefined || /^[a-z]+$/.test(lower)) return known ?? null;
  return MONTHS.get(lower.normalize("NFD").replace(/[\u0300-\u036f.]/g, "")) ?? null;
}

/** For patterns: a word that may be a month's name, with its full stop. */
export const MONTH_WORD = "(\\p{L}{3,12})\\.?";

const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first".split(
    " ",
  );

/** 1 to 31 of an English ordinal in words; or null. */
export function ordinalDay(written: string): number | null {
  const index = ORDINALS.indexOf(written.toLowerCase().replace(/\s+/, "-"));
  return index < 0 ? null : index + 1;
}
