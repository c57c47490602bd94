/**
 * An image's letters as runs with places. Recognition is best at letters of some twenty pixels, so an
 * image whose letters turn out smaller, or far larger, is resized and read once more.
 */

import type { GlyphRun } from "../layout/glyph-run.ts";
import { type GreyImage, portableGreyMap, resized } from "./grey-image.ts";
import { type RecognisedLine, recognise, type Segmentation } from "./tesseract.ts";

/** Pixels; of capitals and figures. */
const BEST_HEIGHT = 22;
const SMALL = 17;
const LARGE = 60;
const MAX_FACTOR = 3;
/** Pixels of an image that is read. */
export const MAX_READ_PIXELS = 16_000_000;
/** Down to across. */
const MAX_SKEW = 0.1;
/** Words that say how large letters are. */
const FEWEST_WORDS = 3;
/** Below this, 0 to 1, marks without a letter are dirt. */
const LEAST_OF_MARKS = 0.6;
const LEAST = 0.1;

/**
 * @param pointsPerPixel of the image
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function readImage(
  image: GreyImage,
  pointsPerPixel: number,
  segmentation: Segmentation,
  signal?: AbortSignal,
): Promise<GlyphRun[]> {
  const first = fitted(image, 1);
  const lines = await recognise(portableGreyMap(first.image), segmentation, signal);
  const height = heightOf(lines);
  if (height === null || (height >= SMALL && height <= LARGE)) {
    return runsOf(lines, pointsPerPixel / first.factor);
  }
  const second = fitted(image, Math.min(MAX_FACTOR, (first.factor * BEST_HEIGHT) / height));
  const again = await recognise(portableGreyMap(second.image), segmentation, signal);
  const [before, after] = [lines, again].map(sureLetters);
  return after! >= 0.9 * before!
    ? runsOf(again, pointsPerPixel / second.factor)
    : runsOf(lines, pointsPerPixel / first.factor);
}

/**
 * An image that tesseract decodes itself, as it is.
 *
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function readEncoded(
  image: Uint8Array,
  pointsPerPixel: number,
  segmentation: Segmentation,
  signal?: AbortSignal,
): Promise<GlyphRun[]> {
  return runsOf(await recognise(image, segmentation, signal), pointsPerPixel);
}

/** Resized by the factor, or by as much as its pixels allow. */
function fitted(image: GreyImage, wanted: number): { image: GreyImage; factor: number } {
  const most = Math.sqrt(MAX_READ_PIXELS / (image.width * image.height));
  const factor = Math.min(wanted, most);
  return { image: factor === 1 ? image : resized(image, factor), factor };
}

/** Of capitals and figures, the median; null where there are hardly any. */
function heightOf(lines: readonly RecognisedLine[]): number | null {
  const heights = lines
    .flatMap(({ words }) => words)
    .filter(({ text, confidence }) => confidence > 50 && /[\p{Lu}\p{N}]/u.test(text))
    .map(({ bbox }) => bbox.y1 - bbox.y0)
    .sort((a, b) => a - b);
  return heights.length < FEWEST_WORDS ? null : heights[heights.length >> 1]!;
}

/** Letters and figures, each by how sure it is. */
function sureLetters(lines: readonly RecognisedLine[]): number {
  return lines
    .flatMap(({ words }) => words)
    .reduce((sum, { text, confidence }) => sum + lettersIn(text) * (confidence / 100) ** 2, 0);
}

function runsOf(lines: readonly RecognisedLine[], scale: number): GlyphRun[] {
  const skew = skewOf(lines);
  return lines.flatMap((line) => {
    const { words, baseline, rowAttributes } = line;
    return words.flatMap(({ text, bbox, confidence }): GlyphRun[] => {
      const sure = Math.min(1, Math.max(0, confidence / 100));
      if (text.trim() === "" || sure < (lettersIn(text) > 0 ? LEAST : LEAST_OF_MARKS)) return [];
      const height = bbox.y1 - bbox.y0;
      // Of one line's letters, unless the line was misjudged.
      const size = Math.min(2 * height, Math.max(rowAttributes.rowHeight, height));
      const middle = (bbox.x0 + bbox.x1) / 2;
      const y = baseline.y0 + slopeOf(line) * (middle - baseline.x0);
      return [
        {
          text: `${text} `,
          left: bbox.x0 * scale,
          right: bbox.x1 * scale,
          baseline: (y - skew * middle) * scale,
          size: Math.max(1, size * scale),
          bold: false,
          confidence: sure,
        },
      ];
    });
  });
}

const slopeOf = ({ baseline: { x0, y0, x1, y1 } }: RecognisedLine): number =>
  (y1 - y0) / Math.max(1, x1 - x0);

/** Of a page that was not laid straight: the median of its lines' slopes, by their widths. */
function skewOf(lines: readonly RecognisedLine[]): number {
  const slopes = lines
    .map((line) => ({ slope: slopeOf(line), width: line.bbox.x1 - line.bbox.x0 }))
    .sort((a, b) => a.slope - b.slope);
  let rest = slopes.reduce((sum, { width }) => sum + width, 0) / 2;
  for (const { slope, width } of slopes) {
    rest -= width;
    if (rest <= 0) return Math.abs(slope) < MAX_SKEW ? slope : 0;
  }
  return 0;
}

export const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
