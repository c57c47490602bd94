/**
 * The names of classes: as the label writes them. Cells that write one number, truth or text in
 * several ways (`1` and `1.0`, `TRUE` and `true`, `yes` and `yes `) are one class, which has the name
 * that most of its rows have.
 */

import { isPlainBoolean, parseBoolean } from "../data/readers/boolean-text.ts";
import { parseNumber } from "../data/readers/number-text.ts";
import { shown } from "../data/shown.ts";

/** Classes that a warning names. */
const NAMED = 5;
/** One letter or digit may be a name like any other. */
const TRUTHS = new Set(["true", "false", "yes", "no", "on", "off"]);

/** What a text says, whatever way it is written in; a number that a double does not hold is text. */
export function classKey(text: string): string {
  const trimmed = text.trim();
  const word = trimmed.toLowerCase();
  if (TRUTHS.has(word)) return `truth ${word}`;
  const number = parseNumber(trimmed);
  const exact = Number.isSafeInteger(number) || (number % 1 !== 0 && Number.isFinite(number));
  return exact ? `number ${number}` : `text ${trimmed}`;
}

/** The place of the class that `name` means: of this name, or written in another way; -1 = none. */
export function placeOfClass(classes: readonly string[], name: string): number {
  const place = classes.indexOf(name);
  if (place >= 0) return place;
  const key = classKey(name);
  return classes.findIndex((each) => classKey(each) === key);
}

/** One class, and the ways in which its rows write it, the most frequent first. */
export interface WrittenClass {
  readonly name: string;
  readonly spellings: readonly { readonly text: string; readonly rows: number }[];
}

/** @param rows by the text of a cell, in order of first sight */
export function writtenClass(rows: ReadonlyMap<string, number>): WrittenClass {
  const spellings = [...rows].map(([text, count]) => ({ text, rows: count }));
  // Stable: of equally frequent ones the first that was seen.
  spellings.sort((a, b) => b.rows - a.rows);
  return { name: spellings[0].text, spellings };
}

/** What was joined, and what was not but looks as if it should be. */
export function spellingWarnings(column: string, classes: readonly WrittenClass[]): string[] {
  const warnings: string[] = [];
  const joined = classes.filter(({ spellings }) => spellings.length > 1);
  if (joined.length > 0) {
    const others = joined.reduce(
      (sum, { spellings }) => sum + spellings.slice(1).reduce((all, { rows }) => all + rows, 0),
      0,
    );
    const ways = joined.slice(0, NAMED).map(({ spellings }) => {
      const some = spellings.slice(0, NAMED).map(({ text, rows }) => `${shown(text)} (${rows})`);
      return some.join(" = ") + (spellings.length > NAMED ? " = …" : "");
    });
    warnings.push(
      `The label ${shown(column)} writes ${joined.length === 1 ? "a class" : `${joined.length} classes`} in several ways, which are merged under the most frequent: ${ways.join("; ")}${joined.length > NAMED ? "; …" : ""}. ${others} ${others === 1 ? "row is thus answered in a spelling other than its" : "rows are thus answered in a spelling other than their"} own.`,
    );
  }
  const alike = new Map<string, string[]>();
  for (const { name } of classes) {
    const folded = name.trim().toLowerCase();
    alike.set(folded, [...(alike.get(folded) ?? []), name]);
  }
  const pairs = [...alike.values()].filter((names) => names.length > 1);
  if (pairs.length > 0) {
    const some = pairs.slice(0, NAMED).map((names) => names.map(shown).join(" and "));
    warnings.push(
      `The label ${shown(column)} has classes that differ only in case: ${some.join("; ")}${pairs.length > NAMED ? "; …" : ""}. They are kept apart; spell them alike if they mean the same.`,
    );
  }
  return warnings;
}

/**
 * What names say, by which classes are ordered: numbers where all are, or truths where all are
 * true or false; null = texts.
 */
export function classMeanings(names: readonly string[]): readonly number[] | null {
  const words = names.map((name) => name.trim());
  const numbers = words.map(parseNumber);
  if (!numbers.some(Number.isNaN)) return numbers;
  if (words.every(isPlainBoolean)) return words.map((word) => parseBoolean(word) ?? Number.NaN);
  return null;
}
