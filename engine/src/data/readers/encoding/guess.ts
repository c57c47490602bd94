/**
 * The encoding of a text that is not UTF-8, by how words are written. It is Windows-1252 wherever the
 * letters are those of one western language; another where Windows-1252 makes nonsense of the words and
 * the other does not; and Windows-1252 again where none makes sense.
 */

import {
  type Frequent,
  LATIN,
  type LatinCandidate,
  SCRIPTS,
  type ScriptCandidate,
  WIDE,
  WINDOWS_1252,
  type WideCandidate,
} from "./alphabets.ts";

const FALLBACK = "windows-1252";

/** Of the letters beyond ASCII, those that make sense in Windows-1252: names of other languages stand between. */
const WESTERN_SHARE = 0.9;
/** In another encoding: the text is of one language or script, apart from few names. */
const OTHER_SHARE = 0.97;
const LATIN_SHARE = 0.95;
/** Of characters of two bytes, those that are common. */
const WIDE_SHARE = 0.9;

/** @param bytes of which some are beyond ASCII and that are not UTF-8 */
export function guessEncoding(bytes: Uint8Array): string {
  const words = wordsOf(bytes);
  if (latinShare(words, WINDOWS_1252) >= WESTERN_SHARE) return FALLBACK;
  return (
    best([
      ...SCRIPTS.map((each) => ({ ...each, fit: scriptFit(words, each) })),
      ...WIDE.map((each) => ({ ...each, fit: wideFit(words, each) })),
    ]) ??
    bestLatin(words) ??
    FALLBACK
  );
}

/** Of different words. */
const SAMPLE_BYTES = 8192;

/** The words that have bytes beyond ASCII, each once. In characters of two bytes the second is from @ on. */
function wordsOf(bytes: Uint8Array): Uint8Array {
  const words = new Set<string>();
  let size = 0;
  for (let at = 0; at < bytes.length && size < SAMPLE_BYTES; at++) {
    if (bytes[at]! < 0x80) continue;
    let start = at;
    while (start > 0 && bytes[start - 1]! >= 0x40) start--;
    while (at < bytes.length && bytes[at]! >= 0x40) at++;
    const word = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString("latin1");
    if (!words.has(word)) size += word.length + 1;
    words.add(word);
  }
  return Buffer.from([...words].join(" "), "latin1");
}

/** The one of the greatest fit; null where none is above 0. */
function best(
  candidates: readonly { readonly encoding: string; readonly fit: number }[],
): string | null {
  let found: string | null = null;
  let most = 0;
  for (const { encoding, fit } of candidates) {
    if (fit > most) [found, most] = [encoding, fit];
  }
  return found;
}

/** More different letters than these are others in Windows-1252 where a text is not in it: fewer may be of names. */
const LETTERS_OF_NAMES = 2;
/** Words of which Windows-1252 makes none at all tell as much, where there is but one way to read them. */
const TELLING_WORDS = 2;

function bestLatin(words: Uint8Array): string | null {
  const fitting = LATIN.map((each) => ({ ...each, fit: latinShare(words, each) })).filter(
    ({ fit }) => fit >= LATIN_SHARE,
  );
  const sure = best(fitting.filter((each) => otherLetters(words, each).size > LETTERS_OF_NAMES));
  if (sure !== null) return sure;
  const telling = fitting.filter((each) => tellingWords(words, each) >= TELLING_WORDS);
  const readings = new Set(telling.map(({ encoding }) => new TextDecoder(encoding).decode(words)));
  return readings.size === 1 ? best(telling) : null;
}

/** The words of a text, each with what stands there in Windows-1252. */
function wordsTwice(
  bytes: Uint8Array,
  { encoding }: LatinCandidate,
): [word: string, western: string][] {
  const western = new TextDecoder(FALLBACK).decode(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => [
    word,
    western.slice(index, index + word.length),
  ]);
}

/** Letters of its words that are others in Windows-1252. */
function otherLetters(bytes: Uint8Array, candidate: LatinCandidate): ReadonlySet<string> {
  const others = new Set<string>();
  for (const [word, western] of wordsTwice(bytes, candidate)) {
    for (let at = 0; at < word.length; at++) {
      if (word[at] !== western[at]) others.add(word.charAt(at).toLowerCase());
    }
  }
  return others;
}

/** Long enough to be no unit such as `Nm³h`. */
const LEAST_WORD = 4;

/** Its words that in Windows-1252 are none. */
function tellingWords(bytes: Uint8Array, candidate: LatinCandidate): number {
  let telling = 0;
  for (const [word, western] of wordsTwice(bytes, candidate)) {
    if (word.length < LEAST_WORD || !/[aeiouy]/i.test(word) || nonsenseIn(word) > 0) continue;
    if (western !== word && nonsenseIn(western) > 0) telling++;
  }
  return telling;
}

/** Three letters beyond ASCII in a row are no word of a Latin script. */
const LETTERS_IN_A_ROW = 3;
/** A small letter and then a capital, or a sign between letters. */
const isLower = (text: string): boolean => /^\p{Ll}$/u.test(text);
const isUpper = (text: string): boolean => /^\p{Lu}$/u.test(text);

