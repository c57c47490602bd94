/**
 * The address that a label points at: the lines of one column from what stands beside or below the
 * label on, behind the name of who lives there (`Ship to:` over a company, its street and its town).
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { tidyAddress } from "../values/address.ts";
import {
  hasPostcode,
  hasStreet,
  hasStreetOrPostcode,
  isStop,
  namesStreet,
} from "../values/address-words.ts";
import { isOfTerms } from "../words/label-concepts.ts";
import { isAddressLine } from "./address-block.ts";
import { statesLabel } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import { columnNeighbours, type Stretch, spanIndexAt, textOfStretch } from "./layout.ts";

const MOST_LINES = 7;
const LONGEST_LINE = 110;
/** A company, and a person or a department of it. */
const MOST_NAMES = 3;

const STREET_AND_POSTCODE = 0.9;
const EITHER = 0.6;

/**
 * Null where no street and no postcode is among the lines.
 *
 * @param index of the stretch's line
 * @param isBesideLabel whether the label stands before it in its line: then what stands before the
 *   lines below is another's
 */
export function pointedAddress(
  content: DocumentText,
  index: number,
  stretch: Stretch,
  isBesideLabel = false,
): Finding | null {
  const column = columnFrom(content, index, stretch, isBesideLabel);
  const from = column.findIndex((part) => opens(textOfStretch(part)));
  if (from < 0 || from > MOST_NAMES) return null;
  const first = withoutName(column[from]!);
  const parts = [first];
  for (const part of column.slice(from + 1)) {
    const text = textOfStretch(part);
    const isTown = !/\d/.test(text) && text.length < 40 && !parts.some(isPostal);
    if (!isAddressLine(text) && !isTown) break;
    parts.push(part);
  }
  const texts = parts.map(textOfStretch);
  const [hasRoad, hasCode] = [texts.some(hasStreet), texts.some(hasPostcode)];
  if (!hasRoad && !hasCode) return null;
  // Evidence is one stretch of the text: beside another column, the first line alone.
  const isAlone = parts.every(({ line }) => line.spans.length === 1);
  const { line, start } = first;
  const last = isAlone ? parts.at(-1)! : first;
  const [begin, end] = [line.start + start, last.line.start + last.end];
  return {
    normal: tidyAddress(texts),
    unit: null,
    text: content.text.slice(begin, end),
    start: begin,
    end,
    page: line.page,
    confidence: hasRoad && hasCode ? STREET_AND_POSTCODE : EITHER,
  };
}

const isPostal = (part: Stretch): boolean => hasPostcode(textOfStretch(part));
const opens = (text: string): boolean =>
  isAddressLine(text) && (hasStreetOrPostcode(text) || /\d/.test(text));

/** What stands below each other from the stretch on, up to what has a label of its own. */
function columnFrom(
  content: DocumentText,
  index: number,
  stretch: Stretch,
  isBesideLabel: boolean,
): Stretch[] {
  const parts = [stretch];
  let [at, spanIndex] = [index, spanIndexAt(stretch.line, stretch.start)];
  while (parts.length < MOST_LINES) {
    const [below] = columnNeighbours(content, at, spanIndex, 1);
    if (below === undefined || !goesOn(content, at, below)) break;
    if (isBesideLabel && spanIndexAt(below.line, below.start) > 0) break;
    parts.push(below);
    at = content.lines.indexOf(below.line, at);
    spanIndex = spanIndexAt(below.line, below.start);
  }
  return parts;
}

function goesOn({ lines }: DocumentText, index: number, below: Stretch): boolean {
  const text = textOfStretch(below);
  if (text.length > LONGEST_LINE || isStop(text) || statesLabel(text)) return false;
  // Without places on the page, a blank line ends what belongs together.
  const isApart = below.line.spans[0]!.box === null && below.line.block !== lines[index]!.block;
  return !isApart && !isRowOfTitles(below.line);
}

const isRowOfTitles = ({ spans }: PlacedLine): boolean =>
  spans.every(({ text }) => isOfTerms(labelKey(text)));

/** `Holzbau Reuter, Lindenstraße 9, 04109 Leipzig` in one line: the name before the first comma. */
function withoutName(part: Stretch): Stretch {
  const text = textOfStretch(part);
  const comma = /^([^,\d]{3,60}),\s*(?=\S)/u.exec(text);
  if (comma === null || namesStreet(comma[1]!)) return part;
  const rest = text.slice(comma[0].length);
  // `Lungotevere, 145, 00186 Roma`: a number alone is the house's, and what stands before it the street.
  if (/^\d{1,4} ?\p{L}?,/u.test(rest)) return part;
  return hasStreet(rest) || /^\d/.test(rest)
    ? { ...part, start: part.start + comma[0].length }
    : part;
}
