/** Names that one which does not exist may have meant. */

import { distance } from "fastest-levenshtein";

/** Letters that may be wrong, of a name that is long enough. */
export const MOST_EDITS = 3;

/**
 * The nearest by edit distance, nearest first, case ignored: half of the letters may be wrong at most, and no
 * more than `MOST_EDITS`.
 */
export function nearNames(missing: string, names: Iterable<string>, most = 3): string[] {
  const wanted = missing.toLowerCase();
  const edits = Math.min(MOST_EDITS, Math.floor(wanted.length / 2));
  return [...names]
    .filter((name) => Math.abs(name.length - wanted.length) <= edits)
    .map((name) => ({ name, away: distance(wanted, name.toLowerCase()) }))
    .filter(({ away }) => away <= edits)
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** `'cls'`, `'cls' and 'cla'`; empty of none. */
export const quotedList = (names: readonly string[]): string =>
  new Intl.ListFormat("en").format(names.map((name) => `'${name}'`));
