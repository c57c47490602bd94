/**
 * The organization that a document comes from, by its letterhead and its small print: names among
 * the first lines, a legal form before all, and at the foot of a page; surer the more often the
 * document repeats the name, and where its own web or mail address has it.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { legalFormLength, nameWords } from "../values/legal-forms.ts";
import { tidyName } from "../values/organization.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions } from "../values/value.ts";
import { isAddressLine } from "./address-block.ts";
import { fold, labelWords } from "./label-key.ts";
import { wordsOf } from "./layout.ts";
import { CONTINUING, KINDS_OF_DOCUMENT, NO_NAMES, RECIPIENTS } from "./letterhead-words.ts";
import { ownNameBonus } from "./own-name.ts";

/** Lines that a letterhead or a foot may take. */
const HEAD = 12;
const FOOT = 14;

/** Letters of a line that may hold a name. */
const LONGEST = 160;

/** Lines that a recipient's address takes. */
const RECIPIENT_LINES = 3;

const LEGAL_FORM = 0.88;
const BUSINESS_WORD = 0.73;
const PLAIN = 0.59;
/** Under another name, a line is a branch or a motto. */
const SECOND = 0.75;
const ORDER = 0.023;
const BEHIND_ADDRESS = 0.6;
const AT_FOOT = 0.55;
const RECIPIENT = 0.35;

/** A registration number behind a name. */
const REGISTRATION =
  /\s*[([]?\s*(?:(?:co|company)?\.?\s?(?:reg|no)\.?\s?(?:no)?\.?\s?:?\s?)?[A-Z]{0,3}-?\d{4,}\s?-?\s?[A-Z]{0,2}\s*[)\]]?$/iu;

interface Candidate {
  readonly line: PlacedLine;
  /** Offsets of the line's text. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Whether a legal form or a word of business shows it. */
  readonly isByForm: boolean;
  sureness: number;
}

/** @param isByForm leaves out names that only their place shows */
export function findLetterhead(
  content: DocumentText,
  conventions: Conventions,
  isByForm = false,
): Finding[] {
  const all = [...inHead(content, conventions), ...inFoot(content, conventions)];
  const candidates = all.filter((candidate) => !isByForm || candidate.isByForm);
  const bonus = ownNameBonus(content, conventions);
  const findings = candidates.map(({ line, start, end, name, sureness }): Finding => {
    const confidence = sureness + bonus(name);
    return {
      normal: tidyName(name),
      unit: null,
      text: line.text.slice(start, end),
      start: line.start + start,
      end: line.start + end,
      page: line.page,
      confidence: Math.max(0.05, Math.min(0.97, confidence)),
    };
  });
  return findings.sort((a, b) => b.confidence - a.confidence || a.start - b.start);
}

function inHead(content: DocumentText, conventions: Conventions): Candidate[] {
  const candidates: Candidate[] = [];
  let isBehindAddress = false;
  let recipient: Recipient | null = null;
  for (const line of headLines(content)) {
    if (RECIPIENTS.at(wordsOf(line), 0) !== null)
      recipient = { label: line, first: null, lines: 0 };
    else if (recipient !== null) recipient = recipientAt(recipient, line);
    // Cells and headers over columns are no letterhead.
    const spans = line.kind === "table" || line.spans.length > 2 ? [] : line.spans;
    for (const span of spans) {
      const candidate = nameIn(line, span, conventions);
      if (candidate === null) {
        if (isAddressLine(span.text) && /\d/.test(span.text)) isBehindAddress = true;
        continue;
      }
      const order = candidates.length;
      candidate.sureness -= ORDER * order;
      if (order > 0 && candidate.sureness < LEGAL_FORM - ORDER * HEAD) candidate.sureness *= SECOND;
      if (isBehindAddress) candidate.sureness *= BEHIND_ADDRESS;
      if (recipient !== null) candidate.sureness *= RECIPIENT;
      candidates.push(joined(candidates.at(-1), candidate) ?? candidate);
    }
  }
  return candidates;
}

/** The one that the document is sent to: its label, and the lines that follow in one block. */
interface Recipient {
  readonly label: PlacedLine;
  readonly first: PlacedLine | null;
  readonly lines: number;
}

/** Null where the line is no more of the recipient. */
function recipientAt({ label, first, lines }: Recipient, line: PlacedLine): Recipient | null {
  const isOfBlock = first === null || line.block === first.block || first.block === label.block;
  if (!isOfBlock || lines === RECIPIENT_LINES) return null;
  return { label, first: first ?? line, lines: lines + 1 };
}

/** Share of the page that is its head, where positions are known. */
const HEAD_HEIGHT = 0.35;

