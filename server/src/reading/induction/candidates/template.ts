/**
 * Candidates from what the documents of a sample share word by word: where lines of most of them
 * begin alike and go on differently, what differs is a value. The shared beginning is found in a
 * tree of the lines' first words; the alignment of wrapper induction (Crescenzi, Mecca and Merialdo,
 * "RoadRunner", 2001), kept to single lines.
 */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { SampleDocument } from "../inducer.ts";
import { findingOf } from "../locators/finding.ts";
import { showsByForm, wordsOf } from "../locators/layout.ts";
import { conventionsOf } from "../values/conventions.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { type CandidateGenerator, type Mention, withNeighbours } from "./mention.ts";
import { statedValue } from "./stated-value.ts";

/** Share of the documents, and how many at least, in which a beginning is shared. */
const SHARED = 0.5;
const FEWEST_DOCUMENTS = 3;

const FEWEST_WORDS = 2;
const MOST_WORDS = 6;
const MOST_LINES = 400;
const MOST_TEMPLATES = 60;

/** Share of a template's lines that must hold a value of a kind that shows by its form, or a code. */
const MOSTLY = 0.6;

const SURENESS = 0.65;

interface Beginning {
  readonly words: readonly string[];
  /** First line of each document that begins so, by the document's index. */
  readonly lines: Map<number, PlacedLine>;
}

export const templateCandidates: CandidateGenerator = (documents, conventions) => {
  const needed = Math.max(FEWEST_DOCUMENTS, Math.ceil(SHARED * documents.length));
  const beginnings = [...beginningsOf(documents).values()]
    .filter(({ lines }) => lines.size >= needed)
    .sort(
      (a, b) =>
        b.words.length - a.words.length || b.lines.size - a.lines.size || compare(a.words, b.words),
    );
  const taken = new Set<PlacedLine>();
  const mentions = new Map<number, Mention[]>();
  let templates = 0;
  for (const { words, lines } of beginnings) {
    if (templates === MOST_TEMPLATES) break;
    const free = [...lines].filter(([, line]) => !taken.has(line));
    if (free.length < needed) continue;
    const rests = new Set(free.map(([, line]) => restOf(line, words.length)));
    // Always the same is no value; nothing at all is none either.
    if (rests.size < FEWEST_DOCUMENTS || rests.has("")) continue;
    const read = free.map(([index, line]) => ({
      index,
      line,
      mention: mentionOf(
        documents[index]!,
        line,
        words,
        conventionsOf(documents[index]!.content, conventions),
      ),
    }));
    // Prose that begins alike goes on with words: only values are fields.
    const typed = read.filter(({ mention }) => mention !== null && isTyped(mention.kind));
    if (typed.length < needed || typed.length < MOSTLY * free.length) continue;
    templates += 1;
    for (const { index, line, mention } of read) {
      taken.add(line);
      if (mention === null) continue;
      const known = mentions.get(index);
      if (known === undefined) mentions.set(index, [mention]);
      else known.push(mention);
    }
  }
  return documents.flatMap((_, index) =>
    withNeighbours((mentions.get(index) ?? []).sort((a, b) => a.finding.start - b.finding.start)),
  );
};

function isTyped(kind: ValueKind): boolean {
  return showsByForm(kind) || kind === "identifier";
}

function beginningsOf(documents: readonly SampleDocument[]): Map<string, Beginning> {
  const beginnings = new Map<string, Beginning>();
  for (const [index, { content }] of documents.entries()) {
    for (const line of content.lines.slice(0, MOST_LINES)) {
      const keys = wordsOf(line).map(({ key }) => key);
      const most = Math.min(MOST_WORDS, keys.length - 1);
      for (let count = FEWEST_WORDS; count <= most; count += 1) {
        const words = keys.slice(0, count);
        if (/^\p{N}/u.test(words.at(-1)!)) break;
        const key = words.join(" ");
        const known = beginnings.get(key);
        if (known === undefined) beginnings.set(key, { words, lines: new Map([[index, line]]) });
        else if (!known.lines.has(index)) known.lines.set(index, line);
      }
    }
  }
  return beginnings;
}

function restOf(line: PlacedLine, count: number): string {
  return line.text.slice(wordsOf(line)[count - 1]!.end).replace(/^[\s\p{P}\p{S}]+/u, "");
}

function mentionOf(
  { id }: SampleDocument,
  line: PlacedLine,
  words: readonly string[],
  conventions: Conventions,
): Mention | null {
  const last = wordsOf(line)[words.length - 1]!;
  const text = line.text.slice(last.end);
  const value = statedValue(text, conventions);
  if (value === null) return null;
  const placed = { ...value, start: value.start + last.end, end: value.end + last.end };
  const key = words.join(" ");
  return {
    origin: "template",
    documentId: id,
    label: line.text.slice(0, last.end).trim(),
    key,
    kind: value.kind,
    locator: { kind: "template", before: key, after: "" },
    finding: findingOf(line, placed, SURENESS),
    neighbours: [null, null],
  };
}

function compare(a: readonly string[], b: readonly string[]): number {
  const [x, y] = [a.join(" "), b.join(" ")];
  return x < y ? -1 : x > y ? 1 : 0;
}
