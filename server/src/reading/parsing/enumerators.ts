/** The numbers, letters and marks that items and clauses begin with. */

/** A first word that is one: `1.`, `(a)`, `iv)`, `2.3.1`, `1.02.`, `•`. */
export const ENUMERATOR =
  /^(?:[•◦▪●○■□‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z]|[ivxlc]{1,6})[.)]{1,2}|\(?\d{1,3}(?:\.\d{1,3}){1,4}[.)]?)$/iu;

/** How clauses are called, in several languages. */
const CLAUSE_WORDS =
  "article|section|clause|part|chapter|schedule|exhibit|annex|appendix|artikel|abschnitt|kapitel|anlage|anhang|articolo|art[ií]culo|cl[aá]usula|sezione|hoofdstuk|rozdzia[lł]|artyku[lł]|paragraf|§{1,2}";

const CLAUSE_START = `^(?:${CLAUSE_WORDS})\\s{0,4}(?:\\d{1,3}(?:\\.\\d{1,3}){0,4}|[ivxlc]{1,6}|[a-z])[.:)]?`;

/** `ARTICLE IV`, `Section 2.`, `§ 5`, and no more. */
export const CLAUSE_NUMBER = new RegExp(`${CLAUSE_START}$`, "iu");

const CLAUSE = new RegExp(`${CLAUSE_START}(?=\\s|$)`, "iu");

export interface Enumerator {
  /** Items of one list share it; null for marks, which do not count. */
  readonly style: string | null;
  /** What it may be the number of: `i.` is the first or the ninth. */
  readonly ordinals: readonly number[];
  /** Numbers in it: 2 for `2.1`. */
  readonly depth: number;
  readonly kind: "mark" | "letter" | "number" | "decimal" | "clause";
  /** The line without it. */
  readonly rest: string;
}

/** What the line begins with, or null. @param text of a line, trimmed, single spaces */
export function enumeratorOf(text: string): Enumerator | null {
  const clause = CLAUSE.exec(text);
  if (clause !== null) {
    const rest = text.slice(clause[0].length).trim();
    return { style: null, ordinals: [], depth: 1, kind: "clause", rest };
  }
  const space = text.indexOf(" ");
  const word = space < 0 ? text : text.slice(0, space);
  if (word.length > 24 || !ENUMERATOR.test(word)) return null;
  const rest = space < 0 ? "" : text.slice(space + 1);
  const body = word.replace(/[().]+$|^\(/gu, "");
  if (body === "" || !/[\p{L}\d]/u.test(body)) {
    return { style: null, ordinals: [], depth: 1, kind: "mark", rest };
  }
  const around = word.replace(body, "#");
  if (body.includes(".")) {
    // `12.50 each` is a price: a clause goes on with a word that is written large.
    if (!/^["“‘'([]*\p{Lu}[\p{L}\s]/u.test(rest)) return null;
    const depth = body.split(".").length;
    return { style: null, ordinals: [], depth, kind: "decimal", rest };
  }
  if (/^\d+$/u.test(body)) {
    return { style: `1${around}`, ordinals: [Number(body)], depth: 1, kind: "number", rest };
  }
  const isUpper = body === body.toUpperCase();
  const lower = body.toLowerCase();
  const ordinals = lower.length === 1 ? [lower.charCodeAt(0) - 96] : [];
  const roman = romanNumber(lower);
  if (roman !== null) ordinals.push(roman);
  if (ordinals.length === 0) return null;
  return { style: `${isUpper ? "A" : "a"}${around}`, ordinals, depth: 1, kind: "letter", rest };
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanNumber(letters: string): number | null {
  let sum = 0;
  for (let at = 0; at < letters.length; at++) {
    const value = ROMAN[letters[at]!];
    if (value === undefined) return null;
    const next = ROMAN[letters[at + 1] ?? ""] ?? 0;
    sum += value < next ? -value : value;
  }
  return sum;
}

/** Which enumerators follow each other, so that an initial (`J. Smith`) is not taken for an item. */
export class Enumeration {
  readonly #last = new Map<string, readonly number[]>();

  /** Whether it begins a list or goes on with one. */
  follows({ style, ordinals }: Enumerator): boolean {
    if (style === null) return true;
    const last = this.#last.get(style) ?? [];
    return ordinals.some((ordinal) => ordinal === 1 || last.includes(ordinal - 1));
  }

  note({ style, ordinals }: Enumerator): void {
    if (style !== null) this.#last.set(style, ordinals);
  }
}
