/** A document as short texts that a test can state: kind of block, spans between bars, cells between pipes. */

import type { Block, Line, ParsedDocument } from "../normal-form.ts";

export function outline({ pages }: ParsedDocument): string[] {
  return pages.flatMap(({ blocks }) => blocks.flatMap(blockOutline));
}

function blockOutline(block: Block): string[] {
  if (block.kind === "table") {
    return block.rows.map((row, index) => {
      const cells = row.map(({ lines, columns, rows }) => {
        const spans = (columns ?? 1) > 1 || (rows ?? 1) > 1 ? `<${columns ?? 1}x${rows ?? 1}>` : "";
        return lines.map(lineOutline).join("/") + spans;
      });
      return `${index < block.headerRows ? "th" : "td"}: ${cells.join(" | ")}`;
    });
  }
  const name = { heading: "h", paragraph: "p", list_item: "li" }[block.kind];
  const level = block.kind === "heading" ? block.level : "";
  return [`${name}${level}: ${block.lines.map(lineOutline).join(" / ")}`];
}

const lineOutline = ({ spans }: Line): string => spans.map(({ text }) => text).join(" ¦ ");

/** Every character that is no space, in the order of reading. */
export const inkOf = (text: string): string => text.replace(/[\s\u0085]+/gu, "");
