/**
 * A row of runs as a line of spans: runs are joined where no more than a word's space lies between
 * them, and what stands farther apart is a span of its own.
 */

import { isBoldLabel } from "../bold-label.ts";
import { ENUMERATOR, enumeratorOf } from "../enumerators.ts";
import { fromRightToLeft, isRightToLeft } from "./direction.ts";
import { ASCENT, byLeft, DESCENT, type GlyphRun, isBlank } from "./glyph-run.ts";
import { isRule, withoutLeaders } from "./leaders.ts";
import { readableText } from "./letters.ts";
import type { LaidLine, LaidSpan } from "./line.ts";

/** In sizes of the letters: what is a space between words, and what is more than that. */
const WORD_GAP = 0.12;
const SPAN_GAP = 0.9;
/** Of letters read optically, whose edges are those of their ink. */
const OPTICAL_GAP = 1.3;
/** The widest space of a line that is stretched to both margins. */
const STRETCHED_GAP = 1.8;
/** From an amount to its currency's symbol, which tables set apart from it. */
const SYMBOL_GAP = 10;

/** Rules × letters of a line at most that are held against each other: one with more is no form. */
const MOST_FILLINGS = 250_000;

const SYMBOL_BEFORE = /^\(?[$€£¥₹]\(?$/u;
const SYMBOL_AFTER = /^(?:\)|%|\)%|%\))$/u;

interface Word {
  readonly runs: GlyphRun[];
  text: string;
  readonly left: number;
  right: number;
  /** Where its text goes on behind letters that are all bold. */
  lightFrom?: number;
}

/** Null where nothing of it can be read. @param row from left to right */
export function lineOf(row: readonly GlyphRun[]): LaidLine | null {
  const { kept, apart } = withoutFilledRules(row.flatMap(withoutLeaders));
  const runs = asWords(withoutCopies(kept.sort(byLeft)));
  const words: Word[] = [];
  const limit = spanGap(runs);
  let isSpaced = false;
  for (const run of runs) {
    if (isBlank(run)) {
      isSpaced = true;
      continue;
    }
    const word = words.at(-1);
    const gap = word === undefined ? 0 : run.left - word.right;
    const isApart =
      apart.has(run) || (word !== undefined && isRule(word.text) !== isRule(run.text));
    if (word === undefined || isApart || gap > limit * sizeBetween(word, run)) {
      words.push({ runs: [run], text: run.text, left: run.left, right: run.right });
    } else {
      const isSpace = isSpaced || gap > WORD_GAP * sizeBetween(word, run);
      if (!run.bold) word.lightFrom ??= word.text.length;
      word.text += `${isSpace ? " " : ""}${run.text}`;
      word.right = Math.max(word.right, run.right);
      word.runs.push(run);
    }
    isSpaced = false;
  }
  const parted = words.flatMap(withoutBoldLabel);
  return lineWith(withNumber(withSymbols(parted).map(asRead)).flatMap(spanOf));
}

/** A label in bold letters and the value behind it are two. */
function withoutBoldLabel(word: Word): Word[] {
  const { lightFrom, runs, text, left, right } = word;
  const first = runs.findIndex(({ bold }) => !bold);
  if (lightFrom === undefined || first <= 0) return [word];
  const [label, value] = [runs.slice(0, first), runs.slice(first)];
  const [bold, rest] = [text.slice(0, lightFrom), text.slice(lightFrom)];
  const isApart = /\s$/u.test(bold) || /^\s/u.test(rest);
  if (!isApart || value.some((run) => run.bold) || !isBoldLabel(bold, rest)) return [word];
  const end = label.reduce((most, run) => Math.max(most, run.right), -Infinity);
  return [
    { runs: label, text: bold, left, right: end },
    { runs: value, text: rest, left: value[0]!.left, right },
  ];
}

/** With the text of its runs from right to left where they are read so. */
function asRead(word: Word): Word {
  const shown = word.runs.filter((run) => !isBlank(run));
  if (shown.length < 2 || !isRightToLeft(word.text)) return word;
  const text = fromRightToLeft(shown).reduce((before, run, index, all) => {
    if (index === 0) return run.text;
    const last = all[index - 1]!;
    const gap = Math.max(run.left - last.right, last.left - run.right);
    return `${before}${gap > WORD_GAP * run.size ? " " : ""}${run.text}`;
  }, "");
  return { ...word, text: text.replace(/\s+/g, " ") };
}

