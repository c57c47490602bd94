/** Puts running text together to lines and blocks. */

import { isBoldLabel } from "../../bold-label.ts";
import { seenCharacters } from "../../characters.ts";
import { linesOf } from "../../line-spans.ts";
import type { Block, Line } from "../../normal-form.ts";

export type BlockKind =
  | { readonly kind: "paragraph" | "list_item" }
  | { readonly kind: "heading"; readonly level: number };

const PARAGRAPH: BlockKind = { kind: "paragraph" };

/** Between things that stand beside each other: white space that `lineOf` takes for a gap. */
const APART = "\t";

export class BlockWriter {
  readonly blocks: Block[] = [];
  #lines: Line[] = [];
  /** Of the line that is being written. */
  #parts: string[] = [];
  #last = "";
  #characters = 0;
  #bold = 0;
  /** How many parts stand before the first that is not bold; null where bold ones follow it. */
  #lightFrom: number | null = 0;

  /** Running text, where line ends are spaces. */
  text(value: string, isBold: boolean): void {
    this.#write(value.replace(/[ \t\n\r\f]+/gu, " "), isBold);
  }

  /** Text whose lines and spaces are meant. */
  lines(value: string, isBold: boolean): void {
    for (const [index, line] of value.split(/\r\n|[\n\r\f]/u).entries()) {
      if (index > 0) this.endLine();
      this.#write(line, isBold);
    }
  }

  apart(): void {
    if (this.#parts.length > 0) this.#parts.push(APART);
    this.#last = APART;
  }

  endLine(): void {
    const text = seenCharacters(this.#withBoldLabelApart().join(""));
    const isBold = this.#bold > 0 && this.#bold === this.#characters;
    for (const { spans } of linesOf(text)) {
      this.#lines.push({ spans: isBold ? spans.map((span) => ({ ...span, bold: true })) : spans });
    }
    this.#parts = [];
    this.#last = "";
    this.#characters = 0;
    this.#bold = 0;
    this.#lightFrom = 0;
  }

  /** Ends the block, if one was begun; what was written is of this kind. */
  endBlock(kind: BlockKind = PARAGRAPH): void {
    this.endLine();
    if (this.#lines.length > 0) this.blocks.push({ ...kind, lines: this.#lines });
    this.#lines = [];
  }

  /** A block that was made elsewhere. */
  add(block: Block): void {
    this.endBlock();
    this.blocks.push(block);
  }

  /** The parts of the line, where it begins with a label in bold letters, that one set apart. */
  #withBoldLabelApart(): readonly string[] {
    const from = this.#lightFrom ?? 0;
    if (from === 0 || from === this.#parts.length) return this.#parts;
    const [bold, rest] = [this.#parts.slice(0, from), this.#parts.slice(from)];
    const [label, value] = [bold.join(""), rest.join("")];
    const isApart = /\s$/u.test(label) || /^\s/u.test(value);
    return isApart && isBoldLabel(label, value) ? [...bold, APART, ...rest] : this.#parts;
  }

  #write(value: string, isBold: boolean): void {
    if (value === "") return;
    // `<b>Date:</b>2020`: a label and its value are never one word.
    if (this.#last.endsWith(":") && /^[\p{L}\d]/u.test(value)) this.#parts.push(" ");
    const isAfterSpace = this.#last === "" || this.#last.endsWith(" ");
    const part = isAfterSpace && value.startsWith(" ") ? value.replace(/^ +/u, "") : value;
    if (part === "") return;
    this.#parts.push(part);
    this.#last = part;
    const characters = part.match(/\S/gu)?.length ?? 0;
    if (isBold && characters > 0 && this.#lightFrom !== null) {
      const isAllBold = this.#bold === this.#characters;
      this.#lightFrom = isAllBold ? this.#parts.length : null;
    }
    this.#characters += characters;
    if (isBold) this.#bold += characters;
  }
}
