/** Lines of a region as blocks: tables, headings, items of lists, paragraphs. */

import { type Enumeration, enumeratorOf } from "../enumerators.ts";
import type { Block } from "../normal-form.ts";
import { headingLevel } from "./headings.ts";
import { asLine, type LaidLine } from "./line.ts";
import type { PageStyle } from "./page.ts";
import { tableBlock } from "./table-block.ts";
import { tablesIn } from "./tables.ts";
import { withWrappedCells } from "./wrapped-rows.ts";

/** Of what is usual between lines: more parts paragraphs. */
const GAP = 1.35;

const MAX_HEADING_LINES = 4;
/** A title that its next line completes, however far below that is set. */
const GOES_ON =
  /(?:&|\s(?:and|or|of|the|for|to|by|with|between|und|der|die|et|de|la|y|e|en|van))$/iu;

/** What blocks are judged by, taken from all pages. */
export interface DocumentStyle {
  readonly page: PageStyle;
  /** Lines that recur from page to page, which stand in blocks of their own. */
  readonly running: ReadonlySet<LaidLine>;
  /** Goes on from page to page. */
  readonly enumeration: Enumeration;
}

export function blocksOf(lines: readonly LaidLine[], style: DocumentStyle): Block[] {
  const { running } = style;
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

function contentBlocks(lines: readonly LaidLine[], style: DocumentStyle): Block[] {
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
  readonly #enumeration: Enumeration;
  /** Of the region. */
  readonly #right: number;
  readonly #left: number;

  constructor(lines: readonly LaidLine[], { page, enumeration }: DocumentStyle) {
    this.#lines = withWrappedCells(lines);
    this.#style = page;
    this.#enumeration = enumeration;
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
          (!this.#isGap(last!, line) || GOES_ON.test(last!.text)) &&
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
    for (let start = 0, end = 1; end <= this.#lines.length; end++) {
      if (end < this.#lines.length && this.#isSetAlike(end)) continue;
      const [before, after] = [this.#lines[start - 1], this.#lines[end]];
      const isAfterGap = before === undefined || this.#isGap(before, this.#lines[start]!);
      const isBeforeGap = after === undefined || this.#isGap(this.#lines[end - 1]!, after);
      const isApart = isAfterGap || (levels.at(-1) ?? null) !== null;
      const isAlone = isAfterGap && isBeforeGap;
      const group = this.#lines
        .slice(start, end)
        .map((line) => headingLevel({ line, isApart, isAlone }, this.#style));
      const isText = group.length > MAX_HEADING_LINES || group.includes(null);
      levels.push(...group.map((level) => (isText ? null : level)));
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
    const distance = line.baseline - (last.lastBaseline ?? last.baseline);
    return distance > GAP * this.#style.leading * Math.max(last.size, line.size);
  }

  #ends({ text }: LaidLine): boolean {
    return /[.:;!?]["”’')\]]*$/u.test(text);
  }
}