/** The spans as a line; null without any. */
export function lineWith(spans: readonly LaidSpan[]): LaidLine | null {
  if (spans.length === 0) return null;
  const main = spans.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  return {
    spans,
    left: spans.reduce((least, span) => Math.min(least, span.left), Infinity),
    top: spans.reduce((least, span) => Math.min(least, span.top), Infinity),
    right: spans.reduce((most, span) => Math.max(most, span.right), -Infinity),
    bottom: spans.reduce((most, span) => Math.max(most, span.bottom), -Infinity),
    baseline: main.bottom - DESCENT * main.size,
    size: main.size,
    bold: spans.every(({ bold }) => bold),
    text: spans.map(({ text }) => text).join(" "),
  };
}

/** The span with its words told apart: from left to right, each with what is known of its place. */
export function wordsOf(span: LaidSpan): GlyphRun[] {
  const words = span.runs.flatMap((run) => {
    // Where a word stands in its run is told by its share of the characters.
    const width = (run.right - run.left) / run.text.length;
    return Array.from(run.text.matchAll(/\S+/gu), ({ 0: text, index }) => {
      const before = isRightToLeft(run.text) ? run.text.length - index - text.length : index;
      const left = run.left + before * width;
      return { ...run, text, left, right: left + text.length * width };
    });
  });
  return isRightToLeft(span.text) ? words.sort(byLeft) : words;
}

/** @param words from left to right */
export function spanOfWords(words: readonly GlyphRun[]): LaidSpan[] {
  const written = words.map((word) => word.text).join(" ");
  const text = isRightToLeft(written)
    ? fromRightToLeft(words)
        .map((word) => word.text)
        .join(" ")
    : written;
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return [];
  return spanOf({ runs: [...words], text, left: first.left, right: last.right });
}

/** None where no letters are left of it. */
function spanOf({ runs, text, left, right }: Word): LaidSpan[] {
  const readable = readableText(text).trim();
  if (readable === "") return [];
  const main = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  const letters = (some: readonly GlyphRun[]): number =>
    some.reduce((sum, run) => sum + run.text.trim().length, 0);
  const sure = runs.filter(({ confidence }) => confidence !== null);
  const confidence =
    sure.length === 0
      ? null
      : sure.reduce((sum, run) => sum + run.confidence! * run.text.length, 0) /
        sure.reduce((sum, run) => sum + run.text.length, 0);
  return [
    {
      text: readable,
      left,
      right,
      top: main.baseline - ASCENT * main.size,
      bottom: main.baseline + DESCENT * main.size,
      size: main.size,
      bold: letters(runs.filter(({ bold }) => bold)) > 0.5 * letters(runs),
      confidence,
      runs,
    },
  ];
}

/** A line to write on that is written on goes; the first that is written on it stands apart. */
function withoutFilledRules(runs: readonly GlyphRun[]): {
  readonly kept: GlyphRun[];
  readonly apart: ReadonlySet<GlyphRun>;
} {
  const letters = runs.filter((run) => !isRule(run.text) && !isBlank(run));
  const apart = new Set<GlyphRun>();
  const rules = runs.length - letters.length;
  if (rules * letters.length > MOST_FILLINGS) return { kept: [...runs], apart };
  const kept = runs.filter((rule) => {
    if (!isRule(rule.text)) return true;
    const filling = letters.filter((run) => {
      const shared = Math.min(run.right, rule.right) - Math.max(run.left, rule.left);
      return shared > 0.5 * (run.right - run.left);
    });
    const first = filling.sort(byLeft)[0];
    if (first !== undefined) apart.add(first);
    return first === undefined;
  });
  return { kept, apart };
}

/** Text that is printed over itself to look bold, or to cast a shadow. */
function withoutCopies(runs: readonly GlyphRun[]): GlyphRun[] {
  const kept: GlyphRun[] = [];
  for (const run of runs) {
    const isCopy =
      !isBlank(run) &&
      kept
        .slice(-4)
        .some(
          (other) =>
            other.text.trim() === run.text.trim() &&
            Math.abs(other.left - run.left) < 0.3 * run.size &&
            Math.abs(other.right - run.right) < 0.3 * run.size,
        );
    if (!isCopy) kept.push(run);
  }
  return kept;
}

