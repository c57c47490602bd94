/** Reads the pages of one PDF, one after the other. */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { DocumentFault } from "../../document-fault.ts";
import type { GlyphRun } from "../../layout/glyph-run.ts";
import type { LaidPage } from "../../layout/page.ts";
import { regionsOf } from "../../layout/regions.ts";
import { type LanguageCode, languageNames } from "../../ocr/languages.ts";
import { MAX_OPTICAL_PAGES, type OpticalPage, readOptically } from "../../ocr/optical-warning.ts";
import { RecognitionFailure } from "../../ocr/tesseract.ts";
import { DamagedPage, ofPage } from "./damaged-page.ts";
import { fieldRuns } from "./form-fields.ts";
import { type Frame, frameOf } from "./frame.ts";
import { graphicsOf, type PageGraphics } from "./graphics.ts";
import {
  besideText,
  isCoded,
  isScan,
  lettered,
  lettersOf,
  mayBeScan,
  readPart,
  sureWords,
} from "./optical.ts";
import {
  type DirectedRuns,
  directedRuns,
  type PlacedRun,
  type PlacedRuns,
  placedRuns,
} from "./page-runs.ts";
import { rotatedLines } from "./rotated-text.ts";

/** Images on pages of text that are read, of a document. */
const MAX_LETTERED = 3;

/** Pieces of text that are read of one page, and of all. */
export interface MostRuns {
  readonly page: number;
  readonly file: number;
}

/** Points. */
interface Size {
  readonly width: number;
  readonly height: number;
}

export class PageReader {
  readonly #pdf: PDFDocumentProxy;
  readonly #mostRuns: MostRuns;
  readonly #signal: AbortSignal | undefined;
  /** Of all pages so far; whether each is bold. */
  readonly #fonts = new Map<string, boolean>();
  readonly #scans: OpticalPage[] = [];
  readonly #left: number[] = [];
  /** Pages of text with an image that was read; pages that could not be. */
  readonly #letterheads = new Map<number, ReadonlySet<LanguageCode>>();
  readonly #damaged: number[] = [];
  readonly #unread: number[] = [];
  /** Pages with more text than is read of one. */
  readonly #cut: number[] = [];
  #runs = 0;
  #readPages = 0;
  /** Images on pages of text, by their size and place: a letterhead recurs. */
  readonly #lettered = new Set<string>();

  constructor(pdf: PDFDocumentProxy, mostRuns: MostRuns, signal: AbortSignal | undefined) {
    this.#pdf = pdf;
    this.#mostRuns = mostRuns;
    this.#signal = signal;
  }

  get warnings(): string[] {
    return [
      ...readOptically(this.#scans, this.#left),
      ...[...this.#letterheads].map(
        ([number, languages]) =>
          `An image on page ${number} was read optically (OCR, ${languageNames(languages)}); letters may be mistaken.`,
      ),
      ...this.#unread.map((number) => `An image on page ${number} could not be read optically.`),
      ...this.#damaged.map((number) => `Page ${number} is damaged and was not read.`),
      ...this.#cut.map(
        (number) =>
          `Page ${number} has more than ${count(this.#mostRuns.page)} pieces of text: what follows was not read.`,
      ),
    ];
  }

  /** All pages so far are damaged. */
  get isNothingRead(): boolean {
    return this.#damaged.length > 0 && this.#readPages === 0;
  }

