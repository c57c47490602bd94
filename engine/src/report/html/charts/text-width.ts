/**
 * How wide a text will be, where nothing can measure it: by the widths of a wide sans-serif face
 * (DejaVu Sans), so that in a narrower one there is room to spare.
 */

/** In em, by the characters they are of. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[\s.,:;'|!ijlI()[\]/\\]/u, 0.36],
  [/[frt"-]/u, 0.42],
  [/[mwMWQO@%&…]/u, 0.94],
  [/[A-Z_+=<>~^#]/u, 0.72],
  [
    /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\p{Extended_Pictographic}]/u,
    1,
  ],
];
const OTHERS = 0.63;

/** @param size of the font, in the unit of the result */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) {
    width += WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? OTHERS;
  }
  return width * size;
}
