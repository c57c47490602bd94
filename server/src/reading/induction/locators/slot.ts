/**
 * The slot of a phrase: where in a sentence it may stand, and the values of a kind that stand in it.
 * A text, or a name that no recogniser sees, is read up to the clause's end.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import { hasPostcode, hasStreet } from "../values/address-words.ts";
import { read } from "../values/kinds.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";
import { nextKnownLabel, opensWithLabel } from "./known-labels.ts";
import type { Target } from "./locator.ts";
import { LISTED, NAME_KINDS, namesIn } from "./name-list.ts";
import type { PhrasePattern } from "./phrase-pattern.ts";
import type { Prose, Sentence } from "./sentences.ts";

/** Words between a phrase and its value; a pattern that allows more says so by `...`. */
const WINDOW = 4;
/** Words of a value. */
const LONGEST_VALUE = 14;
/** With words after the slot, the slot may be this long. */
const LONGEST_SLOT = 60;
/** Ends of a slot that are tried. */
const MOST_CLOSINGS = 10;
/** Words of a text that nothing but the clause ends. */
const LONGEST_TEXT = 16;
/** Places in one sentence where a slot may begin. */
const MOST_SLOTS = 24;

/** What a text is read as where nothing of the kind is recognised in it. */
const READ_AS_THEY_STAND: ReadonlySet<ValueKind> = new Set([
  "text",
  "organization",
  "person",
  "identifier",
  "address",
]);

export interface Place {
  readonly content: DocumentText;
  readonly prose: Prose;
  readonly sentence: Sentence;
  readonly conventions: Conventions;
}

/** A part of the sentence, as word numbers, where the slot's value is looked for. */
export interface Slot {
  readonly from: number;
  readonly to: number;
  /** Where the pattern says that the slot may end, `to` first; empty where it does not say. */
  readonly closings: readonly number[];
  /** Whether the value stands at the slot's end, there being no words before it. */
  readonly fromBehind: boolean;
}

/** @param begins @param ends places between words where the slot may begin and end */
export function slotsBetween(
  sentence: Sentence,
  { words }: Prose,
  { before, after, lastWords }: PhrasePattern,
  begins: ReadonlySet<number>,
  ends: ReadonlySet<number>,
): Slot[] {
  if (before === null && after === null) {
    const { to } = sentence;
    let from = to;
    // "Exhibit 10.1 SUPPLY AGREEMENT"
    while (from > sentence.from && !/^\d+\.\d/.test(words[from - 1]!)) from -= 1;
    const isWhole = to - from > 1 && to - from <= LONGEST_TEXT && lastWords?.has(words[to - 1]!);
    return isWhole ? [{ from, to, closings: [to], fromBehind: false }] : [];
  }
  const ascending = (a: number, b: number): number => a - b;
  const closings = [...ends].sort(ascending).filter((to) => lastWords?.has(words[to - 1]!) ?? true);
  // A value that ends in a word of a kind, such as agreement, says which one by more than that word.
  const fewest = lastWords === null ? 1 : 2;
  if (before === null) {
    return closings
      .filter((to) => to >= sentence.from + fewest)
      .slice(0, MOST_SLOTS)
      .map((to) => ({
        from: Math.max(sentence.from, to - WINDOW - LONGEST_VALUE),
        to,
        closings: [],
        fromBehind: true,
      }));
  }
  const slots: Slot[] = [];
  for (const from of [...begins].sort(ascending)) {
    if (slots.length >= MOST_SLOTS) break;
    if (after === null) {
      slots.push({ from, to: sentence.to, closings: [], fromBehind: false });
      continue;
    }
    const own = closings.filter((to) => to >= from + fewest && to <= from + LONGEST_SLOT);
    const to = own[0];
    if (to !== undefined) slots.push({ from, to, closings: own, fromBehind: false });
  }
  return slots.filter(({ from, to }) => to >= from + fewest);
}

/** Offsets are of the document's text. Nearest to the phrase first; of several values, all in order. */
export function valuesIn(place: Place, slot: Slot, target: Target): TypedValue[] {
  const { content, prose, conventions } = place;
  const { kind } = target;
  const isClosed = slot.closings.length > 0;
  const start = withMinus(content.text, prose.starts[slot.from]!);
  const placed = (value: TypedValue, from: number): TypedValue => ({
    ...value,
    start: value.start + from,
    end: value.end + from,
  });
  if (NAME_KINDS.has(kind) && !slot.fromBehind) {
    const names = listedNames(place, slot, kind);
    if (names.length > 0 || (target.multiple && !isClosed)) return names;
  }
  if (kind !== "text") {
    const isNear = !isClosed && !target.multiple;
    const open = isNear ? Math.min(slot.to, slot.from + WINDOW + LONGEST_VALUE) : slot.to;
    // The shortest slot that holds a value: words that may follow it may be words of the value too.
    for (const to of isClosed ? slot.closings.slice(0, MOST_CLOSINGS) : [open]) {
      // A line's end is a space, so that values are read over it; offsets stay.
      const written = content.text.slice(start, prose.ends[to - 1]!).replaceAll("\n", " ");
      const text = kind === "address" ? addressOf(written) : written;
      const values = recognise(text, conventions, [kind])
        .filter((value) => value.kind === kind)
        .map((value) => placed(value, start))
        .filter((value) => !isNear || distanceTo(place, slot, value) <= WINDOW);
      if (values.length > 0) return slot.fromBehind ? values.reverse() : values;
    }
  }
  if (!READ_AS_THEY_STAND.has(kind)) return [];
  if (isClosed && slot.to - slot.from > LONGEST_TEXT) return [];
  const text = isClosed
    ? content.text.slice(start, prose.ends[slot.to - 1]!)
    : untilLabel(
        place,
        start,
        (kind === "address" && !slot.fromBehind ? addressAt(content.text, start) : null) ??
          clause(content, prose, slot),
        slot,
      );
  const from = slot.fromBehind ? prose.ends[slot.to - 1]! - text.length : start;
  if (NAME_KINDS.has(kind) && !/^\p{Lu}/u.test(text)) return [];
  const value = text.trim() === "" ? null : read(kind, text, conventions);
  return value === null ? [] : [placed(value, from)];
}

