/**
 * Datamarking: between all words of a document stands a mark that the model is told of, so that it
 * can tell at every place what is data and what are its instructions. K. Hines et al., "Defending
 * Against Indirect Prompt Injection Attacks With Spotlighting" (2024), section 4.2.
 *
 * Mark and fence are drawn by a hash of the document. Whoever writes a document cannot put them into
 * it beforehand: they would change with what is written.
 */

import { createHash } from "node:crypto";
import { visible } from "./visible.ts";

/** Visible signs that hardly any document holds, and that tokenizers know as one or two tokens. */
const SIGNS = "ˆ¤¦‡§¬¶†◊※⁂¸˜˚";
/** Where a document holds all of them: private code points, which `visible` takes out of any text. */
const PRIVATE_START = 0xe000;
const PRIVATE_SIGNS = 6400;

export interface Fence {
  readonly begin: string;
  readonly end: string;
}

export interface Marked {
  readonly mark: string;
  readonly fence: Fence;
  /** Fenced and marked. */
  readonly text: string;
}

/**
 * @param hash the document's, hexadecimal
 * @param whole the document's whole text, whose signs are no marks
 * @param part the text to show
 */
export function datamark(hash: string, whole: string, part: string): Marked {
  const seed = createHash("sha256").update("datamarking\0").update(hash).digest();
  const mark = markOf(seed, whole);
  const nonce = seed.toString("hex", 4, 14);
  const fence = { begin: `[document ${nonce} begins]`, end: `[document ${nonce} ends]` };
  const lines = visible(part)
    .split("\n")
    .map((line) => mark + line.trim().replace(/\s/gu, mark));
  return { mark, fence, text: [fence.begin, ...lines, fence.end].join("\n") };
}

/** What a model wrote down of a marked text, with words parted by spaces again. */
export function unmark(text: string, mark: string): string {
  return text.replaceAll(mark, " ").replace(/\s+/gu, " ").trim();
}

function markOf(seed: Buffer, whole: string): string {
  const free = [...SIGNS].filter((sign) => !whole.includes(sign));
  const draw = seed.readUInt32BE(0);
  return (
    free[draw % Math.max(1, free.length)] ??
    String.fromCodePoint(PRIVATE_START + (draw % PRIVATE_SIGNS))
  );
}
