/** How a line of an address shows: words for streets, postcodes, towns and floors, by country. */

import { namedDates } from "./named-dates.ts";
import { PLACE_NAMES, stateOf } from "./place-names.ts";

/** Words that stand before or after a street's name, with the house's number somewhere. */
const STREET =
  /(?<!\p{L})(?:street|st\.|st(?=,|$)|str\.|avenue|ave|road|rd|lane|ln|drive|dr\.|boulevard|blvd|highway|hwy|way|court|ct\.|place|plaza|square|parkway|pkwy|terrace|circle|suite|ste|floor|building|bldg|tower|jalan|jln|jl|lorong|lrg|taman|tmn|persiaran|psn|lebuh|lebuhraya|kampung|kg\.|bandar|lot|blok|block|rue|chemin|allée|impasse|quai|platz|allee|weg|gasse|ring|straat|laan|plein|gracht|kade|dreef|crescent|calle|avenida|av\.|plaza|paseo|carrera|via|viale|piazza|corso|vicolo|strada|rua|travessa|praça|praceta|alameda|calçada|ulica|ul\.|aleja|al\.|plac|osiedle|os\.|nagar|marg|sector|chowk|p\.? ?o\.? box|postfach|postbus|boîte postale|apartado|route|autoroute|seksyen|mukim|kawasan|simpang|medan|wisma|menara|plot|level|mall)(?!\p{L})|\p{L}{3,}(?:straße|strasse|str\.|weg|platz|allee|gasse|straat|laan|plein|gracht|kade|dijk|singel|vej|gade|gatan|vägen)(?!\p{L})/iu;
