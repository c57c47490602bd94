/** By what the names of companies and persons are compared. */

import { legalFormLength, nameWords } from "./legal-forms.ts";

const TITLES = new Set([
  "mr",
  "mrs",
  "ms",
  "miss",
  "dr",
  "prof",
  "herr",
  "frau",
  "mme",
  "the",
  "messrs",
]);
const JOINERS = new Set(["and", "und", "et", "y", "e", "en", "i"]);

/** Of persons also with the surname first: Curie, Marie is Marie Curie. */
export function personKey(name: string): string {
  const [, surname, given] = /^([^,]{2,40}), ?([^,]{1,40})$/.exec(name) ?? [];
  if (surname === undefined || /^(?:jr|sr|ii|iii|iv|esq|m\.?d|ph\.?d)\.?$/i.test(given!)) {
    return nameKey(name);
  }
  return nameKey(`${given} ${surname}`);
}

/** Without accents, case, punctuation, titles and the legal form, unless nothing else is left. */
export function nameKey(name: string): string {
  // An abbreviation in parentheses after a name says it once more.
  const said = name.replace(/(?<=\S \S.{3,100}) \([^()]{1,20}\)\s*$/u, "");
  const words = nameWords(said.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ł", "l"));
  const untitled = words.filter((word, index) => index > 0 || !TITLES.has(word));
  let count = untitled.length;
  for (;;) {
    const form = legalFormLength(untitled.slice(0, count));
    if (form === 0 || form >= count) break;
    count -= form;
  }
  return untitled
    .slice(0, count)
    .filter((word) => !JOINERS.has(word))
    .join("");
}
