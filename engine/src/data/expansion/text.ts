/**
 * Cheap facts of free text: its length, its words, the shares of digits and capitals, and whether
 * it has each of the most frequent words. Words are runs of letters and digits, in lower case.
 */

export const TEXT_PARTS = ["length", "words", "digit_share", "uppercase_share"] as const;
export type TextPart = (typeof TEXT_PARTS)[number];

const MAX_TOKENS = 32;
/** A word must be in this share of the texts, and in two of them, to be a feature. */
const MIN_TOKEN_SHARE = 0.005;

const WORD = /[\p{L}\p{N}]+/gu;
const DIGIT = /\p{Nd}/gu;
const UPPERCASE = /\p{Lu}/gu;

function words(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function partOf(text: string, part: TextPart): number {
  switch (part) {
    case "length":
      return text.length;
    case "words":
      return text.match(WORD)?.length ?? 0;
    case "digit_share":
      return text.length === 0 ? 0 : (text.match(DIGIT)?.length ?? 0) / text.length;
    case "uppercase_share":
      return text.length === 0 ? 0 : (text.match(UPPERCASE)?.length ?? 0) / text.length;
  }
}

type Texts = readonly (string | null)[];

/** One part of each text into `out`; NaN where the text is missing. */
export function textPart(
  texts: Texts,
  rows: Uint32Array | null,
  part: TextPart,
  out: Float64Array,
): void {
  for (let i = 0; i < out.length; i++) {
    const text = texts[rows === null ? i : rows[i]];
    out[i] = text === null ? Number.NaN : partOf(text, part);
  }
}

/** For each text a bit set of the tokens it has, one bit a token. */
export function tokenSets(
  texts: Texts,
  rows: Uint32Array | null,
  tokens: readonly string[],
): Uint32Array {
  const bits = new Map(tokens.map((token, bit) => [token, bit]));
  const sets = new Uint32Array(rows?.length ?? texts.length);
  for (let i = 0; i < sets.length; i++) {
    const text = texts[rows === null ? i : rows[i]];
    if (text === null) continue;
    let set = 0;
    for (const word of words(text)) {
      const bit = bits.get(word);
      if (bit !== undefined) set |= 1 << bit;
    }
    sets[i] = set;
  }
  return sets;
}

export function varyingTextParts(texts: Texts, rows: Uint32Array | null): TextPart[] {
  const count = rows?.length ?? texts.length;
  return TEXT_PARTS.filter((part) => {
    let first = Number.NaN;
    for (let i = 0; i < count; i++) {
      const text = texts[rows === null ? i : rows[i]];
      if (text === null) continue;
      const value = partOf(text, part);
      if (Number.isNaN(first)) first = value;
      else if (value !== first) return true;
    }
    return false;
  });
}

/** The words in the most texts, most frequent first, then by code unit; not those in every text. */
export function frequentTokens(texts: Texts, rows: Uint32Array | null): string[] {
  const count = rows?.length ?? texts.length;
  const documents = new Map<string, number>();
  let present = 0;
  for (let i = 0; i < count; i++) {
    const text = texts[rows === null ? i : rows[i]];
    if (text === null) continue;
    present++;
    for (const word of new Set(words(text))) {
      if (word.length >= 2) documents.set(word, (documents.get(word) ?? 0) + 1);
    }
  }
  const least = Math.max(2, present * MIN_TOKEN_SHARE);
  return [...documents]
    .filter(([, seen]) => seen >= least && seen < present)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MAX_TOKENS)
    .map(([word]) => word);
}
