/**
 * Finds labels in a line. Words are compared run together, so that `Sub-Total` is `SUBTOTAL` and a
 * word that character recognition tore apart is whole again; long labels may differ by a letter or
 * two. The longest label that begins at a word wins.
 */

import { distance } from "fastest-levenshtein";
import { meanOtherThings } from "../words/label-concepts.ts";
import { type LabelWord, labelKey } from "./label-key.ts";

/** Words that a label may be torn into. */
const MOST_WORDS = 10;

/** Letters of a label by which most words are passed over. */
const HEAD = 3;

/** A letter may differ in labels of so many letters, two in twice as many. */
const LETTERS_PER_EDIT = 7;

export interface LabelMatch {
  /** The label's key. */
  readonly key: string;
  /** Its first word, and the one after its last. */
  readonly from: number;
  readonly to: number;
  /** Letters that differ. */
  readonly edits: number;
}

export class LabelIndex {
  readonly #keys = new Map<string, string>();
  readonly #byLength = new Map<number, string[]>();
  readonly #longest: number;
  /** How labels begin and end: most words of a document begin none of them. */
  readonly #heads = new Set<string>();
  readonly #starts = new Set<string>();
  readonly #ends = new Set<string>();

  constructor(labels: readonly string[]) {
    for (const label of labels) {
      const key = labelKey(label);
      const squashed = squash(key);
      if (squashed === "" || this.#keys.has(squashed)) continue;
      this.#keys.set(squashed, key);
      this.#heads.add(squashed.slice(0, HEAD));
      this.#starts.add(squashed[0]!);
      this.#ends.add(squashed.at(-1)!);
      const same = this.#byLength.get(squashed.length);
      if (same === undefined) this.#byLength.set(squashed.length, [squashed]);
      else same.push(squashed);
    }
    this.#longest = Math.max(0, ...this.#byLength.keys());
  }

  /** The first labels among the words, none within another. */
  matches(words: readonly LabelWord[], most = Number.POSITIVE_INFINITY): LabelMatch[] {
    const found: LabelMatch[] = [];
    let from = 0;
    while (from < words.length && found.length < most) {
      const match = this.#surest(words, from);
      if (match === null) from += 1;
      else {
        found.push(match);
        from = match.to;
      }
    }
    return found;
  }

  /** What begins at the word, or the exact label within it: `(kg)  Invoice value` is not that label misread. */
  #surest(words: readonly LabelWord[], from: number): LabelMatch | null {
    const match = this.at(words, from);
    if (match === null || match.edits === 0) return match;
    for (let within = from + 1; within < match.to; within += 1) {
      const exact = this.at(words, within);
      if (exact?.edits === 0) return exact;
    }
    return match;
  }

  /** The longest label that begins at the word. */
  at(words: readonly LabelWord[], from: number): LabelMatch | null {
    let best: LabelMatch | null = null;
    let run = "";
    const end = Math.min(words.length, from + MOST_WORDS);
    const first = words[from]?.key ?? "";
    const begins = this.#starts.has(first.charAt(0));
    const mayBe = first.length < HEAD ? begins : this.#heads.has(first.slice(0, HEAD));
    for (let to = from; to < end; to += 1) {
      run += words[to]!.key;
      if (run.length > this.#longest + 2) break;
      const key = mayBe ? this.#keys.get(run) : undefined;
      if (key !== undefined) best = { key, from, to: to + 1, edits: 0 };
      else if (run.length >= LETTERS_PER_EDIT && (best === null || best.edits > 0)) {
        if (!begins && !this.#ends.has(words[to]!.key.at(-1) ?? "")) continue;
        const near = this.#near(run, words, from, to + 1);
        if (near !== null && (best === null || near.edits < best.edits)) {
          best = { ...near, from, to: to + 1 };
        }
      }
    }
    return best;
  }

  #near(
    run: string,
    words: readonly LabelWord[],
    from: number,
    to: number,
  ): { key: string; edits: number } | null {
    const allowed = Math.min(2, Math.floor(run.length / LETTERS_PER_EDIT));
    if (allowed === 0) return null;
    let best: { key: string; edits: number } | null = null;
    for (let length = run.length - allowed; length <= run.length + allowed; length += 1) {
      for (const label of this.#byLength.get(length) ?? []) {
        if (label[0] !== run[0] && label.at(-1) !== run.at(-1)) continue;
        const edits = distance(label, run);
        if (edits > allowed || edits >= (best?.edits ?? Infinity)) continue;
        const key = this.#keys.get(label)!;
        if (differsInShortWord(key.split(" "), words, from, to)) continue;
        if (meanOtherThings(key, keyOf(words, from, to))) continue;
        best = { key, edits };
      }
    }
    return best;
  }
}

/** Words that a letter makes another word: `no` and `to`, `sub` and `sum`. */
const SHORT = 4;

function differsInShortWord(
  label: readonly string[],
  words: readonly LabelWord[],
  from: number,
  to: number,
): boolean {
  if (label.length !== to - from) return false;
  return label.some((word, index) => {
    const other = words[from + index]!.key;
    return word !== other && Math.min(word.length, other.length) <= SHORT;
  });
}

const keyOf = (words: readonly LabelWord[], from: number, to: number): string =>
  words
    .slice(from, to)
    .map(({ key }) => key)
    .join(" ");

function squash(key: string): string {
  return key.replaceAll(" ", "");
}
