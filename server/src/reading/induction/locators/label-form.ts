/** What a label looks like, whoever looks for one. */

import { labelKey, withoutNumbering } from "./label-key.ts";

/** Longer is a sentence. */
export const LONGEST_LABEL = 48;
const MOST_LABEL_WORDS = 7;

/** `Label:`, also in the middle of a span; times and addresses on the web have colons too. */
export const LABEL_AND_COLON = /(?:^|[\s(])(\p{L}[^:：\n]{0,47}?)\s*[:：](?!\/\/|\d\d\b)/gu;

/** `12.6 g/dl ; platelets`: of what stands before a later colon of a line, the last of what marks part. */
export const behindList = (text: string): string => text.slice(text.search(/[^,;]*$/u)).trimStart();

/** Whether something in a text is a label before a colon. */
export const statesLabel = (text: string): boolean => /\p{L}\s?[:：](?:\s|$)/u.test(text);

/** Whether a text can be what a column is called: words alone, behind a number of their own. */
export function isColumnTitle(text: string): boolean {
  return isLabelText(text) && withoutNumbering(text).search(FIGURES) < 0;
}

/** Digits, but for the power of a unit: `Volume (m³)`. */
const FIGURES = /(?![²³])\p{N}/gu;

/** `No.`, `D.D.T.`, `B/L` */
const WORD_OR_INITIALS = /\p{L}{2}|\p{Lu}[./]\p{Lu}(?!\p{L})/u;

/** `Dear Ms Carter:` greets; what stands below is the letter. */
const SALUTATION =
  /^\s*(?:dear|sehr geehrte[rsn]?|guten tag|geachte|ch(?:er|ère)s?|estimad[oa]s?|gentile|egregi[oa]|prezad[oa]s?|szanown[aiey]+)\s+\p{L}/iu;

/** Whether a text can be what something is called. */
export function isLabelText(text: string): boolean {
  if (text.length > LONGEST_LABEL || !WORD_OR_INITIALS.test(text)) return false;
  if (SALUTATION.test(text)) return false;
  const key = labelKey(text);
  if (key === "" || key.split(" ").length > MOST_LABEL_WORDS) return false;
  const digits = text.match(FIGURES)?.length ?? 0;
  return digits <= 2 || digits / text.length < 0.2;
}

/** Whether a text has a label of its own, and no time or web address. */
export function isLabelled(text: string): boolean {
  return /^[^:：]{0,40}\p{L}[\s).]*[:：](?!\/\/)/u.test(text);
}

/** `What happened?` asks, and answers nothing. */
export const isQuestion = (text: string): boolean => /\p{L}{2}[\s)]*\?\s*$/u.test(text);

/** `DOB 12/03/1970` and `NHS No. 943 476 5919` among what commas or sentences part: words, then a figure or a code. */
const INLINE =
  /(^|[,;·|:]\s+|\.\s+(?=\p{Lu})|\(\s?)(\p{L}(?:[\p{L}\p{M}'’/ °º-]|\.(?!\s+\p{Lu})){1,40}?)\s+(?=[\p{N}#]|\p{Lu}{1,4}[-/]?\p{N})((?:(?!\.(?:\s+\p{Lu}|\s*$))[^,;·|()\n]|(?<=\p{N}),(?=\p{N})){1,60})/gu;

export interface Inline {
  readonly label: string;
  /** Offsets of the text, of the label's first letter and of its value. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Labels within a list that a line runs on with, before their values and without a colon. That the
 * words are a label is for the caller to find out. A text without commas has none.
 */
export function inlineLabels(text: string): Inline[] {
  if (text.length > LONGEST_LIST || !/[,;·|(]/u.test(text)) return [];
  const found = Array.from(
    text.matchAll(INLINE),
    ({ 0: whole, 1: mark, 2: label, 3: value, index }) => {
      const to = index + whole.length;
      const from = to - value!.length;
      const start = index + whole.indexOf(label!);
      return { label: label!.trimEnd(), start, from, to, mark: mark! };
    },
  );
  // Behind a colon or a sentence, one alone is what any sentence may begin with.
  return found.filter(({ mark }) => found.length > 1 || !/[:.]/u.test(mark));
}

const LONGEST_LIST = 300;