/** Letters that are set one by one, evenly and wide apart, are a word: `T  O  T  A  L`, boxes for digits. */
function asWords(runs: readonly GlyphRun[]): GlyphRun[] {
  const words: GlyphRun[] = [];
  const shown = runs.some((run) => isSingle(run)) ? runs.filter((run) => !isBlank(run)) : runs;
  if (shown === runs) return [...runs];
  for (let start = 0; start < shown.length; ) {
    let end = start + 1;
    let [least, most] = [Infinity, 0];
    while (end < shown.length && isSingle(shown[start]!) && isSingle(shown[end]!)) {
      const pitch = shown[end]!.left - shown[end - 1]!.left;
      const { size } = shown[end]!;
      const gap = shown[end]!.left - shown[end - 1]!.right;
      [least, most] = [Math.min(least, pitch), Math.max(most, pitch)];
      if (gap > 1.8 * size || gap < 0.25 * size || most - least > 0.7 * size) break;
      end += 1;
    }
    if (end - start >= 4) {
      const letters = shown.slice(start, end);
      const text = letters.map((letter) => letter.text.trim()).join("");
      words.push({ ...letters[0]!, text, right: letters.at(-1)!.right });
      start = end;
    } else {
      words.push(shown[start]!);
      start += 1;
    }
  }
  // Nothing was joined: the spaces count.
  return words.length === shown.length ? [...runs] : words;
}

const isSingle = ({ text }: GlyphRun): boolean => /^\s?[\p{L}\p{N}]\s?$/u.test(text);

/** What a gap between spans is wider than, in sizes; more where a line is stretched evenly. */
function spanGap(runs: readonly GlyphRun[]): number {
  const shown = runs.filter((run) => !isBlank(run));
  const gaps = shown
    .slice(1)
    .map((run, index) => (run.left - shown[index]!.right) / Math.max(run.size, 1e-3))
    .filter((gap) => gap > WORD_GAP)
    .sort((a, b) => a - b);
  const [least, most] = [gaps[0] ?? 0, gaps.at(-1) ?? 0];
  // Columns are not that even, and neither as many nor as narrow.
  const isStretched = gaps.length >= 4 && most < STRETCHED_GAP && most - least < 0.35;
  if (isStretched) return STRETCHED_GAP;
  return shown.some(({ confidence }) => confidence !== null) ? OPTICAL_GAP : SPAN_GAP;
}

/** `2.1` and the title or the text that it counts, set apart from it, where there is nothing else. */
function withNumber(words: readonly Word[]): readonly Word[] {
  const [number, rest] = words;
  if (number === undefined || rest === undefined || words.length > 2) return words;
  const text = `${number.text.trim()} ${rest.text.trim()}`;
  const enumerator = ENUMERATOR.test(number.text.trim()) ? enumeratorOf(text) : null;
  if (
    enumerator === null ||
    rest.left - number.right > SYMBOL_GAP * sizeBetween(number, rest.runs[0]!)
  ) {
    return words;
  }
  return [{ ...number, text, right: rest.right, runs: [...number.runs, ...rest.runs] }];
}

function sizeBetween(word: Word, run: GlyphRun): number {
  return (word.runs.at(-1)!.size + run.size) / 2;
}

/** `$` and `1,204` of a table's cell as one. */
function withSymbols(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const gap = last === undefined ? Infinity : word.left - last.right;
    const size = word.runs[0]!.size;
    const isAmount =
      last !== undefined &&
      ((SYMBOL_BEFORE.test(last.text.trim()) && /^[\d(—–-]/u.test(word.text.trim())) ||
        (SYMBOL_AFTER.test(word.text.trim()) && /[\d)]\s?$/u.test(last.text) && gap < 2 * size));
    if (last !== undefined && isAmount && gap < SYMBOL_GAP * size) {
      last.text += SYMBOL_AFTER.test(word.text.trim()) ? word.text.trim() : ` ${word.text}`;
      last.right = word.right;
      last.runs.push(...word.runs);
    } else {
      joined.push({ ...word, runs: [...word.runs] });
    }
  }
  return joined;
}
