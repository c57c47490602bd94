/**
 * Runs of glyphs, the matter that pages are laid out of: what a PDF shows in one go, or a word that was
 * read from an image. Upright; lengths in points from the page's top left corner.
 */

export interface GlyphRun {
  /** White space at its ends counts; a run of nothing else is a space that stands at its place. */
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** Of the font; above 0. */
  readonly size: number;
  readonly bold: boolean;
  /** Of optical recognition, 0 to 1; null where the file has the text itself. */
  readonly confidence: number | null;
}

/** Parts of the font's size above and below the baseline that letters take. */
export const ASCENT = 0.78;
export const DESCENT = 0.22;

export const topOf = ({ baseline, size }: GlyphRun): number => baseline - ASCENT * size;
export const bottomOf = ({ baseline, size }: GlyphRun): number => baseline + DESCENT * size;
export const isBlank = ({ text }: GlyphRun): boolean => text.trim() === "";

/** A total order of what differs, so that nothing depends on the order in a file. */
export function byPlace(a: GlyphRun, b: GlyphRun): number {
  return a.baseline - b.baseline || byLeft(a, b);
}

export function byLeft(a: GlyphRun, b: GlyphRun): number {
  return (
    a.left - b.left ||
    a.right - b.right ||
    a.baseline - b.baseline ||
    a.size - b.size ||
    Number(a.bold) - Number(b.bold) ||
    (a.confidence ?? 1) - (b.confidence ?? 1) ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  );
}
