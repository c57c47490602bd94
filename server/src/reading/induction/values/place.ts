/** Countries, states and provinces; `State of New York` is New York, `Beaverton, OR 97005` Oregon. */

import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { PLACE_NAMES, stateOf } from "./place-names.ts";
import { weighedByRest } from "./pointed-at.ts";
import { trimmedExtent } from "./text.ts";
import type { TypedValue } from "./value.ts";

const WORD = /(?<![\p{L}\d])\p{Lu}[\p{L}.'’-]{0,30},?/gu;
const OF =
  /(?:the )?(?:state|commonwealth|province|republic|kingdom|federal republic|territory|district|dominion|emirate)[ \n]of[ \n](?:the )?$/i;
const AFTER_CITY =
  /(?<=\p{Ll}\.?,[ \n])([A-Z]{2})(?=[.,;\n]|$)|(?<=\p{L}\.?,?[ \n])([A-Z]{2})(?=,? {1,2}\d{5}(?!\d))/gu;

function find(text: string): TypedValue[] {
  const found: TypedValue[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const place = placeAt(text, index, word);
    if (place === null) continue;
    const before = OF.exec(text.slice(Math.max(0, index - 40), index));
    const start = index - (before?.[0].length ?? 0);
    const certainty = before === null ? 0.75 : 0.95;
    found.push(typedValue("place", start, index + place.length, place.name, certainty));
  }
  for (const { 0: abbreviation, index } of text.matchAll(AFTER_CITY)) {
    const name = stateOf(abbreviation);
    if (name !== null) found.push(typedValue("place", index, index + 2, name, 0.7));
  }
  return withoutOverlaps(found);
}

/** The longest place that begins with the word. */
function placeAt(
  text: string,
  index: number,
  word: string,
): { readonly name: string; readonly length: number } | null {
  const bare = word.replace(/[,.]+$/, "");
  const first = word.toLowerCase();
  const names = [first, first.replace(/,$/, ""), bare.toLowerCase()].flatMap(
    (key) => PLACE_NAMES.get(key) ?? [],
  );
  for (const { key, name } of names) {
    const written = text.slice(index, index + key.length);
    const matches = written.toLowerCase().replaceAll("\n", " ") === key;
    const isWhole = !/[\p{L}\d]/u.test(text[index + key.length] ?? "");
    if (matches && isWhole && /\p{Lu}/u.test(written)) return { name, length: key.length };
  }
  return null;
}

const LEAD =
  /^(?:\p{Ll}+ ){0,4}(?:state|commonwealth|province|republic|city|county) of (?:the )?/iu;

export const PLACE: Kind = {
  find,
  read(text) {
    if (text.length > 300) return null;
    const known = find(text)[0];
    if (known !== undefined) return weighedByRest(text, known);
    const [start, end] = trimmedExtent(text);
    const name = text.slice(start, end);
    const state = stateOf(name);
    if (state !== null) return typedValue("place", start, end, state, 0.8);
    const lead = LEAD.exec(name)?.[0].length ?? 0;
    const city = /^\p{Lu}[\p{L}.'’ -]{1,60}/u.exec(name.slice(lead))?.[0].trimEnd();
    if (city === undefined || city.split(" ").length > 6 || /\d/.test(name)) return null;
    const from = start + lead;
    const value = typedValue("place", from, from + city.length, city.replace(/\s+/g, " "), 0.35);
    return weighedByRest(text, value);
  },
};
