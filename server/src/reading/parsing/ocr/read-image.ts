/**
 * An image's letters as runs with places. A page that was not laid straight is straightened. An image
 * of which hardly a letter is sure is tried on its sides and upside down, and read the way in which most
 * letters are, and then in the language that its words tell. Recognition is best at letters of some twenty pixels, so an image whose letters turn out
 * smaller, or far larger, is resized and read once more.
 */

import type { GlyphRun } from "../layout/glyph-run.ts";
import {
  type GreyImage,
  portableGreyMap,
  resized,
  straightened,
  type Turn,
  turned,
} from "./grey-image.ts";
import { type LanguageCode, languagesFor, type ReadingLanguages } from "./languages.ts";
import { skewOfImage } from "./skew.ts";
import { type RecognisedLine, recognise, type Segmentation } from "./tesseract.ts";

/** Pixels; of capitals and figures. */
const BEST_HEIGHT = 22;
const SMALL = 17;
const LARGE = 60;
const MAX_FACTOR = 3;
/** Pixels of an image that is read. */
const MAX_READ_PIXELS = 16_000_000;
/** Tesseract counts pixels of a side in 16 bits. */
const MAX_READ_SIDE = 32_767;
/** Down to across. */
const MAX_SKEW = 0.1;
/** Words that say how large letters are. */
const FEWEST_WORDS = 3;
/** Below this, 0 to 1, marks without a letter are dirt. */
const LEAST_OF_MARKS = 0.6;
const LEAST = 0.1;

export interface Reading {
  /** With places on the image as it is read: of its own size, its middle where it was. */
  readonly runs: GlyphRun[];
  /** Degrees by which the image was turned clockwise to be read. */
  readonly turn: Turn;
  /** How sure its letters are, 0 to 1; 1 where there are none. */
  readonly sureness: number;
  /** What it was read in. */
  readonly languages: readonly LanguageCode[];
  /** What it seems to be written in though the data for it is not installed; else null. */
  readonly missing: LanguageCode | null;
}

/** Sure letters from which on an image lies as it should. */
const ENOUGH_SURE = 0.6;
/** Turned, an image must have so many times the sure letters. */
const BETTER = 1.5;
const FEWEST_LETTERS = 8;
/** Of an image's pixels, those that are dark where anything is written. */
const LEAST_INK = 0.001;
const DARK = 128;