  /**
   * A page that is damaged is empty.
   *
   * @throws DocumentFault `too_large` where all pages so far have more text than one file may have; what the signal is
   * aborted with
   */
  async read(number: number): Promise<LaidPage> {
    try {
      const page = await ofPage(this.#pdf.getPage(number));
      const laid = await this.#read(page);
      page.cleanup();
      this.#readPages += 1;
      return laid;
    } catch (error) {
      if (!(error instanceof DamagedPage)) throw error;
      this.#damaged.push(number);
      return laidPage(number, frameOf(0, 612, 792), [], []);
    }
  }

  async #read(page: PDFPageProxy): Promise<LaidPage> {
    const size = page.getViewport({ scale: 1 });
    const { runs, isWhole } = await this.#placedRuns(page);
    const found = [...runs, ...(await fieldRuns(page))];
    const coded = isCoded(found);
    const placed = coded ? [] : found;
    const letters = lettersOf(placed);
    const isNewFont = placed.some(({ font }) => font !== "" && !this.#fonts.has(font));
    // Of a page that is too much only the text is told, as far as it is read.
    const isDrawn = isWhole && (isNewFont || mayBeScan(letters));
    const graphics = isDrawn ? await graphicsOf(page) : null;
    // A font that draws nothing is in the text alone.
    for (const { font } of placed)
      this.#fonts.set(font, graphics?.fonts.get(font) ?? this.#fonts.get(font) ?? false);
    const bold = new Set([...this.#fonts].flatMap(([font, isBold]) => (isBold ? font : [])));
    const directed = directedRuns(placed, size, bold);
    const main = directed.find(({ frame }) => frame.angle % 90 === 0);
    const upright = main?.frame ?? frameOf(0, size.width, size.height);
    const { runs: optical, isSideways } =
      graphics === null || upright.angle !== 0
        ? NOTHING
        : await this.#readImages(
            page,
            graphics,
            placed,
            coded || isScan(letters, graphics, size),
            size,
          );
    const frame = isSideways ? frameOf(0, size.height, size.width) : upright;
    const others = directed.filter((one) => one !== main);
    return laidPage(page.pageNumber, frame, [...(main?.runs ?? []), ...optical], others);
  }

  async #placedRuns(page: PDFPageProxy): Promise<PlacedRuns> {
    const { page: ofPage, file } = this.#mostRuns;
    const left = file - this.#runs;
    const placed = await placedRuns(page, Math.min(left, ofPage));
    this.#runs += placed.read;
    if (!placed.isWhole) {
      if (left <= ofPage) throw tooManyRuns(file);
      this.#cut.push(page.pageNumber);
    }
    return placed;
  }

  async #readImages(
    page: PDFPageProxy,
    ...what: [PageGraphics, readonly PlacedRun[], boolean, Size]
  ): Promise<OpticalRuns> {
    try {
      return await this.#readOptically(page, ...what);
    } catch (error) {
      if (!(error instanceof RecognitionFailure)) throw error;
      this.#unread.push(page.pageNumber);
      return NOTHING;
    }
  }

  async #readOptically(
    page: PDFPageProxy,
    graphics: PageGraphics,
    placed: readonly PlacedRun[],
    isWhole: boolean,
    { width, height }: Size,
  ): Promise<OpticalRuns> {
    if (isWhole) {
      if (this.#scans.length >= MAX_OPTICAL_PAGES) {
        this.#left.push(page.pageNumber);
        return NOTHING;
      }
      const whole = [0, 0, width, height] as const;
      // Where there is text besides, it says which way the page lies.
      const mayTurn = placed.length === 0;
      const reading = await readPart(this.#pdf, page, whole, graphics.images, {
        signal: this.#signal,
        mayTurn,
      });
      this.#scans.push({ number: page.pageNumber, reading });
      return { runs: besideText(reading.runs, placed), isSideways: reading.turn % 180 !== 0 };
    }
    const runs: GlyphRun[] = [];
    const languages = new Set<LanguageCode>();
    for (const image of lettered(graphics, { width, height })) {
      const key = JSON.stringify([image.width, image.height, image.box.map(Math.round)]);
      if (this.#lettered.has(key) || this.#lettered.size >= MAX_LETTERED) continue;
      this.#lettered.add(key);
      const signal = this.#signal;
      const words = await readPart(this.#pdf, page, image.box, [image], { signal });
      const beside = besideText(sureWords(words.runs), placed);
      runs.push(...beside);
      if (beside.length > 0) for (const code of words.languages) languages.add(code);
    }
    if (runs.length > 0) this.#letterheads.set(page.pageNumber, languages);
    return { runs, isSideways: false };
  }
}

const tooManyRuns = (most: number): DocumentFault =>
  new DocumentFault(
    "too_large",
    `The PDF has more than ${count(most)} pieces of text, the most for one of its size. Save it again in a simpler form, or split it into smaller files.`,
  );

const count = (value: number): string => value.toLocaleString("en");

interface OpticalRuns {
  readonly runs: readonly GlyphRun[];
  /** Whether the page was read on its side, so that its width is its height. */
  readonly isSideways: boolean;
}

const NOTHING: OpticalRuns = { runs: [], isSideways: false };

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
    apart: others.flatMap((directed) => rotatedLines(directed, frame)),
  };
}
