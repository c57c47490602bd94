/**
 * Boxes of which some are ticked: `Fuel: ☒ Petrol  ☐ Diesel`, `[ ] Yes  [X] No`, `male ( )  female (x)`,
 * and boxes that were drawn, of which a text has the cross alone: `Result  X Pass  Fail`. What is
 * ticked is the answer to the label before them; where nothing is, there is none.
 */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { Stretch } from "./layout.ts";

export interface Choice {
  /** Of the line's text, where the first option begins. */
  readonly start: number;
  /** What is ticked, in order. */
  readonly ticked: readonly Stretch[];
}

const TICKED = "\\[ ?[xX✓✔✗✘] ?\\]|\\( ?[xX✓✔✗✘] ?\\)|[☑☒✅🗹■]";
const EMPTY = "\\[[ _]{0,3}\\]|\\([ _]{1,3}\\)|[☐□▢]";
const BOX = new RegExp(`(${TICKED})|(?:${EMPTY})`, "gu");
/** Of a box that was drawn, the cross in it. */
const CROSS = /^[xX✓✔✗✘]\s+(?=\p{L})/u;
const LONGEST_OPTION = 60;
const FEWEST_OPTIONS = 2;

const known = new WeakMap<PlacedLine, Choice | null>();

/** The line's boxes; null where it has none. */
export function choiceOf(line: PlacedLine): Choice | null {
  let choice = known.get(line);
  if (choice === undefined) {
    choice = ofBoxes(line) ?? ofCrosses(line);
    known.set(line, choice);
  }
  return choice;
}

interface Box {
  readonly start: number;
  readonly end: number;
  readonly isTicked: boolean;
}

function ofBoxes(line: PlacedLine): Choice | null {
  const boxes = [...line.text.matchAll(BOX)].map(
    ({ 0: written, 1: ticked, index }): Box => ({
      start: index,
      end: index + written.length,
      isTicked: ticked !== undefined,
    }),
  );
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (first === undefined || last === undefined || boxes.length < FEWEST_OPTIONS) return null;
  const isBehind = line.text.slice(last.end).trim() === "";
  const options = boxes.map((box, index): Stretch => {
    const [from, to] = isBehind
      ? [optionBefore(line, boxes[index - 1]?.end ?? 0, box.start), box.start]
      : [box.end, boxes[index + 1]?.start ?? line.text.length];
    return withinSpan(line, from, to, isBehind);
  });
  if (options.some(({ start, end }) => end <= start || end - start > LONGEST_OPTION)) return null;
  return {
    start: isBehind ? options[0]!.start : first.start,
    ticked: options.filter((_, index) => boxes[index]!.isTicked),
  };
}

/** Where the first option of boxes that stand behind theirs begins: behind the label's colon or gap. */
function optionBefore({ text }: PlacedLine, from: number, to: number): number {
  const before = text.slice(from, to).trimEnd();
  const mark = Math.max(before.lastIndexOf(":") + 1, before.lastIndexOf("  ") + 1);
  return from + mark;
}

/** A stretch without the gaps around it, and without what follows a gap within. */
function withinSpan(line: PlacedLine, from: number, to: number, isBehind: boolean): Stretch {
  const text = line.text.slice(from, to);
  const start = from + (text.length - text.trimStart().length);
  const kept = text.trim();
  const gap = isBehind ? -1 : kept.indexOf("  ");
  const option = (gap < 0 ? kept : kept.slice(0, gap)).replace(/[,;/|.]+$/u, "").trimEnd();
  return { line, start, end: start + option.length };
}

function ofCrosses(line: PlacedLine): Choice | null {
  const [label, ...options] = line.spans;
  if (label === undefined || options.length < FEWEST_OPTIONS || CROSS.test(label.text)) return null;
  if (options.some(({ text }) => text.length > LONGEST_OPTION || /\p{N}/u.test(text))) return null;
  const ticked = options.flatMap((span): Stretch[] => {
    const cross = CROSS.exec(span.text);
    if (cross === null) return [];
    const base = span.start - line.start;
    return [{ line, start: base + cross[0].length, end: base + span.text.length }];
  });
  if (ticked.length !== 1) return null;
  return { start: options[0]!.start - line.start, ticked };
}
