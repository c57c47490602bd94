/** Lines of a region as blocks: tables, headings, items of lists, paragraphs. */

import { Enumeration, enumeratorOf } from "../enumerators.ts";
import type { Block } from "../normal-form.ts";
import { headingLevel } from "./headings.ts";
import { asLine, type LaidLine } from "./line.ts";
import type { PageStyle } from "./page.ts";
import { tableBlock } from "./table-block.ts";
import { tablesIn } from "./tables.ts";

/** Of what is usual between lines: more parts paragraphs. */
const GAP = 1.35;

const MAX_HEADING_LINES = 4;

/** @param running lines that recur from page to page, which stand in blocks of their own */
export function blocksOf(
  lines: readonly LaidLine[],
  style: PageStyle,
  running: ReadonlySet<LaidLine>,
): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    const isRunning = running.has(lines[start]!);
    if (end < lines.length && running.has(lines[end]!) === isRunning) continue;
    const part = lines.slice(start, end);
    if (isRunning) blocks.push({ kind: "paragraph", lines: part.map(asLine) });
    else blocks.push(...contentBlocks(part, style));
    start = end;
  }
  return blocks;
}

function contentBlocks(lines: readonly LaidLine[], style: PageStyle): Block[] {
  const blocks: Block[] = [];
  let done = 0;
  for (const table of tablesIn(lines)) {
    blocks.push(...new Paragraphs(lines.slice(done, table.from), style).blocks());
    blocks.push(tableBlock(lines, table));
    done = table.to;
  }
  blocks.push(...new Paragraphs(lines.slice(done), style).blocks());
  return blocks;
}

class Paragraphs {
  readonly #lines: readonly LaidLine[];
  readonly #style: PageStyle;
  readonly #enumeration = new Enumeration();
  /** Of the region. */
  readonly #right: number;
  readonly #left: number;

  constructor(lines: readonly LaidLine[], style: PageStyle) {
    this.#lines = lines;
    this.#style = style;
    this.#right = lines.reduce((right, line) => Math.max(right, line.right), -Infinity);
    this.#left = lines.reduce((left, line) => Math.min(left, line.left), Infinity);
  }

  blocks(): Block[] {
    const blocks: Block[] = [];
    const levels = this.#levels();
    for (const [index, line] of this.#lines.entries()) {
      const last = this.#lines[index - 1];
      const open = blocks.at(-1);
      const level = levels[index] ?? null;
      const laid = asLine(line);
      if (level !== null) {
        const goesOn =
          open?.kind === "heading" &&
          open.level === level &&
          !this.#isGap(last!, line) &&
          enumeratorOf(line.text) === null &&
          open.lines.length < MAX_HEADING_LINES;
        if (goesOn) open.lines.push(laid);
        else blocks.push({ kind: "heading", level, lines: [laid] });
      } else if (this.#beginsItem(line, last, open)) {
        blocks.push({ kind: "list_item", lines: [laid] });
      } else if (
        open === undefined ||
        open.kind === "heading" ||
        open.kind === "table" ||
        this.#beginsParagraph(last!, line)
      ) {
        blocks.push({ kind: "paragraph", lines: [laid] });
      } else {
        open.lines.push(laid);
      }
    }
    return blocks;
  }

  /** Of headings; lines that are set alike and follow each other are all headings, or none is. */
  #levels(): (number | null)[] {
    const levels: (number | null)[] = [];
    for (const [index, line] of this.#lines.entries()) {
      const last = this.#lines[index - 1];
      const isApart =
        last === undefined || this.#isGap(last, line) || (levels.at(-1) ?? null) !== null;
      levels.push(headingLevel({ line, isApart, isAlone: this.#isAlone(index) }, this.#style));
    }
    for (let start = 0, end = 1; end <= this.#lines.length; end++) {
      if (end < this.#lines.length && this.#isSetAlike(end)) continue;
      const isText = end - start > MAX_HEADING_LINES || levels.slice(start, end).includes(null);
      if (isText) levels.fill(null, start, end);
      start = end;
    }
    return levels;
  }

  /** As the line before, with no more than a line's space between. */
  #isSetAlike(index: number): boolean {
    const [last, line] = [this.#lines[index - 1]!, this.#lines[index]!];
    return (
      line.bold === last.bold &&
      Math.abs(line.size - last.size) < 0.05 * line.size &&
      !this.#isGap(last, line)
    );
  }

  #beginsItem(line: LaidLine, last: LaidLine | undefined, open: Block | undefined): boolean {
    const enumerator = enumeratorOf(line.text);
    if (enumerator === null || enumerator.kind === "clause" || enumerator.rest === "") return false;
    const isApart =
      last === undefined ||
      open?.kind === "heading" ||
      open?.kind === "list_item" ||
      this.#isGap(last, line) ||
      this.#ends(last);
    if (!isApart || !this.#enumeration.follows(enumerator)) return false;
    this.#enumeration.note(enumerator);
    return true;
  }

  #beginsParagraph(last: LaidLine, line: LaidLine): boolean {
    if (this.#isGap(last, line)) return true;
    if (Math.abs(last.size - line.size) > 0.2 * Math.max(last.size, line.size)) return true;
    if (!this.#ends(last)) return false;
    const isIndented = line.left - last.left > line.size && last.left - this.#left < line.size;
    return isIndented || last.right < this.#right - 0.15 * (this.#right - this.#left);
  }

  #isGap(last: LaidLine, line: LaidLine): boolean {
    const distance = line.baseline - last.baseline;
    return distance > GAP * this.#style.leading * Math.max(last.size, line.size);
  }

  #ends({ text }: LaidLine): boolean {
    return /[.:;!?]["”’')\]]*$/u.test(text);
  }

  #isAlone(index: number): boolean {
    const [last, line, next] = [-1, 0, 1].map((step) => this.#lines[index + step]);
    return (
      (last === undefined || this.#isGap(last, line!)) &&
      (next === undefined || this.#isGap(line!, next))
    );
  }
}
