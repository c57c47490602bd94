/**
 * Characters that a person does not see on the page but a language model reads: controls,
 * zero-width and bidirectional marks, tag characters, variation selectors, blank letters, private
 * and unassigned code points. Instructions hide in them ("ASCII smuggling"); no value does.
 */

/** Braille's blank is no control, but nothing is seen of it. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u{2800}]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** @param character one code point */
export const isInvisible = (character: string): boolean => INVISIBLE.test(character);

/** The text without them, line ends and tabs (as spaces) kept. */
export function visible(text: string): string {
  return text.replace(ALL_INVISIBLE, (found) =>
    found === "\n" ? found : found === "\t" || found === "\r" ? " " : "",
  );
}
