/**
 * PDF as a document: the text of each page, laid out by where it stands; what is only an image is read
 * optically. Pages are read one by one and let go, so that memory does not grow with their graphics.
 */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { asOneLine } from "../../characters.ts";
import { layOut } from "../../layout/lay-out.ts";
import type { LaidPage } from "../../layout/page.ts";
import { regionsOf } from "../../layout/regions.ts";
import { PARSING_LIMITS, type ParsingLimits, requirePagesWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { linesApart } from "./apart.ts";
import { fieldRuns } from "./form-fields.ts";
import { frameOf } from "./frame.ts";
import { graphicsOf } from "./graphics.ts";
import { damaged, openPdf } from "./open.ts";
import { directedRuns, placedRuns } from "./page-runs.ts";

/** @throws DocumentFault `encrypted`, `damaged`, `too_many_pages`; what the signal is aborted with */
export async function parsePdf(
  bytes: Uint8Array,
  limits: ParsingLimits = PARSING_LIMITS,
  signal?: AbortSignal,
): Promise<ParsedDocument> {
  const pdf = await openPdf(bytes, limits);
  try {
    requirePagesWithin(pdf.numPages, limits);
    const reader = new PageReader();
    const pages: LaidPage[] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      signal?.throwIfAborted();
      pages.push(await reader.read(await pageOf(pdf, number)));
    }
    return {
      version: 1,
      mediaType: "application/pdf",
      title: await titleOf(pdf),
      pages: layOut(pages),
      warnings: reader.warnings,
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function pageOf(pdf: PDFDocumentProxy, number: number): Promise<PDFPageProxy> {
  try {
    return await pdf.getPage(number);
  } catch (cause) {
    throw damaged(cause);
  }
}

class PageReader {
  readonly warnings: string[] = [];
  /** Of all pages so far; whether each is bold. */
  readonly #fonts = new Map<string, boolean>();

  async read(page: PDFPageProxy): Promise<LaidPage> {
    const size = page.getViewport({ scale: 1 });
    const placed = [...(await placedRuns(page)), ...(await fieldRuns(page))];
    if (placed.length === 0 || placed.some(({ font }) => font !== "" && !this.#fonts.has(font))) {
      const graphics = await graphicsOf(page);
      for (const [font, isBold] of graphics.fonts) this.#fonts.set(font, isBold);
    }
    const bold = new Set([...this.#fonts].flatMap(([font, isBold]) => (isBold ? font : [])));
    const [main, ...others] = directedRuns(placed, size, bold);
    const frame = main?.frame ?? frameOf(0, size.width, size.height);
    const laid = {
      number: page.pageNumber,
      width: frame.width,
      height: frame.height,
      regions: regionsOf(main?.runs ?? []),
      apart: others.flatMap((runs) => linesApart(runs, frame)),
    };
    page.cleanup();
    return laid;
  }
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string | null> {
  const { info } = await pdf.getMetadata();
  const title: unknown = "Title" in info ? info.Title : null;
  return typeof title === "string" && title.trim() !== "" ? asOneLine(title) : null;
}
