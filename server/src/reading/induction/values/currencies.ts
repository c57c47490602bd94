/** Currencies by their signs, codes and words. */

import { inAnyCase } from "./any-case.ts";

/** Signs and abbreviations, longest first where one begins another; matched with their case. */
const SIGNS: Readonly<Record<string, string>> = {
  US$: "USD",
  "U.S.$": "USD",
  "US $": "USD",
  A$: "AUD",
  AU$: "AUD",
  C$: "CAD",
  CA$: "CAD",
  S$: "SGD",
  NZ$: "NZD",
  HK$: "HKD",
  NT$: "TWD",
  R$: "BRL",
  MX$: "MXN",
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  "₩": "KRW",
  "₽": "RUB",
  "₺": "TRY",
  "₪": "ILS",
  "฿": "THB",
  "₫": "VND",
  "₱": "PHP",
  "₦": "NGN",
  "₴": "UAH",
  zł: "PLN",
  zl: "PLN",
  Kč: "CZK",
  Rs: "INR",
  "Rs.": "INR",
  RM: "MYR",
  Rp: "IDR",
  "Fr.": "CHF",
  SFr: "CHF",
  "SFr.": "CHF",
  "kr.": "SEK",
  kr: "SEK",
  $: "USD",
};

const CODES =
  "USD EUR GBP JPY CHF CAD AUD NZD SGD HKD MYR INR CNY RMB TWD KRW THB IDR PHP VND PLN CZK HUF RON BGN SEK NOK DKK ISK RUB UAH ILS AED SAR QAR KWD ZAR NGN KES EGP BRL MXN ARS CLP".split(
    " ",
  );

/** In lowercase, with their plurals. */
const WORDS: Readonly<Record<string, string>> = {
  dollar: "USD",
  dollars: "USD",
  "u.s. dollars": "USD",
  "us dollars": "USD",
  euro: "EUR",
  euros: "EUR",
  pound: "GBP",
  pounds: "GBP",
  "pounds sterling": "GBP",
  ringgit: "MYR",
  ringgits: "MYR",
  rupee: "INR",
  rupees: "INR",
  yen: "JPY",
  yuan: "CNY",
  złoty: "PLN",
  złotych: "PLN",
  zlotych: "PLN",
  franken: "CHF",
  francs: "CHF",
  kronor: "SEK",
  kroner: "DKK",
};

const DOLLARS = new Set(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD"]);
const CROWNS = new Set(["SEK", "NOK", "DKK", "ISK"]);

const escaped = (literal: string): string => literal.replace(/[.$]/g, "\\$&");
const longestFirst = (names: readonly string[]): string =>
  [...names]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(escaped)
    .join("|");

/** For patterns with the `u` flag: what may name a currency before an amount. */
export const CURRENCY_BEFORE = `(?:${longestFirst(Object.keys(SIGNS))}|${CODES.join("|")})`;
/** And after one; words match by `currencyOf` whatever their case. */
export const CURRENCY_AFTER = `(?:${longestFirst([...Object.keys(SIGNS), ...CODES])}|${inAnyCase(longestFirst(Object.keys(WORDS)))})`;

/** ISO 4217 of a sign, code or word; what $ and kr mean is read by the documents' currency. */
export function currencyOf(written: string, corpus: string | null): string | null {
  const sign = SIGNS[written];
  if (written === "$" || written.toLowerCase().startsWith("dollar")) {
    return corpus !== null && DOLLARS.has(corpus) ? corpus : "USD";
  }
  if (sign === "SEK") return corpus !== null && CROWNS.has(corpus) ? corpus : sign;
  if (sign !== undefined) return sign;
  const code = written.toUpperCase();
  if (CODES.includes(code)) return code === "RMB" ? "CNY" : code;
  return WORDS[written.toLowerCase()] ?? null;
}

const WHOLE = new Set(["IDR", "VND", "JPY", "KRW", "CLP", "HUF"]);

/** Currencies whose fractions nobody writes: in Rp 12.500 the point stands for thousands. */
export function isWhole(currency: string | null): boolean {
  return currency !== null && WHOLE.has(currency);
}
