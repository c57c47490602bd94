/**
 * Names of companies and other bodies: the capitalised words before a legal form, lines with a word
 * of business in them, and lines in capitals at a document's head.
 */

import { isBusinessWord, isLabelWord } from "./business-words.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { hasStrongForm, LEGAL_FORM } from "./legal-forms.ts";
import { isInCapitals, isNamePart, LONGEST_LINE, lineNames } from "./name-lines.ts";
import { nameBefore, type Stretch } from "./name-walk.ts";
import { firstBeyondLabel, type Segment, segmentsOf } from "./segments.ts";
import type { TypedValue } from "./value.ts";

function find(text: string): TypedValue[] {
  const segments = segmentsOf(text);
  const found = [
    ...namedByForm(text, segments),
    ...lineNames(text, segments).map(({ certainty, ...stretch }) =>
      organization(text, stretch, certainty),
    ),
  ];
  return withoutOverlaps(found);
}

function organization(text: string, { start, end }: Stretch, certainty: number): TypedValue {
  return typedValue("organization", start, end, tidyName(text.slice(start, end)), certainty);
}

/** Spaces and punctuation as print has them: `SHOP NO .7(WEST)` is `SHOP NO. 7 (WEST)`. */
export function tidyName(name: string): string {
  return name
    .replace(/\s+/g, " ")
    .replace(/ ([.,])(?=\p{L})/gu, "$1 ")
    .replace(/ ([.,;])/g, "$1")
    .replace(/(\S)\(/g, "$1 (")
    .replace(/\( /g, "(")
    .replace(/ \)/g, ")")
    .replace(/ {2,}/g, " ")
    .trim();
}

function namedByForm(text: string, segments: readonly Segment[]): TypedValue[] {
  const found: TypedValue[] = [];
  let index = 0;
  let previousEnd = 0;
  let weakEnd = 0;
  for (const match of text.matchAll(LEGAL_FORM)) {
    const { index: start } = match;
    if (start < previousEnd) continue;
    while (index + 1 < segments.length && segments[index]!.end <= start) index += 1;
    const isSure = match.groups?.["weak"] === undefined || hasStrongForm(match[0]);
    const written = start + withoutStop(match[0]).length;
    const end = isSure ? written : bodyEnd(text, written, segments[index]!.end);
    const form = { start, end };
    const whole = wholeCapitals(segments[index]!, end);
    const notBefore = isSure ? previousEnd : Math.max(previousEnd, weakEnd);
    const named = whole ?? nameBefore(text, form, notBefore, isSure);
    const name = withLinesBefore(segments, index, named ?? form, form);
    if (name === null || name.start < notBefore) continue;
    // `5.9 KG` is a weight.
    if (/^KG/u.test(match[0]) && /\d\s?$/u.test(text.slice(name.start, start))) continue;
    found.push(organization(text, name, isSure ? 0.92 : 0.6));
    // NORTH HOLDINGS AND INVESTMENTS LIMITED: a word that only may end a name may be in its midst.
    if (isSure || !isMidWord(match[0])) previousEnd = name.end;
    else weakEnd = name.end;
  }
  for (const match of text.matchAll(BODY_OF)) {
    const end = match.index + match[0].length;
    found.push(organization(text, { start: match.index, end }, 0.55));
  }
  for (const match of text.matchAll(FORM_FIRST)) {
    const [start, end] = [match.index, match.index + match[0].length];
    found.push(organization(text, { start, end }, 0.92));
  }
  return found;
}

/** What ends the name of a body that a word such as Services or Trust stands in the midst of. */
const BODIES =
  "Schools?|Academy|College|University|Hospital|Clinic|Cent(?:er|re)|Church|Museum|Library|Institute|Foundation|" +
  "Society|Club|Union|Board|Commission|Authority|Department|Laborator(?:y|ies)|Council|Agency|Office|District|" +
  "Garage|Station|Home|Kennels?|Farms?|Airport|Hotel|Restaurant|Division|Federation|League|Program(?:me)?";
const TO_BODY = new RegExp(
  `^(?: (?!(?:${BODIES})(?!\\p{L}))\\p{Lu}[\\p{L}'’-]{1,20}){0,3}(?: (?:${BODIES}|${BODIES.toUpperCase()})(?!\\p{L})){1,2}`,
  "u",
);

/** Where a name ends that a word which may end it does not: Prairie Air Services School. */
function bodyEnd(text: string, end: number, limit: number): number {
  return end + (TO_BODY.exec(text.slice(end, limit))?.[0].length ?? 0);
}

/** Bank of America, the University of Texas, Department of Justice */
const BODY_OF =
  /(?<!\p{L})(?:\p{Lu}[\p{L}.]{1,15}[ \n]){0,2}(?:Bank|University|Department|Ministry|Institute|Board|Court)[ \n]of[ \n](?:the[ \n])?(?!Directors|Trustees|Governors|Supervisors|Managers|Appeals?|Law)\p{Lu}\p{L}{2,20}(?:[ \n](?:and[ \n])?\p{Lu}\p{L}{2,20}){0,2}(?!\p{L})/gu;

/** Open Joint Stock Company “Name”, P.T. Name, OOO "Name" */
const FORM_FIRST =
  /(?<!\p{L})(?:(?:(?:open|closed|public)[ \n])?joint[ \n]stock[ \n]company|ooo|oao|zao|pjsc|p\.?t\.?|firma|stichting|syarikat|fundacja)[ \n]["“„«][^"”“»\n]{2,60}["”“»]/giu;

/**
 * A form that opens its line, or a parenthesis that only closes on it, goes on from the line before:
 * NORTH BOOK / CO. (M) SDN BHD. Null where there is nothing but the form.
 */
function withLinesBefore(
  segments: readonly Segment[],
  index: number,
  named: Stretch,
  form: Stretch,
): Stretch | null {
  const segment = segments[index]!;
  const before = form.start - segment.start;
  // Farther from its line's head, a form is in running text.
  if (before > LONGEST_LINE) return named.start < form.start ? named : null;
  const lead = segment.text.slice(0, Math.max(0, before));
  const isTorn = lead.includes(")") && !lead.includes("(");
  const isBare = lead.trim() === "";
  if (!isBare && !isTorn) return named.start < form.start ? named : null;
  let start = form.start;
  for (let back = index - 1; back >= Math.max(0, index - 2); back--) {
    const { text, place, line, start: from } = segments[back]!;
    if (segments[back + 1]!.place > 0 || place > 0 || line !== segments[back + 1]!.line - 1) break;
    if (!isNamePart(text)) break;
    start = from;
    if (!isTorn || text.includes("(")) {
      const opening = text.split("(")[0]!.trim();
      if (opening.split(" ").length > 1 || !isTorn) break;
    }
  }
  return start < form.start ? { start, end: named.end } : null;
}

/** A full stop ends the sentence, not the form, unless the form is an abbreviation. */
function withoutStop(form: string): string {
  return /(?<!\p{L})(?:inc|corp|ltd|co|bhd|sdn|pte|pty|pvt|lda|ltda|\p{L}|bnd|bho)\.$/iu.test(form)
    ? form
    : form.replace(/\.$/, "");
}

const MID_WORDS =
  /^(?:holdings|trading|industries|technologies|communications|laboratories|pharmaceuticals|services|systems|solutions|enterprises?|stores|associates|partners)$/i;

function isMidWord(form: string): boolean {
  return MID_WORDS.test(form.replace(/[.,]+$/, ""));
}

/** A line in capitals that ends in the form is the name as a whole. */
function wholeCapitals({ text, start, end }: Segment, formEnd: number): Stretch | null {
  if (text.length > LONGEST_LINE || text.includes(":")) return null;
  const isToEnd = end - formEnd <= 1 || /^[.,)\s]*$/.test(text.slice(formEnd - start));
  if (!isToEnd) return null;
  if (!isInCapitals(text) || / (?:AND|BETWEEN|BY|WITH) /.test(text)) return null;
  const lead = /^[*"“'‘\-–. ]*/.exec(text)![0].length;
  const before = text
    .slice(lead, Math.max(lead, formEnd - start))
    .split(" ")
    .slice(0, -1);
  if (before.some(isLabelWord) || !before.some((word) => /\p{L}{2}/u.test(word))) return null;
  const trimmed = text.replace(/[,;*”"]+$/, "").length;
  return trimmed > lead ? { start: start + lead, end: start + trimmed } : null;
}

export const ORGANIZATION: Kind = {
  find,
  read(text) {
    let best: TypedValue | null = null;
    for (const value of namedByForm(text.slice(0, 600), segmentsOf(text.slice(0, 600)))) {
      if (best === null || value.certainty > best.certainty) best = value;
    }
    return best ?? readLine(text);
  },
};

/** Without a sign of a company, the first line's piece, if it can be a name. */
function readLine(text: string): TypedValue | null {
  const piece = firstBeyondLabel(text);
  if (piece === null) return null;
  const name = piece.text.replace(/["“”]/g, " ");
  const lead = /^[\s*'‘\-–.,]*/.exec(name)![0].length;
  const trail = /(?:\s*\([^()]{0,40}\))?[\s*'’\-–,;:(]*$/.exec(name)![0].length;
  const extent = { start: lead, end: name.length - trail };
  const words = name.slice(lead, extent.end).match(/\p{L}+/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && word.length > 3).length;
  if (words.join("").length < 2 || name.length > 120 || words.length > 12) return null;
  if (small > words.length / 2) return null;
  const value = organization(name, extent, words.some(isBusinessWord) ? 0.5 : 0.35);
  return { ...value, start: value.start + piece.start, end: value.end + piece.start };
}