/** The first lines; where positions are known, those that stand highest, from the top. */
function headLines({ lines }: DocumentText): readonly PlacedLine[] {
  const first = lines[0]?.page;
  const page = lines.filter((line) => line.page === first);
  const tops = page.map((line) => line.spans[0]!.box?.[1] ?? null);
  if (tops.includes(null)) return page.slice(0, HEAD);
  const bottom = page.reduce((most, line) => Math.max(most, line.spans[0]!.box?.[3] ?? 0), 0);
  return page
    .map((line, index) => ({ line, index, top: tops[index]! }))
    .filter(({ top }) => top <= HEAD_HEIGHT * bottom)
    .sort((a, b) => a.top - b.top || a.index - b.index)
    .slice(0, HEAD)
    .map(({ line }) => line);
}

/** `NAME OF A` over `COMPANY (M) SDN BHD`: one name on two lines, as it is printed. */
function joined(above: Candidate | undefined, below: Candidate): Candidate | null {
  if (above === undefined || above.line.spans.length > 1 || below.start > 0) return null;
  const words = nameWords(below.name);
  // A bracket that is not closed yet, an open `&`, or words that no name begins with.
  const isRest =
    /\([^)]*$|&$/.test(above.name) ||
    legalFormLength(words) === words.length ||
    CONTINUING.has(words[0] ?? "");
  if (!isRest || legalFormLength(nameWords(above.name)) > 0) return null;
  // Evidence stays with the line of the legal form; the name is of both.
  return { ...below, name: `${above.name} ${below.name}`, sureness: above.sureness + 0.14 };
}

/** The name that a span is, if it can be one, and how surely by its own words. */
function nameIn(line: PlacedLine, span: PlacedSpan, conventions: Conventions): Candidate | null {
  const { text } = span;
  if (text.length > LONGEST) return null;
  if (/[:：@]|www\.|https?/iu.test(text) || !/\p{L}{2}/u.test(text)) return null;
  const offset = span.start - line.start;
  const lead = /^[\s*"“”'‘’=_.-]*/u.exec(text)![0].length;
  const bare = text
    .slice(lead)
    .replace(REGISTRATION, "")
    .replace(/[\s*"“”'‘’=_,;(-]+$/u, "");
  const name = withoutKind(bare);
  const words = labelWords(name);
  if (words.length === 0 || words.every(({ key }) => NO_NAMES.has(key) || /^\d/.test(key)))
    return null;
  if (/(?<!\p{L})no\.? ?\d|\d{4}-\d{3}|\d{1,2}[/.,-] ?\d{2,4}/iu.test(name)) return null;
  if ((name.match(/\d/g)?.length ?? 0) * 2.5 > name.length || name.length > 80) return null;
  const hasForm = words.length > 1 && legalFormLength(nameWords(name)) > 0;
  if (hasForm)
    return {
      line,
      start: offset + lead,
      end: offset + lead + name.length,
      name,
      isByForm: true,
      sureness: LEGAL_FORM,
    };
  const found = recognise(text, conventions, ["organization"]).sort(
    (a, b) => b.certainty - a.certainty,
  )[0];
  if (found !== undefined && found.certainty >= 0.85) {
    const [start, end] = [offset + found.start, offset + found.end];
    const written = text.slice(found.start, found.end);
    return { line, start, end, name: written, isByForm: true, sureness: LEGAL_FORM };
  }
  if (isAddressLine(text) || isSentence(name)) return null;
  const isByForm = found !== undefined && found.certainty >= 0.6;
  const sureness = isByForm ? BUSINESS_WORD : PLAIN;
  return { line, start: offset + lead, end: offset + lead + name.length, name, isByForm, sureness };
}

/** Names have capitals. */
function isSentence(name: string): boolean {
  const words = name.match(/\p{L}{3,}/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  return words.length > 2 && small * 2 > words.length;
}

/** `Some Company Invoice` is a company's invoice. */
function withoutKind(name: string): string {
  let rest = name;
  for (;;) {
    const last = /\s+[-–—]?\s*(\p{L}+)$/u.exec(rest);
    if (last === null || !KINDS_OF_DOCUMENT.has(fold(last[1]!))) return rest;
    rest = rest.slice(0, last.index);
  }
}

/** Companies named at the foot of the first or the last page. */
function inFoot(content: DocumentText, conventions: Conventions): Candidate[] {
  const first = content.lines[0]?.page;
  const last = content.lines.at(-1)?.page;
  const candidates: Candidate[] = [];
  for (const page of new Set([first, last])) {
    const lines = content.lines
      .filter((line) => line.page === page)
      .slice(HEAD)
      .slice(-FOOT);
    for (const line of lines) {
      for (const { start, end, certainty } of recognise(line.text, conventions, ["organization"])) {
        if (certainty < 0.85) continue;
        const name = line.text.slice(start, end);
        const sureness = AT_FOOT * LEGAL_FORM;
        candidates.push({ line, start, end, name, isByForm: true, sureness });
      }
    }
  }
  return candidates;
}
