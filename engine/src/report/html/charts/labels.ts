/** Names on axes and in legends: short, and still each its own. */

import { textWidth } from "./text-width.ts";

const FONT_SIZE = 12;
const ELLIPSIS = "…";
/** Of the width of a name that is cut in its middle, for its beginning. */
const BEGINNING = 0.35;
/** A longer word is no beginning to go back to. */
const LONGEST_WORD = 12;

/**
 * Where names that begin alike are too long, they are cut in the middle, so that what tells them apart is read; numbers
 * in brackets tell apart what is alike all the same.
 *
 * @param most width in pixels
 */
export function uniqueLabels(names: readonly string[], most = 160): string[] {
  const wholes = names.map(cleaned);
  const short = wholes.map((whole) => fitted(whole, most));
  const alike = new Map<string, Set<string>>();
  for (const [i, label] of short.entries()) {
    alike.set(label, (alike.get(label) ?? new Set()).add(wholes[i]));
  }
  const taken = new Set<string>();
  return short.map((label, i) => {
    const group = [...(alike.get(label) ?? [])];
    const own = group.length > 1 ? cutInTheMiddle(wholes[i], sharedLength(group), most) : label;
    const unique = numbered(own, most, taken);
    taken.add(unique);
    return unique;
  });
}

function cleaned(name: string): string {
  const clean = name.replaceAll(/\s+/g, " ").trim();
  return clean === "" ? "(empty)" : clean;
}

function numbered(label: string, most: number, taken: ReadonlySet<string>): string {
  let unique = label;
  for (let i = 2; taken.has(unique); i++) {
    const suffix = ` (${i})`;
    unique = fitted(label, most - textWidth(suffix, FONT_SIZE)) + suffix;
  }
  return unique;
}

/** In characters, up to the word within which the first difference lies. */
function sharedLength(names: readonly string[]): number {
  const [first, ...others] = names.map((name) => [...name]);
  let shared = 0;
  while (
    shared < first.length &&
    others.every((characters) => characters[shared] === first[shared])
  ) {
    shared++;
  }
  let begin = shared;
  while (begin > 0 && /[\p{L}\p{N}]/u.test(first[begin - 1])) begin--;
  return shared - begin <= LONGEST_WORD ? begin : shared;
}

function cutInTheMiddle(name: string, shared: number, most: number): string {
  const characters = [...name];
  const rest = characters.slice(shared).join("");
  const beginning = beginningOf(name, BEGINNING * most);
  const end = rest === "" ? characters.slice(-LONGEST_WORD).join("") : rest;
  const head = `${beginning}${ELLIPSIS}`;
  return head + fitted(end, most - textWidth(head, FONT_SIZE));
}

function fitted(text: string, most: number): string {
  if (textWidth(text, FONT_SIZE) <= most) return text;
  return `${beginningOf(text, most - textWidth(ELLIPSIS, FONT_SIZE))}${ELLIPSIS}`;
}

/** As many of its characters as find room. */
function beginningOf(text: string, most: number): string {
  let room = most;
  let short = "";
  for (const character of text) {
    room -= textWidth(character, FONT_SIZE);
    if (room < 0) break;
    short += character;
  }
  return short.trimEnd();
}
