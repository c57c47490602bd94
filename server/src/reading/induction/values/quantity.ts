/** Numbers with a unit of measure; the unit by its symbol. Times are durations, not quantities. */

import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { GROUPS_OPENING_PIECE, NUMERAL, parseNumeral, SPACED_NUMERAL } from "./numeral.ts";
import { readByFinding } from "./pointed-at.ts";
import { SCALE_WORD, scaleOf } from "./scales.ts";
import { UNIT_OF_MEASURE, unitSymbol } from "./units.ts";
import type { Conventions, TypedValue } from "./value.ts";

const pattern = (numeral: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\d]|\\d[.,:/-])([-−–+]?)(${GROUPS_OPENING_PIECE}(?:,\\d{1,3})?(?![\\d.,])|${numeral})(?:[ -](${SCALE_WORD})(?= ))?(?:[ \\u00a0]?|-(?=\\p{L}{3}|[ck]?[mg](?!\\p{L})))(${UNIT_OF_MEASURE})(?![\\p{L}\\d]|/\\p{L})(?!(?<= [A-Z]) \\p{Lu}\\p{Ll})`,
    "gu",
  );

const CLOSE = pattern(NUMERAL);
/** Where decimals have a comma, groups may be apart by spaces anywhere: `1 234,50 kg`. */
const SPACED = pattern(SPACED_NUMERAL);

/** Ages are quantities in years: 65-year-old, 65 y/o, 65 years of age. */
const AGE =
  /(?<![\p{L}\d]|\d[.,:/-])(\d{1,3})(?:[- ]?(?:year|yr)s?[- ]old|[- ]?y\/?o|[- ]years? of age)(?![\p{L}\d])/giu;

function find(text: string, conventions: Conventions): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(AGE)) {
    const end = match.index + match[0].length;
    found.push(typedValue("quantity", match.index, end, Number(match[1]), 0.9, "year"));
  }
  for (const match of text.matchAll(conventions.decimalComma ? SPACED : CLOSE)) {
    const [whole, sign, numeral, scale, written] = match;
    const size = parseNumeral(numeral!, conventions.decimalComma);
    const unit = unitSymbol(written!);
    if (size === null || unit === null) continue;
    const scaled = size * scaleOf(scale);
    const normal = /[-−–]/.test(sign!) && scaled !== 0 ? -scaled : scaled;
    const certainty = written!.length > 1 ? 0.85 : 0.6;
    found.push(
      typedValue("quantity", match.index, match.index + whole.length, normal, certainty, unit),
    );
  }
  return withoutOverlaps(found);
}

export const QUANTITY_KIND: Kind = {
  find,
  read: (text, conventions) => readByFinding(find, text, conventions),
};