const NUMBER = /\d/;
/** A house's own word suffices: NO. 12, LOT 50, 12-G, 53. */
const HOUSE =
  /^(?:no|lot|unit|blk|block|suite|level|ground floor|g\/?f|[a-z]-?\d|#)\b\.?[ :]?\d?/iu;

const POSTCODES: readonly RegExp[] = [
  // ZIP after a state; five digits before a town (de, fr, it, es, my, fi); four before one (at, ch, be, dk, no).
  /(?<![\p{L}])[A-Z]{2}\.?,? \d{5}(?:-\d{4})?(?!\d)/u,
  /(?<!\d[.,]|[\d-])(?:[A-Z]{1,2}-)?(?:\d{5}|\d{2} \d{3}),? (?:\p{Lu})/u,
  /^(?:A|B|CH|DK|N|L|AT|BE|NO|LU)-\d{4} \p{Lu}/u,
  /\p{L}[., ]{1,3}\d{5}[.,]?$/u,
  // Netherlands, Poland, Portugal, Britain, Canada, Brazil, India, Sweden
  /(?<!\d)\d{4} ?[A-Z]{2},? {1,2}\p{Lu}/u,
  /(?<!\d)\d{2}-\d{3} \p{Lu}/u,
  /(?<!\d)\d{4}-\d{3} \p{Lu}/u,
  /(?<![A-Z\d])[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?![A-Z\d])/u,
  /(?<![A-Z\d])[A-Z]\d[A-Z] ?\d[A-Z]\d(?![A-Z\d])/u,
  /(?<!\d)\d{5}-\d{3}(?!\d)/u,
  /\p{L}[ ,-]{1,3}\d{3} ?\d{3}(?![\d.,])/u,
  /(?<!\d)\d{3} \d{2} \p{Lu}\p{L}{2,}/u,
  /\p{L}\p{L}, \p{L}{4,} \d{5}(?:-\d{4})?(?!\d)/u,
];

/** What a label that is no address's is about. */
const FIELD =
  /(?:tel|fax|phone|gst|sst|vat|tax|invoice|receipt|date|time|cash|total|amount|reg|company no|roc|mail|qty|price|table|bank|iban|web|note|description|item|terms|cashier|staff|member|product|subject|ref|order)/i;

const OTHER_FIELD =
  /[:|]|@|www\.|%|(?<!\p{L})(?:tel|fax|phone|gst|sst|vat|invoice|receipt|bill|date|time|cash|total|tax|amount|reg|co\.? ?reg|company no|roc|email|qty|price|cashier|table|thank|subtotal|rm)(?!\p{L})|\d{1,2}[/-]\d{1,2}[/-]\d{2,4}(?!\d)|\d\.\d{2}$/iu;

/** Four digits before a town (Austria, Switzerland, Belgium, Denmark): only below a street. */
const SHORT_POSTCODE = /^\d{4},? \p{Lu}\p{L}{2,}/u;

export function hasShortPostcode(text: string): boolean {
  return SHORT_POSTCODE.test(text) && text.length < 40;
}

/** A quick look whether it is worth asking `canBegin` of any part of the line. */
export function mayBegin(text: string): boolean {
  return NUMBER.test(text) || /,\s*$|:/.test(text) || STREET_FIRST.test(text);
}

/** Whether an address can begin with the line: a house, a street, not a firm. */
export function canBegin(text: string): boolean {
  return NUMBER.test(text) || STREET_FIRST.test(text) || /,\s*$/.test(text) || LABELLED.test(text);
}

const STREET_FIRST =
  /^(?:jalan|jln|jl|lorong|rue|avenue|av|via|viale|calle|avenida|rua|ulica|ul\.|autoroute|taman|kampung|lot|kawasan|bandar|persiaran)(?!\p{L})/iu;
const LABELLED = /^(?:address|adresse|adres|dirección|indirizzo|endereço|alamat|add)\.?\s{0,2}:/i;

export function hasStreet(text: string): boolean {
  return STREET.test(text) && (NUMBER.test(text) || STREET_FIRST.test(text)) && !isProse(text);
}

/** Whether a piece names a street, its house's number aside. */
export const namesStreet = (text: string): boolean => STREET.test(text) && !isProse(text);

export function hasPostcode(text: string): boolean {
  return POSTCODES.some((pattern) => pattern.test(text)) && !isProse(text);
}

export const hasStreetOrPostcode = (text: string): boolean => hasStreet(text) || hasPostcode(text);

/** `Flat 2`, `Apt. 14B`: within a house, on a line before its street. */
const DWELLING =
  /^(?:flat|apt|apartment|unit|suite|wohnung|whg|appartement|piso|scala|interno|lokal|bus)\.? ?\d{1,4} ?[A-Za-z]?,?$/iu;

/** Whether the line can be part of an address, in the midst of one. */
export function isAddressLike(text: string): boolean {
  if (hasStreetOrPostcode(text) || isPlaceName(text)) return true;
  if (HOUSE.test(text) && NUMBER.test(text)) return true;
  if (STREET.test(text) && !isProse(text) && text.length < 60) return true;
  if (DWELLING.test(text)) return true;
  return (
    /^\d{1,5}[A-Za-z]?(?:[-/]\d{1,4})?,? \p{Lu}/u.test(text) ||
    /^\p{Lu}[\p{L} .'’-]{2,40},$/u.test(text)
  );
}

/** Whether the line says something else, so that no address goes on over it. */
export function isStop(text: string): boolean {
  const written = text
    .replace(/^[\p{L} ./]{2,30}:\s*(?=.{12})/u, (label) => (FIELD.test(label) ? label : ""))
    .replace(/(?<!\p{L})(?:lot )?no\.? ?:/iu, "");
  return OTHER_FIELD.test(written) || isDay(written);
}

/** `15 October 2023`: a number and a name, and yet no house. */
const isDay = (text: string): boolean =>
  text.length < LONGEST_DAY &&
  /\d{4}/.test(text) &&
  namedDates(text).some(({ start, end }) => 2 * (end - start) > text.length);

const LONGEST_DAY = 50;

/** More small words than an address has. */
function isProse(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && word.length > 3).length;
  return words.length > 5 && small > words.length / 3;
}

/** A line that is a place's name and no more: JOHOR., Selangor Darul Ehsan, MALAYSIA, Germany. */
export function isPlaceName(text: string): boolean {
  const bare = text.replace(/[.,;]+$/, "").trim();
  if (bare.length > 40 || NUMBER.test(bare)) return false;
  const first = bare.split(/[ ,]/)[0]!.toLowerCase();
  const names = PLACE_NAMES.get(first) ?? [];
  const key = bare.toLowerCase();
  if (/^darul \p{L}+(?: \p{L}+)?$/u.test(key) || stateOf(bare) !== null) return true;
  return names.some((name) => key.startsWith(name.key));
}
