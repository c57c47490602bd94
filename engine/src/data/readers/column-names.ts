/** What a table's column names must be, whatever file they came from. */

import { shown } from "../shown.ts";
import { DataError } from "../table.ts";
import type { DataWarning } from "./reading.ts";

/**
 * Refuses no, empty and repeated names, and such as no text file or JSON row could carry.
 *
 * @throws DataError with the column where it has a name
 */
export function checkNames(names: readonly string[]): void {
  if (names.length === 0) throw new DataError("The file has no columns.");
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    if (name.trim() === "") {
      throw new DataError(`Column ${index + 1} has no name; every column needs one.`);
    }
    if (name === "__proto__") {
      throw new DataError(`Column ${index + 1} is named ${shown(name)}; choose another name.`, {
        column: name,
      });
    }
    if (name.includes("\0") || !name.isWellFormed()) {
      throw new DataError(
        `The name of column ${index + 1}, ${shown(name)}, has a NUL character or half of a surrogate pair; give it another.`,
      );
    }
    // One letter may be written in several ways that nobody can tell apart (NFC and NFD).
    const form = name.normalize();
    const before = seen.get(form);
    if (before !== undefined) {
      const how = names[before] === name ? "" : ", which are written otherwise in Unicode";
      throw new DataError(
        `Columns ${before + 1} and ${index + 1} are both named ${shown(name)}${how}; names must be unique.`,
        { column: name },
      );
    }
    seen.set(form, index);
  }
}

/** Of columns without names so many are told of one by one. */
const TOLD = 3;

/**
 * Text files whose rows have numbers or names of their own have a first column without a name, as pandas and R write
 * them, and such whose lines end with a delimiter a last one: they are called by their place. Names none of which
 * is there are left to be refused.
 */
export function nameByPlace(names: readonly string[]): {
  readonly names: readonly string[];
  readonly warnings: readonly DataWarning[];
} {
  const unnamed = [...names.keys()].filter((index) => names[index].trim() === "");
  if (unnamed.length === 0 || unnamed.length === names.length) return { names, warnings: [] };
  const taken = new Set(names);
  const given = [...names];
  for (const index of unnamed) {
    let name = `column_${index + 1}`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    given[index] = name;
  }
  const told = unnamed
    .slice(0, TOLD)
    .map((index) => `${index + 1} is called ${shown(given[index])}`);
  if (unnamed.length > TOLD) told.push(`${unnamed.length - TOLD} more are called likewise`);
  const one = unnamed.length === 1;
  const message = `${one ? "A column has no name" : `${unnamed.length} columns have no names`}: column ${told.join(", ")}. Name ${one ? "it" : "them"} in the header, or leave out what only numbers the rows.`;
  return { names: given, warnings: [{ message, column: given[unnamed[0]] }] };
}

/** @throws DataError for a wanted column that is not there, with the names that are like it */
export function checkWanted(names: readonly string[], wanted: readonly string[] | undefined): void {
  for (const name of wanted ?? []) {
    if (names.includes(name)) continue;
    throw new DataError(`There is no column ${shown(name)}; ${theClosest(name, names)}.`, {
      column: name,
    });
  }
}

/** What messages say of a name that there is none of. */
export function theClosest(name: string, names: readonly string[]): string {
  return `the closest: ${closestNames(name, names).map(shown).join(", ")}`;
}

/** Of a name's letters so many are compared: names may be pages long, and there may be thousands of them. */
const COMPARED = 100;
const MOST_NAMED = 3;

/** Up to three names, the likest first (Levenshtein distance of their beginnings, case ignored). */
export function closestNames(name: string, names: readonly string[]): string[] {
  const beginning = (text: string): string => text.slice(0, COMPARED).toLowerCase();
  const wanted = beginning(name);
  return names
    .map((other) => ({ other, distance: editDistance(wanted, beginning(other)) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_NAMED)
    .map(({ other }) => other);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