/**
 * @param pointsPerPixel of the image
 * @param mayTurn whether the image is a page, which may lie on its side
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function readImage(
  image: GreyImage,
  pointsPerPixel: number,
  segmentation: Segmentation,
  { signal, mayTurn = true }: { signal?: AbortSignal | undefined; mayTurn?: boolean } = {},
): Promise<Reading> {
  const skew = mayTurn ? skewOfImage(image) : 0;
  if (skew === 0) return readStraight(image, pointsPerPixel, segmentation, { signal, mayTurn });
  const straight = straightened(image, skew);
  const reading = await readStraight(straight, pointsPerPixel, segmentation, { signal, mayTurn });
  // The paper that its corners needed is none of the page's.
  const wider = ((straight.width - image.width) / 2) * pointsPerPixel;
  const higher = ((straight.height - image.height) / 2) * pointsPerPixel;
  const [beside, above] = reading.turn % 180 === 0 ? [wider, higher] : [higher, wider];
  const runs = reading.runs.map((run) => ({
    ...run,
    left: run.left - beside,
    right: run.right - beside,
    baseline: run.baseline - above,
  }));
  return { ...reading, runs };
}

async function readStraight(
  image: GreyImage,
  pointsPerPixel: number,
  segmentation: Segmentation,
  { signal, mayTurn }: { signal: AbortSignal | undefined; mayTurn: boolean },
): Promise<Reading> {
  const first = fitted(image, 1);
  const asIs = await recognise(portableGreyMap(first.image), segmentation, { signal });
  const { turn, lines } =
    mayTurn && isPoor(asIs) && hasInk(first.image)
      ? await bestTurn(first.image, asIs, segmentation, signal)
      : { turn: 0 as const, lines: asIs };
  const text = lines.map(({ words }) => words.map((word) => word.text).join(" ")).join("\n");
  const { read, missing } = lettersIn(text) < FEWEST_LETTERS ? ENGLISH_ALONE : languagesFor(text);
  const reading = (
    some: readonly RecognisedLine[],
    factor: number,
    languages: readonly LanguageCode[],
  ): Reading => ({
    runs: runsOf(some, pointsPerPixel / factor),
    turn,
    sureness: surenessOf(some),
    languages,
    missing,
  });
  const height = heightOf(lines);
  const isSized = height === null || (height >= SMALL && height <= LARGE);
  if (isSized && read.length === 1) return reading(lines, first.factor, ENGLISH_ALONE.read);
  const wanted = isSized ? 1 : Math.min(MAX_FACTOR, (first.factor * BEST_HEIGHT) / height);
  const second = fitted(turned(image, turn), wanted);
  const options = { languages: read, signal };
  const again = await recognise(portableGreyMap(second.image), segmentation, options);
  const [before, after] = [lines, again].map(sureLetters);
  return after! >= 0.9 * before!
    ? reading(again, second.factor, read)
    : reading(lines, first.factor, ENGLISH_ALONE.read);
}

const ENGLISH_ALONE: ReadingLanguages = { read: ["eng"], missing: null };

/** Whether there are no letters, or hardly a sure one: lines across are none to recognition. */
function isPoor(lines: readonly RecognisedLine[]): boolean {
  const lying = upright(lines);
  return (
    sureLetters(lying) < FEWEST_LETTERS ||
    surenessOf(lying) < ENOUGH_SURE ||
    2 * sureLetters(lying) < sureLetters(lines)
  );
}

/** Without words that stand higher than wide: recognition reads some of what runs up or down. */
function upright(lines: readonly RecognisedLine[]): RecognisedLine[] {
  return lines.map((line) => ({
    ...line,
    words: line.words.filter(
      ({ text, bbox }) => lettersIn(text) < 3 || bbox.x1 - bbox.x0 > bbox.y1 - bbox.y0,
    ),
  }));
}

function hasInk({ pixels }: GreyImage): boolean {
  let dark = 0;
  for (const pixel of pixels) if (pixel < DARK) dark += 1;
  return dark > LEAST_INK * pixels.length;
}

/** The way round in which most letters are sure. */
async function bestTurn(
  image: GreyImage,
  asIs: readonly RecognisedLine[],
  segmentation: Segmentation,
  signal: AbortSignal | undefined,
): Promise<{ turn: Turn; lines: readonly RecognisedLine[] }> {
  let best: { turn: Turn; lines: readonly RecognisedLine[] } = { turn: 0, lines: asIs };
  let most = Math.max(FEWEST_LETTERS, BETTER * sureLetters(upright(asIs)));
  for (const turn of [90, 270, 180] as const) {
    const lines = await recognise(portableGreyMap(turned(image, turn)), segmentation, { signal });
    const letters = sureLetters(upright(lines));
    if (letters > most) [best, most] = [{ turn, lines }, letters];
  }
  return best;
}

/** The mean of what recognition says of its letters. */
function surenessOf(lines: readonly RecognisedLine[]): number {
  let [letters, sure] = [0, 0];
  for (const { text, confidence } of lines.flatMap(({ words }) => words)) {
    letters += lettersIn(text);
    sure += lettersIn(text) * (confidence / 100);
  }
  return letters === 0 ? 1 : sure / letters;
}

/** By how much a picture of this size may grow, or has to shrink, to be read. */
export const mostFactor = (width: number, height: number): number =>
  Math.min(Math.sqrt(MAX_READ_PIXELS / (width * height)), MAX_READ_SIDE / Math.max(width, height));

/** Resized by the factor, or by as much as its size allows. */
function fitted(image: GreyImage, wanted: number): { image: GreyImage; factor: number } {
  const factor = Math.min(wanted, mostFactor(image.width, image.height));
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
