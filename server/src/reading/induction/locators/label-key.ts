/**
 * What a label comes down to, so that one written in many ways is one: `1. Invoice No.:`,
 * `INVOICE NUMBER` and `Invoice #` are all `invoice no`.
 *
 * Lowercase words without accents and punctuation; a leading numbering, percents and a trailing
 * currency are left out, and every word for "number" is `no`, also as the end of a compound
 * (`Rechnungsnummer`, `Rechnungs-Nr.`).
 */

/** A word as labels are compared, and where it stands in the text that was read. */
export interface LabelWord {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

const WORD =
  /(?<![\p{L}\p{N}])[Nn](?:°|\.(?:[°º](?=\s|$|[.:])|(?=\s|\p{N}|$)))|\p{N}+(?:[.,]\p{N}+)+|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*|[#№%&]/gu;

/** What compatibility decomposition leaves as it is. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: "ss",
  ł: "l",
  ø: "o",
  đ: "d",
  æ: "ae",
  œ: "oe",
};

const NUMBER_WORDS = new Set([
  "n.",
  "n°",
  "n.o",
  "n.°",
  "no",
  "nos",
  "nr",
  "num",
  "numb",
  "nbr",
  "number",
  "numbers",
  "numero",
  "nummer",
  "numer",
  "#",
  "№",
]);

const NUMBER_ENDINGS = ["nummer", "nr"];

/** Shorter compounds are words of their own. */
const SHORTEST_COMPOUND = 6;

const CURRENCIES = new Set(
  "rm myr eur euro usd gbp chf pln zl sek nok dkk czk huf inr rs jpy cny aud cad sgd brl".split(
    " ",
  ),
);

/** A form's boxes may be numbered without a mark: `14a Country code`, `b Employer's name`. */
const NUMBERING =
  /^\s*(?:(?:\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.,)]|[-–•*·])\s+|(?:\d{1,2}[a-z]?|[a-z])\s+(?=\p{Lu}))/u;

/** Those of sections, before a word: `II.1.1) Title`, `1.1.) Name`, `3.Firm`; of words that a quantity has none, `14.1 UN number`. */
const SECTION_NUMBER =
  /^\s*(?:(?:[IVX]{1,4}\.)?\d{1,2}(?:\.\d{1,2}){0,4}\.?\)\s*|\d{1,2}\.(?=\p{Lu}\p{Ll})|[IVX]{1,4}(?:\.\d{1,2}){1,4}\s+|\d{1,2}(?:\.[1-9]\d?){1,4}\s+(?=\p{L}+\s+\p{L}))(?=\p{Lu})/u;

const ITEM = /^\s*\(?[a-z][.,)]\s+/u;

/** A label behind the number of its box. */
export const BOX_LABEL = /^\s*\(?(?:\d{1,2}[a-z]?|[A-Za-z])[.,)]?\s+(?=\p{Lu}\p{L})/u;

/** What of a text stands before a label that has such a number, or a section's. */
export const BOX_NUMBER =
  /^\s*(?:\(?(?:\d{1,2}[a-z]?|[a-z])[.,)]?\s+|(?:[IVX]{1,4}\.)?\d{1,2}(?:\.\d{1,2}){0,4}(?:\.?\)\s*|\.\s*|\s+)(?:\(?[a-z][.)]\s+)?)$/u;

const DIGITS = /^[\p{N}.,]+$/u;

export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[ßłøđæœ]/g, (letter) => UNDECOMPOSED[letter] ?? letter);
}

/** The words of a text, percents left out. */
export function labelWords(text: string): LabelWord[] {
  const words: LabelWord[] = [];
  for (const { 0: written, index } of text.matchAll(WORD)) {
    const end = index + written.length;
    if (written === "%" && DIGITS.test(words.at(-1)?.key ?? "")) {
      words.pop();
      continue;
    }
    if (written === "&") {
      words.push({ key: "and", start: index, end });
      continue;
    }
    const folded = fold(written).replace(/['’]/g, "");
    if (NUMBER_WORDS.has(folded)) {
      // "Nr. no": once is enough.
      if (words.at(-1)?.key !== "no") words.push({ key: "no", start: index, end });
      continue;
    }
    const ending =
      folded.length >= SHORTEST_COMPOUND && NUMBER_ENDINGS.find((end) => folded.endsWith(end));
    if (ending) {
      words.push({ key: folded.slice(0, -ending.length), start: index, end });
      words.push({ key: "no", start: end, end });
    } else if (folded !== "") words.push({ key: folded, start: index, end });
  }
  return words;
}

/** Without the number that a form gives a field: `3. Name`, `(b) Date`, `2. a) Name`, `II.1.1) Title`. */
export function withoutNumbering(text: string): string {
  const rest = text.replace(SECTION_NUMBER, "").replace(NUMBERING, "");
  // Of an item within another, both; an initial is no item.
  return rest === text || !/^\s*\(?\d/u.test(text) ? rest : rest.replace(ITEM, "");
}

export function labelKey(text: string): string {
  const keys = labelWords(withoutNumbering(text)).map(({ key }) => key);
  while (keys.length > 1 && CURRENCIES.has(keys.at(-1)!)) keys.pop();
  return keys.join(" ");
}

/** Whether the word names a currency, which says nothing of what a label is about. */
export function isCurrencyWord(key: string): boolean {
  return CURRENCIES.has(key);
}
