/** Lines of plain text as blocks: headings, items of lists, paragraphs. */

import { Enumeration, enumeratorOf } from "../../enumerators.ts";
import {
  type HeadingLine,
  headingLine,
  isPhrase,
  isTitleInCapitals,
  isTitleWithColon,
  numberedPhrase,
  numberedTitle,
} from "../../headings.ts";
import type { Block, Line } from "../../normal-form.ts";

/** A line, or null for one that is blank. */
export type TextLine = Line | null;

/** What blocks of one page are judged by, taken from the whole document. */
export interface TextStyle {
  /** Capitals are no headings. */
  readonly isInCapitals: boolean;
  /** Characters of a full line, 0 where lines are not wrapped. */
  readonly width: number;
}

interface Judged extends HeadingLine {
  readonly line: Line;
  readonly afterBlank: boolean;
  readonly beforeBlank: boolean;
  /** The next that is not blank. */
  readonly next: Judged | null;
}

export function textBlocks(lines: readonly TextLine[], style: TextStyle): Block[] {
  const builder = new BlockBuilder(style);
  const judged: Judged[] = [];
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index];
    if (line === null || line === undefined) continue;
    const next = judged.at(-1) ?? null;
    const afterBlank = index === 0 || lines[index - 1] === null;
    const beforeBlank = index === lines.length - 1 || lines[index + 1] === null;
    judged.push({ ...headingLine(line), line, afterBlank, beforeBlank, next });
  }
  for (const line of judged.reverse()) builder.add(line);
  return builder.blocks;
}

class BlockBuilder {
  readonly blocks: Block[] = [];
  readonly #style: TextStyle;
  readonly #enumeration = new Enumeration();
  /** Of the last item, if it has one short line. */
  #listOfTitles: string | null = null;
  /** The last line, of the last block. */
  #last: Judged | null = null;

  constructor(style: TextStyle) {
    this.#style = style;
  }

  add(line: Judged): void {
    const block = this.blocks.at(-1);
    if (!this.#asNumbered(line) && !this.#asHeading(line) && !this.#asItem(line)) {
      const goesOn =
        block !== undefined &&
        block.kind !== "table" &&
        block.kind !== "heading" &&
        !line.afterBlank &&
        !this.#endedParagraph();
      if (goesOn) block.lines.push(line.line);
      else this.blocks.push({ kind: "paragraph", lines: [line.line] });
      this.#listOfTitles = null;
    }
    this.#last = line;
  }

  /** A title whose number stands on the line before it. */
  #asNumbered(line: Judged): boolean {
    const block = this.blocks.at(-1);
    const enumerator = this.#last === null ? null : enumeratorOf(this.#last.text);
    const isNumber =
      block?.kind === "list_item" && block.lines.length === 1 && enumerator?.rest === "";
    if (!isNumber || line.afterBlank || enumerator.kind === "mark" || !isTitleInCapitals(line)) {
      return false;
    }
    this.blocks.pop();
    this.blocks.push({ kind: "heading", level: 2, lines: [...block.lines, line.line] });
    return true;
  }

  #asHeading(line: Judged): boolean {
    const level = this.#level(line);
    if (level === null) return false;
    const block = this.blocks.at(-1);
    const isSecondLine =
      !line.afterBlank &&
      block?.kind === "heading" &&
      block.level === level &&
      level === 2 &&
      !line.text.endsWith(":") &&
      this.#last?.text.endsWith(":") === false;
    if (isSecondLine && block.lines.length < 4 && numberedTitle(line) === null) {
      block.lines.push(line.line);
    } else {
      this.blocks.push({ kind: "heading", level, lines: [line.line] });
    }
    return true;
  }

  #level(line: Judged): number | null {
    const { next } = line;
    const isApart = line.afterBlank || this.#endedSentence();
    const isAlone = line.afterBlank && line.beforeBlank;
    const capitalsTell = !this.#style.isInCapitals || isAlone;
    const mayBeNumbered = isApart && (capitalsTell || !isTitleInCapitals(line));
    const numbered = mayBeNumbered
      ? (numberedTitle(line) ?? (isAlone ? numberedPhrase(line) : null))
      : null;
    if (numbered !== null && this.#enumeration.follows(numbered)) {
      const following = next === null ? null : enumeratorOf(next.text);
      const isInList =
        numbered.style !== null &&
        (following?.style === numbered.style || this.#listOfTitles === numbered.style);
      const isTitle = numbered.kind !== "letter" || isTitleInCapitals(line) || line.beforeBlank;
      if (!isInList && isTitle) {
        this.#enumeration.note(numbered);
        return Math.min(6, numbered.depth + 1);
      }
    }
    // The last line of a paragraph in capitals ends it.
    const isLastLine = !line.afterBlank && line.text.endsWith(".");
    if (
      !isLastLine &&
      capitalsTell &&
      isApart &&
      isTitleInCapitals(line) &&
      enumeratorOf(line.text) === null
    ) {
      return 2;
    }
    const colonTells = !this.#style.isInCapitals || line.afterBlank;
    if (colonTells && isApart && next !== null && isTitleWithColon(line)) return 3;
    const isOverText = next?.spans === 1 && next.text.length >= 80;
    return isAlone && isOverText && isPhrase(line) ? 3 : null;
  }

  #asItem(line: Judged): boolean {
    const enumerator = enumeratorOf(line.text);
    if (enumerator === null || enumerator.kind === "clause") return false;
    if (enumerator.rest === "" && line.beforeBlank) return false;
    const isApart = line.afterBlank || this.#endedSentence() || this.#isInList(enumerator.kind);
    if (!isApart || !this.#enumeration.follows(enumerator)) return false;
    this.#enumeration.note(enumerator);
    this.#listOfTitles = numberedTitle(line) === null ? null : enumerator.style;
    this.blocks.push({ kind: "list_item", lines: [line.line] });
    return true;
  }

  /** A mark goes on with a list of marks, whatever the last item ended with. */
  #isInList(kind: string): boolean {
    return kind === "mark" || kind === "number" ? this.blocks.at(-1)?.kind === "list_item" : false;
  }

  /** The last line does not go on in the next. */
  #endedSentence(): boolean {
    if (this.#last === null || this.blocks.at(-1)?.kind === "heading") return true;
    const { text } = this.#last;
    return (
      /[.:;!?]["”’')\]]*$/u.test(text) ||
      /[;,] (?:and|or|und|oder|et|ou|en|of|y|o|e|i|lub)$/u.test(text) ||
      this.#isShort(text)
    );
  }

  #endedParagraph(): boolean {
    const text = this.#last?.text ?? "";
    return this.#style.width > 0 && this.#isShort(text) && /[.:!?]["”’')\]]*$/u.test(text);
  }

  /** Where lines are not wrapped, each stands alone. */
  #isShort(text: string): boolean {
    return text.length < 0.75 * this.#style.width || this.#style.width === 0;
  }
}