/** Of the characters beyond ASCII that should be letters, those of the one alphabet that has most of them. */
function latinShare(bytes: Uint8Array, { encoding, alphabets }: LatinCandidate): number {
  const text = new TextDecoder(encoding).decode(bytes);
  const counts = new Map<string, number>();
  let nonsense = 0;
  for (const [word] of text.matchAll(WORD)) {
    const wrong = nonsenseIn(word);
    nonsense += wrong;
    if (wrong > 0) continue;
    for (const letter of word.toLowerCase()) {
      if (letter > "\x7f") counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
  }
  let all = nonsense;
  for (const count of counts.values()) all += count;
  if (all === 0) return 0;
  let most = 0;
  for (const alphabet of alphabets) {
    let known = 0;
    for (const [letter, count] of counts) if (alphabet.has(letter)) known += count;
    most = Math.max(most, known);
  }
  return most / all;
}

/**
 * Two letters or more with signs between them or one that no word has in front, and whatever is no
 * character.
 */
const WORD =
  /(?:(?<![\p{L}\p{N}])[¢-¦¨©¬®-±´¶¸¹¾×÷](?=\p{Ll}))?[\p{L}\p{M}\x80-\x9f\ufffd]+(?:[\p{L}\p{M}\x80-\x9f\ufffd]|[¡-¿×÷\u2013\u2014\u2018-\u2022\u201a-\u201e†‡‰‹›€™˙˛ˇ˘˝¸][\p{L}\p{M}\x80-\x9f\ufffd])+/gu;

/** Letters that no word begins with, and one that none ends with. */
const MISPLACED = /^[ðğąęń]|þ$/iu;

/** Characters of a word beyond ASCII, where it is none; else 0. */
function nonsenseIn(word: string): number {
  const letters = [...word];
  let beyond = 0;
  let row = 0;
  let isNonsense = MISPLACED.test(word);
  for (const [at, letter] of letters.entries()) {
    if (letter <= "\x7f") {
      row = 0;
      continue;
    }
    beyond++;
    row++;
    const isLetter = /^\p{L}$/u.test(letter);
    if (row >= LETTERS_IN_A_ROW || (!isLetter && letter !== "·" && letter !== "’"))
      isNonsense = true;
    if (isLower(letters[at - 1] ?? "") && isUpper(letter)) isNonsense = true;
    if (isLower(letter) && isUpper(letters[at + 1] ?? "")) isNonsense = true;
  }
  return isNonsense ? beyond : 0;
}

/** Fewer may be an abbreviation of three capitals. */
const LEAST_LETTERS = 4;

/** How far the letters are those of the script, in words of it alone; 0 where they are not. */
function scriptFit(bytes: Uint8Array, { encoding, script, frequent }: ScriptCandidate): number {
  const text = [...new TextDecoder(encoding).decode(bytes)];
  let good = 0;
  let bad = 0;
  let letters = 0;
  let common = 0;
  for (const [at, character] of text.entries()) {
    if (character <= "\x7f") continue;
    const before = text[at - 1] ?? "";
    const after = text[at + 1] ?? "";
    if (script.test(character)) {
      const isMixed = /[A-Za-z]/.test(before) || /[A-Za-z]/.test(after);
      if (!isMixed && !script.test(before) && !script.test(after)) continue;
      const isBroken = isLower(before) && isUpper(character);
      if (isMixed || isBroken || isMisplaced(character, before, after, script)) bad++;
      else good++;
      if (/\p{L}/u.test(character)) letters++;
      if (frequent.characters.has(character.toLowerCase())) common++;
    } else if (/[\p{L}\p{M}\x80-\x9f\ufffd\u2500-\u259f]/u.test(character)) bad++;
    else if (script.test(after)) {
      if (script.test(before) ? !/[’·]/.test(character) : NEVER_FIRST.test(character)) bad++;
    }
  }
  const share = good / (good + bad || 1);
  if (share < OTHER_SHARE || good < LEAST_LETTERS) return 0;
  // What is wrong tells two encodings of a script apart better than how common the letters are.
  return share ** 8 * usualness(common / letters, frequent);
}

/** Signs that no word has in front. */
const NEVER_FIRST = /[¢-¦¨©¬®-±´¶¸¹¾×÷’]/;

/** A mark without a letter, a Thai vowel that stands before a letter without one, Greek's last sigma. */
function isMisplaced(character: string, before: string, after: string, script: RegExp): boolean {
  if (/\p{M}/u.test(character)) return !script.test(before);
  if (character === "ς") return script.test(after);
  return /[เแโใไ]/.test(character) && !/[ก-ฮ]/.test(after);
}

/** Characters of two bytes within words of Latin letters: of capitals as in `LED電球` there may be. */
const MIXED =
  /(?<=[a-z])\P{ASCII}|\P{ASCII}(?=[a-z])|(?<!\P{ASCII})\P{ASCII}(?=[A-Z])|(?<=[A-Z])\P{ASCII}(?!\P{ASCII})/gu;

/** 1 for a text that has as many of the commonest characters as texts of its kind have. */
const usualness = (share: number, { share: usual }: Frequent): number =>
  0.01 + Math.min(1.2, share / usual);

/** One may be a sign and the unit behind it. */
const LEAST_CHARACTERS = 2;

function wideFit(
  bytes: Uint8Array,
  { encoding, isTrail, isCommon, frequent }: WideCandidate,
): number {
  let common = 0;
  let others = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1];
    // The sample may end within a character.
    if (trail === undefined) break;
    if (!isTrail(trail)) others++;
    else {
      at++;
      if (isCommon(lead, trail)) common++;
      else others++;
    }
  }
  const share = common / (common + others || 1);
  if (share < WIDE_SHARE || common < LEAST_CHARACTERS) return 0;
  let known = 0;
  let mixed = 0;
  const text = new TextDecoder(encoding).decode(bytes);
  for (const [word] of text.matchAll(MIXED)) mixed += word.length;
  if (mixed > common * (1 - WIDE_SHARE)) return 0;
  for (const character of text) {
    if (frequent.characters.has(character)) known++;
  }
  return share * usualness(known / common, frequent);
}