/** What a sentence goes on with behind an address: a definition, a verb. */
const BEHIND_ADDRESS = /\((?:["“„«]|the|die|der|das|le|la|el|il|here)|,\s+(?=(\p{Ll}{4,}))/giu;

function addressOf(text: string): string {
  for (const match of text.matchAll(BEHIND_ADDRESS)) {
    const word = match[1];
    // `104, avenue Jean Jaurès`
    if (word === undefined || !(/^\p{Lu}/u.test(word) || hasStreet(`1 ${word}`))) {
      return text.slice(0, match.index);
    }
  }
  return text;
}

/** A house and what commas add to it up to its postcode: `Am Mühlbach 80, 40194 Freiburg`. */
const WITH_POSTCODE =
  /^(?:\p{L}{1,2}\/\s?|\p{L}{2,5}\.\s)?[^,;:.()\n]{3,50}(?:,\s[\p{Lu}\d](?:(?!\.\s)[^,;:()\n]){0,40}){1,4}/u;

function addressAt(text: string, start: number): string | null {
  const written = text.slice(start, start + LONGEST_ADDRESS).replaceAll("\n", " ");
  const address = WITH_POSTCODE.exec(addressOf(written))?.[0].replace(/[\s.]+$/u, "");
  return address !== undefined && hasPostcode(address) ? address : null;
}

const LONGEST_ADDRESS = 160;

const MINUS_BEFORE = /(?<![\p{L}\p{N}])[-−–](?:\p{Sc} ?)?$/u;

/** The start of a number with the minus before it, which is no part of a word. */
function withMinus(text: string, start: number): number {
  if (!/^[\p{N}\p{Sc}]/u.test(text.slice(start, start + 1))) return start;
  const before = MINUS_BEFORE.exec(text.slice(Math.max(0, start - 4), start));
  return before === null ? start : start - before[0].length;
}

/** A text up to the next label of its line, or to the next line that begins with one. */
function untilLabel(
  { content, conventions }: Place,
  start: number,
  text: string,
  { fromBehind }: Slot,
): string {
  if (fromBehind || text === "") return text;
  const line = lineAt(content, start);
  const limit = nextKnownLabel(line, start - line.start, conventions, true);
  if (limit !== null && line.start + limit < start + text.length) {
    return text.slice(0, Math.max(0, line.start + limit - start)).trimEnd();
  }
  const end = start + text.length;
  for (let next = line; next.end < end; ) {
    next = lineAt(content, next.end + 1);
    if (opensWithLabel(next, conventions)) return text.slice(0, next.start - start).trimEnd();
  }
  return text;
}

/** The names of an enumeration that begins where the slot does. */
function listedNames({ content, prose }: Place, slot: Slot, kind: ValueKind): TypedValue[] {
  const start = prose.starts[slot.from]!;
  return namesIn(content.text.slice(start, prose.ends[slot.to - 1]!)).map((name) => {
    const at = { start: start + name.start, end: start + name.end };
    const normal = content.text.slice(at.start, at.end).replace(/\s+/g, " ");
    return { kind, ...at, normal, unit: null, certainty: LISTED };
  });
}

/** Words between the phrase and the value. */
export function distanceTo({ prose }: Place, slot: Slot, value: TypedValue): number {
  let distance = 0;
  if (slot.fromBehind) {
    for (let word = slot.to - 1; word >= slot.from && prose.starts[word]! >= value.end; word--) {
      distance += 1;
    }
  } else {
    for (let word = slot.from; word < slot.to && prose.ends[word]! <= value.start; word++) {
      distance += 1;
    }
  }
  return distance;
}

/** From the slot's beginning up to what ends a clause; with `fromBehind`, backward. */
function clause(
  { text }: DocumentText,
  { words, starts, ends }: Prose,
  { from, to, fromBehind }: Slot,
): string {
  const breaks = /[,;:.()“”"[\]]| {2}/;
  if (fromBehind) {
    let first = to - 1;
    while (
      first > from &&
      to - first < LONGEST_TEXT &&
      !breaks.test(text.slice(ends[first - 1], starts[first])) &&
      !/^\d+\.\d/.test(words[first - 1]!)
    ) {
      first -= 1;
    }
    return text.slice(starts[first], ends[to - 1]);
  }
  let last = from;
  while (
    last + 1 < to &&
    last - from < LONGEST_TEXT &&
    !breaks.test(text.slice(ends[last], starts[last + 1]))
  ) {
    last += 1;
  }
  return text.slice(starts[from], ends[last]);
}
