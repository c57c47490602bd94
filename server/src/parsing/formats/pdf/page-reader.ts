/** Reads the pages of one PDF, one after the other. */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { GlyphRun } from "../../layout/glyph-run.ts";
import type { LaidPage } from "../../layout/page.ts";
import { regionsOf } from "../../layout/regions.ts";
import { MAX_OPTICAL_PAGES, readOptically } from "../../ocr/optical-warning.ts";
import { linesApart } from "./apart.ts";
import { fieldRuns } from "./form-fields.ts";
import { type Frame, frameOf } from "./frame.ts";
import { graphicsOf, type PageGraphics } from "./graphics.ts";
import {
  besideText,
  isScan,
  lettered,
  lettersOf,
  mayBeScan,
  readPart,
  sureWords,
} from "./optical.ts";
import { type DirectedRuns, directedRuns, type PlacedRun, placedRuns } from "./page-runs.ts";

/** Images on pages of text that are read, of a document. */
const MAX_LETTERED = 3;

export class PageReader {
  readonly #pdf: PDFDocumentProxy;
  readonly #signal: AbortSignal | undefined;
  /** Of all pages so far; whether each is bold. */
  readonly #fonts = new Map<string, boolean>();
  readonly #scans: number[] = [];
  readonly #left: number[] = [];
  /** Images on pages of text, by their size and place: a letterhead recurs. */
  readonly #lettered = new Set<string>();

  constructor(pdf: PDFDocumentProxy, signal: AbortSignal | undefined) {
    this.#pdf = pdf;
    this.#signal = signal;
  }

  get warnings(): string[] {
    return readOptically(this.#scans, this.#left);
  }

  /** @throws RecognitionFailure; what the signal is aborted with */
  async read(page: PDFPageProxy): Promise<LaidPage> {
    const size = page.getViewport({ scale: 1 });
    const placed = [...(await placedRuns(page)), ...(await fieldRuns(page))];
    const letters = lettersOf(placed);
    const isNewFont = placed.some(({ font }) => font !== "" && !this.#fonts.has(font));
    const graphics = isNewFont || mayBeScan(letters) ? await graphicsOf(page) : null;
    // A font that draws nothing is in the text alone.
    for (const { font } of placed)
      this.#fonts.set(font, graphics?.fonts.get(font) ?? this.#fonts.get(font) ?? false);
    const bold = new Set([...this.#fonts].flatMap(([font, isBold]) => (isBold ? font : [])));
    const directed = directedRuns(placed, size, bold);
    const main = directed.find(({ frame }) => frame.angle % 90 === 0);
    const frame = main?.frame ?? frameOf(0, size.width, size.height);
    const optical =
      graphics === null || frame.angle !== 0
        ? []
        : await this.#readOptically(page, graphics, placed, letters, size);
    const others = directed.filter((one) => one !== main);
    const laid = laidPage(page.pageNumber, frame, [...(main?.runs ?? []), ...optical], others);
    page.cleanup();
    return laid;
  }

  async #readOptically(
    page: PDFPageProxy,
    graphics: PageGraphics,
    placed: readonly PlacedRun[],
    letters: number,
    { width, height }: { readonly width: number; readonly height: number },
  ): Promise<GlyphRun[]> {
    if (isScan(letters, graphics, { width, height })) {
      if (this.#scans.length >= MAX_OPTICAL_PAGES) {
        this.#left.push(page.pageNumber);
        return [];
      }
      this.#scans.push(page.pageNumber);
      const whole = [0, 0, width, height] as const;
      const runs = await readPart(this.#pdf, page, whole, graphics.images, this.#signal);
      return besideText(runs, placed);
    }
    const runs: GlyphRun[] = [];
    for (const image of lettered(graphics, { width, height })) {
      const key = JSON.stringify([image.width, image.height, image.box.map(Math.round)]);
      if (this.#lettered.has(key) || this.#lettered.size >= MAX_LETTERED) continue;
      this.#lettered.add(key);
      const words = await readPart(this.#pdf, page, image.box, [image], this.#signal);
      runs.push(...besideText(sureWords(words), placed));
    }
    return runs;
  }
}

function laidPage(
  number: number,
  frame: Frame,
  runs: readonly GlyphRun[],
  others: readonly DirectedRuns[],
): LaidPage {
  return {
    number,
    width: frame.width,
    height: frame.height,
    regions: regionsOf(runs),
    apart: others.flatMap((directed) => linesApart(directed, frame)),
  };
}
