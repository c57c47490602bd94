/**
 * What of a PDF is read optically: pages that are scans, letters drawn as shapes, and large images on
 * pages of text, which may hold a letterhead.
 */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { GlyphRun } from "../../layout/glyph-run.ts";
import type { Box } from "../../normal-form.ts";
import { type GreyImage, greyOf } from "../../ocr/grey-image.ts";
import { lettersIn, mostFactor, type Reading, readImage } from "../../ocr/read-image.ts";
import { ofPage } from "./damaged-page.ts";
import type { PageGraphics, PlacedImage } from "./graphics.ts";
import type { PlacedRun } from "./page-runs.ts";

/** Letters of a page that has its text. */
const TEXT = 200;
/** Letters of a page without any, but for its number. */
const NO_TEXT = 24;
const FEW_CODED = 20;
/** Parts of a page that its images cover. */
const SCAN = 0.6;
const PICTURE = 0.15;
/** Outlines that letters are drawn by. */
const DRAWN = 200;

/** Dots an inch: what a page is rendered at, within what its image has. */
const LEAST_RESOLUTION = 150;
const RESOLUTION = 300;

/** Of an image on a page of text, points and pixels: larger than an icon, smaller than a scan. */
const MIN_SIDE = 24;
const MIN_WIDTH = 90;
const MIN_PIXELS = 100;
/** How sure most of the letters in it are, and the others at least. */
const SURE = 0.65;
const SURE_SHARE = 0.5;
const LEAST_SURE = 0.35;

export function lettersOf(runs: readonly PlacedRun[]): number {
  return runs.reduce((sum, { text }) => sum + lettersIn(text), 0);
}

/** Whether most of the text is in codes of its font's own, which nobody can read but by their shape. */
export function isCoded(runs: readonly PlacedRun[]): boolean {
  let [readable, coded] = [0, 0];
  for (const { text } of runs) {
    coded += text.match(/[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
    readable += text.match(/[\p{L}\p{N}\p{P}\p{S}]/gu)?.length ?? 0;
  }
  return coded > Math.max(FEW_CODED, readable);
}

/** Whether a page with so few letters may be a scan, so that its graphics are worth a look. */
export const mayBeScan = (letters: number): boolean => letters < TEXT;

/** @param size of the page; points */
export function isScan(
  letters: number,
  { images, shapes }: PageGraphics,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const covered = images.reduce((sum, { box }) => sum + areaOf(box), 0) / (width * height);
  if (letters < NO_TEXT) return covered > PICTURE || shapes > DRAWN;
  return mayBeScan(letters) && covered > SCAN;
}

/** Images of a page of text that may hold letters, the largest first. */
export function lettered(
  { images }: PageGraphics,
  { width, height }: { readonly width: number; readonly height: number },
): PlacedImage[] {
  return images
    .filter(({ box, ...pixels }) => {
      const [left, top, right, bottom] = box;
      return (
        right - left >= MIN_WIDTH &&
        bottom - top >= MIN_SIDE &&
        areaOf(box) < SCAN * width * height &&
        pixels.width >= MIN_PIXELS
      );
    })
    .sort((a, b) => areaOf(b.box) - areaOf(a.box) || a.box[1] - b.box[1] || a.box[0] - b.box[0]);
}

const areaOf = ([left, top, right, bottom]: Box): number => (right - left) * (bottom - top);

/**
 * The letters of a page, or of a part of it, by how it looks.
 *
 * @param part of the page as it is displayed; points
 * @param images that lie in it: what they hold in pixels tells how finely it is drawn
 * @param mayTurn whether the part is the page, which may lie on its side
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function readPart(
  pdf: PDFDocumentProxy,
  page: PDFPageProxy,
  part: Box,
  images: readonly PlacedImage[],
  { signal, mayTurn = false }: { signal?: AbortSignal | undefined; mayTurn?: boolean },
): Promise<Reading> {
  const [left, top, right, bottom] = part;
  const scale = Math.min(resolutionOf(images) / 72, mostFactor(right - left, bottom - top));
  const image = await drawPart(pdf, page, part, scale);
  const { runs, ...reading } = await readImage(image, 1 / scale, "page", { signal, mayTurn });
  const placed = runs.map((run) => ({
    ...run,
    left: run.left + left,
    right: run.right + left,
    baseline: run.baseline + top,
  }));
  return { ...reading, runs: placed };
}

/** How a part of the page looks. @param scale pixels a point */
export async function drawPart(
  pdf: PDFDocumentProxy,
  page: PDFPageProxy,
  [left, top, right, bottom]: Box,
  scale: number,
): Promise<GreyImage> {
  const width = Math.max(1, Math.ceil((right - left) * scale));
  const height = Math.max(1, Math.ceil((bottom - top) * scale));
  const factory = canvasFactoryOf(pdf);
  const surface = factory.create(width, height);
  try {
    const viewport = page.getViewport({ scale, offsetX: -left * scale, offsetY: -top * scale });
    await ofPage(page.render({ canvas: surface.canvas, viewport }).promise);
    const { data } = surface.context.getImageData(0, 0, width, height);
    return greyOf(data, width, height);
  } finally {
    factory.destroy(surface);
  }
}

/** What pdf.js draws on, of which it gives no type. */
interface CanvasFactory {
  create(width: number, height: number): Surface;
  destroy(surface: Surface): void;
}

interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
}

function canvasFactoryOf({ canvasFactory }: PDFDocumentProxy): CanvasFactory {
  if (isCanvasFactory(canvasFactory)) return canvasFactory;
  throw new TypeError("pdf.js has another canvas factory than was expected");
}

const isCanvasFactory = (factory: object): factory is CanvasFactory =>
  "create" in factory && "destroy" in factory;

function resolutionOf(images: readonly PlacedImage[]): number {
  const finest = Math.max(
    ...images.map(({ box, width }) => (72 * width) / Math.max(1, box[2] - box[0])),
    0,
  );
  if (finest === 0) return RESOLUTION;
  return Math.min(RESOLUTION, Math.max(LEAST_RESOLUTION, finest));
}

/** The words, where they are words and not what recognition makes of a photograph. */
export function sureWords(runs: readonly GlyphRun[]): GlyphRun[] {
  const words = runs.filter(({ text }) => lettersIn(text) > 0);
  const surer = (than: number): GlyphRun[] =>
    words.filter(({ confidence }) => (confidence ?? 1) >= than);
  const letters = (some: readonly GlyphRun[]): number =>
    some.reduce((sum, { text }) => sum + lettersIn(text), 0);
  const isText = letters(surer(SURE)) >= Math.max(4, SURE_SHARE * letters(words));
  return isText ? surer(LEAST_SURE) : [];
}

/** Without what stands where the page's own text does. */
export function besideText(runs: readonly GlyphRun[], placed: readonly PlacedRun[]): GlyphRun[] {
  const text = placed.filter((run) => run.text.trim() !== "");
  return runs.filter((run) => {
    const middle = (run.left + run.right) / 2;
    const height = run.baseline - 0.35 * run.size;
    return !text.some(
      ({ x, y, width, size }) =>
        middle >= x && middle <= x + width && height > y - 1.1 * size && height < y + 0.3 * size,
    );
  });
}
